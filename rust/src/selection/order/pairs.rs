//! The linked pairs of words of a dependency tree, and what their order may depend on.

use crate::selection::context::{feature, SentenceContext, BIAS, BOUNDARY};
use crate::selection::rules::side;

/// Distances from this one on share a feature.
const MAX_DISTANCE: usize = 10;

/// How two words are linked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Link {
    /// The second is the head of the first.
    HeadRight,
    /// The first is the head of the second.
    HeadLeft,
    /// Both depend on a word left of them, between them or right of them.
    SiblingsRight,
    SiblingsAround,
    SiblingsLeft,
}

/// Two linked words, in source order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LinkedPair {
    pub first: usize,
    pub second: usize,
    /// The head of both or of one of them.
    pub head: usize,
    pub link: Link,
}

/// All linked pairs of a tree, by their second and then their first word. Heads are counted from 0; -1 is the root's.
pub fn linked_pairs(heads: &[i32]) -> Vec<LinkedPair> {
    let head_of = |word: usize| usize::try_from(heads[word]).ok();
    let mut found = Vec::new();
    for second in 0..heads.len() {
        for first in 0..second {
            let (of_first, of_second) = (head_of(first), head_of(second));
            let (head, link) = match (of_first, of_second) {
                (Some(head), _) if head == second => (head, Link::HeadRight),
                (_, Some(head)) if head == first => (head, Link::HeadLeft),
                (Some(head), Some(other)) if head == other => {
                    let link = match head {
                        head if head < first => Link::SiblingsRight,
                        head if head < second => Link::SiblingsAround,
                        _ => Link::SiblingsLeft,
                    };
                    (head, link)
                }
                _ => continue,
            };
            found.push(LinkedPair { first, second, head, link });
        }
    }
    found
}

impl LinkedPair {
    /// The classifier of the pair: how it is linked, and the parts of speech of its words.
    pub fn classifier(&self, tags: &[u32]) -> u64 {
        side([self.link as u32, tags[self.first], tags[self.second]].into_iter())
    }

    /// The features of the pair, in ascending order; `dependents` has those of each word.
    pub fn features(&self, context: &SentenceContext<'_>, dependents: &[Vec<usize>], found: &mut Vec<u64>) {
        let &LinkedPair { first, second, head, .. } = self;
        let SentenceContext { words, tags, heads } = *context;
        let at =
            |of: &[u32], place: Option<usize>| place.and_then(|at| of.get(at)).copied().unwrap_or(BOUNDARY);
        let above = usize::try_from(heads[head]).ok();
        found.clear();
        found.push(BIAS);
        found.extend([feature(0, words[first]), feature(1, words[second])]);
        found.extend([feature(2, at(tags, first.checked_sub(1))), feature(3, at(tags, Some(second + 1)))]);
        found.extend([feature(4, at(words, first.checked_sub(1))), feature(5, at(words, Some(second + 1)))]);
        found.extend([feature(6, at(tags, Some(first + 1))), feature(7, at(tags, second.checked_sub(1)))]);
        found.push(feature(8, (second - first).min(MAX_DISTANCE) as u32));
        found.extend([feature(9, words[head]), feature(10, tags[head]), feature(11, at(tags, above))]);
        for &other in dependents[head].iter().filter(|&&other| other != first && other != second) {
            let place = u64::from(other > first) + u64::from(other > second);
            found.extend([feature(12 + place, tags[other]), feature(15 + place, words[other])]);
        }
        found.sort_unstable();
        found.dedup();
    }
}

/// The dependents of each word, in source order.
pub fn dependents(heads: &[i32]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); heads.len()];
    for (word, &head) in heads.iter().enumerate() {
        if let Ok(head) = usize::try_from(head) {
            found[head].push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 is the root; 0, 2 and 4 depend on it, 3 on 4.
    #[test]
    fn heads_with_dependents_and_dependents_of_a_head_are_linked() {
        let found = linked_pairs(&[1, -1, 1, 4, 1]);
        let pair = |first, second, head, link| LinkedPair { first, second, head, link };
        let wanted = [
            pair(0, 1, 1, Link::HeadRight),
            pair(0, 2, 1, Link::SiblingsAround),
            pair(1, 2, 1, Link::HeadLeft),
            pair(0, 4, 1, Link::SiblingsAround),
            pair(1, 4, 1, Link::HeadLeft),
            pair(2, 4, 1, Link::SiblingsRight),
            pair(3, 4, 4, Link::HeadRight),
        ];
        assert_eq!(found, wanted);
        assert_eq!(linked_pairs(&[2, 2, -1])[0], pair(0, 1, 2, Link::SiblingsLeft));
        assert_eq!(linked_pairs(&[-1, -1]), []);
    }

    /// The pair (2, 4) of the tree above, whose head has one other dependent, left of both.
    #[test]
    fn features_by_hand() {
        let (words, tags, heads) = ([10, 11, 12, 13, 14], [0, 1, 2, 3, 4], [1, -1, 1, 4, 1]);
        let context = SentenceContext { words: &words, tags: &tags, heads: &heads };
        let pair = LinkedPair { first: 2, second: 4, head: 1, link: Link::SiblingsRight };
        let mut found = Vec::new();
        pair.features(&context, &dependents(&heads), &mut found);
        let wanted = [
            (0, 12),
            (1, 14),
            (2, 1),
            (3, BOUNDARY),
            (4, 11),
            (5, BOUNDARY),
            (6, 3),
            (7, 3),
            (8, 2),
            (9, 11),
            (10, 1),
            (11, BOUNDARY),
            (12, 0),
            (15, 10),
        ];
        let wanted = wanted.iter().map(|&(kind, value)| feature(kind, value));
        assert_eq!(found, std::iter::once(BIAS).chain(wanted).collect::<Vec<_>>());
    }
}
