//! Consensus features for the hypotheses of a chart: GC (formula 9), LC (formula 11) and memory n-gram posteriors of any
//! text for any span.

use std::sync::Arc;

use super::links::{shares, NodeId};
use super::neighbour_labels::{NeighbourLabels, KINDS};
use super::span_evidence::{Buffers, SpanEvidence};
use super::span_features::FeatureGroup;
use super::spans::SpanGraph;
use super::transfers::Normalisation;
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::{SentenceSpanScorer, SpanScorer};
use crate::error::Result;
use crate::evidence::inputs::Inputs;
use crate::evidence::rows::Rows;
use crate::evidence::ORDERS;
use crate::metric::bleu::{ORDER, UNSEEN};
use crate::source::spans::Span;
use crate::table::read::Table;

/// How a graph becomes features.
#[derive(Clone)]
pub struct ScorerSettings {
    pub features: Vec<FeatureGroup>,
    /// Lowest value whose logarithm is used as a feature.
    pub floor: f64,
    /// See [`SpanScorer::scores_cells`].
    pub scores_cells: bool,
}

/// Scores translations of spans by the graph of some sentences' spans, for a decoder with a given table.
pub struct SpanConsensus {
    graph: Arc<SpanGraph>,
    settings: ScorerSettings,
    /// Numbers of the words of the lists and of the table's target vocabulary; words of the memory keep its numbers.
    list_numbers: Arc<[u32]>,
    table_numbers: Arc<[u32]>,
    evidence: Option<SpanEvidence>,
}

impl SpanConsensus {
    pub fn new(graph: SpanGraph, table: &Table, settings: ScorerSettings) -> Self {
        let list_numbers = graph.lists.renumbered(graph.memory.as_deref()).into();
        let (graph, table_numbers) = (Arc::new(graph), Arc::new([]));
        let mut made = SpanConsensus { graph, settings, list_numbers, table_numbers, evidence: None };
        let words = table.target_words();
        made.table_numbers = (0..words.len() as u32).map(|word| made.word_id_of(words.word(word))).collect();
        made
    }

    /// The same with memory n-gram posteriors: rows of [`inputs`] with their probabilities.
    ///
    /// [`inputs`]: super::span_evidence::inputs
    pub fn with_evidence(
        &self,
        inputs: &Inputs,
        rows: &Rows,
        probabilities: &[Vec<f32>; ORDERS],
    ) -> Result<Self> {
        let memory = self.graph.memory.iter().flat_map(|memory| (0..).zip(memory.targets.iter()));
        let lists = self.list_numbers.iter().copied().zip(self.graph.lists.words.iter());
        let words = memory.chain(lists);
        Ok(SpanConsensus {
            graph: self.graph.clone(),
            settings: self.settings.clone(),
            list_numbers: self.list_numbers.clone(),
            table_numbers: self.table_numbers.clone(),
            evidence: Some(SpanEvidence::new(&self.graph, inputs, rows, probabilities, words)?),
        })
    }

    pub fn graph(&self) -> &SpanGraph {
        &self.graph
    }

    fn word_id_of(&self, word: &str) -> u32 {
        let in_memory = self.graph.memory.as_ref().and_then(|memory| memory.targets.get(word));
        let in_lists = || self.graph.lists.words.get(word).map(|own| self.list_numbers[own as usize]);
        in_memory.or_else(in_lists).unwrap_or(UNSEEN)
    }

    /// Whether the memory and the spans of the input are features of their own.
    fn is_split(&self) -> bool {
        self.settings
            .features
            .iter()
            .any(|group| matches!(group, FeatureGroup::GcMemory | FeatureGroup::GcSpans))
    }

