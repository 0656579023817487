//! Sorted runs of counted records, in memory up to a budget and in temporary files above it, merged as one stream.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::merge::{Merge, Source};
use super::prefetch::prefetch;
use crate::error::{Error, Result};

/// One whole occurrence. Counts are in units of 2^-32, so that sums of fractions do not depend on their order.
pub const ONE: u64 = 1 << 32;

/// A count as a number.
pub fn number(count: u64) -> f64 {
    count as f64 / ONE as f64
}

/// One occurrence of a rule.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Occurrence {
    /// In units of 1 / [`ONE`]; below 1 if the rules of a phrase pair share one occurrence.
    pub weight: u64,
    /// Previous and next, each 0-2, as 3 * previous + next, or [`Heap::NONE`].
    pub orientation: u8,
}

/// The counts of a record: occurrences in units of 1 / [`ONE`], and how many of them have each orientation towards the
/// previous and the next rule.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    pub occurrences: u64,
    pub orientations: [u32; 6],
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.occurrences += other.occurrences;
        for (mine, others) in self.orientations.iter_mut().zip(other.orientations) {
            *mine += others;
        }
    }
}

/// The most bytes of a record's head in a run, see [`write_entry`], unless orientations are counted.
const HEAD: usize = 10;

/// Records between the prefetch of a record and its use.
const AHEAD: usize = 16;

/// Records in the order they were added, before they are sorted and counted.
#[derive(Default)]
pub struct Heap {
    bytes: Vec<u8>,
    /// The beginning of the record (most comparisons end there), offset, length, orientation. The weight of a record that
    /// is not one whole occurrence follows its bytes, with [`Heap::SHARED`] as its orientation.
    index: Vec<(u64, u32, u16, u8)>,
}

impl Heap {
    pub const NONE: u8 = u8::MAX;
    const SHARED: u8 = u8::MAX - 1;

    pub fn push(&mut self, record: &[u8], occurrence: Occurrence) {
        let offset = self.bytes.len() as u32;
        self.bytes.extend_from_slice(record);
        let mark = if occurrence.weight == ONE {
            occurrence.orientation
        } else {
            self.bytes.extend_from_slice(&occurrence.weight.to_le_bytes());
            Heap::SHARED
        };
        self.index.push((0, offset, record.len() as u16, mark));
    }

    fn weight(&self, entry: &(u64, u32, u16, u8)) -> u64 {
        if entry.3 != Heap::SHARED {
            return ONE;
        }
        let mut weight = [0; 8];
        let at = entry.1 as usize + entry.2 as usize;
        weight.copy_from_slice(&self.bytes[at..at + 8]);
        u64::from_le_bytes(weight)
    }

    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.index.len() * 16
    }

    /// A run that contains every record once. The heap is empty afterwards and keeps its memory.
    pub fn take_run(&mut self) -> Run {
        let bytes = &self.bytes;
        let of = |entry: &(u64, u32, u16, u8)| &bytes[entry.1 as usize..entry.1 as usize + entry.2 as usize];
        self.index.iter_mut().for_each(|entry| entry.0 = beginning(of(entry)));
        // Numbers first: they are sorted without a branch, and only records that begin alike are compared.
        self.index.sort_unstable_by_key(|entry| entry.0);
        let mut next = 0;
        while next < self.index.len() {
            let (first, alike) = (next, self.index[next].0);
            while self.index.get(next).is_some_and(|entry| entry.0 == alike) {
                if let Some(&(_, offset, ..)) = self.index.get(next + AHEAD) {
                    prefetch(bytes, offset as usize);
                }
                next += 1;
            }
            self.index[first..next].sort_unstable_by(|a, b| of(a).cmp(of(b)));
        }
        // As long as it can become; memory that is not written costs nothing.
        let mut run = Run { bytes: Vec::with_capacity(bytes.len() + HEAD * self.index.len()) };
        let mut at = 0;
        while at < self.index.len() {
            let record = of(&self.index[at]);
            let mut counts = Counts::default();
            while at < self.index.len() && of(&self.index[at]) == record {
                // Records are read in sorted order, so that each one is far from the one before.
                if let Some(&(_, offset, length, _)) = self.index.get(at + AHEAD) {
                    prefetch(bytes, offset as usize);
                    prefetch(bytes, offset as usize + length as usize);
                }
                counts.occurrences += self.weight(&self.index[at]);
                let orientation = self.index[at].3;
                if orientation < Heap::SHARED {
                    counts.orientations[usize::from(orientation / 3)] += 1;
                    counts.orientations[3 + usize::from(orientation % 3)] += 1;
                }
                at += 1;
            }
            run.push(record, &counts);
        }
        run.bytes.shrink_to_fit();
        self.bytes.clear();
        self.index.clear();
        run
    }
}

