//! The rules of one sentence pair whose source graph links neighbouring words only: continuous phrases. They are the
//! connected subgraphs of that graph, and are found in less time than those of any graph.

use super::phrases::{Longest, Phrases};
use super::sentence::{orientation, Orientation, SubgraphSettings};
use crate::corpus::pair::Pair;
use crate::rule::record;
use crate::rule::record::{Context, Identity};
use crate::source::spans::Span;

/// Buffers reused from pair to pair.
#[derive(Default)]
pub struct Continuous {
    phrases: Phrases,
    /// The words of both sentences as they are in records.
    source: Vec<u8>,
    target: Vec<u8>,
    /// The span of each source word.
    places: Vec<Span>,
    record: Vec<u8>,
}

/// Bytes of a word in a record.
const SOURCE: usize = 6;
const TARGET: usize = 4;

impl Continuous {
    /// Calls `emit(record, orientation, source spans)` for every rule occurrence of the pair.
    pub fn extract(
        &mut self,
        pair: &Pair,
        settings: &SubgraphSettings,
        mut emit: impl FnMut(&[u8], Orientation, &[Span]),
    ) {
        let limits = &settings.limits;
        let longest = Longest { source: limits.max_source.min(limits.max_span), target: limits.max_target };
        let Continuous { phrases, source, target, places, record } = self;
        phrases.fill(pair, longest, |_| true);
        source.clear();
        pair.source.iter().for_each(|&word| record::push_source(source, word, 0));
        target.clear();
        pair.target.iter().for_each(|&word| record::push_target(target, word));
        places.clear();
        places.extend((0..pair.source.len()).map(|p| (p, p + 1)));
        let words = (pair.source.len(), pair.target.len());
        let is_linked = |s: usize, t: usize| phrases.links_of(s).iter().any(|link| usize::from(link.1) == t);
        for phrase in phrases.all() {
            let (from, end) = phrase.source_span();
            let (first, last) = (usize::from(phrase.target.0), usize::from(phrase.target.1));
            record.clear();
            record.extend_from_slice(&source[SOURCE * from..SOURCE * end]);
            if settings.identity == Identity::Links {
                link_neighbours(record);
            }
            record::end_source(record, Context::Any);
            record.extend_from_slice(&target[TARGET * first..TARGET * (last + 1)]);
            record::end_target(record);
            let point =
                |&(s, t): &(u16, u16)| ((usize::from(s) - from) << 4 | (usize::from(t) - first)) as u8;
            record.extend(phrases.links_in((from, end)).iter().map(point));
            let towards = match settings.orientations {
                true => orientation((from, end - 1), (first, last), words, is_linked),
                false => Orientation::default(),
            };
            emit(record, towards, &places[from..end]);
        }
    }
}

/// Sets the joints of a source side whose words are each linked to the one before, see [`Identity::joints`].
fn link_neighbours(source: &mut [u8]) {
    for (before, word) in source.chunks_exact_mut(SOURCE).skip(1).enumerate() {
        word[TARGET..].copy_from_slice(&(1u16 << before).to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::super::initial::{Aligned, SubgraphLimits, Unaligned};
    use super::super::sentence::extract;
    use super::*;
    use crate::source::links::{links, LinkKinds};
    use crate::store::hashing::mix;

    /// Random pairs with few links, so that words without any are frequent.
    #[test]
    fn they_are_the_connected_subgraphs() {
        let mut random = 1;
        let mut below = |n: usize| {
            random = mix(random, 1);
            (random >> 33) as usize % n
        };
        let mut continuous = Continuous::default();
        let mut all = 0;
        for round in 0..3000 {
            let (m, n) = (1 + below(9), 1 + below(9));
            let pair = Pair {
                source: (0..m).map(|_| below(5) as u32).collect(),
                target: (0..n).map(|_| below(5) as u32).collect(),
                points: (0..below(10)).map(|_| (below(m) as u16, below(n) as u16)).collect(),
                ..Pair::default()
            };
            let limits = SubgraphLimits {
                max_source: 1 + below(5),
                max_target: 1 + below(5),
                max_span: 1 + below(7),
                unaligned: [Unaligned::Linked, Unaligned::Neighbours][below(2)],
            };
            let identity = [Identity::Links, Identity::Gaps][below(2)];
            let settings = SubgraphSettings { limits, identity, context: None, orientations: round % 2 == 0 };
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            continuous.extract(&pair, &settings, |record, orientation, places| {
                found.push((record.to_vec(), orientation.previous, orientation.next, places.to_vec()));
            });
            let kinds = LinkKinds { bigram: true, dependency: false };
            let aligned = Aligned::new(links::<u64>(m, &[], kinds), n, &pair.points);
            extract(&pair.source, &pair.target, &aligned, &settings, |record, orientation, places| {
                expected.push((record.to_vec(), orientation.previous, orientation.next, places.to_vec()));
            });
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{pair:?} {settings:?}");
            all += found.len();
        }
        assert!(all > 3000);
    }
}
