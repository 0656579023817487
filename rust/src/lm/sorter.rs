//! External sorting: sorted runs in one temporary file, then a merge.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::radix;
use super::record::{Key, Record};
use crate::error::{Error, Result};
use crate::work::interrupt::Points;

/// Runs merged at once; if there are more, some are merged first.
const FAN_IN: usize = 64;
/// Records read from a run at a time, if the budget allows.
const READ_AHEAD: usize = 8192;

/// How records with equal keys are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EqualKeys {
    /// There are none.
    Never,
    /// One record with the sum of their values.
    Sum,
}

/// Takes records in any order and returns them in ascending order of keys.
pub struct Sorter {
    block: Vec<Record>,
    /// The highest number of records in memory.
    limit: usize,
    equal: EqualKeys,
    runs: Runs,
}

/// A temporary file, created when first needed and removed by the system when this process ends.
struct Runs {
    folder: PathBuf,
    file: Option<File>,
    end: u64,
    /// Start and length of each run, in records.
    spans: Vec<(u64, u64)>,
}

/// The error for a temporary file of estimation.
pub fn temporary_error(folder: &Path, error: &std::io::Error) -> Error {
    Error::io(folder, error)
        .hint("This folder is for temporary files; choose another with the option temporary.")
}

const SIZE: u64 = std::mem::size_of::<Record>() as u64;

impl Runs {
    fn io(&self, error: &std::io::Error) -> Error {
        temporary_error(&self.folder, error)
    }

    fn append(&mut self, records: &[Record]) -> Result<()> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile_in(&self.folder).map_err(|error| self.io(&error))?);
        }
        let mut file = self.file.as_ref().expect("just made");
        file.seek(SeekFrom::Start(self.end * SIZE))
            .and_then(|_| file.write_all(Record::bytes(records)))
            .map_err(|error| self.io(&error))?;
        self.end += records.len() as u64;
        Ok(())
    }

    fn read(&self, start: u64, into: &mut [Record]) -> Result<()> {
        let mut file = self.file.as_ref().expect("a run was written");
        file.seek(SeekFrom::Start(start * SIZE))
            .and_then(|_| file.read_exact(Record::bytes_mut(into)))
            .map_err(|error| self.io(&error))
    }
}

impl Sorter {
    /// `memory` in bytes, `folder` for temporary files.
    pub fn new(memory: usize, equal: EqualKeys, folder: &Path) -> Self {
        let runs = Runs { folder: folder.to_owned(), file: None, end: 0, spans: Vec::new() };
        Sorter { block: Vec::new(), limit: (memory / SIZE as usize).max(16), equal, runs }
    }

    /// Makes room for so many records or for as many as the limit allows, so that blocks need not grow, which leaves
    /// gaps between them in memory. Memory that is not used then costs nothing.
    pub fn reserve(&mut self, records: u64) {
        self.block
            .reserve_exact(usize::try_from(records).map_or(self.limit, |records| records.min(self.limit)));
    }

    #[inline]
    pub fn push(&mut self, record: Record) -> Result<()> {
        if self.block.len() == self.limit {
            self.make_room()?;
        } else if self.block.len() == self.block.capacity() {
            // Doubling by hand, so that the last step does not exceed the limit.
            let wanted = (self.block.len() * 2).clamp(1024, self.limit.max(1024));
            self.block.reserve_exact(wanted - self.block.len());
        }
        self.block.push(record);
        Ok(())
    }

    fn sort_block(&mut self) {
        // Counting needs a second block within the limit.
        if self.block.len() <= self.limit / 2 && radix::is_worthwhile(&self.block) {
            radix::sort(&mut self.block);
        } else if rayon::current_num_threads() == 1 {
            // The standard library's sort is faster than rayon's on one thread.
            self.block.sort_unstable_by_key(|record| record.key);
        } else {
            self.block.par_sort_unstable_by_key(|record| record.key);
        }
        if self.equal == EqualKeys::Sum {
            self.block.dedup_by(|later, kept| {
                let same = later.key == kept.key;
                if same {
                    kept.value += later.value;
                }
                same
            });
        }
    }

    fn make_room(&mut self) -> Result<()> {
        self.sort_block();
        // Repetitive text may shrink so much that no spill is needed yet.
        if self.block.len() * 2 > self.limit {
            self.runs.spans.push((self.runs.end, self.block.len() as u64));
            self.runs.append(&self.block)?;
            self.block.clear();
        }
        Ok(())
    }

    /// The records in order.
    pub fn finish(mut self) -> Result<Sorted> {
        self.sort_block();
        while self.runs.spans.len() > FAN_IN {
            self.merge_some()?;
        }
        Sorted::new(self.block, self.runs, self.equal, self.limit)
    }

    /// Merges the first runs into one.
    fn merge_some(&mut self) -> Result<()> {
        let rest = self.runs.spans.split_off(FAN_IN);
        let start = self.runs.end;
        let folder = self.runs.folder.clone();
        let taken = std::mem::replace(&mut self.runs, Runs { folder, file: None, end: 0, spans: Vec::new() });
        let mut merged = Sorted::new(Vec::new(), taken, self.equal, self.limit)?;
        let mut out = Vec::with_capacity(READ_AHEAD);
        let mut points = Points::default();
        while let Some(record) = merged.read()? {
            points.pass();
            out.push(record);
            if out.len() == READ_AHEAD {
                merged.runs.append(&out)?;
                out.clear();
            }
        }
        merged.runs.append(&out)?;
        self.runs = merged.runs;
        self.runs.spans = rest;
        self.runs.spans.push((start, self.runs.end - start));
        Ok(())
    }
}

