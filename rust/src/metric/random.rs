//! Random numbers that are the same on every machine and for any number of threads.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Every pair has its own stream, so that sentences can draw in any order.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Random(seed ^ stream.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        random.draw();
        random
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `bound`; the bias of the product is below `bound` / 2^64.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// Fisher and Yates' shuffle.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_every_item_and_depends_on_the_seed() {
        let mut one: Vec<u32> = (0..100).collect();
        let mut other = one.clone();
        Random::new(1, 0).shuffle(&mut one);
        Random::new(2, 0).shuffle(&mut other);
        assert_ne!(one, other);
        one.sort_unstable();
        assert_eq!(one, (0..100).collect::<Vec<_>>());
    }
}
