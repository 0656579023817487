//! N-best lists as word numbers: the candidates of every sentence, with a vocabulary of their own.

use super::index::Index;
use super::memory::TranslationMemory;
use super::profiles::Profile;
use super::strings::{numbered, Strings};
use crate::error::{Error, Result};
use crate::metric::ngrams::Ngrams;
use crate::store::vocab::Interner;

/// Only so many candidates of a list give support to others, so that time and memory grow with the length of a list and
/// not with its square. All candidates receive support.
pub const MOST_SENDERS: usize = 1000;

/// Four bytes a word.
pub struct Lists {
    pub words: Interner,
    pub candidates: Strings,
    /// The candidates of sentence k are `starts[k]..starts[k + 1]`.
    pub starts: Vec<u32>,
    lowercase: bool,
}

impl Lists {
    pub fn new(lowercase: bool) -> Self {
        Lists { words: Interner::default(), candidates: Strings::default(), starts: vec![0], lowercase }
    }

    /// Adds the candidates of one sentence.
    pub fn push<'a>(&mut self, candidates: impl Iterator<Item = &'a str>) -> Result<()> {
        let mut words = Vec::new();
        for candidate in candidates {
            numbered(&mut self.words, candidate, self.lowercase, &mut words)?;
            self.candidates.push(&words)?;
        }
        if self.candidates.len() == self.starts[self.len()] as usize {
            return Err(Error::input(format!("the list of sentence {} is empty.", self.len() + 1)));
        }
        self.starts.push(self.candidates.len() as u32);
        Ok(())
    }

    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn range(&self, sentence: usize) -> std::ops::Range<usize> {
        self.starts[sentence] as usize..self.starts[sentence + 1] as usize
    }

    /// A number for each word of the lists; words known to the memory get its numbers.
    pub fn renumbered(&self, memory: Option<&TranslationMemory>) -> Vec<u32> {
        let known = memory.map_or(0, |memory| memory.targets.len()) as u32;
        let number = |(own, word): (usize, &str)| {
            memory.and_then(|memory| memory.targets.get(word)).unwrap_or(known + own as u32)
        };
        self.words.iter().enumerate().map(number).collect()
    }

    /// The n-gram profiles of a sentence's candidates.
    pub fn profiles(
        &self,
        sentence: usize,
        numbers: &[u32],
        known: &mut Ngrams,
        order: usize,
    ) -> Vec<Profile> {
        self.profiles_of(self.range(sentence), numbers, known, order)
    }

    /// The n-gram profiles of some candidates, counted over all sentences.
    pub fn profiles_of(
        &self,
        candidates: std::ops::Range<usize>,
        numbers: &[u32],
        known: &mut Ngrams,
        order: usize,
    ) -> Vec<Profile> {
        let mut units = Vec::new();
        candidates
            .map(|candidate| {
                units.clear();
                units.extend(self.candidates.get(candidate).iter().map(|&word| numbers[word as usize]));
                Profile::new(known, &units, order)
            })
            .collect()
    }

    /// For each sentence, the first sentence with the same candidates in the same order.
    pub fn first_equal(&self) -> Result<Vec<u32>> {
        let (mut texts, mut lists, mut first) = (Index::default(), Index::default(), Vec::new());
        let mut found = Vec::with_capacity(self.len());
        for sentence in 0..self.len() {
            let own = self.range(sentence).map(|candidate| texts.insert(self.candidates.get(candidate)));
            let list = lists.insert(&own.collect::<Result<Vec<u32>>>()?)? as usize;
            if list == first.len() {
                first.push(sentence as u32);
            }
            found.push(first[list]);
        }
        Ok(found)
    }

    /// The candidates of a sentence that give support to others by their order: all, or the first `most`.
    pub fn first(&self, sentence: usize, most: usize) -> std::ops::Range<usize> {
        let all = self.range(sentence);
        all.start..all.end.min(all.start + most)
    }

    /// Rejects a column without exactly one finite value for each candidate.
    pub fn check(&self, values: &[f64]) -> Result<()> {
        if values.len() == self.candidates.len() && values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(Error::input(format!(
            "{} values, or one that is not finite; a finite one was expected for each of {} candidates.",
            values.len(),
            self.candidates.len()
        )))
    }
}

/// The positions of the `most` highest values, in ascending order; of equal values the first.
pub fn highest(values: &[f64], most: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    if places.len() > most {
        places.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        places.truncate(most);
        places.sort_unstable();
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_values_keep_their_order() {
        let values = [0.1, 0.4, 0.2, 0.4, 0.2];
        assert_eq!(highest(&values, 3), [1, 2, 3]);
        assert_eq!(highest(&values, 5), [0, 1, 2, 3, 4]);
        assert!(highest(&values, 0).is_empty());
    }
}
