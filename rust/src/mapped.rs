//! Binary files that are used where they lie: a header, sections of plain numbers or bytes, opened without a copy.
//!
//! Layout, little-endian: magic (8 bytes: `GRAPHMT` and a kind), format version `u32`, number of sections `u32`,
//! length of the whole file `u64`, checksum of the header and section table `u64`, then for each section offset,
//! length in bytes and checksum, each `u64`. Sections start at multiples of 64.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapOptions};

use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::hashing::checksum;

const HEAD: usize = 32;
const ENTRY: usize = 24;
const ALIGNMENT: u64 = 64;

/// What a file is: checked before anything in it is believed.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Ends the magic bytes.
    pub kind: u8,
    /// What it is called in messages.
    pub name: &'static str,
    pub version: u32,
    pub sections: usize,
}

impl Format {
    fn magic(&self) -> [u8; 8] {
        [b'G', b'R', b'A', b'P', b'H', b'M', b'T', self.kind]
    }
}

/// Numbers that may be read where they lie in a file.
///
/// # Safety
/// Every pattern of bits must be a value, and there must be no padding.
pub unsafe trait Plain: Copy + 'static {}
unsafe impl Plain for u8 {}
unsafe impl Plain for u16 {}
unsafe impl Plain for i16 {}
unsafe impl Plain for u32 {}
unsafe impl Plain for u64 {}
unsafe impl Plain for f32 {}

/// An opened file.
pub struct Mapped {
    map: Mmap,
    ranges: Vec<(usize, usize)>,
    path: PathBuf,
}

