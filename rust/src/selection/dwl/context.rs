//! The context features of a source word: the words and parts of speech beside it, the word that it depends on, and the
//! other words of the sentence; or the words that it has links to in the graph of bigrams and dependencies.

use crate::selection::context::{feature, SentenceContext, BIAS, BOUNDARY};

/// Which features a word has. A classifier ignores features that it was not trained with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ContextScope {
    /// The words beside it, its head, and all the other words of the sentence.
    Sentence,
    /// The words beside it, its head and its dependents, each with its part of speech.
    Links,
    All,
}

impl SentenceContext<'_> {
    /// The features of the word at a position, in ascending order.
    pub fn features(&self, position: usize, scope: ContextScope, found: &mut Vec<u64>) {
        let at = |of: &[u32], place: Option<usize>| {
            place.and_then(|place| of.get(place)).copied().unwrap_or(BOUNDARY)
        };
        let (left, right) = (position.checked_sub(1), Some(position + 1));
        found.clear();
        found.push(BIAS);
        found.extend([feature(0, at(self.words, left)), feature(1, at(self.words, right))]);
        if !self.tags.is_empty() {
            found.extend([feature(2, at(self.tags, left)), feature(3, at(self.tags, right))]);
        }
        let head = self.heads.get(position).map(|&head| usize::try_from(head).ok());
        found.extend(head.map(|head| feature(4, at(self.words, head))));
        if scope != ContextScope::Links {
            let others = self.words.iter().enumerate().filter(|&(other, _)| other != position);
            found.extend(others.map(|(_, &word)| feature(5, word)));
        }
        if scope != ContextScope::Sentence {
            found.extend(head.map(|head| feature(6, at(self.tags, head))));
            let of_this = |&(_, &head): &(usize, &i32)| usize::try_from(head) == Ok(position);
            for (dependent, _) in self.heads.iter().enumerate().filter(of_this) {
                found.push(feature(7, self.words[dependent]));
                found.push(feature(8, at(self.tags, Some(dependent))));
            }
        }
        found.sort_unstable();
        found.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words 10, 11, 12, 10; the features of the second, which depends on the third.
    #[test]
    fn a_word_by_hand() {
        let (words, tags, heads) = ([10, 11, 12, 10], [0, 1, 2, 0], [1, 2, -1, 2]);
        let mut found = Vec::new();
        let beside = [(0, 10), (1, 12), (2, 0), (3, 2), (4, 12)];
        let (others, links) = ([(5, 10), (5, 12)], [(6, 2), (7, 10), (8, 0)]);
        for (scope, wanted) in [
            (ContextScope::Sentence, [&beside[..], &others].concat()),
            (ContextScope::Links, [&beside[..], &links].concat()),
            (ContextScope::All, [&beside[..], &others, &links].concat()),
        ] {
            SentenceContext { words: &words, tags: &tags, heads: &heads }.features(1, scope, &mut found);
            let wanted = wanted.iter().map(|&(kind, value)| feature(kind, value));
            assert_eq!(found, std::iter::once(BIAS).chain(wanted).collect::<Vec<_>>());
        }
        let alone = SentenceContext { words: &[7], tags: &[], heads: &[] };
        alone.features(0, ContextScope::All, &mut found);
        assert_eq!(found, [BIAS, feature(0, BOUNDARY), feature(1, BOUNDARY)]);
    }
}
