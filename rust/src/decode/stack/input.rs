//! A source sentence with its graph.

use crate::source::links::{links, LinkKinds};
use crate::store::bits::NodeSet;
use crate::store::vocab::Words;

/// A source sentence with its graph, for a table.
pub struct Input<'a, B: NodeSet> {
    /// The words as they are copied if unknown.
    pub surface: &'a [String],
    /// The numbers of the words in the table; `None` for unknown words.
    pub words: Vec<Option<u32>>,
    pub links: Vec<B>,
}

impl<'a, B: NodeSet> Input<'a, B> {
    /// `words` are looked up, `surface` is copied; they differ if a model looks up lower-cased words.
    pub fn new(
        words: &[String],
        surface: &'a [String],
        heads: &[i32],
        kinds: LinkKinds,
        vocabulary: Words<'_>,
    ) -> Self {
        Input {
            surface,
            words: words.iter().map(|word| vocabulary.get(word)).collect(),
            links: links(words.len(), heads, kinds),
        }
    }

    /// The nodes of a subgraph that have a link to one of these words.
    #[inline]
    pub fn linked(&self, set: B, words: B) -> B {
        set.iter().filter(|&p| self.links[p].meets(words)).fold(B::default(), B::with)
    }

    /// The nodes of a subgraph that have links to words outside it.
    pub fn outward(&self, set: B) -> B {
        self.linked(set, B::range(0, self.len()).minus(set))
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}
