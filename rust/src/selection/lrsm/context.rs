//! The context features of a match: the words and parts of speech to its left and right, at both ends of each hole, and
//! the lengths of the holes.

use crate::selection::context::{feature, BIAS, BOUNDARY};
use crate::source::spans::Span;

/// Lengths of holes from this one on share a feature.
const MAX_LENGTH: usize = 10;
/// The number of feature kinds of a hole.
const HOLE_KINDS: u64 = 5;

/// The features of a match, in ascending order. `tags` is empty if there are no parts of speech.
pub fn features(words: &[u32], tags: &[u32], span: Span, holes: &[Span], found: &mut Vec<u64>) {
    let at = |of: &[u32], place: Option<usize>| place.and_then(|at| of.get(at)).copied().unwrap_or(BOUNDARY);
    let (left, right) = (span.0.checked_sub(1), Some(span.1));
    found.clear();
    found.push(BIAS);
    found.extend([feature(0, at(words, left)), feature(1, at(words, right))]);
    if !tags.is_empty() {
        found.extend([feature(2, at(tags, left)), feature(3, at(tags, right))]);
    }
    for (k, &(first, end)) in holes.iter().enumerate() {
        let kind = 4 + HOLE_KINDS * k as u64;
        let last = end.checked_sub(1);
        found.extend([feature(kind, at(words, Some(first))), feature(kind + 1, at(words, last))]);
        if !tags.is_empty() {
            found.extend([feature(kind + 2, at(tags, Some(first))), feature(kind + 3, at(tags, last))]);
        }
        found.push(feature(kind + 4, (end - first).min(MAX_LENGTH) as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words 10 to 14; the match is 1..4 with a hole 2..4: left of it 10, right of it 14, the hole from 12 to 13.
    #[test]
    fn a_match_by_hand() {
        let (words, tags) = ([10, 11, 12, 13, 14], [0, 1, 2, 3, 4]);
        let mut found = Vec::new();
        features(&words, &tags, (1, 4), &[(2, 4)], &mut found);
        let wanted = [(0, 10), (1, 14), (2, 0), (3, 4), (4, 12), (5, 13), (6, 2), (7, 3), (8, 2)];
        let wanted = wanted.iter().map(|&(kind, value)| feature(kind, value));
        assert_eq!(found, std::iter::once(BIAS).chain(wanted).collect::<Vec<_>>());
        features(&words, &[], (0, 5), &[], &mut found);
        assert_eq!(found, [BIAS, feature(0, BOUNDARY), feature(1, BOUNDARY)]);
    }
}
