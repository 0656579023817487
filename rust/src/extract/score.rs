//! Scores from counts: relative frequencies and lexical weights in both directions.

use std::cmp::Ordering;
use std::ops::Range;

use super::extractor::{Extractor, KINDS};
use super::smooth::{SideCounts, Smoother, Smoothing};
use crate::align::lexical::{LexicalTable, LexicalWeights};
use crate::rule::bytes;
use crate::rule::record::{Lengths, Record, TargetKeys, MAX_SIDE};
use crate::rule::SCORES;
use crate::store::hashing::FastMap;
use crate::store::runs::{number, Counts, Run};
use crate::store::short::Short;
use crate::store::sums::Sums;

/// The words of a side.
type Words = Short<u32, MAX_SIDE>;

/// The lowest log score, the same as in Moses.
const FLOOR: f32 = -100.0;

/// How rules are scored, and which are kept.
#[derive(Clone, Copy, Debug)]
pub struct ScoreSettings {
    pub smoothing: Smoothing,
    /// Rules with a lower count are dropped. They still count for the scores of the others.
    pub min_count: f64,
}

impl ScoreSettings {
    /// Every rule is kept.
    pub fn all(smoothing: Smoothing) -> Self {
        ScoreSettings { smoothing, min_count: 0.0 }
    }
}

/// The counts of each target side, separately for basic and for contextual rules.
pub struct TargetTotals {
    keys: TargetKeys,
    counts: Sums,
}

/// Records between the prefetch of a target side's count and its use.
const AHEAD: usize = 32;

impl TargetTotals {
    pub fn new(keys: TargetKeys) -> Self {
        TargetTotals { keys, counts: Sums::default() }
    }

    /// Totals that are known already, by key.
    pub fn from_counts(keys: TargetKeys, counts: Sums) -> Self {
        TargetTotals { keys, counts }
    }

    /// Adds the occurrences of all records of a run.
    pub fn add(&mut self, run: &Run) {
        let (mut found, mut records) = (Vec::with_capacity(AHEAD), run.iter());
        loop {
            found.clear();
            for (record, counts) in records.by_ref().take(AHEAD) {
                let key = self.keys.of(&Record::read(record));
                self.counts.prefetch(key);
                found.push((key, counts.occurrences));
            }
            if found.is_empty() {
                return;
            }
            found.iter().for_each(|&(key, count)| self.counts.add(key, count));
        }
    }
}

/// The counts of (source side, context) groups whose rules are not all present, because a part of a table begins or ends
/// within them; by [`group_prefix`].
pub type EdgeCounts = FastMap<Vec<u8>, SideCounts>;

/// The beginning of a record that its source side and its context determine.
pub fn group_prefix(record: &Record<'_>) -> Vec<u8> {
    let mut prefix = record.source.to_vec();
    prefix.extend_from_slice(&[0; 4]);
    prefix.extend_from_slice(&record.context.code().to_be_bytes()[1..]);
    prefix
}

/// What the scores of rules depend on besides the rules of their source side.
pub struct Scores<'a> {
    pub totals: &'a TargetTotals,
    pub smoother: &'a Smoother,
    pub lexicon: &'a LexicalTable,
    pub edges: &'a EdgeCounts,
    /// Rules with a lower count are dropped.
    pub min_count: f64,
}

/// The records of several source sides, in merge order.
#[derive(Default)]
pub struct SideBatch {
    records: Vec<u8>,
    /// The end of each record, the lengths of its sides, and its counts.
    entries: Vec<(usize, Lengths, Counts)>,
    /// The first entry of each source side.
    sides: Vec<usize>,
}

impl SideBatch {
    pub fn clear(&mut self) {
        self.records.clear();
        self.entries.clear();
        self.sides.clear();
    }

    /// The number of source sides.
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// Begins a source side, whose records follow.
    pub fn begin(&mut self) {
        self.sides.push(self.entries.len());
    }

    pub fn push(&mut self, record: &[u8], lengths: Lengths, counts: Counts) {
        self.records.extend_from_slice(record);
        self.entries.push((self.records.len(), lengths, counts));
    }

    /// The place of the first entry of a source side, or that after the last entry.
    fn first_entry(&self, side: usize) -> usize {
        self.sides.get(side).copied().unwrap_or(self.entries.len())
    }

    /// The records of some source sides.
    fn records(&self, sides: Range<usize>) -> impl Iterator<Item = (Record<'_>, Counts)> {
        let (first, after) = (self.first_entry(sides.start), self.first_entry(sides.end));
        let mut from = if first == 0 { 0 } else { self.entries[first - 1].0 };
        self.entries[first..after].iter().map(move |&(to, lengths, counts)| {
            let record = Record::with_lengths(&self.records[from..to], lengths);
            from = to;
            (record, counts)
        })
    }

    /// The scored rules of some source sides, ordered by context and target side.
    pub fn score<E: Extractor>(
        &self,
        sides: Range<usize>,
        scores: &Scores<'_>,
        extractor: &E,
        weights: &mut LexicalWeights<'_>,
    ) -> ScoredSides {
        let start = self.first_entry(sides.start);
        let entries = self.first_entry(sides.end) - start;
        let mut scored = ScoredSides {
            oriented: extractor.settings().oriented,
            // About as long as they become.
            encoded: Vec::with_capacity(48 * entries),
            source: Vec::with_capacity(4 * sides.len()),
            ends: Vec::with_capacity(sides.len()),
            ..ScoredSides::default()
        };
        let all: Vec<Entry<'_>> = self
            .records(sides.clone())
            .map(|(record, counts)| {
                let key = scores.totals.keys.of(&record);
                scores.totals.counts.prefetch(key);
                Entry { record, counts, key }
            })
            .collect();
        for side in sides {
            let entries = &all[self.first_entry(side) - start..self.first_entry(side + 1) - start];
            let before = scored.rules;
            score_side(entries, scores, weights, |rule, scores, counts| {
                scored.kinds[extractor.kind(rule)] += 1;
                scored.push(rule, scores, counts);
            });
            if scored.rules > before {
                scored.source.extend(entries[0].record.source_words());
                scored.ends.push((scored.source.len(), scored.rules, scored.encoded.len()));
            }
        }
        scored
    }
}

