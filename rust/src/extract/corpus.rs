//! Extraction over a corpus: chunks of pairs in, a rule table out.

use std::path::Path;

use rayon::prelude::*;

use super::initial::Aligned;
use super::record::{Context, Record};
use super::runs::{Heap, Run, Runs};
use super::score::{SourceSide, TargetTotals};
use super::sentence::{extract, Settings};
use super::smooth::{Smoother, Smoothing};
use crate::align::lexical::LexicalTable;
use crate::bits::{NodeSet, Wide, MAX_WORDS};
use crate::error::Result;
use crate::links::{links, LinkKinds};
use crate::table::build::Builder;
use crate::table::bytes::Rule;
use crate::vocab::Interner;

/// A sentence pair, its words as numbers.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    pub source: Vec<u32>,
    /// From 0, -1 for the root word; empty where there is no tree.
    pub heads: Vec<i32>,
    pub target: Vec<u32>,
    pub points: Vec<(u16, u16)>,
}

/// Pairs that one run is made of: small enough to share work, large enough that few runs are merged.
const PAIRS_A_RUN: usize = 2048;

/// How many distinct rules of each kind a table has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RuleCounts {
    pub basic: u64,
    pub segmenting: u64,
    pub selecting: u64,
    pub source_sides: u64,
}

pub struct Extraction {
    settings: Settings,
    kinds: LinkKinds,
    runs: Runs,
    totals: TargetTotals,
    /// Pairs left out because a side has more than [`MAX_WORDS`] words.
    pub too_long: u64,
    pub pairs: u64,
}

impl Extraction {
    /// `budget`: bytes of counted rules kept in memory; what is above goes to sorted files in `folder`.
    pub fn new(settings: Settings, kinds: LinkKinds, folder: &Path, budget: usize) -> Self {
        Extraction {
            settings,
            kinds,
            runs: Runs::new(folder, budget),
            totals: TargetTotals::default(),
            too_long: 0,
            pairs: 0,
        }
    }

    /// Adds pairs; call it with chunks of any size, the result depends on the sequence of pairs alone.
    pub fn add(&mut self, pairs: &[Pair]) -> Result<()> {
        let (settings, kinds) = (&self.settings, self.kinds);
        let runs: Vec<(Run, u64)> =
            pairs.par_chunks(PAIRS_A_RUN).map(|chunk| count(chunk, settings, kinds)).collect();
        self.pairs += pairs.len() as u64;
        for (run, too_long) in runs {
            self.too_long += too_long;
            for (record, counts) in run.iter() {
                self.totals.add(&Record::read(record), counts.occurrences);
            }
            self.runs.push(run)?;
        }
        Ok(())
    }

    /// Merges, scores and hands every source side with its rules to `found`, in order.
    pub fn score(
        &mut self,
        lexicon: &LexicalTable,
        smoothing: Smoothing,
        mut found: impl FnMut(&[(u32, u16)], &[Rule]) -> Result<()>,
    ) -> Result<RuleCounts> {
        let totals = &self.totals;
        let smoother = Smoother::learn(smoothing, &mut self.runs)?;
        let mut merge = self.runs.merge()?;
        let mut batch: Vec<SourceSide> = Vec::new();
        let mut numbers = RuleCounts::default();
        let mut flush = |batch: &mut Vec<SourceSide>| -> Result<()> {
            let scored: Vec<Vec<Rule>> =
                batch.par_iter().map(|side| side.score(totals, &smoother, lexicon)).collect();
            for (side, rules) in batch.drain(..).zip(&scored) {
                numbers.source_sides += 1;
                for rule in rules {
                    match rule.context {
                        Context::Any => numbers.basic += 1,
                        Context::Nodes(0) => numbers.selecting += 1,
                        Context::Nodes(_) => numbers.segmenting += 1,
                    }
                }
                found(&side.source, rules)?;
            }
            Ok(())
        };
        let mut current: Vec<u8> = Vec::new();
        while let Some((bytes, counts)) = merge.next()? {
            let record = Record::read(bytes);
            if record.source != current || batch.is_empty() {
                if batch.len() >= 4096 {
                    flush(&mut batch)?;
                }
                current.clear();
                current.extend_from_slice(record.source);
                let mut side = SourceSide::default();
                side.begin(&record);
                batch.push(side);
            }
            if let Some(side) = batch.last_mut() {
                side.push(bytes, counts);
            }
        }
        flush(&mut batch)?;
        Ok(numbers)
    }

    /// Scores everything into a table file.
    pub fn write_table(
        &mut self,
        mut builder: Builder,
        lexicon: &LexicalTable,
        smoothing: Smoothing,
        source: &Interner,
        target: &Interner,
        meta: impl FnOnce(&RuleCounts) -> String,
    ) -> Result<RuleCounts> {
        let numbers = self.score(lexicon, smoothing, |side, rules| builder.add(side, rules))?;
        builder.finish(&meta(&numbers), source, target)?;
        Ok(numbers)
    }
}

fn count(pairs: &[Pair], settings: &Settings, kinds: LinkKinds) -> (Run, u64) {
    let mut heap = Heap::default();
    let mut too_long = 0;
    for pair in pairs {
        match pair.source.len().max(pair.target.len()) {
            0..=64 => rules_of::<u64>(pair, settings, kinds, &mut heap),
            65..=MAX_WORDS => rules_of::<Wide>(pair, settings, kinds, &mut heap),
            _ => too_long += 1,
        }
    }
    (heap.into_run(), too_long)
}

fn rules_of<B: NodeSet>(pair: &Pair, settings: &Settings, kinds: LinkKinds, heap: &mut Heap) {
    let links = links::<B>(pair.source.len(), &pair.heads, kinds);
    let aligned = Aligned::new(links, pair.target.len(), &pair.points);
    extract(&pair.source, &pair.target, &aligned, settings, |record, orientation| {
        let packed =
            if settings.orientations { 3 * orientation.previous + orientation.next } else { Heap::NONE };
        heap.push(record, packed);
    });
}
