//! Checksums of a file, one per block, so that damage is noticed before the data is used.
//!
//! The blocks cover the body of a file, including padding; the checksums follow it. Small files are verified on
//! opening, on all cores. In larger files, the parts needed for every sentence are verified on opening and the others
//! block by block on first use, so that opening stays fast at any size.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::hashing::checksum;
use super::watched::Watched;
use crate::error::Result;

/// Bytes of a block: 40 µs of work, and 32 bytes of checksums for each MiB.
pub const BLOCK: usize = 1 << 18;

/// Files up to this size are verified on opening: a core takes 0.25 s for a GiB, see `bench/opening.py`.
pub const WHOLE: usize = 512 << 20;

/// The number of blocks that justifies another thread.
const SHARE: usize = 16;

/// The number of blocks in this many bytes.
pub fn number(bytes: usize) -> usize {
    bytes.div_ceil(BLOCK)
}

/// The checksums of bytes in memory.
pub fn sums(bytes: &[u8]) -> Vec<u64> {
    let mut sums = vec![0; number(bytes.len())];
    let shared: Vec<_> = sums.iter_mut().zip(bytes.chunks(BLOCK)).map(std::sync::Mutex::new).collect();
    each(shared.len(), |block| {
        if let Ok(mut one) = shared[block].lock() {
            *one.0 = checksum(one.1);
        }
    });
    drop(shared);
    sums
}

/// Computes checksums while bytes are written.
#[derive(Default)]
pub struct Summing {
    sums: Vec<u64>,
    block: Vec<u8>,
}

impl Summing {
    pub fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK {
                self.end_block();
            }
            bytes = later;
        }
    }

    fn end_block(&mut self) {
        self.sums.push(checksum(&self.block));
        self.block.clear();
    }

    pub fn finish(mut self) -> Vec<u64> {
        if !self.block.is_empty() {
            self.end_block();
        }
        self.sums
    }
}

/// Which blocks of an open file have been compared with their checksums.
pub struct Blocks {
    body: Range<usize>,
    /// Whether each block was; empty if all were compared on opening.
    seen: Vec<AtomicBool>,
}

impl Blocks {
    /// Compares all of `body` or, if it is larger than `whole`, only these parts. The checksums follow the body.
    pub fn open(file: &Watched, body: Range<usize>, parts: &[Range<usize>], whole: usize) -> Result<Self> {
        let many = number(body.len());
        let mut blocks = Blocks { body, seen: Vec::new() };
        if blocks.body.len() <= whole {
            blocks.compare(file, 0..many)?;
        } else {
            blocks.seen = (0..many).map(|_| AtomicBool::new(false)).collect();
            for part in parts {
                blocks.compare(file, blocks.of(part))?;
            }
        }
        Ok(blocks)
    }

    /// Compares the whole body.
    pub fn verify(&self, file: &Watched) -> Result<()> {
        self.compare(file, 0..number(self.body.len()))
    }

    fn compare(&self, file: &Watched, blocks: Range<usize>) -> Result<()> {
        let wrong = AtomicUsize::new(0);
        each(blocks.len(), |block| {
            let block = blocks.start + block;
            if self.is_right(file, block) {
                self.seen.iter().skip(block).take(1).for_each(|seen| seen.store(true, Ordering::Relaxed));
            } else {
                wrong.fetch_add(1, Ordering::Relaxed);
            }
        });
        file.check()?;
        match wrong.into_inner() {
            0 => Ok(()),
            wrong => {
                let of = blocks.len();
                Err(file.damage(&format!("{wrong} of {of} parts do not match their checksums")))
            }
        }
    }

    fn is_right(&self, file: &Watched, block: usize) -> bool {
        let start = self.body.start + block * BLOCK;
        let wanted = self.body.end + 8 * block;
        let bytes = file.get(start..self.body.end.min(start + BLOCK));
        let sum =
            file.get(wanted..wanted + 8).and_then(|eight| eight.try_into().ok()).map(u64::from_le_bytes);
        bytes.is_some() && bytes.map(checksum) == sum
    }

    /// The blocks of a range of the file.
    fn of(&self, range: &Range<usize>) -> Range<usize> {
        let start = range.start.saturating_sub(self.body.start) / BLOCK;
        let end = range.end.min(self.body.end).saturating_sub(self.body.start).div_ceil(BLOCK);
        start..end.max(start)
    }

    /// Whether some blocks are compared on first use.
    #[inline]
    pub fn are_left(&self) -> bool {
        !self.seen.is_empty()
    }

    /// Call this before using a range of the file; marks the file if it is damaged.
    #[inline]
    pub fn touch(&self, file: &Watched, range: Range<usize>) {
        if self.are_left() {
            for block in self.of(&range) {
                if self.seen.get(block).is_some_and(|seen| !seen.load(Ordering::Relaxed)) {
                    self.compare_first_use(file, block);
                }
            }
        }
    }

    #[cold]
    fn compare_first_use(&self, file: &Watched, block: usize) {
        if !self.is_right(file, block) {
            file.found_damage();
        }
        self.seen[block].store(true, Ordering::Relaxed);
    }
}

/// Calls `work` for every number below `many`, on all cores if there are enough.
fn each(many: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(one) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&one| one < many) {
            work(one);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..cores.min(many / SHARE) {
            // If a thread cannot be started, the others do its work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 blocks and a bit, from byte 100 on, followed by their checksums.
    fn bytes() -> Vec<u8> {
        let body: Vec<u8> = (0..40 * BLOCK + 77).map(|n| (n / 7 % 251) as u8).collect();
        let mut summing = Summing::default();
        body.chunks(100_003).for_each(|part| summing.add(part));
        let made = summing.finish();
        assert_eq!((made.len(), &made), (41, &sums(&body)));
        let mut bytes = vec![0; 100];
        bytes.extend(body);
        bytes.extend(made.iter().flat_map(|sum| sum.to_le_bytes()));
        bytes
    }

    #[test]
    fn damage_is_noticed_at_once_or_when_it_is_used() {
        let path = std::env::temp_dir().join(format!("graphmt-blocks-{}", std::process::id()));
        let whole = bytes();
        let body = 100..whole.len() - 8 * 41;
        for (at, block) in [(100, 0), (100 + 3 * BLOCK, 3), (body.end - 1, 40), (whole.len() - 1, 40)] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged).unwrap();
            let file = Watched::open(&path, "test").unwrap();
            let error = Blocks::open(&file, body.clone(), &[], usize::MAX).err().unwrap().to_string();
            assert!(error.contains("1 of 41 parts do not match their checksums"), "{error}");
            let needed = 100..100 + 2 * BLOCK;
            let opened = Blocks::open(&file, body.clone(), &[needed], 0);
            assert_eq!(opened.is_err(), block < 2);
            let Ok(blocks) = opened else { continue };
            for other in (0..41).filter(|&other| other != block) {
                let start = 100 + other * BLOCK;
                blocks.touch(&file, start..start + 1);
                blocks.touch(&file, start + 10..body.end.min(start + BLOCK));
            }
            file.check().unwrap();
            let start = 100 + block * BLOCK;
            blocks.touch(&file, start - 1..start + 1);
            assert!(file.check().is_err() && blocks.verify(&file).is_err());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
