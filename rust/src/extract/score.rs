//! Scores from counts: relative frequencies and lexical weights in both directions.

use std::cmp::Ordering;
use std::ops::Range;

use super::smooth::{SideCounts, Smoother, Smoothing};
use crate::align::lexical::{LexicalTable, LexicalWeights};
use crate::corpus::links::Position;
use crate::rule::bytes::{Rule, Symbols};
use crate::rule::record::{Record, TargetKeys};
use crate::store::hashing::FastMap;
use crate::store::runs::{number, Counts};
use crate::store::short::Short;

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
    counts: FastMap<u64, u64>,
}

impl TargetTotals {
    pub fn new(keys: TargetKeys) -> Self {
        TargetTotals { keys, counts: FastMap::default() }
    }

    /// Totals that are known already, by key.
    pub fn from_counts(keys: TargetKeys, counts: FastMap<u64, u64>) -> Self {
        TargetTotals { keys, counts }
    }

    pub fn add(&mut self, record: &Record<'_>, count: u64) {
        *self.counts.entry(self.keys.of(record)).or_default() += count;
    }

    fn get(&self, record: &Record<'_>) -> u64 {
        self.counts.get(&self.keys.of(record)).copied().unwrap_or(0)
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
    /// The end of each record, and its counts.
    entries: Vec<(usize, Counts)>,
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

    pub fn push(&mut self, record: &[u8], counts: Counts) {
        self.records.extend_from_slice(record);
        self.entries.push((self.records.len(), counts));
    }

    /// The records of a source side.
    fn side(&self, number: usize) -> impl Iterator<Item = (Record<'_>, Counts)> {
        let first = self.sides[number];
        let after = self.sides.get(number + 1).copied().unwrap_or(self.entries.len());
        let mut from = if first == 0 { 0 } else { self.entries[first - 1].0 };
        self.entries[first..after].iter().map(move |&(to, counts)| {
            let record = Record::read(&self.records[from..to]);
            from = to;
            (record, counts)
        })
    }

    /// The scored rules of some source sides, ordered by context and target side.
    pub fn score(&self, sides: Range<usize>, scores: &Scores<'_>) -> ScoredSides {
        let mut scored = ScoredSides::default();
        let (mut entries, mut source, mut weights) = (Vec::new(), Vec::new(), LexicalWeights::default());
        for side in sides {
            entries.clear();
            entries.extend(self.side(side));
            source.clear();
            source.extend(entries[0].0.source_words());
            let from = scored.rules.len();
            score_side(&source, &entries, scores, &mut weights, &mut scored.rules);
            if scored.rules.len() > from {
                scored.source.extend_from_slice(&source);
                scored.ends.push((scored.source.len(), scored.rules.len()));
            }
        }
        scored
    }
}

/// Source sides with their scored rules.
#[derive(Default)]
pub struct ScoredSides {
    source: Vec<(u32, u16)>,
    rules: Vec<Rule>,
    /// The ends of each side's symbols and of its rules.
    ends: Vec<(usize, usize)>,
}

impl ScoredSides {
    pub fn iter(&self) -> impl Iterator<Item = (&[(u32, u16)], &[Rule])> {
        let mut from = (0, 0);
        self.ends.iter().map(move |&to| {
            let side = (&self.source[from.0..to.0], &self.rules[from.1..to.1]);
            from = to;
            side
        })
    }
}

/// Whether two records of a source side are of one rule, with different alignments.
fn is_same_rule((a, _): &(Record<'_>, Counts), (b, _): &(Record<'_>, Counts)) -> bool {
    a.context == b.context && a.target == b.target
}

/// Appends the rules of a source side that are frequent enough.
fn score_side(
    source: &[(u32, u16)],
    entries: &[(Record<'_>, Counts)],
    scores: &Scores<'_>,
    weights: &mut LexicalWeights,
    rules: &mut Vec<Rule>,
) {
    let Scores { totals, smoother, lexicon, edges, min_count } = *scores;
    let source: Symbols = source.iter().map(|&(word, _)| lexical(word)).collect();
    for group in entries.chunk_by(|a, b| a.0.context == b.0.context) {
        let mut of_source = SideCounts::default();
        for alike in group.chunk_by(is_same_rule) {
            of_source.add(alike.iter().map(|(_, counts)| counts.occurrences).sum());
        }
        if !edges.is_empty() {
            of_source = edges.get(&group_prefix(&group[0].0)).copied().unwrap_or(of_source);
        }
        for alike in group.chunk_by(is_same_rule) {
            let mut counts = Counts::default();
            alike.iter().for_each(|(_, more)| counts.add(more));
            let count = number(counts.occurrences) as f32;
            if f64::from(count) < min_count {
                continue;
            }
            let record = &alike[0].0;
            let of_target = smoother.target(record, totals.get(record));
            let direct = most_frequent(alike, by_target);
            let inverse = most_frequent(alike, by_source);
            let joint = counts.occurrences;
            let words: Symbols = record.target_words().map(lexical).collect();
            let mut lexical_of = |record| weights.of(lexicon, &source, &words, &links_of(record));
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
            rules.push(Rule {
                context: record.context,
                alignment: direct.alignment().map(|(s, t)| (s as u8, t as u8)).collect(),
                target: record.target_words().collect(),
                count,
                scores: p.map(|p| (p.ln() as f32).max(FLOOR)),
                orientations: counts.orientations,
            });
        }
    }
}

/// The number of a word in the lexical table, where 0 is the empty word.
pub fn lexical(word: u32) -> u32 {
    word + 1
}

fn links_of(record: &Record<'_>) -> Short<(Position, Position), 15> {
    record.alignment().map(|(s, t)| (s as Position, t as Position)).collect()
}

/// The record with the most frequent alignment. On a tie each direction chooses on its own, as in Moses: the largest
/// alignment when written as the list of `by`.
fn most_frequent<'r, 'a>(
    alike: &'r [(Record<'a>, Counts)],
    by: fn(&Record<'a>) -> Vec<Vec<usize>>,
) -> &'r Record<'a> {
    let better = |a: &&'r (Record<'a>, Counts), b: &&'r (Record<'a>, Counts)| match a
        .1
        .occurrences
        .cmp(&b.1.occurrences)
    {
        Ordering::Equal => by(&a.0).cmp(&by(&b.0)),
        unequal => unequal,
    };
    match alike {
        [(only, _)] => only,
        _ => alike.iter().max_by(better).map_or(&alike[0].0, |(record, _)| record),
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