/// A number that does not decrease from a record to the next in order, whatever the records are, so that most comparisons
/// end with it. It is made for rules: words of four bytes, each with a joint of two, then a context and words without
/// joints, with as many bits as most of them need. One that needs more takes the place of everything after it.
pub(super) fn beginning(record: &[u8]) -> u64 {
    const WORD: u32 = 20;
    const JOINT: u32 = 2;
    let mut packed = Packed { bits: 0, left: u64::BITS };
    let mut at = 0;
    // Source words; zero is their end.
    while let Some(word) = Some(number_at(record, at)).filter(|&word| word > 0) {
        let joint = number_at(record, at + 4) >> 16;
        if !(packed.mark(true) && packed.put(word, WORD) && packed.put(joint, JOINT)) {
            return packed.bits;
        }
        at += 6;
    }
    // The context has the last three of these bytes.
    let context = number_at(record, at + 3);
    let mut goes_on = packed.mark(false) && packed.mark(context > 0) && context == 0;
    at += 7;
    while goes_on {
        let word = number_at(record, at);
        goes_on = packed.put(word, WORD) && word > 0;
        at += 4;
    }
    packed.bits
}

/// The big-endian number of four bytes; those after the end of the record are zero.
#[inline]
fn number_at(record: &[u8], at: usize) -> u32 {
    match record.get(at..).and_then(<[u8]>::first_chunk) {
        Some(&whole) => u32::from_be_bytes(whole),
        None => {
            (at..at + 4).fold(0, |number, k| number << 8 | u32::from(record.get(k).copied().unwrap_or(0)))
        }
    }
}

/// Numbers in the bits of one, the first in the highest.
struct Packed {
    bits: u64,
    left: u32,
}

impl Packed {
    /// Appends a number of so many bits; false if nothing can follow, because it has more bits or the room is used up.
    #[inline]
    fn put(&mut self, number: u32, bits: u32) -> bool {
        let highest = (1 << bits) - 1;
        let number = u64::from(number).min(highest);
        let room = bits.min(self.left);
        self.left -= room;
        self.bits |= number >> (bits - room) << self.left;
        number < highest && self.left > 0
    }

    /// Appends a bit; false if nothing can follow.
    #[inline]
    fn mark(&mut self, bit: bool) -> bool {
        self.left -= 1;
        self.bits |= u64::from(bit) << self.left;
        self.left > 0
    }
}

/// Sorted distinct records with their counts, in the format of the temporary file.
#[derive(Default)]
pub struct Run {
    bytes: Vec<u8>,
}

impl Run {
    /// The runs that follow one another in bytes: a record that is not greater than the one before begins a run. Bytes
    /// that end within a record are an error.
    pub fn several(bytes: &[u8]) -> Result<Vec<Self>> {
        let damaged = || Error::internal("a run of counted records ends within a record.");
        let (mut runs, mut start, mut last) = (Vec::new(), 0, None);
        let mut rest = bytes;
        loop {
            let at = bytes.len() - rest.len();
            let head = read_head(&mut rest).map_err(|_| damaged())?;
            let Some((length, _)) = head else { break };
            let record;
            (record, rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
            if last.is_some_and(|last| record <= last) {
                runs.push(Run { bytes: bytes[start..at].to_vec() });
                start = at;
            }
            last = Some(record);
        }
        runs.push(Run { bytes: bytes[start..].to_vec() });
        Ok(runs)
    }

    /// The bytes before each of the `bounds`, and those after the last: a record belongs behind the last bound that is
    /// not greater.
    pub fn divided(&self, bounds: &[impl AsRef<[u8]>]) -> Vec<&[u8]> {
        let mut parts = Vec::with_capacity(bounds.len() + 1);
        let (mut start, mut rest) = (0, &self.bytes[..]);
        while parts.len() < bounds.len() {
            let at = self.bytes.len() - rest.len();
            let Ok(Some((length, _))) = read_head(&mut rest) else { break };
            let record;
            (record, rest) = rest.split_at(length);
            while bounds.get(parts.len()).is_some_and(|bound| bound.as_ref() <= record) {
                parts.push(&self.bytes[start..at]);
                start = at;
            }
        }
        parts.push(&self.bytes[start..]);
        parts
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds a record; records must be added in ascending order.
    pub fn push(&mut self, record: &[u8], counts: &Counts) {
        write_entry(&mut self.bytes, record, counts).expect("writing to memory does not fail");
    }

    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The records with their counts, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], Counts)> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (length, counts) = read_head(&mut rest).ok()??;
            let (record, after) = rest.split_at(length);
            rest = after;
            Some((record, counts))
        })
    }
}

