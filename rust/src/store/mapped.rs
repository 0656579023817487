//! Binary files that are memory-mapped and used without a copy: a header and sections of plain numbers or bytes.
//!
//! Layout, little-endian: magic (8 bytes: `GRAPHMT` and a kind), format version `u32`, number of sections `u32`, length
//! of the whole file `u64`, checksum of the header `u64`, offset of the checksums `u64`, their checksum `u64`, then for
//! each section offset and length in bytes, each `u64`. Sections start at multiples of 64. After the last one follow
//! the checksums of everything after the header, see [`super::blocks`]. So every byte is covered by a checksum.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::blocks;
use super::blocks::{Blocks, Summing};
use super::draft::Draft;
use super::hashing::checksum;
use super::watched::Watched;
use crate::error::{Error, Result};

const HEAD: usize = 48;
const ENTRY: usize = 16;
const ALIGNMENT: u64 = 64;

/// The format of a file, checked before its content is used.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The last of the magic bytes.
    pub kind: u8,
    /// Name of the format in messages.
    pub name: &'static str,
    pub version: u32,
    pub sections: usize,
    /// Sections of which a sentence uses only a small part. In a large file they are compared with their checksums on
    /// use, for which readers call [`Mapped::touch`].
    pub large: &'static [usize],
}

impl Format {
    fn header(&self) -> usize {
        HEAD + self.sections * ENTRY
    }

    fn magic(&self) -> [u8; 8] {
        [b'G', b'R', b'A', b'P', b'H', b'M', b'T', self.kind]
    }
}

/// Numbers that may be read directly from a mapped file.
///
/// # Safety
/// Every bit pattern must be a valid value, and there must be no padding.
pub unsafe trait Plain: Copy + 'static {}
unsafe impl Plain for u8 {}
unsafe impl Plain for u16 {}
unsafe impl Plain for i16 {}
unsafe impl Plain for u32 {}
unsafe impl Plain for u64 {}
unsafe impl Plain for f32 {}

/// An opened file.
pub struct Mapped {
    file: Watched,
    ranges: Vec<Range<usize>>,
    blocks: Blocks,
}

impl Mapped {
    pub fn open(path: &Path, format: &Format) -> Result<Self> {
        Self::open_comparing(path, format, blocks::WHOLE)
    }

    /// Like [`Mapped::open`]; files larger than `whole` are not verified completely on opening.
    pub fn open_comparing(path: &Path, format: &Format, whole: usize) -> Result<Self> {
        let file = Watched::open(path, format.name)?;
        let length = file.len() as u64;
        let foreign = || Error::input(format!("not a graphmt {}.", format.name)).at(path, None);
        if file.len() < format.header() || file[..8] != format.magic() {
            return Err(foreign());
        }
        let version = word32(&file, 8);
        if version != format.version {
            let (what, advice) = if version > format.version {
                ("newer", "Update graphmt, or create the file again with this version.")
            } else {
                ("older", "Create the file again with this version of graphmt.")
            };
            let message = format!(
                "a {} of format {version}, {what} than the {} known here.",
                format.name, format.version
            );
            return Err(Error::input(message).at(path, None).hint(advice));
        }
        let header = format.header();
        if word32(&file, 12) as usize != format.sections || word64(&file, 24) != header_sum(&file[..header]) {
            return Err(file.damage("its header does not add up"));
        }
        if word64(&file, 16) != length {
            return Err(file.damage(&format!("{length} bytes instead of {}", word64(&file, 16))));
        }
        let end = usize::try_from(word64(&file, 32)).unwrap_or(usize::MAX);
        let sums = file.get(end..).unwrap_or(&[]);
        if end < header
            || sums.len() != 8 * blocks::number(end - header)
            || checksum(sums) != word64(&file, 40)
        {
            return Err(file.damage("its checksums do not add up"));
        }
        let mut ranges = Vec::with_capacity(format.sections);
        for section in 0..format.sections {
            let at = HEAD + section * ENTRY;
            let (offset, size) = (word64(&file, at), word64(&file, at + 8));
            let to = offset.checked_add(size).filter(|&to| to <= end as u64 && offset % ALIGNMENT == 0);
            let Some(to) = to else { return Err(file.damage("a section lies outside the file")) };
            ranges.push(offset as usize..to as usize);
        }
        let small = |&(section, _): &(usize, &Range<usize>)| !format.large.contains(&section);
        let small: Vec<Range<usize>> =
            ranges.iter().enumerate().filter(small).map(|(_, range)| range.clone()).collect();
        let blocks = Blocks::open(&file, header..end, &small, whole)?;
        Ok(Mapped { file, ranges, blocks })
    }