    /// Collects the labels of a node's neighbours, and its own. Returns the sum of T_s over each kind of neighbours.
    fn collect(&self, node: u32, labels: &mut NeighbourLabels) -> [f64; KINDS] {
        labels.clear();
        let split = self.is_split();
        let mut of_kinds = [0.0; KINDS];
        let graph = &self.graph;
        let (links, lists) = (&graph.links[node as usize], &graph.lists);
        let by_neighbour = graph.settings.graph.normalised == Normalisation::Neighbour;
        let mut text = Vec::new();
        let read = |label: usize, text: &mut Vec<u32>| {
            text.clear();
            text.extend(lists.candidates.get(label).iter().map(|&word| self.list_numbers[word as usize]));
        };
        for (number, (link, share)) in
            links.iter().zip(shares(links, graph.settings.graph.sharpness, |_| 1)).enumerate()
        {
            let kind = usize::from(split && matches!(link.to, NodeId::Open(_)));
            of_kinds[kind] += share;
            // Neighbours matter only if similarities are normalised over the labels of each.
            let group = if by_neighbour { number } else { kind };
            if by_neighbour {
                labels.kinds.push(kind);
            }
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
        if !by_neighbour {
            labels.kinds.extend(0..if split { KINDS } else { 1 });
        }
        labels.local_group = labels.kinds.len();
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
        of_kinds
    }
}

impl SpanScorer for SpanConsensus {
    fn columns(&self) -> usize {
        self.settings.features.iter().map(|group| group.columns()).sum()
    }

    fn scores_cells(&self) -> bool {
        self.settings.scores_cells
    }

    fn for_sentence<'a>(&'a self, sentence: &'a Sentence) -> Box<dyn SentenceSpanScorer + 'a> {
        let words = self.graph.encode(&sentence.words);
        let evidence = self.evidence.as_ref().and_then(|evidence| {
            let sentence = evidence.sentence(self.graph.node(&words)?)?;
            Some((evidence, sentence))
        });
        let (labels, of_kinds, buffers) = (NeighbourLabels::default(), [0.0; KINDS], Buffers::default());
        Box::new(SentenceConsensus {
            consensus: self,
            words,
            node: None,
            labels,
            of_kinds,
            evidence,
            buffers,
        })
    }
}

struct SentenceConsensus<'a> {
    consensus: &'a SpanConsensus,
    words: Vec<u32>,
    /// The node whose neighbour labels are collected in `labels`, and the sum of T_s over each kind of neighbours.
    node: Option<u32>,
    labels: NeighbourLabels,
    of_kinds: [f64; KINDS],
    /// The n-gram posteriors of this sentence.
    evidence: Option<(&'a SpanEvidence, usize)>,
    buffers: Buffers,
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
            self.of_kinds = consensus.collect(node, &mut self.labels);
        }
        let normalised = consensus.graph.settings.graph.normalised;
        values.clear();
        for text in texts {
            let found = self.labels.consensus_scores(text, normalised);
            let add_graph = |values: &mut Vec<f32>, sums: [f64; ORDER]| {
                let below_floor = sums.iter().filter(|&&value| value < consensus.settings.floor).count();
                values.extend(sums.map(|value| log(value, consensus.settings.floor)));
                values.push(below_floor as f32 / ORDER as f32);
            };
            let of_kind = |kind: usize| match self.of_kinds[kind] {
                0.0 => [0.0; ORDER],
                share => found.graph[kind].map(|sum| sum / share),
            };
            for group in &consensus.settings.features {
                match group {
                    FeatureGroup::Gc => {
                        add_graph(values, std::array::from_fn(|n| found.graph[0][n] + found.graph[1][n]))
                    }
                    FeatureGroup::GcMemory => add_graph(values, of_kind(0)),
                    FeatureGroup::GcSpans => add_graph(values, of_kind(1)),
                    FeatureGroup::Lc => {
                        values.extend(found.local.map(|value| log(value, consensus.settings.floor)))
                    }
                    FeatureGroup::Memory => values.extend(match self.evidence {
                        Some((evidence, sentence)) => evidence.sums(sentence, text, &mut self.buffers),
                        None => [0.0; ORDERS],
                    }),
                }
            }
        }
        true
    }
}

fn log(value: f64, floor: f64) -> f32 {
    (value.max(floor) as f32).ln()
}
