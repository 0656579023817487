//! A rule table in parts: counted records are divided into ranges of roughly equal size, which are merged and scored
//! independently.
//!
//! A range may begin and end anywhere between two rules, also within a source side, so that frequent source sides do not
//! make their part larger than the others. Three things are exchanged between the parts: the counts of target sides, the
//! counts of source sides at the borders, and the statistics of smoothing.

use super::corpus::{score_merged, RuleCounts};
use super::extractor::Extractor;
use super::score::{group_prefix, EdgeCounts, ScoreSettings, Scores, TargetTotals};
use super::smooth::{RuleGroups, RuleStatistics, SideCounts, Smoother, Smoothing};
use super::target_counts;
use crate::align::lexical::LexicalTable;
use crate::align::lexical_counts::LexicalCounts;
use crate::error::{Error, Result};
use crate::rule::record::{Record, TargetKeys};
use crate::store::hashing::FastMap;
use crate::store::runs::{Counts, Run, Runs, ONE};
use crate::store::sums::Sums;

/// Runs and scored rules are cut into pieces of about this many bytes.
const PIECE: usize = 4 << 20;

/// Runs that are all in memory.
pub fn in_memory(runs: impl IntoIterator<Item = Run>) -> Result<Runs> {
    let mut all = Runs::new(&std::env::temp_dir(), usize::MAX);
    for run in runs {
        all.push(run)?;
    }
    Ok(all)
}

/// Collects the pieces of a stream of records.
#[derive(Default)]
struct Pieces {
    run: Run,
    made: Vec<(u32, Vec<u8>)>,
}

impl Pieces {
    fn push(&mut self, part: u32, record: &[u8], counts: &Counts) {
        self.run.push(record, counts);
        if self.run.bytes() >= PIECE {
            self.cut(part);
        }
    }

    fn cut(&mut self, part: u32) {
        let run = std::mem::take(&mut self.run).into_bytes();
        if !run.is_empty() {
            self.made.push((part, run));
        }
    }
}

/// Merges runs and divides them at `bounds`: a record belongs to the part of the last bound that is not greater.
pub fn divide(
    runs: impl IntoIterator<Item = Run>,
    bounds: &[impl AsRef<[u8]>],
) -> Result<Vec<(u32, Vec<u8>)>> {
    let mut runs = in_memory(runs)?;
    let mut merge = runs.merge()?;
    let mut pieces = Pieces::default();
    let mut part = 0;
    while let Some((record, counts)) = merge.next()? {
        while bounds.get(part).is_some_and(|bound| bound.as_ref() <= record) {
            pieces.cut(part as u32);
            part += 1;
        }
        pieces.push(part as u32, record, &counts);
    }
    pieces.cut(part as u32);
    Ok(pieces.made)
}

/// Divides runs at `bounds` without merging them: the bytes of each part, run after run.
pub fn cut(runs: &[Run], bounds: &[impl AsRef<[u8]>]) -> Vec<(u32, Vec<u8>)> {
    let mut parts = vec![Vec::new(); bounds.len() + 1];
    for run in runs {
        for (part, bytes) in parts.iter_mut().zip(run.divided(bounds)) {
            part.extend_from_slice(bytes);
        }
    }
    (0..).zip(parts).filter(|(_, bytes)| !bytes.is_empty()).collect()
}

/// Bounds that divide records into `parts` of about as many bytes; fewer if there are too few rules.
pub fn bounds(runs: impl IntoIterator<Item = Run>, parts: usize) -> Result<Vec<Vec<u8>>> {
    let mut runs = in_memory(runs)?;
    let mut all = 0;
    let mut merge = runs.merge()?;
    while let Some((record, _)) = merge.next()? {
        all += record.len();
    }
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut passed = 0;
    let mut merge = runs.merge()?;
    while let Some((record, _)) = merge.next()? {
        let rule = &record[..record.len() - Record::read(record).points.len()];
        // Records of one rule are not separated.
        let is_new = found.last().is_none_or(|last| last[..] < *rule);
        if passed > 0 && passed * parts >= all * (found.len() + 1) && found.len() + 1 < parts && is_new {
            found.push(rule.to_vec());
        }
        passed += record.len();
    }
    Ok(found)
}

