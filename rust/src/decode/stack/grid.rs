//! The grids of cube pruning: the hypotheses of a group by the options of a list, and points of grids in a queue.

use std::cmp::Reverse;

use crate::store::ranking::rank;

/// Hypotheses of a stack with the same coverage and the same last position: a range of the members.
pub struct Group {
    pub from: u32,
    pub to: u32,
    pub last: i32,
}

/// A group and a list of choices that may follow it. Distortion, context and future cost are the same for all points.
pub struct Grid {
    pub group: u32,
    /// The choices: a range of all.
    pub choices: (u32, u32),
    /// Distortion and context cost.
    pub offset: f32,
    /// The estimate for the words that stay uncovered.
    pub future: f32,
    /// The estimate of the best point, with the language-model score of the option without context.
    pub corner: f32,
}

/// A point of a grid: hypothesis `i` of the group extended by option `j` of the list. Points with better estimates are
/// greater; of equal ones, those of earlier grids and better ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GridPoint {
    estimate: u32,
    grid: Reverse<u32>,
    i: Reverse<u32>,
    j: Reverse<u32>,
}

impl GridPoint {
    #[inline]
    pub fn new(estimate: f32, grid: u32, i: u32, j: u32) -> Self {
        GridPoint { estimate: rank(estimate), grid: Reverse(grid), i: Reverse(i), j: Reverse(j) }
    }

    /// The grid, the hypothesis and the option.
    #[inline]
    pub fn place(&self) -> (u32, u32, u32) {
        (self.grid.0, self.i.0, self.j.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_ordered_by_their_estimates() {
        assert!(GridPoint::new(-1.0, 5, 3, 2) > GridPoint::new(-2.0, 0, 0, 0));
        assert!(GridPoint::new(-1.0, 5, 3, 2) < GridPoint::new(-1.0, 5, 3, 1));
    }
}
