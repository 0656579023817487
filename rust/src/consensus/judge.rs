//! Consensus as an opinion of a chart's hypotheses: GC (formula 9) and LC (formula 11) of any text for any span.

use super::links::{shares, Place};
use super::spans::SpanGraph;
use super::transfers::Normalised;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::{SentenceSpanScorer, SpanScorer};
use crate::metric::bleu::{ORDER, UNSEEN};
use crate::metric::ngrams::{Ngrams, NOTHING};
use crate::source::spans::Span;
use crate::store::hashing::{mix, FastMap};
use crate::table::read::Table;

/// gc1 to gc4, gc-none, lc1 to lc4.
pub const COLUMNS: usize = 2 * ORDER + 1;

/// The graph of some sentences' spans, as the decoder of their table asks it.
pub struct Consensus {
    graph: SpanGraph,
    /// Numbers of the words of the lists and of the table's target vocabulary: the memory's where it knows them.
    listed: Vec<u32>,
    known: Vec<u32>,
    /// Least value whose logarithm is a feature.
    floor: f64,
}

impl Consensus {
    pub fn new(graph: SpanGraph, table: &Table, floor: f64) -> Self {
        let listed = graph.lists.renumbered(graph.memory.as_deref());
        let mut made = Consensus { graph, listed, known: Vec::new(), floor };
        let words = table.target_words();
        made.known = (0..words.len() as u32).map(|word| made.number_of(words.word(word))).collect();
        made
    }

    pub fn graph(&self) -> &SpanGraph {
        &self.graph
    }

    fn number_of(&self, word: &str) -> u32 {
        let remembered = self.graph.memory.as_ref().and_then(|memory| memory.targets.get(word));
        let listed = || self.graph.lists.words.get(word).map(|own| self.listed[own as usize]);
        remembered.or_else(listed).unwrap_or(UNSEEN)
    }

    /// Who speaks of the translations of a node.
    fn hear_of(&self, node: u32, voices: &mut Voices) {
        voices.clear();
        let graph = &self.graph;
        let (links, lists) = (&graph.links[node as usize], &graph.lists);
        let by_neighbour = graph.settings.graph.normalised == Normalised::Neighbour;
        let mut text = Vec::new();
        let read = |label: usize, text: &mut Vec<u32>| {
            text.clear();
            text.extend(lists.candidates.get(label).iter().map(|&word| self.listed[word as usize]));
        };
        for (number, (link, share)) in
            links.iter().zip(shares(links, graph.settings.graph.sharpness)).enumerate()
        {
            // Only where a neighbour's labels share what it gives does it matter whose they are.
            let group = if by_neighbour { number } else { 0 };
            match (link.to, &graph.memory) {
                (Place::Fixed(node), Some(memory)) => {
                    for (words, p) in memory.labels(node) {
                        voices.add(words, [share * p; ORDER], group);
                    }
                }
                (Place::Fixed(_), None) => {}
                (Place::Open(node), _) => {
                    for label in lists.range(node as usize) {
                        read(label, &mut text);
                        let p = |n: usize| share * graph.values[label * ORDER + n];
                        voices.add(&text, std::array::from_fn(p), group);
                    }
                }
            }
        }
        voices.local = if by_neighbour { links.len() } else { 1 };
        for label in lists.range(node as usize) {
            read(label, &mut text);
            voices.add(&text, [graph.posterior[label]; ORDER], voices.local);
        }
        voices.finish();
        if graph.settings.graph.normalised == Normalised::Receiver {
            for label in lists.range(node as usize) {
                read(label, &mut text);
                voices.compare(&text);
                for touched in 0..voices.touched.len() {
                    let voice = voices.touched[touched] as usize;
                    let similar = voices.dice(voice, &text);
                    let shared = &mut voices.all[voice].shared;
                    shared.iter_mut().zip(similar).for_each(|(sum, value)| *sum += value);
                }
            }
            for sum in voices.all.iter_mut().flat_map(|voice| &mut voice.shared) {
                *sum = 1.0 / sum.max(f64::MIN_POSITIVE);
            }
        }
    }
}

/// A label of a neighbour: T_s times p, and what its similarities to the receiving labels sum up to, then one by that.
struct Voice {
    /// Where its text ends among all; it begins where the one before ends.
    end: usize,
    weight: [f64; ORDER],
    shared: [f64; ORDER],
    distinct: [u32; ORDER],
    /// Its neighbour, or all of them; the last is the span itself.
    group: usize,
}