fn write_entry(out: &mut impl Write, record: &[u8], counts: &Counts) -> std::io::Result<()> {
    let oriented = counts.orientations.iter().any(|&n| n > 0);
    let shared = counts.occurrences % ONE != 0;
    let length = (record.len() as u16) << 2 | u16::from(shared) << 1 | u16::from(oriented);
    out.write_all(&length.to_le_bytes())?;
    if shared {
        out.write_all(&counts.occurrences.to_le_bytes())?;
    } else {
        out.write_all(&((counts.occurrences / ONE) as u32).to_le_bytes())?;
    }
    if oriented {
        for n in counts.orientations {
            out.write_all(&n.to_le_bytes())?;
        }
    }
    out.write_all(record)
}

/// The length of the next record and its counts; `None` at the end.
pub(super) fn read_head(input: &mut impl Read) -> std::io::Result<Option<(usize, Counts)>> {
    let mut length = [0; 2];
    if input.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    input.read_exact(&mut length[1..])?;
    let length = u16::from_le_bytes(length);
    let mut number = [0; 4];
    input.read_exact(&mut number)?;
    let occurrences = if length & 2 == 2 {
        let low = u32::from_le_bytes(number);
        input.read_exact(&mut number)?;
        u64::from(u32::from_le_bytes(number)) << 32 | u64::from(low)
    } else {
        u64::from(u32::from_le_bytes(number)) * ONE
    };
    let mut counts = Counts { occurrences, ..Counts::default() };
    if length & 1 == 1 {
        for n in &mut counts.orientations {
            input.read_exact(&mut number)?;
            *n = u32::from_le_bytes(number);
        }
    }
    Ok(Some((usize::from(length >> 2), counts)))
}

/// All runs of a corpus. Runs beyond the budget go to a single file in `folder`, since a process can have only few
/// files open. The file is unnamed, so nothing is left of it when the process ends.
pub struct Runs {
    folder: PathBuf,
    budget: usize,
    in_memory: Vec<Run>,
    on_disk: Option<Disk>,
}

/// If there are more runs on disk than this, they are first merged into one.
const MAX_RUNS_ON_DISK: usize = 64;

/// A file of runs, one after the other.
struct Disk {
    folder: PathBuf,
    file: File,
    /// The start of each run, and the end of the last.
    bounds: Vec<u64>,
}

impl Disk {
    fn create(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|error| Error::temporary(folder, &error))?;
        Ok(Disk { folder: folder.to_owned(), file, bounds: vec![0] })
    }

    /// Merges the sources into another run.
    fn append(&mut self, sources: Vec<Source<'_>>) -> Result<()> {
        let failed = |error: std::io::Error| Error::temporary(&self.folder, &error);
        let mut file = &self.file;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let mut merge = Merge::new(sources)?;
        while let Some((record, counts)) = merge.next()? {
            write_entry(&mut out, record, &counts).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        drop(out);
        self.bounds.push(file.stream_position().map_err(failed)?);
        Ok(())
    }

    fn sources(&self) -> impl Iterator<Item = Source<'_>> {
        self.bounds.windows(2).map(|bounds| {
            let stretch = Stretch { file: &self.file, at: bounds[0], end: bounds[1] };
            Source::File(BufReader::with_capacity(1 << 18, stretch))
        })
    }
}

