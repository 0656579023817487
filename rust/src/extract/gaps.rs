//! Rules of discontinuous fragments, an extension of the paper: some holes of a phrase pair that is not a fragment
//! become gaps.

use super::phrases::Phrase;
use crate::rule::symbols::STRING_HOLES;
use crate::source::spans::{Span, Spans};

/// A rule of a phrase pair.
#[derive(Clone, Copy)]
pub struct RuleHoles {
    /// The indices of its holes among the possible ones, in target order.
    pub holes: [u32; STRING_HOLES],
    /// Which of them are gaps, as a bit set.
    pub gaps: u8,
}

/// Replaces the rules of a phrase pair that is not a cell by those with gaps: one or more of the holes, each with words
/// of the rule on both sides. The other holes are cells.
pub fn open_gaps(
    phrase: &Phrase,
    holes: &[Phrase],
    spans: &impl Spans,
    most: usize,
    rules: &mut Vec<RuleHoles>,
) {
    let whole = phrase.source_span();
    let plain = rules.len();
    for k in 0..plain {
        let chosen = rules[k].holes;
        let places = chosen.map(|hole| holes.get(hole as usize).map(Phrase::source_span));
        for gaps in (1..1u8 << STRING_HOLES).filter(|gaps| gaps.count_ones() as usize <= most) {
            let is_gap = |bit: usize| gaps >> bit & 1 == 1;
            let fits = places.iter().enumerate().all(|(bit, place)| match *place {
                None => !is_gap(bit),
                Some(hole) if is_gap(bit) => whole.0 < hole.0 && hole.1 < whole.1,
                Some(hole) => spans.is_cell(hole),
            });
            let mut opened: [Span; STRING_HOLES] = Default::default();
            let mut number = 0;
            for (_, place) in places.iter().flatten().enumerate().filter(|&(bit, _)| is_gap(bit)) {
                opened[number] = *place;
                number += 1;
            }
            if fits && spans.is_whole(whole, &opened[..number]) {
                rules.push(RuleHoles { holes: chosen, gaps });
            }
        }
    }
    rules.drain(..plain);
}
