//! The options of a sentence, as those see them who add features.

use super::prepared::hole;
use crate::source::spans::Span;

/// What an annotation may see of the options, whatever their node sets are made of.
pub trait OptionColumns {
    fn number(&self) -> usize;
    /// Calls `found` for every option in order with its source positions, target words, alignment within the rule,
    /// table scores, whether it copies an unknown word, and its context.
    fn each(&self, found: &mut dyn FnMut(OptionRow<'_>));
}

/// The links within an option.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    links: &'a [(u8, u8)],
    words: Option<&'a [Option<u8>]>,
}

impl<'a> Links<'a> {
    /// Those of a rule without holes.
    pub fn of(links: &'a [(u8, u8)]) -> Self {
        Links { links, words: None }
    }

    /// Those of a rule of whose source symbols some are words: for each of them which word it is.
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

/// One option, as an annotation sees it.
pub struct OptionRow<'a> {
    /// A number of its place: what it covers, and where its holes are. The options of a place come one after the other.
    pub match_id: u32,
    pub positions: &'a [usize],
    /// Numbers in the table's target vocabulary, which has holes too; `u32::MAX` is the copied source word.
    pub target: &'a [u32],
    /// The same as the language model has it, which tells what are holes; nothing where there are none.
    pub lm_words: &'a [u32],
    pub alignment: Links<'a>,
    pub scores: &'a [f32],
    pub copied: bool,
    /// Bits over `positions`; `None` for basic rules.
    pub context: Option<u16>,
    /// The source spans of the holes, in source order.
    pub holes: &'a [Span],
}

impl OptionRow<'_> {
    /// Which hole stands at an index of the target side, if one does.
    pub fn target_hole(&self, index: usize) -> Option<usize> {
        self.lm_words.get(index).and_then(|&word| hole(word))
    }
}
