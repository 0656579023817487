//! Hash functions of the language model: words, n-grams, whole files. They are part of the file format.

const A: u64 = 0x9e37_79b9_7f4a_7c15;
const B: u64 = 0xd6e8_feb8_6659_fd93;
const C: u64 = 0xa076_1d64_78bd_642f;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

#[inline]
fn tail(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The hash of a word's bytes.
#[inline]
pub fn word(bytes: &[u8]) -> u64 {
    let mut state = A ^ (bytes.len() as u64).wrapping_mul(C);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        state = fold(state ^ u64::from_le_bytes(chunk.try_into().expect("eight bytes")), B);
    }
    fold(state ^ tail(chunks.remainder()), C)
}

/// The hash of the n-gram that has one word more on its left than the n-gram with hash `shorter`. A table entry names
/// its n-gram exactly, so that a collision costs a step and never gives a wrong answer; 32 bits are enough.
#[inline]
pub fn chain(shorter: u32, word: u32) -> u32 {
    ((u64::from(shorter) ^ u64::from(word).wrapping_add(1).wrapping_mul(B)).wrapping_mul(A) >> 32) as u32
}

/// Where a hash value falls among `range` places.
#[inline]
pub fn place(hash: u32, range: usize) -> usize {
    ((u64::from(hash) * range as u64) >> 32) as usize
}

/// A checksum that any changed byte changes; not meant against malice.
pub fn checksum(bytes: &[u8]) -> u64 {
    // Four independent lanes, because one chain of multiplications would wait for itself.
    let mut lanes = [A, B, C, bytes.len() as u64];
    let mut chunks = bytes.chunks_exact(32);
    for chunk in &mut chunks {
        for (lane, eight) in lanes.iter_mut().zip(chunk.chunks_exact(8)) {
            let value = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
            *lane = (*lane ^ value).wrapping_mul(A).rotate_left(29);
        }
    }
    for (lane, part) in lanes.iter_mut().zip(chunks.remainder().chunks(8)) {
        *lane = (*lane ^ tail(part)).wrapping_mul(A).rotate_left(29);
    }
    lanes.iter().fold(0, |whole: u64, lane| (whole ^ lane).wrapping_mul(B).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_changes_the_checksum() {
        let bytes: Vec<u8> = (0..200u8).collect();
        let whole = checksum(&bytes);
        for position in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[position] ^= 1 << bit;
                assert_ne!(checksum(&changed), whole, "byte {position}, bit {bit}");
            }
        }
        assert_ne!(checksum(&bytes[..199]), whole);
    }

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

    #[test]
    fn words_that_differ_in_zero_bytes_differ() {
        assert_ne!(word(b"a"), word(b"a\0"));
        assert_ne!(word(b""), word(b"\0\0\0\0\0\0\0\0"));
    }
}
