//! Initial pairs and source sets of one sentence pair: steps 1 and 2 of extraction.

use crate::source::links::is_connected;
use crate::store::bits::NodeSet;

/// Which unaligned source words a rule may include.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unaligned {
    /// Any word linked to the rest of the rule in the graph.
    Linked,
    /// Words next to the rule in the string, as in phrase extraction: every continuous run of the source side has an
    /// aligned word.
    Neighbours,
}

/// Limits on a rule; the options of the stage `extract` declare them for users.
#[derive(Clone, Copy, Debug)]
pub struct SubgraphLimits {
    /// The highest number of words on the source side.
    pub max_source: usize,
    /// The highest number of words on the target side.
    pub max_target: usize,
    /// The highest number of positions from the first to the last word of the source side.
    pub max_span: usize,
    pub unaligned: Unaligned,
}

/// One sentence pair with its alignment, prepared for extraction.
pub struct Aligned<B: NodeSet> {
    /// For each source position, the positions it is linked to.
    pub links: Vec<B>,
    /// For each target word, its source positions.
    pub sources: Vec<B>,
    /// For each source position, its target words.
    pub targets: Vec<B>,
    /// For each source position, its first and last target word; `None` if unaligned.
    pub reach: Vec<Option<(usize, usize)>>,
    pub unaligned: B,
}

impl<B: NodeSet> Aligned<B> {
    /// `points` are (source, target) pairs within range; both sides fit into a set.
    pub fn new(links: Vec<B>, target_words: usize, points: &[(u16, u16)]) -> Self {
        let mut sources = vec![B::default(); target_words];
        let mut targets = vec![B::default(); links.len()];
        let mut reach: Vec<Option<(usize, usize)>> = vec![None; links.len()];
        for &(s, t) in points {
            let (s, t) = (s as usize, t as usize);
            sources[t] = sources[t].with(s);
            targets[s] = targets[s].with(t);
            let (low, high) = reach[s].unwrap_or((t, t));
            reach[s] = Some((low.min(t), high.max(t)));
        }
        let unaligned = (0..links.len()).filter(|&s| reach[s].is_none()).fold(B::default(), B::with);
        Aligned { links, sources, targets, reach, unaligned }
    }

    pub fn target_words(&self) -> usize {
        self.sources.len()
    }

    /// Calls `found(last, S)` for every consistent target span `first..=last`, where S are the source words aligned to
    /// it; stops when `go_on(S)` returns false, since S only grows.
    pub fn initial_pairs(
        &self,
        first: usize,
        longest: usize,
        go_on: impl Fn(B) -> bool,
        mut found: impl FnMut(usize, B),
    ) {
        let mut set = B::default();
        let (mut low, mut high) = (usize::MAX, 0);
        for last in first..self.target_words().min(first.saturating_add(longest)) {
            for s in self.sources[last].minus(set).iter() {
                // A source word in the span's set is aligned, so it has a reach.
                if let Some((from, to)) = self.reach[s] {
                    low = low.min(from);
                    high = high.max(to);
                }
            }
            set = set.union(self.sources[last]);
            if !go_on(set) || low < first {
                // A word of the span is aligned to the left of it, which no longer span can fix.
                return;
            }
            if !set.is_empty() && high <= last {
                found(last, set);
            }
        }
    }

    /// Calls `found` exactly once for every connected source set that consists of `core` and unaligned words, within
    /// the limits.
    pub fn source_sets(&self, core: B, limits: &SubgraphLimits, found: &mut impl FnMut(B)) {
        self.grow(core, B::default(), limits, found);
    }

    fn grow(&self, set: B, refused: B, limits: &SubgraphLimits, found: &mut impl FnMut(B)) {
        if is_connected(set, &self.links) {
            found(set);
        }
        if set.len() == limits.max_source || self.unaligned.is_empty() {
            return;
        }
        let beside = |p: usize| match limits.unaligned {
            Unaligned::Linked => self.links[p],
            Unaligned::Neighbours => B::range(p.saturating_sub(1), (p + 2).min(self.links.len())),
        };
        let next_to = set.iter().fold(B::default(), |all, p| all.union(beside(p)));
        let mut refused = refused;
        for word in next_to.intersection(self.unaligned).minus(set).minus(refused).iter() {
            // Sets with this word are generated here and only here: the later branches exclude it.
            let larger = set.with(word);
            if spread(larger) <= limits.max_span {
                self.grow(larger, refused, limits, found);
            }
            refused = refused.with(word);
        }
    }
}

/// The number of positions from the first to the last of a set.
pub fn spread<B: NodeSet>(set: B) -> usize {
    match (set.first(), set.last()) {
        (Some(first), Some(last)) => last - first + 1,
        _ => 0,
    }
}
