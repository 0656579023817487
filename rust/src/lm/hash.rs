//! Hash functions of n-grams. They are part of the file format.

const A: u64 = 0x9e37_79b9_7f4a_7c15;
const B: u64 = 0xd6e8_feb8_6659_fd93;

/// The hash of the n-gram that extends the n-gram with hash `shorter` by one word on its left. A table entry identifies
/// its n-gram exactly, so that a collision costs a step but never gives a wrong result; 32 bits are enough.
#[inline]
pub fn chain(shorter: u32, word: u32) -> u32 {
    ((u64::from(shorter) ^ u64::from(word).wrapping_add(1).wrapping_mul(B)).wrapping_mul(A) >> 32) as u32
}

/// The index of a hash value among `range` slots.
#[inline]
pub fn place(hash: u32, range: usize) -> usize {
    ((u64::from(hash) * range as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_over_the_range() {
        let mut hits = [0u32; 10];
        for first in 0..100 {
            for second in 0..100 {
                hits[place(chain(chain(0, first), second), 10)] += 1;
            }
        }
        assert!(hits.iter().all(|&n| (850..1150).contains(&n)), "{hits:?}");
    }
}
