//! Consensus features for the hypotheses of a chart: GC (formula 9) and LC (formula 11) of any text for any span.

use super::links::{shares, NodeId};
use super::neighbour_labels::NeighbourLabels;
use super::spans::SpanGraph;
use super::transfers::Normalisation;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::{SentenceSpanScorer, SpanScorer};
use crate::metric::bleu::{ORDER, UNSEEN};
use crate::source::spans::Span;
use crate::table::read::Table;

/// gc1 to gc4, gc-none, lc1 to lc4.
pub const COLUMNS: usize = 2 * ORDER + 1;

/// Scores translations of spans by the graph of some sentences' spans, for a decoder with a given table.
pub struct SpanConsensus {
    graph: SpanGraph,
    /// Numbers of the words of the lists and of the table's target vocabulary; words of the memory keep its numbers.
    list_numbers: Vec<u32>,
    table_numbers: Vec<u32>,
    /// Lowest value whose logarithm is used as a feature.
    floor: f64,
}

impl SpanConsensus {
    pub fn new(graph: SpanGraph, table: &Table, floor: f64) -> Self {
        let list_numbers = graph.lists.renumbered(graph.memory.as_deref());
        let mut made = SpanConsensus { graph, list_numbers, table_numbers: Vec::new(), floor };
        let words = table.target_words();
        made.table_numbers = (0..words.len() as u32).map(|word| made.word_id_of(words.word(word))).collect();
        made
    }

    pub fn graph(&self) -> &SpanGraph {
        &self.graph
    }

    fn word_id_of(&self, word: &str) -> u32 {
        let in_memory = self.graph.memory.as_ref().and_then(|memory| memory.targets.get(word));
        let in_lists = || self.graph.lists.words.get(word).map(|own| self.list_numbers[own as usize]);
        in_memory.or_else(in_lists).unwrap_or(UNSEEN)
    }

    /// Collects the labels of a node's neighbours, and its own.
    fn collect(&self, node: u32, labels: &mut NeighbourLabels) {
        labels.clear();
        let graph = &self.graph;
        let (links, lists) = (&graph.links[node as usize], &graph.lists);
        let by_neighbour = graph.settings.graph.normalised == Normalisation::Neighbour;
        let mut text = Vec::new();
        let read = |label: usize, text: &mut Vec<u32>| {
            text.clear();
            text.extend(lists.candidates.get(label).iter().map(|&word| self.list_numbers[word as usize]));
        };
        for (number, (link, share)) in
            links.iter().zip(shares(links, graph.settings.graph.sharpness)).enumerate()
        {
            // Groups matter only if similarities are normalised over the labels of a neighbour.
            let group = if by_neighbour { number } else { 0 };
            match (link.to, &graph.memory) {
                (NodeId::Fixed(node), Some(memory)) => {
                    for (words, p) in memory.labels(node) {
                        labels.add(words, [share * p; ORDER], group);
                    }
                }
                (NodeId::Fixed(_), None) => {}
                (NodeId::Open(node), _) => {
                    for label in lists.range(node as usize) {
                        read(label, &mut text);
                        let p = |n: usize| share * graph.values[label * ORDER + n];
                        labels.add(&text, std::array::from_fn(p), group);
                    }
                }
            }
        }
        labels.local_group = if by_neighbour { links.len() } else { 1 };
        for label in lists.range(node as usize) {
            read(label, &mut text);
            labels.add(&text, [graph.posterior[label]; ORDER], labels.local_group);
        }
        labels.finish();
        if graph.settings.graph.normalised == Normalisation::Receiver {
            for label in lists.range(node as usize) {
                read(label, &mut text);
                labels.add_to_normalisers(&text);
            }
            labels.invert_normalisers();
        }
    }
}

impl SpanScorer for SpanConsensus {
    fn columns(&self) -> usize {
        COLUMNS
    }

    fn for_sentence<'a>(&'a self, sentence: &'a Sentence) -> Box<dyn SentenceSpanScorer + 'a> {
        let words = self.graph.encode(&sentence.words);
        Box::new(SentenceConsensus { consensus: self, words, node: None, labels: NeighbourLabels::default() })
    }
}

struct SentenceConsensus<'a> {
    consensus: &'a SpanConsensus,
    words: Vec<u32>,
    /// The node whose neighbour labels are collected in `labels`.
    node: Option<u32>,
    labels: NeighbourLabels,
}

impl SentenceSpanScorer for SentenceConsensus<'_> {
    fn word_id(&self, word: u32) -> u32 {
        self.consensus.table_numbers[word as usize]
    }

    fn word_id_of(&self, word: &str) -> u32 {
        self.consensus.word_id_of(word)
    }

    fn score(&mut self, (first, end): Span, texts: &[&[u32]], values: &mut Vec<f32>) -> bool {
        let consensus = self.consensus;
        let Some(node) = consensus.graph.node(&self.words[first..end]) else { return false };
        if self.node.replace(node) != Some(node) {
            consensus.collect(node, &mut self.labels);
        }
        let normalised = consensus.graph.settings.graph.normalised;
        let log = |value: f64| (value.max(consensus.floor) as f32).ln();
        values.clear();
        for text in texts {
            let (graph, local) = self.labels.consensus_scores(text, normalised);
            let below_floor = graph.iter().filter(|&&value| value < consensus.floor).count();
            values.extend(graph.map(log));
            values.push(below_floor as f32 / ORDER as f32);
            values.extend(local.map(log));
        }
        true
    }
}
