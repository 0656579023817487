//! The rules of one sentence pair: basic rules, and for `gbmt-ctx` segmenting and selecting rules.

use super::initial::{spread, Aligned, SubgraphLimits};
use crate::rule::record;
use crate::rule::record::{Context, Identity};
use crate::source::spans::Span;
use crate::store::bits::NodeSet;

/// Where the context of a rule is taken from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ContextScope {
    /// As in the paper: each initial pair directly to the right of the rule's target side.
    Next,
    /// Every source word that is aligned, and only to the right of the rule. The decoder compares contexts with all
    /// words that are not yet translated, unaligned ones among them.
    Rest,
}

#[derive(Clone, Copy, Debug)]
pub struct SubgraphSettings {
    pub limits: SubgraphLimits,
    pub identity: Identity,
    /// `None`: basic rules only.
    pub context: Option<ContextScope>,
    /// Whether to count the orientation of each rule towards its neighbours, for lexicalised reordering.
    pub orientations: bool,
}

/// Orientation of a rule towards the previous and the next one: monotone, swap, discontinuous.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Orientation {
    pub previous: u8,
    pub next: u8,
}

/// Calls `emit(record, orientation, source spans)` for every rule occurrence of the pair.
pub fn extract<B: NodeSet>(
    source: &[u32],
    target: &[u32],
    pair: &Aligned<B>,
    settings: &SubgraphSettings,
    mut emit: impl FnMut(&[u8], Orientation, &[Span]),
) {
    let limits = &settings.limits;
    let mut buffer = Vec::new();
    let mut joints = Vec::new();
    let mut positions: Vec<usize> = Vec::new();
    let mut points: Vec<(u8, u8)> = Vec::new();
    let mut places: Vec<Span> = Vec::new();
    let mut contexts: Vec<u16> = Vec::new();
    let followers = Followers::new(pair, settings.context);
    for first in 0..target.len() {
        let fits = |set: B| set.len() <= limits.max_source && spread(set) <= limits.max_span;
        pair.initial_pairs(first, limits.max_target, fits, |last, core| {
            pair.source_sets(core, limits, &mut |set| {
                positions.clear();
                positions.extend(set.iter());
                places.clear();
                places.extend(positions.iter().map(|&p| (p, p + 1)));
                settings.identity.joints(&positions, &pair.links, &mut joints);
                points.clear();
                for (k, &p) in positions.iter().enumerate() {
                    // The target words of a source word of the rule are all in the span.
                    points.extend(pair.targets[p].iter().map(|t| (k as u8, (t - first) as u8)));
                }
                let orientation = if settings.orientations {
                    let ends = (positions[0], positions[positions.len() - 1]);
                    let words = (pair.links.len(), pair.target_words());
                    orientation(ends, (first, last), words, |s, t| pair.sources[t].contains(s))
                } else {
                    Orientation::default()
                };
                let mut write = |context| {
                    buffer.clear();
                    let words = positions.iter().map(|&p| source[p]);
                    record::write(&mut buffer, words, &joints, context, &target[first..=last], &points);
                    emit(&buffer, orientation, &places);
                };
                write(Context::Any);
                followers.contexts(pair, last, &positions, &mut contexts);
                for &context in &contexts {
                    write(Context::Nodes(context));
                }
            });
        });
    }
}

/// For each target word, the source sets that may follow a rule that ends there.
struct Followers<B: NodeSet> {
    after: Vec<Vec<B>>,
}

impl<B: NodeSet> Followers<B> {
    fn new(pair: &Aligned<B>, scope: Option<ContextScope>) -> Self {
        let words = pair.target_words();
        let after = (0..words)
            .map(|last| match scope {
                None => Vec::new(),
                Some(ContextScope::Next) => {
                    let mut sets = Vec::new();
                    pair.initial_pairs(
                        last + 1,
                        usize::MAX,
                        |_| true,
                        |_, set| {
                            if sets.last() != Some(&set) {
                                sets.push(set);
                            }
                        },
                    );
                    sets
                }
                Some(ContextScope::Rest) => {
                    let right = |&s: &usize| pair.reach[s].is_some_and(|(first, _)| first > last);
                    let rest = (0..pair.links.len()).filter(right).fold(B::default(), B::with);
                    if rest.is_empty() {
                        Vec::new()
                    } else {
                        vec![rest]
                    }
                }
            })
            .collect();
        Followers { after }
    }

    /// The distinct contexts of a rule that ends with target word `last`, in ascending order.
    fn contexts(&self, pair: &Aligned<B>, last: usize, positions: &[usize], contexts: &mut Vec<u16>) {
        contexts.clear();
        for &set in &self.after[last] {
            let linked = positions.iter().enumerate().filter(|&(_, &p)| pair.links[p].meets(set));
            contexts.push(linked.fold(0, |nodes, (k, _)| nodes | 1 << k));
        }
        contexts.sort_unstable();
        contexts.dedup();
    }
}

const MONOTONE: u8 = 0;
const SWAP: u8 = 1;
const DISCONTINUOUS: u8 = 2;

/// Word-based orientation as counted by Moses (`wbe`), on the first and last covered position: whether the word before
/// (after) the rule on the target side is aligned next to the rule's edge on the source side. `words` are the lengths of
/// both sentences.
pub fn orientation(
    (from, to): (usize, usize),
    (first, last): (usize, usize),
    words: (usize, usize),
    is_linked: impl Fn(usize, usize) -> bool,
) -> Orientation {
    // At both ends of the sentence pair, the boundaries count as aligned with each other.
    let aligned = |s: Option<usize>, t: Option<usize>| match (s, t) {
        (Some(s), Some(t)) if s < words.0 && t < words.1 => is_linked(s, t),
        (None, None) => true,
        (Some(s), Some(t)) => (s, t) == words,
        _ => false,
    };
    let orientation = |straight: bool, crossed: bool| match (straight, crossed) {
        (true, false) => MONOTONE,
        (false, true) => SWAP,
        _ => DISCONTINUOUS,
    };
    let before = first.checked_sub(1);
    let after = Some(last + 1);
    Orientation {
        previous: orientation(aligned(from.checked_sub(1), before), aligned(Some(to + 1), before)),
        next: orientation(aligned(Some(to + 1), after), aligned(from.checked_sub(1), after)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::initial::Unaligned;
    use super::*;
    use crate::rule::record::Record;
    use crate::source::links::{links, LinkKinds};

    /// a b c = x z y with a-x, b-y, c-z, where y is the last word: c comes before b. Previous orientation, then next.
    #[test]
    fn orientations_by_hand() {
        let kinds = LinkKinds { bigram: true, dependency: false };
        let pair = Aligned::new(links::<u64>(3, &[], kinds), 3, &[(0, 0), (1, 2), (2, 1)]);
        let settings = SubgraphSettings {
            limits: SubgraphLimits {
                max_source: 3,
                max_target: 3,
                max_span: 3,
                unaligned: Unaligned::Linked,
            },
            identity: Identity::Links,
            context: None,
            orientations: true,
        };
        let mut found = Vec::new();
        extract(&[0, 1, 2], &[0, 1, 2], &pair, &settings, |bytes, orientation, _| {
            let words: Vec<u32> = Record::read(bytes).source_words().map(|(word, _)| word).collect();
            found.push((words, orientation.previous, orientation.next));
        });
        found.sort();
        let (m, s, d) = (MONOTONE, SWAP, DISCONTINUOUS);
        let expected =
            [(vec![0], m, d), (vec![0, 1, 2], m, m), (vec![1], s, d), (vec![1, 2], m, m), (vec![2], d, s)];
        assert_eq!(found, expected);
    }
}