/// The number of a target side's part.
fn target_part(key: u64, parts: u32) -> u32 {
    (((key >> 32) * u64::from(parts)) >> 32) as u32
}

/// A group of rules with one source side and context at the border of a part.
#[derive(Clone, Debug)]
pub struct Edge {
    pub prefix: Vec<u8>,
    pub counts: SideCounts,
}

/// A merged part.
#[derive(Default)]
pub struct MergedPart {
    pub runs: Vec<Vec<u8>>,
    /// The counts of its target sides, see [`target_counts`], with the part of the target sides that they belong to.
    pub targets: Vec<(u32, Vec<u8>)>,
    /// See [`RuleStatistics::numbers`].
    pub statistics: Vec<u64>,
    /// Its first and its last group; one if they are the same.
    pub edges: Vec<Edge>,
}

/// Merges the runs of one part. Target sides are counted for `target_parts` parts.
pub fn merge_part(
    runs: impl IntoIterator<Item = Run>,
    keys: TargetKeys,
    target_parts: u32,
) -> Result<MergedPart> {
    let mut runs = in_memory(runs)?;
    let mut merge = runs.merge()?;
    let mut statistics = RuleStatistics::default();
    let mut edges = EdgeFinder::default();
    let mut rules = RuleGroups::default();
    let mut pieces = Pieces::default();
    let mut whole = |rule: &[u8], joint| {
        statistics.count(rule, joint, Some(keys));
        edges.add(rule, joint);
    };
    while let Some((record, counts)) = merge.next()? {
        rules.push(record, counts.occurrences, &mut whole);
        pieces.push(0, record, &counts);
    }
    rules.finish(&mut whole);
    pieces.cut(0);
    let numbers = statistics.numbers();
    let mut targets: Vec<(u64, SideCounts)> = statistics.targets.into_iter().collect();
    targets.sort_unstable_by_key(|&(key, _)| (target_part(key, target_parts), key));
    let mut by_part: Vec<(u32, Vec<u8>)> = Vec::new();
    for (key, counts) in &targets {
        let part = target_part(*key, target_parts);
        if by_part.last().is_none_or(|(last, bytes)| *last != part || bytes.len() >= PIECE) {
            by_part.push((part, Vec::new()));
        }
        let (_, bytes) = by_part.last_mut().expect("just added");
        target_counts::put(bytes, *key, counts);
    }
    Ok(MergedPart {
        runs: pieces.made.into_iter().map(|(_, run)| run).collect(),
        targets: by_part,
        statistics: numbers,
        edges: edges.finish(),
    })
}

#[derive(Default)]
struct EdgeFinder {
    first: Option<Edge>,
    last: Option<Edge>,
}

impl EdgeFinder {
    fn add(&mut self, rule: &[u8], joint: u64) {
        let record = Record::read(rule);
        let length = record.source.len() + 7;
        match &mut self.last {
            Some(edge) if edge.prefix[..] == rule[..length] => edge.counts.add(joint),
            _ => {
                let mut edge = Edge { prefix: group_prefix(&record), counts: SideCounts::default() };
                edge.counts.add(joint);
                let before = self.last.replace(edge);
                self.first = self.first.take().or(before);
            }
        }
    }

    fn finish(self) -> Vec<Edge> {
        self.first.into_iter().chain(self.last).collect()
    }
}

