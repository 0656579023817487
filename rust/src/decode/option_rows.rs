//! The options of a sentence as annotators see them.

use super::prepared::hole;
use crate::source::spans::Span;

/// The options of a sentence, in either search.
pub trait OptionColumns {
    fn number(&self) -> usize;
    /// Calls `found` for every option in order.
    fn each(&self, found: &mut dyn FnMut(OptionRow<'_>));
}

/// The word alignment within an option.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    links: &'a [(u8, u8)],
    words: Option<&'a [Option<u8>]>,
}

impl<'a> Links<'a> {
    /// The links of a rule without holes.
    pub fn of(links: &'a [(u8, u8)]) -> Self {
        Links { links, words: None }
    }

    /// The links of a rule with holes; `words` gives for each source symbol the index of the word, or `None` for a
    /// hole.
    pub fn among(links: &'a [(u8, u8)], words: &'a [Option<u8>]) -> Self {
        Links { links, words: Some(words) }
    }

    /// (index into the positions, index into the target side) of each link.
    pub fn iter(self) -> impl Iterator<Item = (u8, u8)> + 'a {
        self.links.iter().filter_map(move |&(s, t)| match self.words {
            None => Some((s, t)),
            Some(words) => Some(((*words.get(usize::from(s))?)?, t)),
        })
    }
}

/// One option.
pub struct OptionRow<'a> {
    /// The number of the match: what the option covers, and where its holes are. The options of a match are adjacent.
    pub match_id: u32,
    pub positions: &'a [usize],
    /// Numbers in the table's target vocabulary, which includes holes; `u32::MAX` is a copied source word, or a
    /// word of a term that the table does not know.
    pub target: &'a [u32],
    /// The same symbols as the language model numbers them, with holes marked; empty for rules without holes.
    pub lm_words: &'a [u32],
    pub alignment: Links<'a>,
    pub scores: &'a [f32],
    /// Not a rule of the table: a copied word, or a term.
    pub copied: bool,
    /// Bits over `positions`; `None` for basic rules.
    pub context: Option<u16>,
    /// The source spans of the holes, in source order.
    pub holes: &'a [Span],
}

impl OptionRow<'_> {
    /// The hole at an index of the target side, if there is one.
    pub fn target_hole(&self, index: usize) -> Option<usize> {
        self.lm_words.get(index).and_then(|&word| hole(word))
    }
}