    /// Whether [`Mapped::touch`] has any effect.
    #[inline]
    pub fn is_touched(&self) -> bool {
        self.blocks.are_left()
    }

    /// Call this before using some bytes of a section that the format lists as large.
    #[inline]
    pub fn touch(&self, section: usize, bytes: Range<usize>) {
        if self.blocks.are_left() {
            let start = self.ranges[section].start;
            self.blocks.touch(&self.file, start.saturating_add(bytes.start)..start.saturating_add(bytes.end));
        }
    }

    /// Like [`Mapped::touch`], for a range of values.
    #[inline]
    pub fn touch_values<T: Plain>(&self, section: usize, values: Range<usize>) {
        let size = std::mem::size_of::<T>();
        self.touch(section, values.start.saturating_mul(size)..values.end.saturating_mul(size));
    }

    /// Marks the file as damaged: [`Mapped::check`] will fail.
    pub fn found_damage(&self) {
        self.file.found_damage();
    }

    /// Whether the file is marked as damaged.
    #[inline]
    pub fn is_damaged(&self) -> bool {
        self.file.is_damaged()
    }

    /// Fails if the file was changed since it was opened, or if a part that was used is damaged. Call it before
    /// returning results.
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    /// The error for a file whose parts are inconsistent although its checksums are right.
    pub fn misfit(&self) -> Error {
        self.file.damage("its parts do not fit together")
    }

    /// A section as a slice of numbers. An incomplete number at the end is left out.
    pub fn section<T: Plain>(&self, section: usize) -> &[T] {
        let bytes = &self.file[self.ranges[section].clone()];
        debug_assert_eq!(bytes.as_ptr() as usize % std::mem::align_of::<T>(), 0);
        // SAFETY: sections start at multiples of 64 of a page-aligned map, `T` is plain, the length is in range.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / std::mem::size_of::<T>()) }
    }

    /// Reads the whole file and compares its checksums; for files up to 512 MiB, opening does this already.
    pub fn verify(&self) -> Result<()> {
        self.blocks.verify(&self.file)
    }

    /// The checksum of the header, which covers the other checksums: files with the same have the same content.
    pub fn sum(&self) -> u64 {
        word64(&self.file, 24)
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    pub fn bytes(&self) -> usize {
        self.file.len()
    }
}

/// Writes such a file, section by section; it gets its name only when it is complete.
pub struct Writer {
    out: BufWriter<File>,
    draft: Draft,
    format: Format,
    at: u64,
    summing: Summing,
    /// Offset and length of each section.
    sections: Vec<(u64, u64)>,
}

impl Writer {
    pub fn create(path: &Path, format: Format) -> Result<Self> {
        let (draft, file) = Draft::create(path)?;
        let out = BufWriter::with_capacity(1 << 20, file);
        let (at, summing) = (format.header() as u64, Summing::default());
        let mut writer = Writer { out, draft, format, at, summing, sections: Vec::new() };
        let header = vec![0; format.header()];
        writer.out.write_all(&header).map_err(|error| Error::io(path, &error))?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.at += bytes.len() as u64;
        self.summing.add(bytes);
        self.out.write_all(bytes).map_err(|error| Error::io(self.draft.path(), &error))
    }

    /// Begins the next section.
    pub fn begin(&mut self) -> Result<()> {
        self.end();
        let gap = self.at.next_multiple_of(ALIGNMENT) - self.at;
        self.put(&vec![0; gap as usize])?;
        self.sections.push((self.at, 0));
        Ok(())
    }

    fn end(&mut self) {
        if let Some(section) = self.sections.last_mut() {
            section.1 = self.at - section.0;
        }
    }

    /// Appends to the current section.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.put(bytes)
    }

    /// A whole section of numbers.
    pub fn section<T: Plain>(&mut self, values: &[T]) -> Result<()> {
        self.begin()?;
        // SAFETY: `T` is plain: its bytes are its value, on the little-endian machines that these files are made for.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), std::mem::size_of_val(values))
        };
        self.write(bytes)
    }

    pub fn finish(self) -> Result<()> {
        self.complete()?.0.finish()
    }

    /// Writes the rest, but does not give the file its name yet; also returns what [`Mapped::sum`] will.
    pub fn complete(mut self) -> Result<(Draft, u64)> {
        self.end();
        if self.sections.len() != self.format.sections {
            return Err(Error::internal("a binary file was written with sections missing."));
        }
        let sums: Vec<u8> =
            std::mem::take(&mut self.summing).finish().iter().flat_map(|sum| sum.to_le_bytes()).collect();
        let mut head = Vec::new();
        head.extend_from_slice(&self.format.magic());
        head.extend_from_slice(&self.format.version.to_le_bytes());
        head.extend_from_slice(&(self.format.sections as u32).to_le_bytes());
        for number in [self.at + sums.len() as u64, 0, self.at, checksum(&sums)] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        for number in self.sections.iter().flat_map(|&(offset, length)| [offset, length]) {
            head.extend_from_slice(&number.to_le_bytes());
        }
        let sum = header_sum(&head);
        head[24..32].copy_from_slice(&sum.to_le_bytes());
        let finish = |out: &mut BufWriter<File>| -> std::io::Result<()> {
            out.write_all(&sums)?;
            out.flush()?;
            out.seek(SeekFrom::Start(0))?;
            out.write_all(&head)?;
            out.flush()?;
            out.get_ref().sync_all()
        };
        finish(&mut self.out).map_err(|error| Error::io(self.draft.path(), &error))?;
        let Writer { out, draft, .. } = self;
        drop(out);
        Ok((draft, sum))
    }
}

