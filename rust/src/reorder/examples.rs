//! Reordering examples of one sentence pair (Xiong et al. 2006, section 3.2).
//!
//! A block is a source span with the target words from the first to the last one it is aligned to, none of them aligned
//! outside the span. Unaligned source words belong to every span that contains them, as in decoding, where every source
//! word is in a block; unaligned target words are never at the edge of a block. Two blocks are adjacent if their source
//! spans are, and no aligned target word stands between them: so each pair of source spans yields at most one example,
//! straight or inverted.

use crate::corpus::pair::Pair;
use crate::store::hashing::FastMap;

/// The first and last source word and the first and last target word of a block.
pub type Ends = [u32; 4];

/// BlockChoice of the block pairs that meet at the same position, in the same order, are examples.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BlockChoice {
    All,
    /// The shortest block on each side.
    Smallest,
    /// The longest block on each side.
    Largest,
}

#[derive(Clone, Copy, Debug)]
pub struct BlockLimits {
    /// The highest number of words on a side of a block.
    pub max_length: usize,
    pub which: BlockChoice,
}

/// Two adjacent blocks in source order, and whether they have the same order in the target text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Example {
    pub left: Ends,
    pub right: Ends,
    pub straight: bool,
}

/// Source span and target span, both ends inclusive.
#[derive(Clone, Copy, Debug)]
struct Block {
    source: (usize, usize),
    target: (usize, usize),
}

impl Block {
    fn ends(&self, pair: &Pair) -> Ends {
        [
            pair.source[self.source.0],
            pair.source[self.source.1],
            pair.target[self.target.0],
            pair.target[self.target.1],
        ]
    }
}

/// Calls `found` for every example of a pair, in an order that depends only on the pair.
pub fn examples(pair: &Pair, limits: &BlockLimits, mut found: impl FnMut(Example)) {
    let blocks = Blocks::new(pair, limits.max_length);
    let mut corners: FastMap<(usize, usize, bool), (Block, Block)> = FastMap::default();
    let mut order: Vec<(usize, usize, bool)> = Vec::new();
    for split in 1..pair.source.len() {
        corners.clear();
        order.clear();
        for left in &blocks.ending[split - 1] {
            for right in &blocks.starting[split] {
                let Some(straight) = blocks.straight(left, right) else { continue };
                if limits.which == BlockChoice::All {
                    found(Example { left: left.ends(pair), right: right.ends(pair), straight });
                    continue;
                }
                // Where they meet in the target text. Blocks are sorted by length, so the first pair of a corner has
                // the shortest blocks of both sides and the last the longest: any left block of a corner combines with
                // any right one.
                let corner = if straight {
                    (left.target.1, right.target.0, true)
                } else {
                    (left.target.0, right.target.1, false)
                };
                if corners.insert(corner, (*left, *right)).is_none() {
                    order.push(corner);
                    if limits.which == BlockChoice::Smallest {
                        found(Example { left: left.ends(pair), right: right.ends(pair), straight });
                    }
                }
            }
        }
        if limits.which == BlockChoice::Largest {
            for corner in &order {
                let (left, right) = &corners[corner];
                found(Example { left: left.ends(pair), right: right.ends(pair), straight: corner.2 });
            }
        }
    }
}

/// The blocks of a pair by the end and the start of their source spans, shorter ones first.
struct Blocks {
    ending: Vec<Vec<Block>>,
    starting: Vec<Vec<Block>>,
    /// The number of aligned target words before each position.
    aligned: Vec<usize>,
}

