//! Discontinuous fragments: spans that are fragments if their gaps are left out.

use super::{inside, DependentRange};
use crate::source::spans::Span;

/// The data needed to find discontinuous fragments.
#[derive(Clone, Debug)]
pub struct Gaps {
    /// The symbol of a gap.
    pub symbol: u32,
    pub reach: DependentRange,
    pub max_external: usize,
}

impl Gaps {
    /// Whether the words of a span outside the gaps are connected, with few external nodes.
    pub fn are_in_a_fragment(&self, heads: &[i32], (first, end): Span, gaps: &[Span]) -> bool {
        let in_gap = |word: usize| gaps.iter().any(|gap| (gap.0..gap.1).contains(&word));
        let is_own = |head: i32| inside(head, first, end) && !in_gap(head as usize);
        let cut = |word: usize| gaps.iter().any(|gap| heads[gap.0..gap.1].contains(&(word as i32)));
        let mut above = None;
        let mut open = 0;
        for word in (first..end).filter(|&word| !in_gap(word)) {
            let head = heads[word];
            if !is_own(head) && *above.get_or_insert(head) != head {
                return false;
            }
            open += usize::from(self.reach.is_open(word, first, end) || cut(word));
        }
        open < self.max_external.max(1)
    }
}
