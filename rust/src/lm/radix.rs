//! Sorts records by counting words, from the last place of the keys to the first.

use std::cmp::Ordering;

use super::record::{Key, Record};
use super::MAX_ORDER;

/// With more records, several threads that compare are faster.
const MOST_RECORDS: usize = 1 << 23;

/// Sorts by key with a second block of the same size. Takes time in proportion to the records and to the highest number
/// of a word, see [`is_worthwhile`].
pub fn sort(block: &mut Vec<Record>) {
    // Every pass keeps the order of equal words, so that only the words before an ordered tail need one.
    let places = unordered_places(block);
    if places == 0 {
        return;
    }
    let mut other = vec![Record::default(); block.len()];
    let mut starts = Vec::new();
    for place in (0..places).rev() {
        count(block, place, &mut starts);
        // All records have the same word there, or none.
        if starts.iter().any(|&number| number as usize == block.len()) {
            continue;
        }
        let mut next = 0;
        for start in &mut starts {
            next += std::mem::replace(start, next);
        }
        for record in &*block {
            let start = &mut starts[record.key.word(place) as usize];
            other[*start as usize] = *record;
            *start += 1;
        }
        std::mem::swap(block, &mut other);
    }
}

/// The number of places before the longest tail of the keys by which the records are in order.
fn unordered_places(block: &[Record]) -> usize {
    let mut is_ordered = [true; MAX_ORDER];
    for pair in block.windows(2) {
        let mut order = Ordering::Equal;
        for place in (0..MAX_ORDER).rev() {
            order = pair[0].key.word(place).cmp(&pair[1].key.word(place)).then(order);
            is_ordered[place] &= order.is_le();
        }
    }
    is_ordered.iter().position(|&ordered| ordered).unwrap_or(MAX_ORDER)
}

/// How often each word stands at a place.
fn count(block: &[Record], place: usize, counts: &mut Vec<u32>) {
    counts.clear();
    for record in block {
        let word = record.key.word(place) as usize;
        if word >= counts.len() {
            counts.resize(word + 1, 0);
        }
        counts[word] += 1;
    }
}

/// Whether counting is faster than comparing: there must be more records than words, and not too many.
pub fn is_worthwhile(block: &[Record]) -> bool {
    let highest = |Record { key: Key([a, b, c]), .. }: &Record| a | a << 32 | b | b << 32 | c | c << 32;
    let words = block.iter().map(highest).fold(0, |all, one| all | one) >> 32;
    (words as usize) < block.len() && block.len() < MOST_RECORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hashing::mix;

    /// Records with random words below a number, all of the same order.
    fn records(number: usize, order: usize, words: u64) -> Vec<Record> {
        let mut random = order as u64;
        let mut word = || {
            random = mix(random, 1);
            ((random >> 32) % words) as u32
        };
        (0..number as u64)
            .map(|value| Record { key: Key::new(&[0; MAX_ORDER].map(|_| word())[..order]), value })
            .collect()
    }

    #[test]
    fn it_sorts_as_a_stable_sort_by_key() {
        for (number, words) in [(0, 3), (1, 3), (1000, 3), (1000, 900), (3000, 40)] {
            for order in 1..=MAX_ORDER {
                let mut sorted = records(number, order, words);
                let mut by_tail = sorted.clone();
                by_tail.sort_by_key(|record| record.key.popped());
                for mut given in [sorted.clone(), by_tail] {
                    let mut expected = given.clone();
                    expected.sort_by_key(|record| record.key);
                    sort(&mut given);
                    assert_eq!(given, expected);
                    sorted = given;
                }
                sort(&mut sorted);
                assert!(sorted.is_sorted_by_key(|record| record.key));
            }
        }
    }

    #[test]
    fn it_is_worthwhile_with_few_words() {
        assert!(is_worthwhile(&records(1000, 5, 500)));
        assert!(!is_worthwhile(&records(1000, 5, 5000)));
        assert!(!is_worthwhile(&[]));
    }
}