/// All who speak of the translations of a span, found by their n-grams.
#[derive(Default)]
struct Voices {
    all: Vec<Voice>,
    /// What they say, end to end.
    words: Vec<u32>,
    local: usize,
    grams: Ngrams,
    /// The last who has an n-gram, and all pairs of both, until all voices are in.
    last: Vec<u32>,
    said: Vec<(u32, u32)>,
    /// Who has an n-gram: `holders[starts[gram]..starts[gram + 1]]`.
    starts: Vec<u32>,
    holders: Vec<u32>,
    /// By a hash of group and text.
    places: FastMap<u64, u32>,
    /// N-grams that the text in hand shares with each, and who shares any.
    shared: Vec<[u32; ORDER]>,
    touched: Vec<u32>,
    lengths: [u32; ORDER],
    /// 2 / n, which takes less time than to divide, for all n-grams that a voice and the text in hand may have.
    two_by: Vec<f64>,
    longest: usize,
    sums: Vec<([f64; ORDER], [f64; ORDER])>,
}

/// The voice before the first one.
const NOBODY: u32 = u32::MAX;

impl Voices {
    /// Nobody speaks any more; the memory stays.
    fn clear(&mut self) {
        self.all.clear();
        self.words.clear();
        self.grams.clear();
        self.last.clear();
        self.places.clear();
        self.shared.clear();
        self.touched.clear();
        self.longest = 0;
    }

    fn text(&self, voice: usize) -> &[u32] {
        let start = if voice == 0 { 0 } else { self.all[voice - 1].end };
        &self.words[start..self.all[voice].end]
    }

    /// A voice, or more weight for one of the same group that says the same.
    fn add(&mut self, text: &[u32], weight: [f64; ORDER], group: usize) {
        let new = self.all.len() as u32;
        let key = text.iter().fold(group as u64, |key, &word| mix(key, u64::from(word)));
        let place = *self.places.entry(key).or_insert(new);
        if place < new {
            let same = self.text(place as usize) == text;
            let known = &mut self.all[place as usize];
            if known.group == group && same {
                known.weight.iter_mut().zip(weight).for_each(|(sum, value)| *sum += value);
                return;
            }
        }
        for first in 0..text.len() {
            let mut gram = NOTHING;
            for &word in text[first..].iter().take(ORDER) {
                gram = self.grams.number(gram, word);
                if gram as usize == self.last.len() {
                    self.last.push(NOBODY);
                }
                // Of sets an n-gram is a member distinct.
                if std::mem::replace(&mut self.last[gram as usize], new) != new {
                    self.said.push((gram, new));
                }
            }
        }
        let distinct = distinct(text, has_repeats(text));
        self.longest = self.longest.max(text.len());
        self.words.extend_from_slice(text);
        let end = self.words.len();
        self.all.push(Voice { end, weight, shared: [0.0; ORDER], distinct, group });
        self.shared.push([0; ORDER]);
    }

    /// Puts those who have an n-gram side by side; to be called when all voices are in.
    fn finish(&mut self) {
        self.starts.clear();
        self.starts.resize(self.last.len() + 1, 0);
        for &(gram, _) in &self.said {
            self.starts[gram as usize + 1] += 1;
        }
        for gram in 1..self.starts.len() {
            self.starts[gram] += self.starts[gram - 1];
        }
        // Who had it last is of no use now: where the next one goes.
        self.last.copy_from_slice(&self.starts[..self.starts.len() - 1]);
        self.holders.clear();
        self.holders.resize(self.said.len(), 0);
        for (gram, voice) in self.said.drain(..) {
            let free = &mut self.last[gram as usize];
            self.holders[*free as usize] = voice;
            *free += 1;
        }
    }

    /// Counts the n-grams that a text shares with each voice.
    fn compare(&mut self, text: &[u32]) {
        for &voice in &self.touched {
            self.shared[voice as usize] = [0; ORDER];
        }
        self.touched.clear();
        let (known, most) = (self.two_by.len(), self.longest + text.len());
        self.two_by.extend((known..=most).map(|n| 2.0 / n.max(1) as f64));
        let repeats = has_repeats(text);
        self.lengths = distinct(text, repeats);
        for first in 0..text.len() {
            let mut gram = NOTHING;
            for (n, &word) in text[first..].iter().take(ORDER).enumerate() {
                let Some(next) = self.grams.get(gram, word) else { break };
                gram = next;
                if repeats && is_repeated(text, first, n + 1) {
                    continue;
                }
                let holders = self.starts[gram as usize] as usize..self.starts[gram as usize + 1] as usize;
                for &voice in &self.holders[holders] {
                    let counts = &mut self.shared[voice as usize];
                    // Who shares a longer n-gram shares its first word.
                    if n == 0 && counts[0] == 0 {
                        self.touched.push(voice);
                    }
                    counts[n] += 1;
                }
            }
        }
    }