/// Records in ascending order.
pub struct Sorted {
    /// The records that never left memory: a run like the others.
    block: Vec<Record>,
    at: usize,
    runs: Runs,
    readers: Vec<Reader>,
    /// The next record of each run on disk.
    heap: BinaryHeap<Reverse<(Key, u64, usize)>>,
    equal: EqualKeys,
}

struct Reader {
    next: u64,
    end: u64,
    buffer: Vec<Record>,
    at: usize,
}

impl Reader {
    fn read(&mut self, runs: &Runs, ahead: usize) -> Result<Option<Record>> {
        if self.at == self.buffer.len() {
            let count = (self.end - self.next).min(ahead as u64);
            if count == 0 {
                return Ok(None);
            }
            self.buffer.resize(count as usize, Record::default());
            runs.read(self.next, &mut self.buffer)?;
            self.next += count;
            self.at = 0;
        }
        self.at += 1;
        Ok(Some(self.buffer[self.at - 1]))
    }
}

impl Sorted {
    fn new(block: Vec<Record>, runs: Runs, equal: EqualKeys, limit: usize) -> Result<Self> {
        let mut readers: Vec<Reader> = runs
            .spans
            .iter()
            .map(|&(start, length)| Reader { next: start, end: start + length, buffer: Vec::new(), at: 0 })
            .collect();
        let ahead = (limit / (4 * readers.len().max(1))).clamp(16, READ_AHEAD);
        let mut heap = BinaryHeap::new();
        for (run, reader) in readers.iter_mut().enumerate() {
            reader.buffer.reserve_exact(ahead);
            if let Some(record) = reader.read(&runs, ahead)? {
                heap.push(Reverse((record.key, record.value, run)));
            }
        }
        Ok(Sorted { block, at: 0, runs, readers, heap, equal })
    }

    /// The highest number of records that may follow.
    pub fn most(&self) -> u64 {
        let on_disk: u64 = self.runs.spans.iter().map(|&(_, records)| records).sum();
        (self.block.len() - self.at) as u64 + on_disk
    }

    /// Bytes written to the temporary file.
    pub fn spilled(&self) -> u64 {
        self.runs.end * SIZE
    }

    fn smallest_on_disk(&mut self) -> Result<Option<Record>> {
        let Some(mut top) = self.heap.peek_mut() else { return Ok(None) };
        let Reverse((key, value, run)) = *top;
        let reader = &mut self.readers[run];
        let ahead = reader.buffer.capacity();
        match reader.read(&self.runs, ahead)? {
            Some(next) => *top = Reverse((next.key, next.value, run)),
            None => drop(PeekMut::pop(top)),
        }
        Ok(Some(Record { key, value }))
    }

    fn one(&mut self) -> Result<Option<Record>> {
        let in_memory = self.block.get(self.at);
        match (in_memory, self.heap.peek()) {
            (Some(record), Some(Reverse((key, ..)))) if record.key > *key => self.smallest_on_disk(),
            (Some(record), _) => {
                self.at += 1;
                Ok(Some(*record))
            }
            (None, _) => self.smallest_on_disk(),
        }
    }

    fn peek(&self) -> Option<Key> {
        let on_disk = self.heap.peek().map(|Reverse((key, ..))| *key);
        match self.block.get(self.at) {
            Some(record) => Some(on_disk.map_or(record.key, |key| key.min(record.key))),
            None => on_disk,
        }
    }

    /// The next record; `None` after the last.
    #[inline]
    pub fn read(&mut self) -> Result<Option<Record>> {
        if self.heap.is_empty() {
            self.at += 1;
            return Ok(self.block.get(self.at - 1).copied());
        }
        let Some(mut record) = self.one()? else { return Ok(None) };
        if self.equal == EqualKeys::Sum {
            while self.peek() == Some(record.key) {
                record.value += self.one()?.map_or(0, |other| other.value);
            }
        }
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn sorted(memory: usize, equal: EqualKeys, records: &[Record]) -> Vec<Record> {
        let mut sorter = Sorter::new(memory, equal, &std::env::temp_dir());
        for record in records {
            sorter.push(*record).unwrap();
        }
        let mut out = Vec::new();
        let mut stream = sorter.finish().unwrap();
        while let Some(record) = stream.read().unwrap() {
            out.push(record);
        }
        out
    }

    #[test]
    fn every_budget_gives_the_same_sums() {
        let mut random = 1u64;
        let records: Vec<Record> = (0..20_000)
            .map(|_| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let word = |shift: u32| (random >> shift) as u32 % 20;
                Record { key: Key::new(&[word(20), word(30), word(40)]), value: random >> 60 }
            })
            .collect();
        let mut expected = BTreeMap::new();
        for record in &records {
            *expected.entry(record.key).or_insert(0) += record.value;
        }
        let expected: Vec<Record> = expected.into_iter().map(|(key, value)| Record { key, value }).collect();
        // 16 records in memory give more than a thousand runs: several rounds of merging.
        for memory in [0, 3200, 100_000, 10_000_000] {
            assert_eq!(sorted(memory, EqualKeys::Sum, &records), expected, "memory {memory}");
        }
        let unsummed = sorted(3200, EqualKeys::Never, &records);
        assert_eq!(unsummed.len(), records.len());
        assert!(unsummed.windows(2).all(|pair| pair[0].key <= pair[1].key));
    }
}
