//! The k best derivations of a forest, computed on demand (Huang and Chiang 2005, algorithm 3).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::forest::{Forest, HypothesisId};
use crate::decode::text_key::TextKey;
use crate::rule::symbols::MAX_HOLES;
use crate::store::hashing::{FastMap, FastSet};

/// A derivation: a hyperedge, and the rank of the derivation in each hole.
#[derive(Clone, Copy, Debug)]
pub struct RankedDerivation {
    pub hyperedge: u32,
    pub ranks: [u32; MAX_HOLES],
    pub score: f32,
    /// Its words, if derivations must have distinct words.
    text: TextKey,
}

#[derive(Clone, Copy)]
struct Candidate {
    found: RankedDerivation,
    from: u8,
    order: u32,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.found.score.total_cmp(&other.found.score).then(other.order.cmp(&self.order))
    }
}

/// The derivations of a hypothesis found so far.
#[derive(Default)]
struct Vertex {
    found: Vec<RankedDerivation>,
    open: BinaryHeap<Candidate>,
    /// The last one found, whose successors are not open yet.
    last: Option<Candidate>,
    texts: FastSet<TextKey>,
    orders: u32,
}

/// The words of a rule as keys: those before the first hole, then for each hole its number and the words after it.
pub type RuleText = (TextKey, Vec<(usize, TextKey)>);

/// Gives the words of an edge's rule at a rank.
pub type RuleTexts<'a> = &'a dyn Fn(u32, u16) -> RuleText;

pub struct KBest<'a, S> {
    forest: &'a Forest<S>,
    vertices: FastMap<HypothesisId, Vertex>,
    /// Set if derivations must have distinct words.
    texts: Option<RuleTexts<'a>>,
    rule_texts: FastMap<(u32, u16), RuleText>,
}

impl<'a, S: Copy> KBest<'a, S> {
    pub fn new(forest: &'a Forest<S>, texts: Option<RuleTexts<'a>>) -> Self {
        KBest { forest, vertices: FastMap::default(), texts, rule_texts: FastMap::default() }
    }

    /// The derivation of a hypothesis at a rank, if there is one.
    pub fn get(&mut self, id: HypothesisId, rank: u32) -> Option<RankedDerivation> {
        if !self.vertices.contains_key(&id) {
            self.start(id);
        }
        loop {
            let vertex = self.vertices.get_mut(&id)?;
            if let Some(&found) = vertex.found.get(rank as usize) {
                return Some(found);
            }
            if let Some(last) = vertex.last.take() {
                self.push_next(id, &last);
            }
            let distinct = self.texts.is_some();
            let vertex = self.vertices.get_mut(&id)?;
            let next = vertex.open.pop()?;
            vertex.last = Some(next);
            // Of two derivations of one hypothesis with the same words, the first is at least as good in every larger
            // derivation, so the second can be dropped.
            if !distinct || vertex.texts.insert(next.found.text) {
                vertex.found.push(next.found);
            }
        }
    }

    fn start(&mut self, id: HypothesisId) {
        self.vertices.insert(id, Vertex::default());
        let hyperedges: Vec<u32> = self.forest.hyperedges_of(id).map(|(number, _)| number).collect();
        for hyperedge in hyperedges {
            self.push(id, hyperedge, [0; MAX_HOLES], 0);
        }
    }

    fn push_next(&mut self, id: HypothesisId, candidate: &Candidate) {
        let holes = self.forest.hyperedges[candidate.found.hyperedge as usize].hole_count;
        for dimension in candidate.from..holes {
            let mut ranks = candidate.found.ranks;
            ranks[usize::from(dimension)] += 1;
            self.push(id, candidate.found.hyperedge, ranks, dimension);
        }
    }

    fn push(&mut self, id: HypothesisId, hyperedge: u32, ranks: [u32; MAX_HOLES], from: u8) {
        let made = self.forest.hyperedges[hyperedge as usize];
        let mut score = made.score;
        let mut texts = [TextKey::EMPTY; MAX_HOLES];
        for (hole, (&filler, &rank)) in made.holes().iter().zip(&ranks).enumerate() {
            let Some(found) = self.get(filler, rank) else { return };
            score += found.score - self.forest.hypotheses[filler as usize].score;
            texts[hole] = found.text;
        }
        let text = self.text(made.edge, made.rank, &texts);
        let Some(vertex) = self.vertices.get_mut(&id) else { return };
        vertex.orders += 1;
        let order = vertex.orders;
        vertex.open.push(Candidate {
            found: RankedDerivation { hyperedge, ranks, score, text },
            from,
            order,
        });
    }

    fn text(&mut self, edge: u32, rank: u16, holes: &[TextKey]) -> TextKey {
        let Some(texts) = self.texts else { return TextKey::EMPTY };
        let (first, rest) = self.rule_texts.entry((edge, rank)).or_insert_with(|| texts(edge, rank));
        rest.iter().fold(*first, |key, &(hole, after)| key.then(holes[hole]).then(after))
    }
}
