//! The labels of a span's neighbours, compared with any text by the n-grams they share.

use super::transfers::Normalisation;
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::{Ngrams, EMPTY_NGRAM};
use crate::metric::repeats::Repeats;
use crate::store::hashing::{mix, FastMap};

/// A label of a neighbour, weighted by T_s times p.
struct NeighbourLabel {
    /// End of its text in `words`; it starts where the previous text ends.
    end: usize,
    weight: [f64; ORDER],
    /// One over the sum of its similarities to the receiving labels, if similarities are normalised over these.
    normaliser: [f64; ORDER],
    distinct: [u32; ORDER],
    /// Labels that are summed up before they are normalised: those of a neighbour, or of all neighbours of a kind. The
    /// last group is the span itself.
    group: usize,
}

/// What a neighbour is, if GC is split: a string of the memory, or a span of the input. Otherwise all are of the first
/// kind.
pub(super) const KINDS: usize = 2;

/// The sums in formula (9) for each kind of neighbours, and in formula (11).
pub(super) struct ConsensusScores {
    pub(super) graph: [[f64; ORDER]; KINDS],
    pub(super) local: [f64; ORDER],
}

/// The labels of all neighbours of a span, indexed by their n-grams.
#[derive(Default)]
pub(super) struct NeighbourLabels {
    all: Vec<NeighbourLabel>,
    /// The texts of all labels, end to end.
    words: Vec<u32>,
    /// The group of the span's own labels, formula (11).
    pub(super) local_group: usize,
    /// The kind of the neighbours of each other group.
    pub(super) kinds: Vec<usize>,
    grams: Ngrams,
    /// While labels are added: the last label with each n-gram, and all pairs of n-gram and label.
    last: Vec<u32>,
    occurrences: Vec<(u32, u32)>,
    /// The labels with an n-gram are `holders[starts[gram]..starts[gram + 1]]`.
    starts: Vec<u32>,
    holders: Vec<u32>,
    /// Labels by a hash of group and text.
    by_text: FastMap<u64, u32>,
    /// Number of n-grams each label shares with the current text, and the labels that share any.
    shared: Vec<[u32; ORDER]>,
    touched: Vec<u32>,
    /// The repeated n-grams of the current text, and its numbers of distinct ones.
    repeats: Repeats,
    lengths: [u32; ORDER],
    /// 2 / n for every possible number of n-grams of a label and the current text: multiplying is faster than dividing.
    two_over: Vec<f64>,
    longest: usize,
    sums: Vec<([f64; ORDER], [f64; ORDER])>,
}

/// Stands for "no label yet".
const NO_LABEL: u32 = u32::MAX;

