//! Heads with their dependents (Xie, Mi and Liu 2011, section 2): the fragments of Dep2Str.
//!
//! A fragment is a head and all of its dependents, as a sequence in sentence order: the head's word, the word of each
//! dependent that is a leaf, the whole subtree of each internal dependent. The first character of a hole's label gives
//! its kind: `^` and the part of speech of a head, `.` that of a leaf, `+` that of an internal dependent, `:` the word
//! of an internal dependent.

use super::spans::Span;
use crate::rule::symbols::{hole, label};

/// The role of an element in its fragment. The order is that of the features of the search.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    Head,
    /// A dependent without dependents.
    Leaf,
    /// A dependent with dependents: always a hole.
    Internal,
}

/// A part of a fragment.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    pub role: Role,
    /// The head, or the dependent.
    pub word: usize,
    /// The subtree of an internal dependent; otherwise its word.
    pub span: Span,
    /// The symbol of a hole with its part of speech, if any rule has it.
    pub by_tag: Option<u32>,
    /// The symbol of a hole with its word, for internal dependents.
    pub by_word: Option<u32>,
}

/// A head with its dependents, in the order of the sentence.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    pub elements: &'a [Element],
    /// The index of the head among them; `None` in the fragment of the roots.
    pub head: Option<usize>,
}

impl Fragment<'_> {
    /// The span from one element to another.
    pub fn span(&self, first: usize, last: usize) -> Span {
        (self.elements[first].span.0, self.elements[last].span.1)
    }

    /// The runs of two or more elements that include the head, as first and last; the whole fragment is one of them.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let last = self.elements.len() - 1;
        let with_head = self
            .head
            .into_iter()
            .flat_map(move |head| (0..=head).flat_map(move |first| (head..=last).map(move |to| (first, to))));
        with_head.filter(|(first, to)| first < to)
    }
}

/// The fragments of a sentence: one for each word and one for the roots.
#[derive(Clone, Debug, Default)]
pub struct HeadDependents {
    elements: Vec<Element>,
    /// The start of each fragment's elements.
    starts: Vec<usize>,
}

impl HeadDependents {
    /// `heads` from 0, -1 for a root word; they must be projective and lead to a root. `symbol` returns the number of a
    /// label, if it has one.
    pub fn new(
        heads: &[i32],
        words: &[impl AsRef<str>],
        tags: &[impl AsRef<str>],
        mut symbol: impl FnMut(&str) -> Option<u32>,
    ) -> Self {
        let count = heads.len();
        let mut spans: Vec<Span> = (0..count).map(|word| (word, word + 1)).collect();
        let mut internal = vec![false; count];
        for word in 0..count {
            let mut at = word;
            while let Ok(head) = usize::try_from(heads[at]) {
                internal[head] = true;
                spans[head] = (spans[head].0.min(word), spans[head].1.max(word + 1));
                at = head;
            }
        }
        let mut elements = Vec::with_capacity(2 * count);
        for word in 0..count {
            let tag = tags[word].as_ref();
            let mut labelled = |mark: char, text: &str| symbol(&hole(&format!("{mark}{text}")));
            let head = Element {
                role: Role::Head,
                word,
                span: (word, word + 1),
                by_tag: if internal[word] { labelled('^', tag) } else { None },
                by_word: None,
            };
            let dependent = match internal[word] {
                true => Element {
                    role: Role::Internal,
                    span: spans[word],
                    by_tag: labelled('+', tag),
                    by_word: labelled(':', words[word].as_ref()),
                    ..head
                },
                false => Element { role: Role::Leaf, by_tag: labelled('.', tag), ..head },
            };
            elements.push((word, head));
            elements.push((usize::try_from(heads[word]).unwrap_or(count), dependent));
        }
        elements.sort_by_key(|&(fragment, element)| (fragment, element.word));
        let starts = (0..=count).map(|f| elements.partition_point(|&(fragment, _)| fragment < f)).collect();
        HeadDependents { elements: elements.into_iter().map(|(_, element)| element).collect(), starts }
    }

    /// The fragment of each word, in order.
    pub fn of_words(&self) -> impl Iterator<Item = Fragment<'_>> {
        self.starts.windows(2).map(|ends| {
            let elements = &self.elements[ends[0]..ends[1]];
            Fragment { elements, head: elements.iter().position(|element| element.role == Role::Head) }
        })
    }

    /// The fragment of the roots with their subtrees.
    pub fn of_roots(&self) -> Fragment<'_> {
        let from = self.starts.last().copied().unwrap_or(0);
        Fragment { elements: &self.elements[from..], head: None }
    }
}

/// The word that must head the filler of a hole, if its label names one.
pub fn word_of_hole(symbol: &str) -> Option<&str> {
    label(symbol)?.strip_prefix(':')
}

/// The joint of the symbol at `place` with the head at `head`. The first symbol has no joint, so the second encodes
/// whether the first is the head.
pub fn joint(place: usize, head: usize) -> u16 {
    match (place, head) {
        (0, _) => 0,
        (1, 0) => 2,
        _ => u16::from(place == head),
    }
}

/// The same for the words of a phrase, which has no structure.
pub fn phrase_joint(place: usize) -> u16 {
    if place == 0 {
        0
    } else {
        PHRASE
    }
}

/// The joint of the second symbol of a phrase.
pub const PHRASE: u16 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_by_hand() {
        // Two roots: "er sieht den Mann" and "ja".
        let heads = [1, -1, 3, 1, -1];
        let words = ["er", "sieht", "den", "Mann", "ja"];
        let tags = ["PRON", "VERB", "DET", "NOUN", "INTJ"];
        let mut labels: Vec<String> = Vec::new();
        let made = HeadDependents::new(&heads, &words, &tags, |label| {
            labels.push(label.to_owned());
            Some(labels.len() as u32 - 1)
        });
        let shown = |fragment: Fragment<'_>| -> Vec<(Role, Span, Option<&str>, Option<&str>)> {
            let name = |symbol: Option<u32>| symbol.map(|number| labels[number as usize].as_str());
            let elements = fragment.elements.iter();
            elements.map(|one| (one.role, one.span, name(one.by_tag), name(one.by_word))).collect()
        };
        let fragments: Vec<Fragment<'_>> = made.of_words().collect();
        assert_eq!(fragments.len(), 5);
        assert_eq!(shown(fragments[0]), [(Role::Head, (0, 1), None, None)]);
        assert_eq!(
            shown(fragments[1]),
            [
                (Role::Leaf, (0, 1), Some(" .PRON"), None),
                (Role::Head, (1, 2), Some(" ^VERB"), None),
                (Role::Internal, (2, 4), Some(" +NOUN"), Some(" :Mann")),
            ]
        );
        assert_eq!(fragments[1].head, Some(1));
        assert_eq!(fragments[1].runs().collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(fragments[0].runs().count(), 0);
        let roots = made.of_roots();
        assert_eq!((roots.head, roots.span(0, 1)), (None, (0, 5)));
        assert_eq!(roots.elements.iter().map(|root| root.span).collect::<Vec<_>>(), [(0, 4), (4, 5)]);
    }

    #[test]
    fn the_head_is_known_from_the_joints() {
        let joints = |symbols: usize, head: usize| (0..symbols).map(|k| joint(k, head)).collect::<Vec<_>>();
        assert_eq!(joints(3, 0), [0, 2, 0]);
        assert_eq!(joints(3, 1), [0, 1, 0]);
        assert_eq!(joints(3, 2), [0, 0, 1]);
    }
}