impl Blocks {
    fn new(pair: &Pair, max_length: usize) -> Self {
        let (n, m) = (pair.source.len(), pair.target.len());
        // First and last link of each word; the first is greater than the last if there is none.
        let mut to_target = vec![(usize::MAX, 0); n];
        let mut to_source = vec![(usize::MAX, 0); m];
        let widen = |span: &mut (usize, usize), at: usize| *span = (span.0.min(at), span.1.max(at));
        for &(s, t) in &pair.points {
            widen(&mut to_target[usize::from(s)], usize::from(t));
            widen(&mut to_source[usize::from(t)], usize::from(s));
        }
        let mut aligned = vec![0];
        for span in &to_source {
            aligned.push(aligned[aligned.len() - 1] + usize::from(span.0 <= span.1));
        }
        let mut made = Blocks { ending: vec![Vec::new(); n], starting: vec![Vec::new(); n], aligned };
        for first in (0..n).rev() {
            let mut target = (usize::MAX, 0);
            for (last, &(low, high)) in to_target.iter().enumerate().skip(first).take(max_length) {
                target = (target.0.min(low), target.1.max(high));
                if target.0 > target.1 {
                    continue;
                }
                if target.1 - target.0 >= max_length {
                    // The target span can only grow.
                    break;
                }
                let inside = |span: &(usize, usize)| span.0 > span.1 || (first <= span.0 && span.1 <= last);
                if to_source[target.0..=target.1].iter().all(inside) {
                    let block = Block { source: (first, last), target };
                    made.starting[first].push(block);
                    made.ending[last].push(block);
                }
            }
        }
        made
    }

    fn straight(&self, left: &Block, right: &Block) -> Option<bool> {
        let nothing_between = |before: usize, after: usize| self.aligned[before + 1] == self.aligned[after];
        if left.target.1 < right.target.0 {
            nothing_between(left.target.1, right.target.0).then_some(true)
        } else {
            nothing_between(right.target.1, left.target.0).then_some(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(source: usize, target: usize, points: &[(u16, u16)]) -> Pair {
        Pair {
            source: (0..source as u32).collect(),
            target: (0..target as u32).collect(),
            points: points.to_vec(),
            ..Pair::default()
        }
    }

    fn found(pair: &Pair, which: BlockChoice, max_length: usize) -> Vec<(Ends, Ends, bool)> {
        let mut all = Vec::new();
        let limits = BlockLimits { max_length, which };
        examples(pair, &limits, |example| all.push((example.left, example.right, example.straight)));
        all.sort_unstable();
        all
    }

    /// Source a b c, target A C B: a | b straight is not an example, since C stands between A and B.
    #[test]
    fn three_words_of_which_two_are_swapped() {
        let pair = pair(3, 3, &[(0, 0), (1, 2), (2, 1)]);
        let expected = [([0, 0, 0, 0], [1, 2, 1, 2], true), ([1, 1, 2, 2], [2, 2, 1, 1], false)];
        assert_eq!(found(&pair, BlockChoice::All, 7), expected);
        assert_eq!(found(&pair, BlockChoice::All, 1), &expected[1..]);
    }

    #[test]
    fn corners_keep_the_shortest_or_the_longest_blocks() {
        let pair = pair(3, 3, &[(0, 0), (1, 1), (2, 2)]);
        let at = |first: u32, last: u32| [first, last, first, last];
        let (a, ab, b, bc, c) = (at(0, 0), at(0, 1), at(1, 1), at(1, 2), at(2, 2));
        assert_eq!(
            found(&pair, BlockChoice::All, 7),
            [(a, b, true), (a, bc, true), (ab, c, true), (b, c, true)]
        );
        assert_eq!(found(&pair, BlockChoice::Smallest, 7), [(a, b, true), (b, c, true)]);
        assert_eq!(found(&pair, BlockChoice::Largest, 7), [(a, bc, true), (ab, c, true)]);
    }

    /// Target word 1 is unaligned: the blocks on both sides of it are adjacent, and it is an edge of neither.
    #[test]
    fn unaligned_target_words_may_stand_between() {
        let pair = pair(2, 3, &[(0, 0), (1, 2)]);
        assert_eq!(found(&pair, BlockChoice::All, 7), [([0, 0, 0, 0], [1, 1, 2, 2], true)]);
    }

    /// Source word 1 is unaligned: it joins its left or its right neighbour, and is not a block by itself.
    #[test]
    fn unaligned_source_words_go_either_way() {
        let pair = pair(3, 2, &[(0, 1), (2, 0)]);
        let expected = [([0, 0, 1, 1], [1, 2, 0, 0], false), ([0, 1, 1, 1], [2, 2, 0, 0], false)];
        assert_eq!(found(&pair, BlockChoice::All, 7), expected);
    }

    #[test]
    fn nothing_comes_of_nothing() {
        for pair in [pair(0, 0, &[]), pair(1, 0, &[]), pair(3, 3, &[]), pair(1, 1, &[(0, 0)])] {
            assert!(found(&pair, BlockChoice::Largest, 7).is_empty());
        }
    }
}
