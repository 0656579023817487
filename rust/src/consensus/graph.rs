//! The graph of similar source strings, with all that structured label propagation needs (formulas 3, 7 and 8).
//!
//! A node is a source string: a sentence, or a span of one. Fixed nodes are those of a [`Memory`], whose labels are known;
//! open nodes are those of [`Lists`], whose labels are candidates. Links go from open nodes to nodes of either kind.

use std::sync::Arc;

use rayon::prelude::*;

use super::links::{shares, Link, Place};
use super::lists::Lists;
use super::memory::Memory;
use super::profiles::Profile;
use super::similarity::Measure;
use super::transfers::{Normalised, Toward, Transfers};
use crate::error::{Error, Result};
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;
use crate::work::interrupt;

/// How labels are compared and edges weighed.
#[derive(Clone)]
pub struct Settings {
    pub measures: Vec<Measure>,
    pub normalised: Normalised,
    /// Edges count by their weight to this power; 1 is formula (3).
    pub sharpness: f64,
}

/// Open nodes with all that propagation needs.
pub struct Graph {
    pub settings: Settings,
    pub links: Vec<Vec<Link>>,
    pub lists: Arc<Lists>,
    /// Of each word of the lists, as [`Lists::renumbered`] gives them.
    pub numbers: Vec<u32>,
    /// What fixed neighbours give each node, by measure and label; it is the same in every round.
    pub(super) fixed: Vec<Vec<f64>>,
    /// The first node that has the same labels.
    pub(super) same: Vec<u32>,
    /// Whether a node hears from a fixed one, if only through others.
    pub(super) anchored: Vec<bool>,
}

impl Graph {
    pub fn new(
        lists: Arc<Lists>,
        memory: Option<&Memory>,
        links: Vec<Vec<Link>>,
        settings: Settings,
    ) -> Result<Self> {
        if links.len() != lists.len() {
            let message = format!("{} source sentences for {} n-best lists.", links.len(), lists.len());
            return Err(
                Error::input(message).hint("There must be a list for each sentence, in the same order.")
            );
        }
        let numbers = lists.renumbered(memory);
        let measures = settings.measures.len();
        let of_node = |known: &mut Ngrams, node: usize| {
            interrupt::point();
            let mut sums = vec![0.0; measures * lists.range(node).len()];
            let each = links[node].iter().zip(shares(&links[node], settings.sharpness));
            let fixed: Vec<_> = each.filter(|(link, _)| matches!(link.to, Place::Fixed(_))).collect();
            if fixed.is_empty() {
                return sums;
            }
            known.clear();
            let own = lists.profiles(node, &numbers, known, ORDER);
            for (link, share) in fixed {
                let (profiles, p) = labels(&lists, memory, &numbers, link.to, known);
                let transfers = Transfers::new(&settings.measures, settings.normalised, &own, &profiles);
                transfers.receive(Toward::Rows, &p.repeat(measures), share, &mut sums);
            }
            sums
        };
        let fixed = (0..lists.len()).into_par_iter().map_init(Ngrams::default, of_node).collect();
        let (same, anchored) = (lists.same()?, anchored(&links));
        Ok(Graph { settings, links, lists, numbers, fixed, same, anchored })
    }
}

/// Whether each node hears from a fixed one, if only through others.
fn anchored(links: &[Vec<Link>]) -> Vec<bool> {
    let mut hearers = vec![Vec::new(); links.len()];
    let mut found = vec![false; links.len()];
    let mut open = Vec::new();
    for (node, links) in links.iter().enumerate() {
        for link in links {
            match link.to {
                Place::Open(other) => hearers[other as usize].push(node),
                Place::Fixed(_) => found[node] = true,
            }
        }
        open.extend(found[node].then_some(node));
    }
    while let Some(node) = open.pop() {
        for &hearer in &hearers[node] {
            if !std::mem::replace(&mut found[hearer], true) {
                open.push(hearer);
            }
        }
    }
    found
}

/// The labels of a node, and the probabilities of those that are fixed.
pub fn labels(
    lists: &Lists,
    memory: Option<&Memory>,
    numbers: &[u32],
    place: Place,
    known: &mut Ngrams,
) -> (Vec<Profile>, Vec<f64>) {
    match (place, memory) {
        (Place::Open(node), _) => (lists.profiles(node as usize, numbers, known, ORDER), Vec::new()),
        (Place::Fixed(node), Some(memory)) => {
            memory.labels(node).map(|(words, p)| (Profile::new(known, words, ORDER), p)).unzip()
        }
        (Place::Fixed(_), None) => Default::default(),
    }
}
