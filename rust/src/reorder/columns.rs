//! The features of conjunctions, by counting: examples are divided by their first words, and the second words of each
//! first word are counted in a table of all words.

use rayon::prelude::*;

use super::collect::Counted;
use super::features::{key, CONJUNCTIONS, PLACES};

/// The features of one conjunction.
pub struct Column {
    /// In ascending order.
    pub keys: Vec<u64>,
    /// For each example the number of its key, from 1 on; 0 if the key is too rare.
    pub features: Vec<u32>,
}

/// The columns of all conjunctions: keys of fewer than `minimum` examples have no feature.
pub fn columns(all: &[Counted], starts: &[usize; PLACES + 1], minimum: u64) -> Vec<Column> {
    let words = |place: usize| starts[place + 1] - starts[place];
    let of_place = |place: usize| -> Vec<(usize, Column)> {
        let with_place = |(number, &(first, second)): (usize, &(usize, usize))| {
            (first == place).then_some((number, second))
        };
        let joined: Vec<(usize, usize)> = CONJUNCTIONS.iter().enumerate().filter_map(with_place).collect();
        if joined.is_empty() {
            return Vec::new();
        }
        let by_first = Groups::new(all, place, words(place));
        let column = |(number, second): (usize, usize)| {
            (number, column(all, number, &by_first, (second, words(second)), minimum))
        };
        joined.into_iter().map(column).collect()
    };
    let mut made: Vec<(usize, Column)> = (0..PLACES).into_par_iter().flat_map_iter(of_place).collect();
    made.sort_unstable_by_key(|&(number, _)| number);
    made.into_iter().map(|(_, column)| column).collect()
}

/// The examples of each word at a place.
struct Groups {
    /// The end of each word's examples.
    ends: Vec<u32>,
    examples: Vec<u32>,
}

impl Groups {
    fn new(all: &[Counted], place: usize, words: usize) -> Self {
        let mut next = vec![0u32; words];
        all.iter().for_each(|one| next[one.words[place] as usize] += 1);
        let mut sum = 0;
        for number in &mut next {
            sum += std::mem::replace(number, sum);
        }
        let mut examples = vec![0; all.len()];
        for (number, one) in (0..).zip(all) {
            let next = &mut next[one.words[place] as usize];
            examples[*next as usize] = number;
            *next += 1;
        }
        Groups { ends: next, examples }
    }

    /// Words with their examples.
    fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let mut from = 0;
        (0..).zip(&self.ends).map(move |(word, &end)| {
            let examples = &self.examples[from..end as usize];
            from = end as usize;
            (word, examples)
        })
    }
}

/// The column of a conjunction, given the examples by its first word, and its second place with the number of words.
fn column(
    all: &[Counted],
    conjunction: usize,
    by_first: &Groups,
    (second, words): (usize, usize),
    minimum: u64,
) -> Column {
    let mut made = Column { keys: Vec::new(), features: vec![0; all.len()] };
    let second_of = |example: u32| all[example as usize].words[second];
    // For the second words that occur with a first word.
    let (mut occurring, mut counts, mut features) = (Vec::new(), vec![0u64; words], vec![0u32; words]);
    for (first, examples) in by_first.iter() {
        for &example in examples {
            let word = second_of(example);
            if counts[word as usize] == 0 {
                occurring.push(word);
            }
            counts[word as usize] += all[example as usize].total();
        }
        occurring.sort_unstable();
        for word in occurring.drain(..) {
            features[word as usize] = 0;
            if std::mem::take(&mut counts[word as usize]) >= minimum {
                made.keys.push(key(conjunction, first, word));
                features[word as usize] = made.keys.len() as u32;
            }
        }
        for &example in examples {
            made.features[example as usize] = features[second_of(example) as usize];
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::features::starts;
    use super::*;
    use crate::metric::random::Random;

    #[test]
    fn columns_are_those_of_sorted_keys() {
        let mut random = Random::new(5, 6);
        for minimum in [0, 1, 2, 5] {
            let mut word = |place: usize| random.below(if place % 4 < 2 { 3 } else { 5 }) as u32;
            let words: Vec<[u32; PLACES]> = (0..60).map(|_| std::array::from_fn(&mut word)).collect();
            let all: Vec<Counted> = words
                .into_iter()
                .map(|words| Counted { words, counts: [random.below(2) as u32, 1] })
                .collect();
            let made = columns(&all, &starts(3, 5), minimum);
            assert_eq!(made.len(), CONJUNCTIONS.len());
            for (conjunction, (column, (a, b))) in made.iter().zip(CONJUNCTIONS).enumerate() {
                let key_of = |one: &Counted| key(conjunction, one.words[a], one.words[b]);
                let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
                all.iter().for_each(|one| *counts.entry(key_of(one)).or_default() += one.total());
                counts.retain(|_, count| *count >= minimum);
                let keys: Vec<u64> = counts.into_keys().collect();
                assert_eq!(column.keys, keys);
                for (one, &feature) in all.iter().zip(&column.features) {
                    let place = keys.binary_search(&key_of(one));
                    assert_eq!(feature as usize, place.map_or(0, |place| place + 1));
                }
            }
        }
    }
}
