//! The n-grams that occur more than once in a text.

/// For each position of a text, the length of the longest n-gram that begins there and also earlier.
#[derive(Debug, Default)]
pub struct Repeats {
    lengths: Vec<u8>,
}

impl Repeats {
    /// Reads a text. Only n-grams of up to `order` words, at most 255, are looked for.
    pub fn read(&mut self, text: &[u32], order: usize) {
        self.lengths.clear();
        self.lengths.extend((0..text.len()).map(|first| {
            let here = &text[first..text.len().min(first + order)];
            let shared = |before: usize| {
                here.iter().zip(&text[before..]).take_while(|(one, other)| one == other).count()
            };
            let earlier = (0..first).filter(|&before| text[before] == text[first]);
            earlier.map(shared).max().unwrap_or(0) as u8
        }));
    }

    /// Whether the n-gram at a position also begins earlier.
    #[inline]
    pub fn is_repeated(&self, first: usize, n: usize) -> bool {
        usize::from(self.lengths[first]) >= n
    }

    /// The numbers of distinct n-grams of the orders from 1 on.
    pub fn distinct<const ORDERS: usize>(&self) -> [u32; ORDERS] {
        std::array::from_fn(|less| {
            let all = &self.lengths[..self.lengths.len().saturating_sub(less)];
            all.iter().filter(|&&length| usize::from(length) <= less).count() as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::store::hashing::mix;

    #[test]
    fn they_are_those_of_a_set_of_ngrams() {
        let (mut random, mut repeats) = (1, Repeats::default());
        for round in 0..2000 {
            random = mix(random, round);
            let words = 1 + random % 5;
            let text: Vec<u32> = (0..random >> 8 & 15).map(|k| (mix(random, k) % words) as u32).collect();
            repeats.read(&text, 4);
            let distinct: [u32; 4] = repeats.distinct();
            for n in 1..=4 {
                let mut seen = HashSet::new();
                for (first, gram) in text.windows(n).enumerate() {
                    assert_eq!(repeats.is_repeated(first, n), !seen.insert(gram), "{text:?} {first} {n}");
                }
                assert_eq!(distinct[n - 1] as usize, seen.len(), "{text:?} {n}");
            }
        }
    }
}
