//! The graph for decoding (section 5.2). Its nodes are the spans of source sentences that have translations in a chart.
//!
//! Equal spans are one node. A span is linked to similar strings of the memory, to its own sub-spans and, optionally,
//! to similar spans of other sentences.

use std::sync::Arc;

use rayon::prelude::*;

use super::graph::{Graph, GraphSettings};
use super::index::{check_threshold, Index, Scratch};
use super::links::{Link, Linked, NodeId};
use super::lists::Lists;
use super::memory::TranslationMemory;
use super::propagation::Propagation;
use super::similarity::symmetric_bleu;
use super::strings::text;
use crate::decode::sentence::Sentence;
use crate::decode::translator::SpanTranslations;
use crate::error::Result;
use crate::metric::bleu::UNSEEN;
use crate::source::spans::Span;
use crate::store::hashing::FastMap;
use crate::store::vocab::Interner;
use crate::work::interrupt;

/// How spans are linked and their translations are weighted.
#[derive(Clone)]
pub struct SpanSettings {
    /// Lowest similarity of linked strings.
    pub threshold: f64,
    /// Highest number of similar strings linked to a span.
    pub neighbours: usize,
    /// Links a span to sub-spans that are at most this many words shorter.
    pub shorter: usize,
    /// Whether to link similar spans of different sentences.
    pub between: bool,
    /// Highest number of translations of a span, and of a whole sentence.
    pub labels: usize,
    pub whole: usize,
    /// Factor of the scores in the softmax that gives the posteriors.
    pub scale: f64,
    pub graph: GraphSettings,
    pub rounds: usize,
    pub tolerance: f64,
}

/// Spans with their translations and propagated probabilities.
pub struct SpanGraph {
    pub settings: SpanSettings,
    pub memory: Option<Arc<TranslationMemory>>,
    words: Interner,
    /// The node of a span is the number of its words in this index.
    index: Index,
    /// The words of each sentence, and the spans of it that are nodes.
    sentences: Vec<Vec<u32>>,
    occurrences: Vec<Vec<(Span, u32)>>,
    /// The translations of each node.
    pub lists: Arc<Lists>,
    pub posterior: Vec<f64>,
    pub links: Vec<Vec<Link>>,
    /// p by translation and measure.
    pub values: Vec<f64>,
}

impl SpanGraph {
    /// `spans` are the translated spans in the chart of each sentence.
    pub fn new(
        sentences: &[Sentence],
        spans: &[Vec<SpanTranslations>],
        memory: Option<Arc<TranslationMemory>>,
        settings: SpanSettings,
    ) -> Result<Self> {
        check_threshold(settings.threshold)?;
        let (mut words, mut index) = (Interner::default(), Index::default());
        let mut labels: Vec<FastMap<String, f64>> = Vec::new();
        let mut most: Vec<usize> = Vec::new();
        let mut occurrences: Vec<Vec<(Span, u32)>> = Vec::new();
        let mut numbered = Vec::new();
        for (sentence, spans) in sentences.iter().zip(spans) {
            let numbers =
                sentence.words.iter().map(|word| words.intern(word)).collect::<Result<Vec<u32>>>()?;
            let mut own = Vec::new();
            for SpanTranslations { span, translations } in spans {
                let node = index.insert(&numbers[span.0..span.1])?;
                labels.resize_with(labels.len().max(node as usize + 1), FastMap::default);
                most.resize(labels.len(), settings.labels);
                if *span == (0, numbers.len()) {
                    most[node as usize] = settings.whole;
                }
                let posterior = softmax(translations.iter().map(|&(_, score)| score), settings.scale);
                for ((text, _), p) in translations.iter().zip(posterior) {
                    *labels[node as usize].entry(text.join(" ")).or_default() += p;
                }
                own.push((*span, node));
            }
            occurrences.push(own);
            numbered.push(numbers);
        }
        index.finish();
        let (mut lists, mut posterior) = (Lists::new(false), Vec::new());
        for (found, most) in labels.into_iter().zip(most) {
            let mut found: Vec<(String, f64)> = found.into_iter().collect();
            found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            found.truncate(most);
            let sum: f64 = found.iter().map(|(_, p)| p).sum();
            lists.push(found.iter().map(|(text, _)| text.as_str()))?;
            posterior.extend(found.iter().map(|(_, p)| p / sum));
        }
        let mut links = similar(&index, &words, memory.as_deref(), &settings);
        join_within(&occurrences, settings.shorter, &mut links);
        let lists = Arc::new(lists);
        let graph =
            Graph::new(lists.clone(), memory.as_deref(), Linked::single(links), settings.graph.clone())?;
        let propagation = Propagation::new(graph);
        let values = propagation.propagate(&posterior, settings.rounds, settings.tolerance).values;
        Ok(SpanGraph {
            settings,
            memory,
            words,
            index,
            sentences: numbered,
            occurrences,
            lists,
            posterior,
            links: propagation.graph.links,
            values,
        })
    }

    /// The number of distinct spans.
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of edges, counted from both ends: those to the memory, those between spans.
    pub fn edges(&self) -> (usize, usize) {
        let all = self.links.iter().map(Vec::len).sum::<usize>();
        let fixed = self.links.iter().flatten().filter(|link| matches!(link.to, NodeId::Fixed(_))).count();
        (fixed, all - fixed)
    }

