//! A translation memory or training corpus: source strings with their translations as fixed labels.

use super::index::{Index, Scratch};
use super::strings::{numbered, Strings};
use crate::corpus::tokens::{cased, tokens};
use crate::error::{Error, Result};
use crate::metric::bleu::UNSEEN;
use crate::store::vocab::Interner;

/// Pairs with equal sources form one node, whose labels are their translations with relative frequencies (section 5.1).
/// A pair may have a weight other than 1.
pub struct TranslationMemory {
    pub sources: Interner,
    pub targets: Interner,
    pub index: Index,
    lowercase: bool,
    translations: Strings,
    /// The node of each pair, until [`TranslationMemory::finish`].
    nodes: Vec<u32>,
    weights: Vec<f32>,
    /// The labels of node n are `labels[starts[n]..starts[n + 1]]`: translation and probability.
    starts: Vec<u32>,
    labels: Vec<(u32, f64)>,
    pairs: usize,
}

impl TranslationMemory {
    pub fn new(lowercase: bool) -> Self {
        TranslationMemory {
            sources: Interner::default(),
            targets: Interner::default(),
            index: Index::default(),
            lowercase,
            translations: Strings::default(),
            nodes: Vec::new(),
            weights: Vec::new(),
            starts: Vec::new(),
            labels: Vec::new(),
            pairs: 0,
        }
    }

    pub fn lowercase(&self) -> bool {
        self.lowercase
    }

    /// The number of pairs added, including those with equal sources.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    pub fn add(&mut self, source: &str, target: &str, weight: f32) -> Result<()> {
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(Error::input(format!(
                "the weight of a pair is {weight}; it must be positive and finite."
            )));
        }
        if self.is_finished() {
            return Err(Error::input("pairs cannot be added to a translation memory that is in use."));
        }
        let mut words = Vec::new();
        numbered(&mut self.sources, source, self.lowercase, &mut words)?;
        let node = self.index.insert(&words)?;
        numbered(&mut self.targets, target, self.lowercase, &mut words)?;
        self.translations.push(&words)?;
        self.nodes.push(node);
        self.weights.push(weight);
        self.pairs += 1;
        Ok(())
    }

    pub fn is_finished(&self) -> bool {
        !self.starts.is_empty()
    }

    /// Computes the labels and the trigram index; call it once all pairs are added.
    pub fn finish(&mut self) {
        self.finish_with(usize::MAX);
    }

    /// Like [`TranslationMemory::finish`], but keeps at most `most` labels for each source, those with the highest
    /// weights.
    pub fn finish_with(&mut self, most: usize) {
        if self.is_finished() {
            return;
        }
        self.index.finish();
        let mut ends = vec![0u32; self.index.len() + 1];
        for &node in &self.nodes {
            ends[node as usize + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut grouped = vec![0u32; self.nodes.len()];
        let mut free = ends.clone();
        for (pair, &node) in self.nodes.iter().enumerate() {
            grouped[free[node as usize] as usize] = pair as u32;
            free[node as usize] += 1;
        }
        self.nodes = Vec::new();
        self.starts.push(0);
        for node in 0..self.index.len() {
            let group = &mut grouped[ends[node] as usize..ends[node + 1] as usize];
            let translation = |pair: &u32| self.translations.get(*pair as usize);
            group.sort_by(|a, b| translation(a).cmp(translation(b)).then(a.cmp(b)));
            let before = self.labels.len();
            let weight =
                |pairs: &[u32]| pairs.iter().map(|&pair| f64::from(self.weights[pair as usize])).sum::<f64>();
            for equal in group.chunk_by(|a, b| translation(a) == translation(b)) {
                self.labels.push((equal[0], weight(equal)));
            }
            if self.labels.len() - before > most {
                self.labels[before..].sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                self.labels.truncate(before + most);
            }
            let own = &mut self.labels[before..];
            let all: f64 = own.iter().map(|&(_, weight)| weight).sum();
            own.iter_mut().for_each(|(_, weight)| *weight /= all);
            own.sort_by_key(|&(pair, _)| pair);
            self.starts.push(self.labels.len() as u32);
        }
        self.weights = Vec::new();
    }

    /// The translations of a node with their probabilities, in the order of the memory.
    pub fn labels(&self, node: u32) -> impl Iterator<Item = (&[u32], f64)> {
        let range = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        self.labels[range].iter().map(|&(pair, p)| (self.translations.get(pair as usize), p))
    }

    /// The words of a source sentence as numbers of this memory.
    pub fn encode(&self, source: &str) -> Vec<u32> {
        let line = cased(source, self.lowercase);
        tokens(&line).map(|word| self.sources.get(word).unwrap_or(UNSEEN)).collect()
    }

    /// The nodes with similar sources, and their similarities.
    pub fn neighbours(&self, source: &str, threshold: f64, scratch: &mut Scratch) -> Vec<(u32, f64)> {
        self.index.search(&self.encode(source), threshold, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translations_of_one_source_are_labels_by_relative_frequency() {
        let mut memory = TranslationMemory::new(true);
        for (source, target) in [("Ja .", "yes ."), ("nein", "no"), ("ja .", "yeah ."), ("ja  .", "Yes .")] {
            memory.add(source, target, 1.0).unwrap();
        }
        memory.finish();
        assert_eq!((memory.index.len(), memory.pairs()), (2, 4));
        let labels: Vec<_> = memory.labels(0).map(|(words, p)| (words.to_vec(), p)).collect();
        assert_eq!(labels, [(vec![0, 1], 2.0 / 3.0), (vec![3, 1], 1.0 / 3.0)]);
        assert!(memory.add("zu", "late", 1.0).is_err());
    }

    #[test]
    fn pairs_count_by_their_weight() {
        let mut memory = TranslationMemory::new(false);
        for (target, weight) in [("yes", 0.5), ("yeah", 0.25), ("yes", 0.25)] {
            memory.add("ja", target, weight).unwrap();
        }
        memory.finish();
        assert_eq!(memory.labels(0).map(|(_, p)| p).collect::<Vec<_>>(), [0.75, 0.25]);
        assert!(TranslationMemory::new(false).add("ja", "yes", 0.0).is_err());
        let mut short = TranslationMemory::new(false);
        for (target, weight) in [("well", 0.5), ("yes", 3.0), ("yeah", 1.0)] {
            short.add("ja", target, weight).unwrap();
        }
        short.finish_with(2);
        assert_eq!(short.labels(0).map(|(_, p)| p).collect::<Vec<_>>(), [0.75, 0.25]);
    }
}