impl NeighbourLabels {
    /// Removes all labels but keeps the allocated memory.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.kinds.clear();
        self.words.clear();
        self.grams.clear();
        self.last.clear();
        self.by_text.clear();
        self.shared.clear();
        self.touched.clear();
        self.longest = 0;
    }

    fn text(&self, label: usize) -> &[u32] {
        let start = if label == 0 { 0 } else { self.all[label - 1].end };
        &self.words[start..self.all[label].end]
    }

    /// Adds a label. If the group already has a label with the same text, adds to its weight instead.
    pub(super) fn add(&mut self, text: &[u32], weight: [f64; ORDER], group: usize) {
        let new = self.all.len() as u32;
        let key = text.iter().fold(group as u64, |key, &word| mix(key, u64::from(word)));
        let place = *self.by_text.entry(key).or_insert(new);
        if place < new {
            let same = self.text(place as usize) == text;
            let known = &mut self.all[place as usize];
            if known.group == group && same {
                known.weight.iter_mut().zip(weight).for_each(|(sum, value)| *sum += value);
                return;
            }
        }
        for first in 0..text.len() {
            let mut gram = EMPTY_NGRAM;
            for &word in text[first..].iter().take(ORDER) {
                gram = self.grams.number(gram, word);
                if gram as usize == self.last.len() {
                    self.last.push(NO_LABEL);
                }
                // Count every n-gram once: the measures compare sets.
                if std::mem::replace(&mut self.last[gram as usize], new) != new {
                    self.occurrences.push((gram, new));
                }
            }
        }
        self.repeats.read(text, ORDER);
        let distinct = self.repeats.distinct();
        self.longest = self.longest.max(text.len());
        self.words.extend_from_slice(text);
        let end = self.words.len();
        self.all.push(NeighbourLabel { end, weight, normaliser: [0.0; ORDER], distinct, group });
        self.shared.push([0; ORDER]);
    }

    /// Groups the labels by n-gram; call it once all labels are added.
    pub(super) fn finish(&mut self) {
        self.starts.clear();
        self.starts.resize(self.last.len() + 1, 0);
        for &(gram, _) in &self.occurrences {
            self.starts[gram as usize + 1] += 1;
        }
        for gram in 1..self.starts.len() {
            self.starts[gram] += self.starts[gram - 1];
        }
        // From here on `last` holds the next free slot of each n-gram.
        self.last.copy_from_slice(&self.starts[..self.starts.len() - 1]);
        self.holders.clear();
        self.holders.resize(self.occurrences.len(), 0);
        for (gram, label) in self.occurrences.drain(..) {
            let free = &mut self.last[gram as usize];
            self.holders[*free as usize] = label;
            *free += 1;
        }
    }

    /// Counts the n-grams that a text shares with each label.
    fn compare(&mut self, text: &[u32]) {
        for &label in &self.touched {
            self.shared[label as usize] = [0; ORDER];
        }
        self.touched.clear();
        let (known, most) = (self.two_over.len(), self.longest + text.len());
        self.two_over.extend((known..=most).map(|n| 2.0 / n.max(1) as f64));
        self.repeats.read(text, ORDER);
        self.lengths = self.repeats.distinct();
        for first in 0..text.len() {
            let mut gram = EMPTY_NGRAM;
            for (n, &word) in text[first..].iter().take(ORDER).enumerate() {
                let Some(next) = self.grams.get(gram, word) else { break };
                gram = next;
                if self.repeats.is_repeated(first, n + 1) {
                    continue;
                }
                let holders = self.starts[gram as usize] as usize..self.starts[gram as usize + 1] as usize;
                for &label in &self.holders[holders] {
                    let counts = &mut self.shared[label as usize];
                    // A text that shares a longer n-gram shares its first word too.
                    if n == 0 && counts[0] == 0 {
                        self.touched.push(label);
                    }
                    counts[n] += 1;
                }
            }
        }
    }

    /// The Dice coefficients of the current text and a label; 1 for equal texts, even if they are too short for an
    /// n-gram.
    fn dice(&self, label: usize, text: &[u32]) -> [f64; ORDER] {
        let distinct = &self.all[label].distinct;
        let shared = &self.shared[label];
        if shared == distinct && self.text(label) == text {
            return [1.0; ORDER];
        }
        // If neither side has n-grams of an order, the number of shared ones is 0.
        std::array::from_fn(|n| {
            f64::from(shared[n]) * self.two_over[(distinct[n] + self.lengths[n]) as usize]
        })
    }

    /// Adds the similarities of a receiving label to the normalisers.
    pub(super) fn add_to_normalisers(&mut self, text: &[u32]) {
        self.compare(text);
        for touched in 0..self.touched.len() {
            let label = self.touched[touched] as usize;
            let similar = self.dice(label, text);
            self.all[label].normaliser.iter_mut().zip(similar).for_each(|(sum, value)| *sum += value);
        }
    }

    /// Turns the normalisers from sums into factors; call it once all receiving labels are added.
    pub(super) fn invert_normalisers(&mut self) {
        for sum in self.all.iter_mut().flat_map(|label| &mut label.normaliser) {
            *sum = 1.0 / sum.max(f64::MIN_POSITIVE);
        }
    }

    /// The sums in formulas (9) and (11) for a text.
    pub(super) fn consensus_scores(&mut self, text: &[u32], normalised: Normalisation) -> ConsensusScores {
        self.compare(text);
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.local_group + 1, ([0.0; ORDER], [0.0; ORDER]));
        for &label in &self.touched {
            let same = self.dice(label as usize, text);
            let label = &self.all[label as usize];
            let (weighted, similar) = &mut sums[label.group];
            let value: [f64; ORDER] = match normalised {
                // A text that is not among the labels receives at most all that a label gives.
                Normalisation::Receiver => std::array::from_fn(|n| (same[n] * label.normaliser[n]).min(1.0)),
                Normalisation::Neighbour | Normalisation::None => same,
            };
            for n in 0..ORDER {
                weighted[n] += label.weight[n] * value[n];
                similar[n] += same[n];
            }
        }
        let given = |(weighted, similar): &([f64; ORDER], [f64; ORDER])| -> [f64; ORDER] {
            std::array::from_fn(|n| match normalised {
                Normalisation::Neighbour if similar[n] > 0.0 => weighted[n] / similar[n],
                _ => weighted[n],
            })
        };
        let (local, graph) = sums.split_last().expect("the span itself is a group");
        let mut found = ConsensusScores { graph: [[0.0; ORDER]; KINDS], local: given(local) };
        for (one, &kind) in graph.iter().zip(&self.kinds) {
            found.graph[kind].iter_mut().zip(given(one)).for_each(|(sum, value)| *sum += value);
        }
        self.sums = sums;
        found
    }
}
