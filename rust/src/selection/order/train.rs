//! The linked words of an aligned corpus with the order of their translations, as matches of classifiers.

use super::pairs::{dependents, linked_pairs};
use crate::corpus::pair::Pair;
use crate::selection::classifiers::corpus::Matches;
use crate::selection::classifiers::model::format;
use crate::selection::classifiers::train::Kind;
use crate::selection::context::SentenceContext;
use crate::selection::rules::TableNumbers;

/// The classes.
pub const STRAIGHT: u64 = 0;
pub const INVERTED: u64 = 1;

/// The files of this model.
pub const KIND: Kind = Kind { format: format(b'D', "order model", 1), options: "order", frequencies: false };

/// Every linked pair of words whose translations have an order.
pub struct LinkedWords;

impl Matches for LinkedWords {
    fn each(
        &self,
        pair: &Pair,
        context: &SentenceContext<'_>,
        _: &TableNumbers<'_>,
        found: &mut dyn FnMut(u64, u64, &[u64]),
    ) {
        let mut seen = Vec::new();
        let of_head = dependents(&pair.heads);
        let links = pair.points.iter().map(|&(s, t)| (usize::from(s), usize::from(t)));
        let places = mean_places(pair.source.len(), links);
        for linked in linked_pairs(&pair.heads) {
            let (Some(first), Some(second)) = (places[linked.first], places[linked.second]) else { continue };
            if first != second {
                let order = if first < second { STRAIGHT } else { INVERTED };
                linked.features(context, &of_head, &mut seen);
                found(linked.classifier(context.tags), order, &seen);
            }
        }
    }
}

/// The mean of the target places that each of `words` source words is linked to.
pub fn mean_places(words: usize, links: impl Iterator<Item = (usize, usize)>) -> Vec<Option<f32>> {
    let mut sums = vec![(0usize, 0usize); words];
    for (s, t) in links {
        if let Some((sum, number)) = sums.get_mut(s) {
            *sum += t;
            *number += 1;
        }
    }
    sums.into_iter().map(|(sum, number)| (number > 0).then(|| sum as f32 / number as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_means() {
        assert_eq!(mean_places(3, [(0, 2), (0, 5), (2, 1)].into_iter()), [Some(3.5), None, Some(1.0)]);
    }
}
