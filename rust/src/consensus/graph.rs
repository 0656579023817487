//! The graph of similar source strings and the data structured label propagation needs (formulas 3, 7 and 8).
//!
//! A node is a source string: a sentence or a span. Fixed nodes come from a [`TranslationMemory`] and have known
//! labels; open nodes come from [`Lists`] and their labels are candidates. Links lead from open nodes to nodes of
//! either kind. Equal sentences with equal candidates are one open node, see [`Nodes`].

use std::sync::Arc;

use rayon::prelude::*;

use super::links::{check_lengths, shares, Link, Linked, NodeId};
use super::lists::{Lists, MOST_SENDERS};
use super::memory::TranslationMemory;
use super::nodes::Nodes;
use super::profiles::Profile;
use super::similarity::Measure;
use super::transfers::{BlockedTransfers, Normalisation};
use crate::error::Result;
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;
use crate::work::interrupt;

/// How labels are compared and edges are weighted.
#[derive(Clone)]
pub struct GraphSettings {
    pub measures: Vec<Measure>,
    pub normalised: Normalisation,
    /// Exponent applied to edge weights; 1 is formula (3).
    pub sharpness: f64,
}

/// Open nodes and the data propagation needs.
pub struct Graph {
    pub settings: GraphSettings,
    pub nodes: Nodes,
    /// The links of each node.
    pub links: Vec<Vec<Link>>,
    pub lists: Arc<Lists>,
    /// The number of each word of the lists, see [`Lists::renumbered`].
    pub numbers: Vec<u32>,
    /// The contribution of fixed neighbours to each node, by measure and label; constant over all rounds.
    pub(super) fixed: Vec<Vec<f64>>,
    /// For each node, the first sentence with the same labels.
    pub(super) same: Vec<u32>,
    /// Whether a node is connected to a fixed node, directly or through other nodes.
    pub(super) anchored: Vec<bool>,
    /// Labels of a node that other nodes receive from, at most; the first ones.
    pub(super) senders: usize,
}

impl Graph {
    pub fn new(
        lists: Arc<Lists>,
        memory: Option<&TranslationMemory>,
        linked: Linked,
        settings: GraphSettings,
    ) -> Result<Self> {
        let Linked { nodes, links } = linked;
        check_lengths(nodes.sentences(), &lists)?;
        let numbers = lists.renumbered(memory);
        let first_equal = lists.first_equal()?;
        let same = (0..nodes.len()).map(|node| first_equal[nodes.first(node)]).collect();
        let anchored = anchored(&links);
        let senders = MOST_SENDERS;
        let mut made =
            Graph { settings, nodes, links, lists, numbers, fixed: Vec::new(), same, anchored, senders };
        let of_node = |known: &mut Ngrams, node: usize| made.fixed_support(memory, known, node);
        made.fixed = (0..made.nodes.len()).into_par_iter().map_init(Ngrams::default, of_node).collect();
        Ok(made)
    }

    /// The contribution of fixed neighbours to a node, by measure and label.
    fn fixed_support(&self, memory: Option<&TranslationMemory>, known: &mut Ngrams, node: usize) -> Vec<f64> {
        interrupt::point();
        let Graph { settings, lists, numbers, .. } = self;
        let measures = &settings.measures;
        let sentence = self.nodes.first(node);
        let mut sums = vec![0.0; measures.len() * lists.range(sentence).len()];
        let each = self.links[node].iter().zip(self.shares(node));
        let fixed: Vec<_> = each.filter(|(link, _)| matches!(link.to, NodeId::Fixed(_))).collect();
        if fixed.is_empty() {
            return sums;
        }
        known.clear();
        let own = lists.profiles(sentence, numbers, known, ORDER);
        for (link, share) in fixed {
            let (profiles, p) = self.senders(memory, link.to, known);
            let p = p.repeat(measures.len());
            BlockedTransfers::new(measures, settings.normalised)
                .receive(&own, &profiles, &p, share, &mut sums);
        }
        sums
    }

    /// T_s of each link of a node, for each of the sentences that the link stands for.
    pub fn shares(&self, node: usize) -> Vec<f64> {
        shares(&self.links[node], self.settings.sharpness, |to| self.count(node, to))
    }

    /// The number of sentences that a link stands for.
    pub fn count(&self, from: usize, to: NodeId) -> usize {
        match to {
            NodeId::Open(to) => self.nodes.count(from, to as usize),
            NodeId::Fixed(_) => 1,
        }
    }

    /// The labels of a node that other nodes receive from and, for a fixed node, their probabilities.
    pub fn senders(
        &self,
        memory: Option<&TranslationMemory>,
        place: NodeId,
        known: &mut Ngrams,
    ) -> (Vec<Profile>, Vec<f64>) {
        match (place, memory) {
            (NodeId::Open(node), _) => {
                (self.sender_profiles(self.nodes.first(node as usize), known), Vec::new())
            }
            (NodeId::Fixed(node), Some(memory)) => {
                memory.labels(node).map(|(words, p)| (Profile::new(known, words, ORDER), p)).unzip()
            }
            (NodeId::Fixed(_), None) => Default::default(),
        }
    }

    /// The labels of a sentence that other nodes receive from.
    pub(super) fn sender_profiles(&self, sentence: usize, known: &mut Ngrams) -> Vec<Profile> {
        self.lists.profiles_of(self.lists.first(sentence, self.senders), &self.numbers, known, ORDER)
    }
}

/// Whether each node is connected to a fixed node, directly or through other nodes.
fn anchored(links: &[Vec<Link>]) -> Vec<bool> {
    let mut dependants = vec![Vec::new(); links.len()];
    let mut found = vec![false; links.len()];
    let mut open = Vec::new();
    for (node, links) in links.iter().enumerate() {
        for link in links {
            match link.to {
                NodeId::Open(other) => dependants[other as usize].push(node),
                NodeId::Fixed(_) => found[node] = true,
            }
        }
        open.extend(found[node].then_some(node));
    }
    while let Some(node) = open.pop() {
        for &dependant in &dependants[node] {
            if !std::mem::replace(&mut found[dependant], true) {
                open.push(dependant);
            }
        }
    }
    found
}
