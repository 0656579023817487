//! Estimated marginals: the sum of a word's conditional distributions over sweeps and samplers.

/// The positions kept for a word. Nearly all of the mass is on fewer.
const KEPT: usize = 4;

/// A probability of 1, as a fixed-point number. At most [`MOST_SWEEPS`] of them are added.
const ONE: f32 = 1023.0;

/// Sums of this many distributions cannot overflow.
pub const MOST_SWEEPS: usize = 64;

/// Less probable positions are not counted.
pub const LEAST: f32 = 0.02;

/// The position that stands for no link.
pub const NONE: u16 = u16::MAX;

/// Positions of the given side and their sums.
type Summary = [(u16, u16); KEPT];

/// The largest sums of every word: 16 bytes a word.
///
/// If a word has more positions than there is room for, a new one replaces the position with the smallest sum, if
/// that is smaller than the new probability.
#[derive(Clone, Debug)]
pub struct Marginals {
    words: Vec<Summary>,
}

impl Marginals {
    pub fn new(words: usize) -> Self {
        Marginals { words: vec![[(NONE, 0); KEPT]; words] }
    }

    /// Adds the probability of a link of this word; at least [`LEAST`].
    pub fn add(&mut self, word: usize, position: u16, probability: f32) {
        let value = (probability * ONE) as u16;
        let summary = &mut self.words[word];
        let mut smallest = 0;
        for at in 0..KEPT {
            if summary[at].1 > 0 && summary[at].0 == position {
                summary[at].1 += value;
                return;
            }
            if summary[at].1 < summary[smallest].1 {
                smallest = at;
            }
        }
        if summary[smallest].1 < value {
            summary[smallest] = (position, value);
        }
    }

    /// For each word, the position with the largest sum over all samplers, the first of several; -1 for no link.
    pub fn best(samplers: &[Marginals]) -> Vec<i32> {
        let words = samplers.first().map_or(0, |first| first.words.len());
        let mut sums: Vec<(u16, u32)> = Vec::new();
        let best = |word| {
            sums.clear();
            for &(position, value) in samplers.iter().flat_map(|sampler: &Marginals| &sampler.words[word]) {
                match sums.iter_mut().find(|sum| sum.0 == position) {
                    Some(sum) => sum.1 += u32::from(value),
                    None => sums.push((position, u32::from(value))),
                }
            }
            let key = |&&(position, sum): &&(u16, u32)| (sum, std::cmp::Reverse(position));
            let position = sums.iter().max_by_key(key).map_or(NONE, |&(position, _)| position);
            if position == NONE {
                -1
            } else {
                i32::from(position)
            }
        };
        (0..words).map(best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_sweeps_and_samplers() {
        let (mut one, mut other) = (Marginals::new(4), Marginals::new(4));
        // Word 0: position 3 has 0.9, position 7 has 0.6 + 0.5.
        one.add(0, 3, 0.4);
        one.add(0, 7, 0.6);
        other.add(0, 3, 0.5);
        other.add(0, 7, 0.5);
        // Word 1: no link; word 2: two equal sums; word 3: nothing counted.
        one.add(1, NONE, 0.6);
        one.add(1, 0, 0.4);
        one.add(2, 5, 0.5);
        other.add(2, 4, 0.5);
        assert_eq!(Marginals::best(&[one, other]), [7, -1, 4, -1]);
    }

    #[test]
    fn a_small_sum_gives_way() {
        let mut marginals = Marginals::new(1);
        for position in 0..4 {
            marginals.add(0, position, 0.1 + f32::from(position) / 100.0);
        }
        marginals.add(0, 9, 0.05);
        assert!(marginals.words[0].iter().all(|sum| sum.0 != 9));
        marginals.add(0, 9, 0.5);
        assert_eq!(Marginals::best(&[marginals]), [9]);
    }

    #[test]
    fn the_most_sweeps_do_not_overflow() {
        let mut marginals = Marginals::new(1);
        for _ in 0..MOST_SWEEPS {
            marginals.add(0, 1, 1.0);
        }
        assert_eq!(Marginals::best(&[marginals]), [1]);
    }
}
