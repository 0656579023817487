//! Extraction over a corpus: chunks of pairs in, a rule table out.

use std::path::Path;

use rayon::prelude::*;

use super::extractor::{Extractor, KINDS};
use super::score::{EdgeCounts, ScoreSettings, ScoredSide, ScoredSides, Scores, SideBatch, TargetTotals};
use super::smooth::Smoother;
use crate::align::lexical::{LexicalTable, LexicalWeights};
use crate::corpus::pair::Pair;
use crate::error::Result;
use crate::rule::record::{Lengths, Record, TargetKeys};
use crate::store::merge::Merge;
use crate::store::runs::{Heap, Run, Runs};
use crate::store::vocab::Interner;
use crate::table::build::Builder;
use crate::work::interrupt;
use crate::work::pool::Pool;

/// Pairs per run: small enough to distribute work, large enough that few runs are merged.
pub const PAIRS_PER_RUN: usize = 2048;

/// A run ends early if its rule occurrences exceed this many bytes.
const BYTES_PER_RUN: usize = 64 << 20;

/// The number of distinct rules of each kind; the extractor names the kinds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RuleCounts {
    pub kinds: [u64; KINDS],
    pub source_sides: u64,
}

pub struct Extraction<'e, E> {
    extractor: &'e E,
    runs: Runs,
    keys: TargetKeys,
    totals: TargetTotals,
    /// For the rules of a chunk; their memory is used again.
    heaps: Pool<Heap>,
    /// The number of pairs skipped because a side has more than [`crate::store::bits::MAX_WORDS`] words.
    pub too_long: u64,
    pub pairs: u64,
}

impl<'e, E: Extractor> Extraction<'e, E> {
    /// `budget`: bytes of counted rules kept in memory; the rest is sorted on disk in `folder`.
    pub fn new(extractor: &'e E, folder: &Path, budget: usize) -> Self {
        let keys = extractor.target_keys();
        Extraction {
            extractor,
            runs: Runs::new(folder, budget),
            keys,
            totals: TargetTotals::new(keys),
            heaps: Pool::default(),
            too_long: 0,
            pairs: 0,
        }
    }

    /// Adds pairs in chunks of any size; the result depends only on the sequence of pairs.
    pub fn add(&mut self, pairs: &[Pair]) -> Result<()> {
        let extractor = self.extractor;
        let heaps = &self.heaps;
        let counted = |chunk| heaps.lend(Heap::default, |heap| count(chunk, extractor, heap));
        let runs: Vec<Vec<Run>> = pairs.par_chunks(PAIRS_PER_RUN).map(counted).collect();
        self.pairs += pairs.len() as u64;
        self.too_long += pairs.iter().filter(|pair| pair.is_too_long()).count() as u64;
        for run in runs.into_iter().flatten() {
            self.totals.add(&run);
            self.runs.push(run)?;
        }
        Ok(())
    }

    /// Merges and scores, and passes every source side with its rules to `found`, in order.
    pub fn score(
        &mut self,
        lexicon: &LexicalTable,
        settings: ScoreSettings,
        mut found: impl FnMut(ScoredSide<'_>) -> Result<()>,
    ) -> Result<RuleCounts> {
        // Nothing is counted any more: their memory is free for the rest.
        self.heaps = Pool::default();
        let smoother = Smoother::learn(settings.smoothing, self.keys, &mut self.runs)?;
        let scores = Scores {
            totals: &self.totals,
            smoother: &smoother,
            lexicon,
            edges: &EdgeCounts::default(),
            min_count: settings.min_count,
        };
        score_merged(self.runs.merge()?, self.extractor, &scores, &mut found)
    }

    /// Scores all rules and writes a table file.
    pub fn write_table(
        &mut self,
        mut builder: Builder,
        lexicon: &LexicalTable,
        settings: ScoreSettings,
        source: &Interner,
        target: &Interner,
        meta: impl FnOnce(&RuleCounts) -> String,
    ) -> Result<RuleCounts> {
        let numbers =
            self.score(lexicon, settings, |side| builder.add_encoded(side.source, side.rules, side.encoded))?;
        builder.finish(&meta(&numbers), source, target)?;
        Ok(numbers)
    }
}

/// Source sides that are scored before any is written, and by one thread at a time.
const SIDES: usize = 4096;
const SIDES_AT_A_TIME: usize = 128;

/// Scores merged records, and passes every source side with its rules to `found`, in order.
pub fn score_merged<E: Extractor>(
    mut merge: Merge<'_>,
    extractor: &E,
    scores: &Scores<'_>,
    mut found: impl FnMut(ScoredSide<'_>) -> Result<()>,
) -> Result<RuleCounts> {
    let mut numbers = RuleCounts::default();
    let weights = Pool::default();
    let mut flush = |batch: &SideBatch| -> Result<()> {
        let score = |first: usize| {
            let first = first * SIDES_AT_A_TIME;
            let sides = first..batch.len().min(first + SIDES_AT_A_TIME);
            let new_weights = || LexicalWeights::new(scores.lexicon);
            weights.lend(new_weights, |weights| batch.score(sides, scores, extractor, weights))
        };
        let parts = batch.len().div_ceil(SIDES_AT_A_TIME);
        let scored: Vec<ScoredSides> = (0..parts).into_par_iter().map(score).collect();
        for part in &scored {
            numbers.kinds.iter_mut().zip(part.kinds).for_each(|(all, own)| *all += own);
        }
        for side in scored.iter().flat_map(ScoredSides::iter) {
            numbers.source_sides += 1;
            found(side)?;
        }
        Ok(())
    };
    let mut batch = SideBatch::default();
    let mut current: Vec<u8> = Vec::new();
    while let Some((bytes, counts)) = merge.next()? {
        let lengths = Lengths::of(bytes);
        let source = Record::with_lengths(bytes, lengths).source;
        if source != current || batch.is_empty() {
            if batch.len() >= SIDES {
                flush(&batch)?;
                batch.clear();
            }
            current.clear();
            current.extend_from_slice(source);
            batch.begin();
        }
        batch.push(bytes, lengths, counts);
    }
    flush(&batch)?;
    Ok(numbers)
}

/// Counts the rules of pairs: sorted runs, mostly one. The heap must be empty, and is so afterwards.
pub fn count<E: Extractor>(pairs: &[Pair], extractor: &E, heap: &mut Heap) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut scratch = E::Scratch::default();
    for pair in pairs.iter().filter(|pair| !pair.is_too_long()) {
        interrupt::point();
        extractor.extract(pair, &mut scratch, |record, occurrence, _| heap.push(record, occurrence));
        if heap.bytes() > BYTES_PER_RUN {
            runs.push(heap.take_run());
        }
    }
    runs.push(heap.take_run());
    runs
}
