//! N-best lists as word numbers: the candidates of every sentence, with a vocabulary of their own.

use super::index::Index;
use super::memory::TranslationMemory;
use super::profiles::Profile;
use super::strings::{numbered, Strings};
use crate::error::{Error, Result};
use crate::metric::ngrams::Ngrams;
use crate::store::vocab::Interner;

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
        let mut units = Vec::new();
        self.range(sentence)
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