/// Adds up counts of target sides; each of `given` is returned with the sums of its target sides.
pub fn add_up_targets(given: &[impl AsRef<[u8]>]) -> Result<Vec<Vec<u8>>> {
    let overflow = || Error::input("a target side occurs more than 4,294,967,295 times.");
    let mut sums: FastMap<u64, SideCounts> = FastMap::default();
    for bytes in given {
        target_counts::each(bytes.as_ref(), |key, counts| {
            let sum = sums.entry(key).or_default();
            sum.total = sum.total.checked_add(counts.total).ok_or_else(overflow)?;
            sum.rules.iter_mut().zip(counts.rules).for_each(|(mine, others)| *mine += others);
            Ok(())
        })?;
    }
    let answer = |bytes: &[u8]| {
        let mut made = Vec::with_capacity(bytes.len());
        target_counts::each(bytes, |key, _| {
            target_counts::put(&mut made, key, &sums[&key]);
            Ok(())
        })?;
        Ok(made)
    };
    given.iter().map(|bytes| answer(bytes.as_ref())).collect()
}

/// Counts of linked words as a run.
pub fn link_run(counts: &LexicalCounts) -> Run {
    let mut entries: Vec<_> = counts.iter().collect();
    entries.sort_unstable();
    let mut run = Run::default();
    for ((source, target), count) in entries {
        let key = u64::from(source) << 32 | u64::from(target);
        run.push(&key.to_be_bytes(), &Counts { occurrences: u64::from(count) * ONE, ..Counts::default() });
    }
    run
}

/// The lexical table from runs of linked words; `words` counts the words of each side.
pub fn lexicon(runs: &[Run], words: (usize, usize)) -> Result<LexicalTable> {
    let mut counts = LexicalCounts::default();
    let damaged = || Error::internal("a damaged run of linked words.");
    for (record, found) in runs.iter().flat_map(Run::iter) {
        let key = u64::from_be_bytes(record.try_into().map_err(|_| damaged())?);
        let pair = ((key >> 32) as u32, key as u32);
        if pair.0 as usize > words.0 || pair.1 as usize > words.1 {
            return Err(damaged());
        }
        counts.add_pair(pair, (found.occurrences / ONE) as u32);
    }
    counts.table(words.0 + 1, words.1 + 1)
}

/// What a part gets from the others.
pub struct FromOthers<'a> {
    pub settings: ScoreSettings,
    /// See [`RuleStatistics::numbers`]; of all parts together.
    pub statistics: &'a [u64],
    /// The counts of its target sides over all parts, see [`add_up_targets`].
    pub targets: &'a [&'a [u8]],
    /// The counts of its first and last group over all parts.
    pub edges: EdgeCounts,
    pub lexicon: &'a LexicalTable,
}

/// Scores a merged part and passes pieces of its rules to `write`, see [`super::assembly`].
pub fn score_part<E: Extractor>(
    extractor: &E,
    runs: Vec<Run>,
    others: &FromOthers<'_>,
    mut write: impl FnMut(Vec<u8>) -> Result<()>,
) -> Result<RuleCounts> {
    let keys = extractor.target_keys();
    let mut statistics = RuleStatistics::from_numbers(others.statistics)?;
    let mut totals = Sums::default();
    for bytes in others.targets {
        target_counts::each(bytes, |key, side| {
            totals.add(key, side.total);
            if others.settings.smoothing == Smoothing::KneserNey {
                statistics.targets.insert(key, side);
            }
            Ok(())
        })?;
    }
    let totals = TargetTotals::from_counts(keys, totals);
    let smoother = Smoother::new(others.settings.smoothing, statistics);
    let scores = Scores {
        totals: &totals,
        smoother: &smoother,
        lexicon: others.lexicon,
        edges: &others.edges,
        min_count: others.settings.min_count,
    };
    let mut runs = in_memory(runs)?;
    let mut piece = Vec::new();
    let counts = score_merged(runs.merge()?, extractor, &scores, |side| {
        super::assembly::put_side(&mut piece, side.source, side.rules, side.encoded);
        match piece.len() >= PIECE {
            true => write(std::mem::take(&mut piece)),
            false => Ok(()),
        }
    })?;
    if !piece.is_empty() {
        write(piece)?;
    }
    Ok(counts)
}
