//! The k best derivations of a forest, computed on demand (Huang and Chiang 2005, algorithm 3).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::forest::{Forest, Hyperedge, HypothesisId, NONE};
use crate::decode::text_key::TextKey;
use crate::rule::symbols::MAX_HOLES;
use crate::store::hashing::{FastMap, FastSet};
use crate::work::interrupt::Points;

/// A derivation: a hyperedge, and the rank of the derivation in each hole.
#[derive(Clone, Copy, Debug)]
pub struct RankedDerivation {
    pub hyperedge: u32,
    pub ranks: [u32; MAX_HOLES],
    pub score: f32,
    /// Its words, if derivations must have distinct words.
    text: TextKey,
}

/// A derivation that may be the next best of its hypothesis.
#[derive(Clone, Copy)]
struct Candidate {
    hyperedge: u32,
    ranks: [u32; MAX_HOLES],
    score: f32,
    /// Successors increase only this rank and those after it, so that every derivation is reached once.
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
        self.score.total_cmp(&other.score).then(other.order.cmp(&self.order))
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
    /// The vertex of each hypothesis, or [`NONE`].
    of_hypothesis: Vec<u32>,
    vertices: Vec<Vertex>,
    /// Set if derivations must have distinct words.
    texts: Option<RuleTexts<'a>>,
    rule_texts: FastMap<(u32, u16), RuleText>,
    points: Points,
}

impl<'a, S: Copy> KBest<'a, S> {
    pub fn new(forest: &'a Forest<S>, texts: Option<RuleTexts<'a>>) -> Self {
        let of_hypothesis = vec![NONE; forest.hypotheses.len()];
        let (rule_texts, points) = (FastMap::default(), Points::default());
        KBest { forest, of_hypothesis, vertices: Vec::new(), texts, rule_texts, points }
    }

    /// The derivation of a hypothesis at a rank, if there is one.
    pub fn get(&mut self, id: HypothesisId, rank: u32) -> Option<RankedDerivation> {
        let at = match self.of_hypothesis[id as usize] {
            NONE => self.start(id),
            known => known as usize,
        };
        loop {
            self.points.pass();
            if let Some(&found) = self.vertices[at].found.get(rank as usize) {
                return Some(found);
            }
            if let Some(last) = self.vertices[at].last.take() {
                self.push_next(at, &last);
            }
            let next = self.vertices[at].open.pop()?;
            self.vertices[at].last = Some(next);
            let text = match self.texts {
                Some(texts) => self.text(texts, &next)?,
                None => TextKey::EMPTY,
            };
            let vertex = &mut self.vertices[at];
            // Of two derivations of one hypothesis with the same words, the first is at least as good in every larger
            // derivation, so the second can be dropped.
            if self.texts.is_none() || vertex.texts.insert(text) {
                let Candidate { hyperedge, ranks, score, .. } = next;
                vertex.found.push(RankedDerivation { hyperedge, ranks, score, text });
            }
        }
    }

    /// Opens the best derivation of each hyperedge. The scores of hyperedges are theirs, so that none of their parts needs
    /// to be looked at.
    fn start(&mut self, id: HypothesisId) -> usize {
        let candidate = |(order, (hyperedge, made)): (u32, (u32, &Hyperedge))| Candidate {
            hyperedge,
            ranks: [0; MAX_HOLES],
            score: made.score,
            from: 0,
            order,
        };
        let open: BinaryHeap<Candidate> = (1..).zip(self.forest.hyperedges_of(id)).map(candidate).collect();
        let (at, orders) = (self.vertices.len(), open.len() as u32);
        self.of_hypothesis[id as usize] = at as u32;
        self.vertices.push(Vertex { open, orders, ..Vertex::default() });
        at
    }

    fn push_next(&mut self, at: usize, candidate: &Candidate) {
        let made = self.forest.hyperedges[candidate.hyperedge as usize];
        for dimension in candidate.from..made.hole_count {
            let mut ranks = candidate.ranks;
            ranks[usize::from(dimension)] += 1;
            let Some(score) = self.score(&made, &ranks) else { continue };
            let vertex = &mut self.vertices[at];
            vertex.orders += 1;
            vertex.open.push(Candidate {
                hyperedge: candidate.hyperedge,
                ranks,
                score,
                from: dimension,
                order: vertex.orders,
            });
        }
    }

    /// The score of a hyperedge with these derivations in its holes, if there are such.
    fn score(&mut self, made: &Hyperedge, ranks: &[u32; MAX_HOLES]) -> Option<f32> {
        let mut score = made.score;
        // The best derivation of a hypothesis has its score.
        for (&filler, &rank) in made.holes().iter().zip(ranks).filter(|(_, &rank)| rank > 0) {
            score += self.get(filler, rank)?.score - self.forest.hypotheses[filler as usize].score;
        }
        Some(score)
    }

    fn text(&mut self, texts: RuleTexts<'a>, candidate: &Candidate) -> Option<TextKey> {
        let made = self.forest.hyperedges[candidate.hyperedge as usize];
        let mut holes = [TextKey::EMPTY; MAX_HOLES];
        for (hole, (&filler, &rank)) in holes.iter_mut().zip(made.holes().iter().zip(&candidate.ranks)) {
            *hole = self.get(filler, rank)?.text;
        }
        let (first, rest) =
            self.rule_texts.entry((made.edge, made.rank)).or_insert_with(|| texts(made.edge, made.rank));
        Some(rest.iter().fold(*first, |key, &(hole, after)| key.then(holes[hole]).then(after)))
    }
}
