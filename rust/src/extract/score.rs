//! Scores from counts: relative frequencies and lexical weights in both directions.

use std::cmp::Ordering;

use super::smooth::{SideCounts, Smoother, Smoothing};
use crate::align::lexical::LexicalTable;
use crate::corpus::links::Position;
use crate::rule::bytes::Rule;
use crate::rule::record::{Record, TargetKeys};
use crate::store::hashing::FastMap;
use crate::store::runs::{number, Counts};

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

/// All records of one source side, in merge order.
#[derive(Clone, Default)]
pub struct SourceSide {
    pub source: Vec<(u32, u16)>,
    records: Vec<u8>,
    entries: Vec<(usize, Counts)>,
}

impl SourceSide {
    pub fn begin(&mut self, record: &Record<'_>) {
        self.source.clear();
        self.source.extend(record.source_words());
        self.records.clear();
        self.entries.clear();
    }

    pub fn push(&mut self, record: &[u8], counts: Counts) {
        self.records.extend_from_slice(record);
        self.entries.push((self.records.len(), counts));
    }

    fn iter(&self) -> impl Iterator<Item = (Record<'_>, Counts)> {
        let mut from = 0;
        self.entries.iter().map(move |&(to, counts)| {
            let record = Record::read(&self.records[from..to]);
            from = to;
            (record, counts)
        })
    }

    /// The scored rules, ordered by context and target side.
    pub fn score(
        &self,
        totals: &TargetTotals,
        smoother: &Smoother,
        lexicon: &LexicalTable,
        edges: &EdgeCounts,
    ) -> Vec<Rule> {
        let source: Vec<u32> = self.source.iter().map(|&(word, _)| lexical(word)).collect();
        let entries: Vec<_> = self.iter().collect();
        let mut rules: Vec<Rule> = Vec::new();
        let same = |a: &Record<'_>, b: &Record<'_>| a.context == b.context && a.target == b.target;
        for group in entries.chunk_by(|a, b| a.0.context == b.0.context) {
            let mut of_source = SideCounts::default();
            for alike in group.chunk_by(|a, b| same(&a.0, &b.0)) {
                of_source.add(alike.iter().map(|(_, counts)| counts.occurrences).sum());
            }
            if !edges.is_empty() {
                of_source = edges.get(&group_prefix(&group[0].0)).copied().unwrap_or(of_source);
            }
            for alike in group.chunk_by(|a, b| same(&a.0, &b.0)) {
                let mut counts = Counts::default();
                alike.iter().for_each(|(_, more)| counts.add(more));
                let record = &alike[0].0;
                let of_target = smoother.target(record, totals.get(record));
                let target: Vec<u32> = record.target_words().collect();
                let direct = most_frequent(alike, by_target);
                let inverse = most_frequent(alike, by_source);
                let joint = counts.occurrences;
                let words: Vec<u32> = target.iter().map(|&word| lexical(word)).collect();
                let scores = [
                    smoother.probability(record.context, joint, &of_target, &of_source),
                    lexicon.weight_of_source(&source, &words, &links_of(inverse)),
                    smoother.probability(record.context, joint, &of_source, &of_target),
                    lexicon.weight_of_target(&source, &words, &links_of(direct)),
                ];
                rules.push(Rule {
                    context: record.context,
                    alignment: direct.alignment().map(|(s, t)| (s as u8, t as u8)).collect(),
                    target: target[..].into(),
                    count: number(counts.occurrences) as f32,
                    scores: scores.map(|p| (p.ln() as f32).max(FLOOR)),
                    orientations: counts.orientations,
                });
            }
        }
        rules
    }
}

/// The number of a word in the lexical table, where 0 is the empty word.
pub fn lexical(word: u32) -> u32 {
    word + 1
}

fn links_of(record: &Record<'_>) -> Vec<(Position, Position)> {
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