fn word32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn word64(bytes: &[u8], at: usize) -> u64 {
    u64::from(word32(bytes, at)) | u64::from(word32(bytes, at + 4)) << 32
}

/// The header's checksum, with its own field set to zero.
fn header_sum(head: &[u8]) -> u64 {
    let mut head = head.to_vec();
    head[24..32].fill(0);
    checksum(&head)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const FORMAT: Format = Format { kind: b'?', name: "test file", version: 3, sections: 2, large: &[1] };

    fn written(folder: &Path) -> PathBuf {
        let path = folder.join("file");
        let mut writer = Writer::create(&path, FORMAT).unwrap();
        writer.section(&[1u32, 2, 3]).unwrap();
        writer.begin().unwrap();
        writer.write(b"some").unwrap();
        writer.write(b" bytes").unwrap();
        writer.finish().unwrap();
        path
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("graphmt-mapped-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = folder("round");
        let file = Mapped::open(&written(&folder), &FORMAT).unwrap();
        assert_eq!(file.section::<u32>(0), [1, 2, 3]);
        assert_eq!(file.section::<u8>(1), b"some bytes");
        file.verify().unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let folder = folder("broken");
        let path = written(&folder);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(Mapped::open(&path, &FORMAT).is_err(), "cut at {cut}");
        }
        for at in 0..whole.len() {
            for bit in [0x01, 0x80] {
                let mut bytes = whole.clone();
                bytes[at] ^= bit;
                std::fs::write(&path, &bytes).unwrap();
                assert!(Mapped::open(&path, &FORMAT).is_err(), "byte {at}");
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_large_section_is_compared_when_it_is_used() {
        let folder = folder("large");
        let path = folder.join("file");
        let mut writer = Writer::create(&path, FORMAT).unwrap();
        writer.section(&[1u32, 2, 3]).unwrap();
        let many = 3 * blocks::BLOCK;
        writer.section(&vec![9u8; many]).unwrap();
        writer.finish().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[128 + many - 2] = 8;
        std::fs::write(&path, &bytes).unwrap();
        assert!(Mapped::open(&path, &FORMAT).is_err());
        let file = Mapped::open_comparing(&path, &FORMAT, 0).unwrap();
        file.touch(1, 0..many / 2);
        file.check().unwrap();
        file.touch(1, many - 10..many);
        let error = file.check().unwrap_err().to_string();
        assert!(error.contains("this test file is damaged"), "{error}");
        // The first section is always compared.
        bytes[HEAD + 2 * ENTRY + 50] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(Mapped::open_comparing(&path, &FORMAT, 0).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// Valid checksums for invalid sizes and offsets.
    #[test]
    fn headers_that_cannot_be_are_refused() {
        let folder = folder("hostile");
        let path = written(&folder);
        let whole = std::fs::read(&path).unwrap();
        let fields = [32, 40, HEAD, HEAD + 8, HEAD + ENTRY, HEAD + ENTRY + 8];
        for at in fields {
            for value in [1, 63, 1 << 20, u64::MAX, u64::MAX - 63, 1 << 63] {
                let mut bytes = whole.clone();
                bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
                let sum = header_sum(&bytes[..FORMAT.header()]);
                bytes[24..32].copy_from_slice(&sum.to_le_bytes());
                std::fs::write(&path, &bytes).unwrap();
                if let Ok(file) = Mapped::open(&path, &FORMAT) {
                    assert!(file.section::<u32>(0).len() + file.section::<u8>(1).len() <= whole.len());
                }
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn another_version_is_refused_with_advice() {
        let folder = folder("version");
        let path = written(&folder);
        let newer = Format { version: 2, ..FORMAT };
        let error = Mapped::open(&path, &newer).err().unwrap();
        assert!(
            error.to_string().contains("format 3, newer than the 2 known here. Update graphmt"),
            "{error}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