    /// The Dice coefficients of the text in hand and a voice; 1 if they are equal, however short.
    fn dice(&self, voice: usize, text: &[u32]) -> [f64; ORDER] {
        let distinct = &self.all[voice].distinct;
        let shared = &self.shared[voice];
        if shared == distinct && self.text(voice) == text {
            return [1.0; ORDER];
        }
        // Of n-grams that neither has none is shared.
        std::array::from_fn(|n| f64::from(shared[n]) * self.two_by[(distinct[n] + self.lengths[n]) as usize])
    }

    /// The sums of formulas (9) and (11) for a text.
    fn heard(&mut self, text: &[u32], normalised: Normalised) -> ([f64; ORDER], [f64; ORDER]) {
        self.compare(text);
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(self.local + 1, ([0.0; ORDER], [0.0; ORDER]));
        for &voice in &self.touched {
            let same = self.dice(voice as usize, text);
            let voice = &self.all[voice as usize];
            let (weighed, similar) = &mut sums[voice.group];
            let value: [f64; ORDER] = match normalised {
                // A text that is not among the labels has no more than all of what a voice gives.
                Normalised::Receiver => std::array::from_fn(|n| (same[n] * voice.shared[n]).min(1.0)),
                Normalised::Neighbour | Normalised::Not => same,
            };
            for n in 0..ORDER {
                weighed[n] += voice.weight[n] * value[n];
                similar[n] += same[n];
            }
        }
        let given = |(weighed, similar): &([f64; ORDER], [f64; ORDER])| -> [f64; ORDER] {
            std::array::from_fn(|n| match normalised {
                Normalised::Neighbour if similar[n] > 0.0 => weighed[n] / similar[n],
                _ => weighed[n],
            })
        };
        let (local, graph) = sums.split_last().expect("the span itself is a group");
        let mut all = [0.0; ORDER];
        for one in graph {
            all.iter_mut().zip(given(one)).for_each(|(sum, value)| *sum += value);
        }
        let local = given(local);
        self.sums = sums;
        (all, local)
    }
}

/// Whether a text has a word twice; without one no n-gram is repeated.
fn has_repeats(text: &[u32]) -> bool {
    (1..text.len()).any(|at| text[..at].contains(&text[at]))
}

/// Whether the n-gram that begins there is in the text before.
fn is_repeated(text: &[u32], first: usize, n: usize) -> bool {
    (0..first).any(|before| text[before..before + n] == text[first..first + n])
}

/// How many different n-grams of each order a text has.
fn distinct(text: &[u32], repeats: bool) -> [u32; ORDER] {
    std::array::from_fn(|less| {
        let (n, all) = (less + 1, text.len().saturating_sub(less));
        match repeats {
            true => (0..all).filter(|&first| !is_repeated(text, first, n)).count() as u32,
            false => all as u32,
        }
    })
}

impl SpanScorer for Consensus {
    fn columns(&self) -> usize {
        COLUMNS
    }

    fn for_sentence<'a>(&'a self, sentence: &'a Sentence) -> Box<dyn SentenceSpanScorer + 'a> {
        let words = self.graph.encode(&sentence.words);
        Box::new(OnSentence { consensus: self, words, node: None, voices: Voices::default() })
    }
}

struct OnSentence<'a> {
    consensus: &'a Consensus,
    words: Vec<u32>,
    /// Who was heard last, and of what.
    node: Option<u32>,
    voices: Voices,
}

impl SentenceSpanScorer for OnSentence<'_> {
    fn word_id(&self, word: u32) -> u32 {
        self.consensus.known[word as usize]
    }

    fn word_id_of(&self, word: &str) -> u32 {
        self.consensus.number_of(word)
    }

    fn score(&mut self, (first, end): Span, texts: &[&[u32]], values: &mut Vec<f32>) -> bool {
        let consensus = self.consensus;
        let Some(node) = consensus.graph.node(&self.words[first..end]) else { return false };
        if self.node.replace(node) != Some(node) {
            consensus.hear_of(node, &mut self.voices);
        }
        let normalised = consensus.graph.settings.graph.normalised;
        let log = |value: f64| (value.max(consensus.floor) as f32).ln();
        values.clear();
        for text in texts {
            let (graph, local) = self.voices.heard(text, normalised);
            let silent = graph.iter().filter(|&&value| value < consensus.floor).count();
            values.extend(graph.map(log));
            values.push(silent as f32 / ORDER as f32);
            values.extend(local.map(log));
        }
        true
    }
}
