//! Hash functions: for words and whole files, as part of file formats, and a fast hasher for maps in memory. None of
//! them resists deliberate collisions.

use std::hash::{BuildHasherDefault, Hasher};

const A: u64 = 0x9e37_79b9_7f4a_7c15;
const B: u64 = 0xd6e8_feb8_6659_fd93;
const C: u64 = 0xa076_1d64_78bd_642f;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

/// A hash of numbers, one after the other.
#[inline]
pub fn mix(state: u64, value: u64) -> u64 {
    fold((state ^ value).wrapping_add(A), B)
}

/// The number that at most eight bytes are in little-endian order.
#[inline]
fn tail(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        // Both halves have the bytes that they share in the same places.
        (Some(&low), Some(&high)) => {
            u64::from(u32::from_le_bytes(low))
                | u64::from(u32::from_le_bytes(high)) << (8 * (bytes.len() - 4))
        }
        _ => bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)),
    }
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

/// The highest number of slots probed in a hash table of a file. Tables that are two thirds full have runs of at most a
/// few hundred slots, whatever their size; a damaged one may have no free slot at all.
pub const LONGEST_SEARCH: usize = 1024;

/// A checksum that changes with any byte; it does not resist deliberate collisions.
pub fn checksum(bytes: &[u8]) -> u64 {
    // Four independent lanes, because a single chain of multiplications would stall on its own latency.
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

pub type FastMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<FastHasher>>;
pub type FastSet<K> = std::collections::HashSet<K, BuildHasherDefault<FastHasher>>;

/// For keys that are machine words.
#[derive(Clone, Copy, Default)]
pub struct FastHasher(u64);

impl FastHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(A);
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.mix(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.mix(u64::from(n));
    }

    #[inline]
    fn write_u16(&mut self, n: u16) {
        self.mix(u64::from(n));
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.mix(u64::from(n));
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // The table uses the low bits, but the high bits of the product are the best mixed.
        self.0 ^ self.0 >> 32
    }
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
    fn short_tails_are_little_endian_numbers() {
        for length in 0..=8 {
            let bytes: Vec<u8> = (1..=length).map(|n| n * 31).collect();
            let number = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            assert_eq!(tail(&bytes), number);
        }
    }

    #[test]
    fn words_that_differ_in_zero_bytes_differ() {
        assert_ne!(word(b"a"), word(b"a\0"));
        assert_ne!(word(b""), word(b"\0\0\0\0\0\0\0\0"));
    }

    /// Target sides of rules are hashed as word numbers; the counts of colliding sides would be added up.
    #[test]
    fn sides_of_small_numbers_do_not_collide() {
        let mut seen = std::collections::HashSet::new();
        let mut bytes = Vec::new();
        for code in 0..60u32 * 60 * 60 {
            bytes.clear();
            for number in [code / 3600, code / 60 % 60, code % 60] {
                bytes.extend_from_slice(&(number + 1).to_be_bytes());
            }
            assert!(seen.insert(word(&bytes)), "{bytes:?}");
        }
    }
}
