//! How the pop limit is shared among the cells of a chart. The average cell gets about the limit or less; cells in which
//! more is lost get more. The shares were found by comparing mean scores at equal times.

/// Which cells get more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PopShares {
    /// All cells get the same.
    Equal,
    /// Glue cells: where glue may be used anywhere, all translations of a beginning of the sentence meet in one, in all
    /// their divisions. Few cells, in which more is lost than in all others.
    ForGlue,
    /// Long spans: the number of merges of a cell grows with its length.
    ForLongSpans,
}

/// The pops of a sentence's cells.
#[derive(Clone, Copy, Debug)]
pub struct Pops {
    pub limit: usize,
    pub shares: PopShares,
    /// The number of words of the sentence.
    pub words: usize,
}

impl Pops {
    /// For the cell of a span with so many words.
    pub fn of_span(self, length: usize) -> usize {
        match self.shares {
            PopShares::Equal => self.limit,
            PopShares::ForGlue => self.limit.div_ceil(2),
            PopShares::ForLongSpans => {
                let by_length = self.limit.saturating_mul(3 * length) / (2 * self.words).max(1);
                by_length.max(self.limit.div_ceil(10))
            }
        }
    }

    /// For a glue cell.
    pub fn of_glue(self) -> usize {
        match self.shares {
            PopShares::Equal => self.limit,
            PopShares::ForGlue | PopShares::ForLongSpans => self.limit.saturating_mul(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_gets_some_and_the_right_ones_get_more() {
        for shares in [PopShares::Equal, PopShares::ForGlue, PopShares::ForLongSpans] {
            for limit in [1, 7, 200, usize::MAX] {
                let pops = Pops { limit, shares, words: 12 };
                assert!((1..=12).all(|length| pops.of_span(length) > 0), "{shares:?} {limit}");
                assert!(pops.of_glue() >= limit);
            }
        }
        let pops = |shares| Pops { limit: 200, shares, words: 12 };
        assert_eq!((pops(PopShares::ForGlue).of_span(5), pops(PopShares::ForGlue).of_glue()), (100, 400));
        let by_length = [1, 4, 12].map(|length| pops(PopShares::ForLongSpans).of_span(length));
        assert_eq!(by_length, [25, 100, 300]);
        assert_eq!(Pops { words: 200, ..pops(PopShares::ForLongSpans) }.of_span(2), 20);
    }
}
