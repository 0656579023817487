//! Memory n-gram posteriors in decoding: the sums of the probabilities of a text's n-grams, for any text of any span.
//!
//! For every sentence, the n-grams of its best translations and of the translations of its spans have the probability
//! that the reference of the sentence contains them. N-grams outside these lists count as 0.

use super::spans::SpanGraph;
use crate::corpus::tokens::cased;
use crate::error::{Error, Result};
use crate::evidence::inputs::{Input, Inputs};
use crate::evidence::rows::Rows;
use crate::evidence::ORDERS;
use crate::metric::ngrams::{Ngrams, EMPTY_NGRAM};
use crate::metric::repeats::Repeats;
use crate::store::hashing::FastMap;

/// The log-probability of translations of spans beside those of the whole sentence: their posterior in the list is 0.
const SPAN_LOG_PROBABILITY: f64 = -1e3;

/// The number of words that no list has.
const NOT_LISTED: u32 = u32::MAX;

/// The sentences of a graph with their best translations and the translations of their spans, in this order, as
/// candidates. `references` are known translations of each sentence, to fit classifiers to.
pub fn inputs(graph: &SpanGraph, references: Option<&[Vec<String>]>, lowercase: bool) -> Result<Inputs> {
    if let Some(given) = references.filter(|given| given.len() != graph.sentences()) {
        let (given, wanted) = (given.len(), graph.sentences());
        return Err(Error::input(format!("references for {given} sentences, but {wanted} sentences.")));
    }
    let mut made = Inputs::new(lowercase);
    for sentence in 0..graph.sentences() {
        let whole = graph.whole(sentence);
        let others = graph.nodes_of(sentence).filter(|&node| Some(node) != whole);
        let (mut texts, mut scores) = (Vec::new(), Vec::new());
        for node in whole.into_iter().chain(others) {
            for label in graph.lists.range(node as usize) {
                texts.push(graph.label(label));
                scores.push(match Some(node) == whole || whole.is_none() {
                    true => graph.posterior[label].max(f64::MIN_POSITIVE).ln(),
                    false => SPAN_LOG_PROBABILITY,
                });
            }
        }
        let own = references.map_or(&[][..], |references| &references[sentence][..]);
        made.push(&Input {
            source: &graph.source(sentence),
            candidates: texts.iter().map(String::as_str).collect(),
            log_probabilities: Some(&scores),
            references: own.iter().map(String::as_str).collect(),
            left_out: &[],
            by_vectors: &[],
        })?;
    }
    Ok(made)
}

/// The n-grams of a sentence with their probabilities.
#[derive(Default)]
struct Posteriors {
    known: Ngrams,
    p: Vec<f32>,
}

/// The n-gram posteriors of all sentences of a graph.
pub struct SpanEvidence {
    sentences: Vec<Posteriors>,
    /// The sentence whose whole is a node of the graph; equal sentences share the first.
    of_node: FastMap<u32, u32>,
    /// For each word of the graph its number in the lists.
    words: Vec<u32>,
}

/// Buffers reused from text to text.
#[derive(Default)]
pub struct Buffers {
    words: Vec<u32>,
    repeats: Repeats,
}

impl SpanEvidence {
    /// From rows of [`inputs`] and their probabilities. `words` are all words of the graph by number.
    pub fn new<'a>(
        graph: &SpanGraph,
        inputs: &Inputs,
        rows: &Rows,
        probabilities: &[Vec<f32>; ORDERS],
        words: impl Iterator<Item = (u32, &'a str)>,
    ) -> Result<Self> {
        let fitting = rows.sentences == graph.sentences()
            && inputs.len() == graph.sentences()
            && rows.orders.iter().zip(probabilities).all(|(rows, values)| rows.len() == values.len());
        if !fitting {
            return Err(Error::input("the n-gram probabilities are those of other sentences."));
        }
        let candidates = inputs.candidates();
        let mut sentences = Vec::with_capacity(rows.sentences);
        let mut of_node = FastMap::default();
        for sentence in 0..rows.sentences {
            let mut found = Posteriors::default();
            for (less, (rows, values)) in rows.orders.iter().zip(probabilities).enumerate() {
                for row in rows.starts[sentence]..rows.starts[sentence + 1] {
                    let text = candidates.get(rows.candidates[row] as usize);
                    let ngram = &text[rows.positions[row] as usize..][..=less];
                    let number =
                        ngram.iter().fold(EMPTY_NGRAM, |before, &word| found.known.number(before, word));
                    // Shorter n-grams come first, so the prefixes are known and only this one is new.
                    found.p.resize(found.known.len(), 0.0);
                    found.p[number as usize] = values[row];
                }
            }
            if let Some(node) = graph.whole(sentence) {
                of_node.entry(node).or_insert(sentence as u32);
            }
            sentences.push(found);
        }
        let mut numbers = Vec::new();
        for (word, text) in words {
            let text = cased(text, inputs.lowercase());
            numbers.resize(numbers.len().max(word as usize + 1), NOT_LISTED);
            numbers[word as usize] = candidates.vocabulary.get(&text).map_or(NOT_LISTED, |own| own + 1);
        }
        Ok(SpanEvidence { sentences, of_node, words: numbers })
    }

    /// The sentence with this node as a whole.
    pub fn sentence(&self, node: u32) -> Option<usize> {
        self.of_node.get(&node).map(|&sentence| sentence as usize)
    }

    /// For each order the sum of the probabilities of a text's distinct n-grams.
    pub fn sums(&self, sentence: usize, text: &[u32], buffers: &mut Buffers) -> [f32; ORDERS] {
        let Buffers { words: buffer, repeats } = buffers;
        buffer.clear();
        buffer.extend(text.iter().map(|&word| self.words.get(word as usize).copied().unwrap_or(NOT_LISTED)));
        repeats.read(buffer, ORDERS);
        let Posteriors { known, p } = &self.sentences[sentence];
        let mut sums = [0.0f64; ORDERS];
        for first in 0..buffer.len() {
            let mut before = EMPTY_NGRAM;
            for (less, &word) in buffer[first..].iter().take(ORDERS).enumerate() {
                let Some(number) = known.get(before, word) else { break };
                before = number;
                if !repeats.is_repeated(first, less + 1) {
                    sums[less] += f64::from(p[number as usize]);
                }
            }
        }
        sums.map(|sum| sum as f32)
    }
}
