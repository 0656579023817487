//! Sums by key in memory. The keys are hashes already, and their places are prefetched: in a large table, waiting for
//! memory takes longer than everything else.

use super::large_pages::zeros;
use super::prefetch::prefetch;

/// Sums of numbers greater than zero, by key.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Keys and sums; the sum of a free slot is 0. A quarter of them are free or more.
    slots: Vec<(u64, u64)>,
    used: usize,
}

impl Default for Sums {
    fn default() -> Self {
        Sums { slots: vec![(0, 0); 64], used: 0 }
    }
}

impl Sums {
    /// The slot of a key, or the free one where it belongs.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        while self.slots[at].1 != 0 && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Call this some time before the key is used.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(&self.slots, key as usize & (self.slots.len() - 1));
    }

    #[inline]
    pub fn add(&mut self, key: u64, number: u64) {
        let slot = self.slot(key);
        if self.slots[slot].1 == 0 && number > 0 {
            self.used += 1;
        }
        self.slots[slot] = (key, self.slots[slot].1 + number);
        if self.used * 4 > self.slots.len() * 3 {
            self.grow();
        }
    }

    /// The sum of a key, 0 if nothing was added.
    #[inline]
    pub fn get(&self, key: u64) -> u64 {
        self.slots[self.slot(key)].1
    }

    fn grow(&mut self) {
        let larger = zeros(2 * self.slots.len());
        let before = std::mem::replace(&mut self.slots, larger);
        for (key, sum) in before.into_iter().filter(|&(_, sum)| sum > 0) {
            let slot = self.slot(key);
            self.slots[slot] = (key, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::hashing::mix;
    use super::*;

    #[test]
    fn they_are_those_of_a_map() {
        let mut sums = Sums::default();
        let mut expected = std::collections::HashMap::new();
        let mut random = 1;
        for round in 0..20_000 {
            random = mix(random, round);
            // Many keys share their last bits; one is zero.
            let key = (random >> 40) % 900 * 4096;
            let number = random % 3 * u64::from(random % 7 > 0);
            sums.prefetch(key);
            sums.add(key, number);
            *expected.entry(key).or_insert(0) += number;
        }
        for key in (0..1000).map(|n| n * 4096) {
            assert_eq!(sums.get(key), expected.get(&key).copied().unwrap_or(0));
        }
        assert_eq!(sums.get(1), 0);
    }
}