    /// The number of sentences.
    pub fn sentences(&self) -> usize {
        self.sentences.len()
    }

    /// The words of a sentence.
    pub fn source(&self, sentence: usize) -> String {
        text(&self.words, &self.sentences[sentence])
    }

    /// The node of a whole sentence, if it is translated as one.
    pub fn whole(&self, sentence: usize) -> Option<u32> {
        let all = (0, self.sentences[sentence].len());
        self.occurrences[sentence].iter().find(|(span, _)| *span == all).map(|&(_, node)| node)
    }

    /// The nodes of a sentence's spans.
    pub fn nodes_of(&self, sentence: usize) -> impl Iterator<Item = u32> + '_ {
        self.occurrences[sentence].iter().map(|&(_, node)| node)
    }

    /// A translation, by its number among those of all nodes.
    pub fn label(&self, label: usize) -> String {
        text(&self.lists.words, self.lists.candidates.get(label))
    }

    /// The words of a sentence as numbers for [`SpanGraph::node`].
    pub fn encode(&self, words: &[String]) -> Vec<u32> {
        words.iter().map(|word| self.words.get(word).unwrap_or(UNSEEN)).collect()
    }

    /// The node of a word sequence.
    pub fn node(&self, words: &[u32]) -> Option<u32> {
        self.index.find(words)
    }
}

fn softmax(scores: impl Iterator<Item = f32> + Clone, scale: f64) -> Vec<f64> {
    let best = scores.clone().fold(f32::NEG_INFINITY, f32::max);
    let raised: Vec<f64> = scores.map(|score| (scale * f64::from(score - best)).exp()).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|value| value / sum).collect()
}

/// The links of each node to the most similar strings of the memory and, if `between`, of other nodes.
fn similar(
    index: &Index,
    words: &Interner,
    memory: Option<&TranslationMemory>,
    settings: &SpanSettings,
) -> Vec<Vec<Link>> {
    let known: Vec<u32> = match memory {
        Some(memory) => words.iter().map(|word| memory.sources.get(word).unwrap_or(UNSEEN)).collect(),
        None => Vec::new(),
    };
    let of_node = |(fixed, open): &mut (Scratch, Scratch), node: u32| {
        interrupt::point();
        let own = index.get(node);
        let mut links = Vec::new();
        if let Some(memory) = memory {
            let source: Vec<u32> = own.iter().map(|&word| known[word as usize]).collect();
            let found = memory.index.search_best(&source, settings.threshold, settings.neighbours, fixed);
            links.extend(found.into_iter().map(|(place, weight)| Link { to: NodeId::Fixed(place), weight }));
        }
        if settings.between {
            // The span itself is among the results.
            let found = index.search_best(own, settings.threshold, settings.neighbours + 1, open);
            links.extend(
                found
                    .into_iter()
                    .filter(|&(to, _)| to != node)
                    .map(|(place, weight)| Link { to: NodeId::Open(place), weight }),
            );
        }
        // The sort is stable: ties keep their order, with strings of the memory first.
        links.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        links.truncate(settings.neighbours);
        links
    };
    (0..index.len() as u32).into_par_iter().map_init(Default::default, of_node).collect()
}

/// Links every span with its sub-spans, in both directions.
fn join_within(occurrences: &[Vec<(Span, u32)>], shorter: usize, links: &mut [Vec<Link>]) {
    let similar: Vec<usize> = links.iter().map(Vec::len).collect();
    let mut join = |from: u32, to: u32, weight: f64| {
        let own = &mut links[from as usize];
        // Skip pairs that are linked already: similar spans, and a span that occurs twice in another.
        if from != to && own.iter().all(|link| link.to != NodeId::Open(to)) {
            own.push(Link { to: NodeId::Open(to), weight });
        }
    };
    for spans in occurrences {
        let places: FastMap<Span, u32> = spans.iter().copied().collect();
        for &((first, end), node) in spans {
            for (from, to) in within((first, end), shorter) {
                if let Some(&part) = places.get(&(from, to)) {
                    let weight = part_similarity(to - from, end - first);
                    join(node, part, weight);
                    join(part, node, weight);
                }
            }
        }
    }
    // Sort these links, so that their order does not depend on the order of sentences.
    for (links, similar) in links.iter_mut().zip(similar) {
        links[similar..].sort_by_key(|link| match link.to {
            NodeId::Fixed(node) | NodeId::Open(node) => node,
        });
    }
}

/// The proper sub-spans of a span that are at most `shorter` words shorter.
fn within((first, end): Span, shorter: usize) -> impl Iterator<Item = Span> {
    let least = (end - first).saturating_sub(shorter).max(1);
    (first..end)
        .flat_map(move |from| (from + least..=end).map(move |to| (from, to)))
        .filter(move |&span| span != (first, end))
}

/// Formula (10) for a string and a substring: all n-grams of the part occur in the whole.
fn part_similarity(part: usize, whole: usize) -> f64 {
    let matches = [0, 1, 2, 3].map(|less| part.saturating_sub(less) as u32);
    symmetric_bleu(&matches, part, whole)
}