/// A part of a file, with its own read position.
pub(super) struct Stretch<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for Stretch<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = usize::try_from(self.end - self.at).map_or(buffer.len(), |left| left.min(buffer.len()));
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(&mut buffer[..most])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Runs {
    pub fn new(folder: &Path, budget: usize) -> Self {
        Runs { folder: folder.to_owned(), budget, in_memory: Vec::new(), on_disk: None }
    }

    pub fn push(&mut self, run: Run) -> Result<()> {
        self.in_memory.push(run);
        if self.in_memory.iter().map(Run::bytes).sum::<usize>() > self.budget {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let runs = std::mem::take(&mut self.in_memory);
        let mut disk = match self.on_disk.take() {
            Some(disk) if disk.bounds.len() > MAX_RUNS_ON_DISK => {
                let mut merged = Disk::create(&self.folder)?;
                merged.append(disk.sources().collect())?;
                merged
            }
            Some(disk) => disk,
            None => Disk::create(&self.folder)?,
        };
        disk.append(runs.iter().map(|run| Source::Memory(&run.bytes)).collect())?;
        self.on_disk = Some(disk);
        Ok(())
    }

    /// One pass over all records in ascending order, with the counts of equal records added up. Can be called
    /// repeatedly.
    pub fn merge(&mut self) -> Result<Merge<'_>> {
        let on_disk = self.on_disk.iter().flat_map(Disk::sources);
        Merge::new(on_disk.chain(self.in_memory.iter().map(|run| Source::Memory(&run.bytes))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unwritable_folder_is_reported_with_advice() {
        let mut heap = Heap::default();
        heap.push(b"record", Occurrence { weight: ONE, orientation: Heap::NONE });
        let folder = std::env::temp_dir().join("graphmt-runs-none");
        let error = Runs::new(&folder, 0).push(heap.take_run()).unwrap_err();
        let expected =
            format!("{}: no such file or folder. This folder is for temporary files", folder.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }

    fn run_of(records: &[&[u8]]) -> Run {
        let mut run = Run::default();
        records.iter().for_each(|record| run.push(record, &Counts { occurrences: ONE, ..Counts::default() }));
        run
    }

    #[test]
    fn runs_are_divided_at_bounds_and_found_again_in_their_bytes() {
        let runs = [run_of(&[b"a", b"bc", b"d"]), run_of(&[b"bc"]), run_of(&[b"bc", b"e"])];
        let bounds: [&[u8]; 3] = [b"a", b"c", b"f"];
        let lengths = |run: &Run| run.divided(&bounds).iter().map(|bytes| bytes.len()).collect::<Vec<_>>();
        // An entry is six bytes longer than its record.
        assert_eq!(runs.each_ref().map(lengths), [vec![0, 15, 7], vec![0, 8], vec![0, 8, 7]]);
        let joined = runs.iter().flat_map(|run| run.bytes.clone()).collect::<Vec<_>>();
        let found = Run::several(&joined).unwrap();
        assert_eq!(
            found.iter().map(|run| &run.bytes[..]).collect::<Vec<_>>(),
            runs.iter().map(|run| &run.bytes[..]).collect::<Vec<_>>()
        );
        assert!(Run::several(&joined[..joined.len() - 1]).is_err());
    }

    #[test]
    fn beginnings_are_in_the_order_of_records() {
        let mut random = 1;
        let mut below = |n: usize| {
            random = crate::store::hashing::mix(random, 1);
            (random >> 33) as usize % n
        };
        let parts: [&[u8]; 9] = [
            &[0; 4],
            &[0, 0, 0, 1],
            &[0, 0, 255, 0],
            &[0, 15, 255, 255],
            &[0, 16, 0, 0],
            &[9; 4],
            &[0, 0],
            &[0, 3],
            &[255],
        ];
        let mut records: Vec<Vec<u8>> = (0..3000)
            .map(|_| (0..below(8)).flat_map(|_| parts[below(parts.len())].iter().copied()).collect())
            .collect();
        records.sort();
        assert!(records.is_sorted_by_key(|record| beginning(record)));
        let distinct: std::collections::HashSet<u64> =
            records.iter().map(|record| beginning(record)).collect();
        assert!(distinct.len() > 100);
    }

    #[test]
    fn many_runs_on_disk_are_one_file_and_one_stream() {
        let folder = tempfile::tempdir().unwrap();
        let (mut small, mut large) = (Runs::new(folder.path(), 0), Runs::new(folder.path(), usize::MAX));
        for run in 0..2 * MAX_RUNS_ON_DISK as u16 + 3 {
            for runs in [&mut small, &mut large] {
                let mut heap = Heap::default();
                for record in [run % 7, run] {
                    heap.push(&record.to_be_bytes(), Occurrence { weight: ONE, orientation: Heap::NONE });
                }
                runs.push(heap.take_run()).unwrap();
            }
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let listed = |runs: &mut Runs| {
            let (mut merge, mut all) = (runs.merge().unwrap(), Vec::new());
            while let Some((record, counts)) = merge.next().unwrap() {
                all.push((record.to_vec(), counts));
            }
            all
        };
        let all = listed(&mut small);
        assert_eq!(all, listed(&mut large));
        assert_eq!(all, listed(&mut small), "a second pass");
        assert_eq!(all.len(), 2 * MAX_RUNS_ON_DISK + 3);
    }
}
