//! The graph of similar source strings and the data structured label propagation needs (formulas 3, 7 and 8).
//!
//! A node is a source string: a sentence or a span. Fixed nodes come from a [`TranslationMemory`] and have known
//! labels; open nodes come from [`Lists`] and their labels are candidates. Links lead from open nodes to nodes of
//! either kind.

use std::sync::Arc;

use rayon::prelude::*;

use super::links::{shares, Link, NodeId};
use super::lists::Lists;
use super::memory::TranslationMemory;
use super::profiles::Profile;
use super::similarity::Measure;
use super::transfers::{Normalisation, Receivers, Transfers};
use crate::error::{Error, Result};
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
    pub links: Vec<Vec<Link>>,
    pub lists: Arc<Lists>,
    /// The number of each word of the lists, see [`Lists::renumbered`].
    pub numbers: Vec<u32>,
    /// The contribution of fixed neighbours to each node, by measure and label; constant over all rounds.
    pub(super) fixed: Vec<Vec<f64>>,
    /// For each node, the first node with the same labels.
    pub(super) same: Vec<u32>,
    /// Whether a node is connected to a fixed node, directly or through other nodes.
    pub(super) anchored: Vec<bool>,
}

impl Graph {
    pub fn new(
        lists: Arc<Lists>,
        memory: Option<&TranslationMemory>,
        links: Vec<Vec<Link>>,
        settings: GraphSettings,
    ) -> Result<Self> {
        if links.len() != lists.len() {
            let message = format!("{} source sentences for {} n-best lists.", links.len(), lists.len());
            return Err(Error::input(message).hint("Provide one list per sentence, in the same order."));
        }
        let numbers = lists.renumbered(memory);
        let measures = settings.measures.len();
        let of_node = |known: &mut Ngrams, node: usize| {
            interrupt::point();
            let mut sums = vec![0.0; measures * lists.range(node).len()];
            let each = links[node].iter().zip(shares(&links[node], settings.sharpness));
            let fixed: Vec<_> = each.filter(|(link, _)| matches!(link.to, NodeId::Fixed(_))).collect();
            if fixed.is_empty() {
                return sums;
            }
            known.clear();
            let own = lists.profiles(node, &numbers, known, ORDER);
            for (link, share) in fixed {
                let (profiles, p) = labels(&lists, memory, &numbers, link.to, known);
                let transfers = Transfers::new(&settings.measures, settings.normalised, &own, &profiles);
                transfers.receive(Receivers::Rows, &p.repeat(measures), share, &mut sums);
            }
            sums
        };
        let fixed = (0..lists.len()).into_par_iter().map_init(Ngrams::default, of_node).collect();
        let (same, anchored) = (lists.first_equal()?, anchored(&links));
        Ok(Graph { settings, links, lists, numbers, fixed, same, anchored })
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

/// The labels of a node and, for a fixed node, their probabilities.
pub fn labels(
    lists: &Lists,
    memory: Option<&TranslationMemory>,
    numbers: &[u32],
    place: NodeId,
    known: &mut Ngrams,
) -> (Vec<Profile>, Vec<f64>) {
    match (place, memory) {
        (NodeId::Open(node), _) => (lists.profiles(node as usize, numbers, known, ORDER), Vec::new()),
        (NodeId::Fixed(node), Some(memory)) => {
            memory.labels(node).map(|(words, p)| (Profile::new(known, words, ORDER), p)).unzip()
        }
        (NodeId::Fixed(_), None) => Default::default(),
    }
}