impl Mapped {
    pub fn open(path: &Path, format: &Format) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        let length = file.metadata().map_err(|error| Error::io(path, &error))?.len();
        let foreign = || Error::input(format!("not a graphmt {}.", format.name)).at(path, None);
        if length < (HEAD + format.sections * ENTRY) as u64 {
            return Err(foreign());
        }
        // SAFETY: the file is ours by its magic bytes and was written under another name and renamed; a file that
        // is changed while it is open is a fault that no reader of mapped files can guard against.
        let map = unsafe { MmapOptions::new().map(&file) }.map_err(|error| Error::io(path, &error))?;
        if map[..7] != format.magic()[..7] || map[7] != format.kind {
            return Err(foreign());
        }
        let version = word32(&map, 8);
        if version != format.version {
            let (what, advice) = if version > format.version {
                ("newer", "Update graphmt, or make the file again with this one.")
            } else {
                ("older", "Make the file again with this graphmt.")
            };
            let message = format!(
                "a {} of format {version}, {what} than the {} known here.",
                format.name, format.version
            );
            return Err(Error::input(message).at(path, None).hint(advice));
        }
        let broken = |what: &str| {
            Error::input(format!("this {} is damaged: {what}.", format.name))
                .at(path, None)
                .hint("It may have been cut short while copying; copy or make it again.")
        };
        let table = HEAD + format.sections * ENTRY;
        if word32(&map, 12) as usize != format.sections || word64(&map, 24) != header_sum(&map[..table]) {
            return Err(broken("its header does not add up"));
        }
        if word64(&map, 16) != length {
            return Err(broken(&format!("{length} bytes instead of {}", word64(&map, 16))));
        }
        let mut ranges = Vec::with_capacity(format.sections);
        for section in 0..format.sections {
            let at = HEAD + section * ENTRY;
            let (offset, size) = (word64(&map, at), word64(&map, at + 8));
            let end = offset.checked_add(size).filter(|&end| end <= length && offset % ALIGNMENT == 0);
            let Some(end) = end else { return Err(broken("a section lies outside the file")) };
            ranges.push((offset as usize, end as usize));
        }
        Ok(Mapped { map, ranges, path: path.to_owned() })
    }

    /// A section as numbers, where it lies. What does not fill a whole number at the end is left out.
    pub fn section<T: Plain>(&self, section: usize) -> &[T] {
        let (from, to) = self.ranges[section];
        let bytes = &self.map[from..to];
        debug_assert_eq!(bytes.as_ptr() as usize % std::mem::align_of::<T>(), 0);
        // SAFETY: sections start at multiples of 64 of a page-aligned map, `T` is plain, the length is in range.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / std::mem::size_of::<T>()) }
    }

    /// Reads the whole file and compares its checksums: for a check on request, not for every opening.
    pub fn verify(&self) -> Result<()> {
        for (section, &(from, to)) in self.ranges.iter().enumerate() {
            let wanted = word64(&self.map, HEAD + section * ENTRY + 16);
            if checksum(&self.map[from..to]) != wanted {
                let message = format!("damaged: section {section} does not match its checksum.");
                return Err(Error::input(message).at(&self.path, None).hint("Copy or make it again."));
            }
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn bytes(&self) -> usize {
        self.map.len()
    }
}

/// Writes such a file, section by section; it has its name only once it is whole.
pub struct Writer {
    out: BufWriter<File>,
    draft: Draft,
    format: Format,
    at: u64,
    /// Offset and length of each section.
    sections: Vec<(u64, u64)>,
}

impl Writer {
    pub fn create(path: &Path, format: Format) -> Result<Self> {
        let (draft, file) = Draft::create(path)?;
        let out = BufWriter::with_capacity(1 << 20, file);
        let mut writer = Writer { out, draft, format, at: 0, sections: Vec::new() };
        writer.put(&vec![0; HEAD + format.sections * ENTRY])?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.at += bytes.len() as u64;
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

    /// Adds to the section begun last.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.put(bytes)
    }

    /// A whole section of numbers.
    pub fn section<T: Plain>(&mut self, values: &[T]) -> Result<()> {
        self.begin()?;
        // SAFETY: `T` is plain: its bytes are its value, on the little-endian machines that these files are for.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), std::mem::size_of_val(values))
        };
        self.write(bytes)
    }

    pub fn finish(mut self) -> Result<()> {
        self.end();
        if self.sections.len() != self.format.sections {
            return Err(Error::internal("a binary file was written with sections missing."));
        }
        let head = |map: &[u8]| {
            let mut head = Vec::new();
            head.extend_from_slice(&self.format.magic());
            head.extend_from_slice(&self.format.version.to_le_bytes());
            head.extend_from_slice(&(self.format.sections as u32).to_le_bytes());
            head.extend_from_slice(&self.at.to_le_bytes());
            head.extend_from_slice(&[0; 8]);
            for &(offset, length) in &self.sections {
                let sum = checksum(&map[offset as usize..(offset + length) as usize]);
                for number in [offset, length, sum] {
                    head.extend_from_slice(&number.to_le_bytes());
                }
            }
            let sum = header_sum(&head);
            head[24..32].copy_from_slice(&sum.to_le_bytes());
            head
        };
        let finish = |out: &mut BufWriter<File>| -> std::io::Result<()> {
            out.flush()?;
            // SAFETY: the draft has a name that no other process uses.
            let head = head(&unsafe { MmapOptions::new().map(out.get_ref()) }?);
            out.seek(SeekFrom::Start(0))?;
            out.write_all(&head)?;
            out.flush()?;
            out.get_ref().sync_all()
        };
        finish(&mut self.out).map_err(|error| Error::io(self.draft.path(), &error))?;
        let Writer { out, draft, .. } = self;
        drop(out);
        draft.finish()
    }
}

fn word32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn word64(bytes: &[u8], at: usize) -> u64 {
    u64::from(word32(bytes, at)) | u64::from(word32(bytes, at + 4)) << 32
}

/// The header's checksum, with the place of the checksum itself taken as zero.
fn header_sum(head: &[u8]) -> u64 {
    let mut head = head.to_vec();
    head[24..32].fill(0);
    checksum(&head)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format { kind: b'?', name: "test file", version: 3, sections: 2 };

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
        let used = |at: usize| at < HEAD + 2 * ENTRY || (128..140).contains(&at) || at >= 192;
        for at in (0..whole.len()).filter(|&at| used(at)) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            std::fs::write(&path, &bytes).unwrap();
            let noticed = Mapped::open(&path, &FORMAT).and_then(|file| file.verify());
            assert!(noticed.is_err(), "byte {at}");
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