/// Source sides with their scored rules.
#[derive(Default)]
pub struct ScoredSides {
    /// The number of rules of each kind.
    pub kinds: [u64; KINDS],
    source: Vec<(u32, u16)>,
    rules: u32,
    /// The rules as in the table.
    encoded: Vec<u8>,
    oriented: bool,
    /// The ends of each side's symbols, of its rules and of their bytes.
    ends: Vec<(usize, u32, usize)>,
}

/// A source side with its scored rules.
pub struct ScoredSide<'a> {
    /// Symbols and joints.
    pub source: &'a [(u32, u16)],
    /// The number of rules.
    pub rules: u32,
    /// The rules, see [`bytes::write`].
    pub encoded: &'a [u8],
}

impl ScoredSides {
    fn push(&mut self, rule: &Record<'_>, scores: &[f32; SCORES], counts: &Counts) {
        let count = number(counts.occurrences) as f32;
        let orientations = self.oriented.then_some(&counts.orientations);
        let points = rule.points.iter().copied();
        let target = rule.target_words();
        bytes::write_parts(&mut self.encoded, rule.context, count, target, points, scores, orientations);
        self.rules += 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = ScoredSide<'_>> {
        let mut from = (0, 0, 0);
        self.ends.iter().map(move |&to| {
            let (source, encoded) = (&self.source[from.0..to.0], &self.encoded[from.2..to.2]);
            let side = ScoredSide { source, rules: to.1 - from.1, encoded };
            from = to;
            side
        })
    }
}

/// A record to be scored.
struct Entry<'a> {
    record: Record<'a>,
    counts: Counts,
    /// The key of its target side.
    key: u64,
}

/// Whether two records of a source side are of one rule, with different alignments.
fn is_same_rule(a: &Entry<'_>, b: &Entry<'_>) -> bool {
    a.key == b.key && a.record.context == b.record.context && a.record.target == b.record.target
}

/// Passes every rule of a source side that is frequent enough to `found`, with its most frequent alignment.
fn score_side(
    entries: &[Entry<'_>],
    scores: &Scores<'_>,
    weights: &mut LexicalWeights<'_>,
    mut found: impl FnMut(&Record<'_>, &[f32; SCORES], &Counts),
) {
    let Scores { totals, smoother, edges, min_count, .. } = *scores;
    let source: Words = entries[0].record.source_words().map(|(word, _)| lexical(word)).collect();
    for group in entries.chunk_by(|a, b| a.record.context == b.record.context) {
        let mut of_source = SideCounts::default();
        for alike in group.chunk_by(is_same_rule) {
            of_source.add(alike.iter().map(|one| one.counts.occurrences).sum());
        }
        if !edges.is_empty() {
            of_source = edges.get(&group_prefix(&group[0].record)).copied().unwrap_or(of_source);
        }
        for alike in group.chunk_by(is_same_rule) {
            let mut counts = alike[0].counts;
            alike[1..].iter().for_each(|more| counts.add(&more.counts));
            if f64::from(number(counts.occurrences) as f32) < min_count {
                continue;
            }
            let Entry { record, key, .. } = &alike[0];
            let of_target = smoother.target(*key, totals.counts.get(*key));
            let direct = most_frequent(alike, by_target);
            let inverse = most_frequent(alike, by_source);
            let joint = counts.occurrences;
            let words: Words = record.target_words().map(lexical).collect();
            let mut lexical_of = |record: &Record<'_>| weights.of(&source, &words, record.alignment());
            let (lex_direct, mut lex_inverse) = lexical_of(direct);
            if direct.points != inverse.points {
                lex_inverse = lexical_of(inverse).1;
            }
            let p = [
                smoother.probability(record.context, joint, &of_target, &of_source),
                lex_inverse,
                smoother.probability(record.context, joint, &of_source, &of_target),
                lex_direct,
            ];
            found(direct, &p.map(log), &counts);
        }
    }
}

/// The log score of a probability; many are one.
fn log(p: f64) -> f32 {
    if p == 1.0 {
        0.0
    } else {
        (p.ln() as f32).max(FLOOR)
    }
}

/// The number of a word in the lexical table, where 0 is the empty word.
pub fn lexical(word: u32) -> u32 {
    word + 1
}

/// The record with the most frequent alignment. On a tie each direction chooses on its own, as in Moses: the largest
/// alignment when written as the list of `by`.
fn most_frequent<'r, 'a>(alike: &'r [Entry<'a>], by: fn(&Record<'a>) -> Vec<Vec<usize>>) -> &'r Record<'a> {
    let better = |a: &&'r Entry<'a>, b: &&'r Entry<'a>| match a.counts.occurrences.cmp(&b.counts.occurrences)
    {
        Ordering::Equal => by(&a.record).cmp(&by(&b.record)),
        unequal => unequal,
    };
    match alike {
        [only] => &only.record,
        _ => alike.iter().max_by(better).map_or(&alike[0].record, |best| &best.record),
    }
}

fn by_target(record: &Record<'_>) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); record.target.len() / 4];
    record.alignment().for_each(|(s, t)| lists[t].push(s));
    lists
}

fn by_source(record: &Record<'_>) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); record.source.len() / 6];
    record.alignment().for_each(|(s, t)| lists[s].push(t));
    lists
}
