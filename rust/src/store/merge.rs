//! Sorted runs merged into one stream.

use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

use super::runs::{beginning, read_head, Counts, Stretch};
use crate::error::{Error, Result};
use crate::work::interrupt::Points;

/// Where the records of a run are read from.
pub(super) enum Source<'a> {
    Memory(&'a [u8]),
    File(BufReader<Stretch<'a>>),
}

/// The first record of a run that was not returned yet.
#[derive(Default)]
struct Front<'a> {
    /// See [`beginning`].
    beginning: u64,
    /// The record, if it is in memory.
    place: &'a [u8],
    /// The record, if it was read from a file.
    buffer: Vec<u8>,
    counts: Counts,
    is_end: bool,
}

impl<'a> Front<'a> {
    fn record(&self) -> &[u8] {
        if self.buffer.is_empty() {
            self.place
        } else {
            &self.buffer
        }
    }

    /// Goes on to the next record of the run.
    fn advance(&mut self, source: &mut Source<'a>) -> std::io::Result<()> {
        let head = match source {
            Source::Memory(rest) => read_head(rest)?,
            Source::File(file) => read_head(file)?,
        };
        let Some((length, counts)) = head else {
            self.is_end = true;
            return Ok(());
        };
        self.counts = counts;
        match source {
            Source::Memory(rest) => {
                (self.place, *rest) = rest.split_at_checked(length).ok_or(ErrorKind::UnexpectedEof)?;
            }
            Source::File(file) => {
                self.buffer.resize(length, 0);
                file.read_exact(&mut self.buffer)?;
            }
        }
        self.beginning = beginning(self.record());
        Ok(())
    }

    /// Whether the record comes first; the ends of runs come last.
    fn is_before(&self, other: &Self) -> bool {
        match (self.is_end, other.is_end) {
            (false, false) => {
                self.beginning.cmp(&other.beginning).then_with(|| self.record().cmp(other.record())).is_lt()
            }
            (ended, _) => !ended,
        }
    }
}

/// A stream of distinct records in ascending order with their total counts, by a tournament of the runs' fronts.
pub struct Merge<'a> {
    sources: Vec<Source<'a>>,
    fronts: Vec<Front<'a>>,
    /// The winner, followed by the losers of the matches: node k was played by the winners of 2k and 2k + 1, where run i
    /// is the node `i + fronts.len()`.
    tree: Vec<usize>,
    record: Vec<u8>,
    points: Points,
}

/// A node that no run has come to.
const VACANT: usize = usize::MAX;

impl<'a> Merge<'a> {
    pub(super) fn new(sources: Vec<Source<'a>>) -> Result<Self> {
        let fronts: Vec<Front<'_>> = sources.iter().map(|_| Front::default()).collect();
        let tree = vec![VACANT; fronts.len()];
        let mut merge = Merge { sources, fronts, tree, record: Vec::new(), points: Points::default() };
        for run in 0..merge.sources.len() {
            merge.advance(run)?;
        }
        Ok(merge)
    }

    /// Goes on to the next record of a run, and plays its matches again.
    fn advance(&mut self, run: usize) -> Result<()> {
        let failed = |error: std::io::Error| Error::io(Path::new("temporary file"), &error);
        self.fronts[run].advance(&mut self.sources[run]).map_err(failed)?;
        let mut winner = run;
        let mut node = (run + self.fronts.len()) / 2;
        while node > 0 {
            let other = self.tree[node];
            // The first run to come to a vacant node waits there for the other.
            if other == VACANT {
                self.tree[node] = winner;
                return Ok(());
            }
            if self.fronts[other].is_before(&self.fronts[winner]) {
                self.tree[node] = winner;
                winner = other;
            }
            node /= 2;
        }
        self.tree[0] = winner;
        Ok(())
    }

    /// The next record with its counts.
    #[allow(clippy::should_implement_trait)] // Lends from itself, which an `Iterator` cannot.
    pub fn next(&mut self) -> Result<Option<(&[u8], Counts)>> {
        self.points.pass();
        let Some(&first) = self.tree.first() else { return Ok(None) };
        let front = &self.fronts[first];
        if front.is_end {
            return Ok(None);
        }
        let (first_bytes, mut counts) = (front.beginning, front.counts);
        self.record.clear();
        self.record.extend_from_slice(front.record());
        self.advance(first)?;
        loop {
            let best = self.tree[0];
            let front = &self.fronts[best];
            if front.is_end || front.beginning != first_bytes || front.record() != self.record {
                return Ok(Some((&self.record, counts)));
            }
            counts.add(&front.counts);
            self.advance(best)?;
        }
    }
}
