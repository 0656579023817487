//! Input sentences with their candidate translations, as the rows are made from them.

use std::ops::Range;

use super::memory::Memory;
use super::neighbours::Neighbour;
use super::text::{Text, UNKNOWN};
use crate::error::{Error, Result};

/// One sentence as it is given.
pub struct Input<'a> {
    /// Tokenised, as all lines here.
    pub source: &'a str,
    pub candidates: Vec<&'a str>,
    /// One for each candidate; `None`: all candidates are equally probable.
    pub log_probabilities: Option<&'a [f64]>,
    /// Known translations, for labels.
    pub references: Vec<&'a str>,
    /// Memory pairs to ignore, by number.
    pub left_out: &'a [u32],
    /// Memory pairs with similar vectors; used if the inputs have vectors.
    pub by_vectors: &'a [Neighbour],
}

/// Many sentences.
pub struct Inputs {
    sources: Text,
    candidates: Text,
    references: Text,
    /// The candidates of sentence k are `lists[k]..lists[k + 1]`.
    lists: Vec<usize>,
    reference_lists: Vec<usize>,
    /// Empty for a sentence without; otherwise one for each candidate.
    log_probabilities: Vec<Vec<f64>>,
    left_out: Vec<Vec<u32>>,
    /// `None` if the inputs have no vectors.
    by_vectors: Option<Vec<Vec<Neighbour>>>,
    lowercase: bool,
}

impl Inputs {
    pub fn new(lowercase: bool) -> Self {
        Inputs {
            sources: Text::default(),
            candidates: Text::default(),
            references: Text::default(),
            lists: vec![0],
            reference_lists: vec![0],
            log_probabilities: Vec::new(),
            left_out: Vec::new(),
            by_vectors: None,
            lowercase,
        }
    }

    /// The same for sentences that have neighbours by vectors.
    pub fn with_vectors(lowercase: bool) -> Self {
        Inputs { by_vectors: Some(Vec::new()), ..Inputs::new(lowercase) }
    }

    pub fn push(&mut self, input: &Input<'_>) -> Result<()> {
        let number = self.len();
        if let Some(given) = input.log_probabilities {
            let (values, candidates) = (given.len(), input.candidates.len());
            if values != candidates {
                let message =
                    format!("sentence {number} has {candidates} candidates and {values} log-probabilities.");
                return Err(Error::input(message));
            }
            if let Some(value) = given.iter().find(|value| !value.is_finite()) {
                let message =
                    format!("a log-probability of sentence {number} is {value}, not a finite number.");
                return Err(Error::input(message));
            }
        }
        if let Some(one) = input.by_vectors.iter().find(|one| !one.similarity.is_finite()) {
            let message = format!(
                "a similarity of vectors of sentence {number} is {}, not a finite number.",
                one.similarity
            );
            return Err(Error::input(message));
        }
        self.sources.push(input.source, self.lowercase)?;
        input.candidates.iter().try_for_each(|line| self.candidates.push(line, self.lowercase))?;
        input.references.iter().try_for_each(|line| self.references.push(line, self.lowercase))?;
        self.lists.push(self.candidates.len());
        self.reference_lists.push(self.references.len());
        self.log_probabilities.push(input.log_probabilities.unwrap_or_default().to_vec());
        let mut left_out = input.left_out.to_vec();
        left_out.sort_unstable();
        left_out.dedup();
        self.left_out.push(left_out);
        if let Some(all) = &mut self.by_vectors {
            all.push(input.by_vectors.to_vec());
        }
        Ok(())
    }

    pub fn lowercase(&self) -> bool {
        self.lowercase
    }

    pub fn has_vectors(&self) -> bool {
        self.by_vectors.is_some()
    }

    /// The neighbours of a sentence by vectors, in the order they were given; `None` if the inputs have no vectors.
    pub fn by_vectors(&self, sentence: usize) -> Option<&[Neighbour]> {
        self.by_vectors.as_ref().map(|all| &all[sentence][..])
    }

    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.left_out.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The candidates of a sentence among those of all sentences.
    pub fn list(&self, sentence: usize) -> Range<usize> {
        self.lists[sentence]..self.lists[sentence + 1]
    }

    /// Where the candidates of each sentence begin; the last entry is the end.
    pub fn lists(&self) -> &[usize] {
        &self.lists
    }

    pub fn candidates(&self) -> &Text {
        &self.candidates
    }

    pub fn sources(&self) -> &Text {
        &self.sources
    }

    /// Whether some sentence has a reference.
    pub fn has_references(&self) -> bool {
        !self.references.is_empty()
    }

    /// The posterior of each candidate of a sentence, with log-probabilities multiplied by `scale`.
    pub fn posterior(&self, sentence: usize, scale: f64) -> Vec<f64> {
        let given = &self.log_probabilities[sentence];
        let number = self.list(sentence).len();
        if given.is_empty() {
            return vec![1.0 / number as f64; number];
        }
        let most = given.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut values: Vec<f64> = given.iter().map(|value| ((value - most) * scale).exp()).collect();
        let sum: f64 = values.iter().sum();
        values.iter_mut().for_each(|value| *value /= sum);
        values
    }

    /// These sentences in the numbers of a memory's words.
    pub fn encode<'a>(&'a self, memory: &'a Memory) -> Encoded<'a> {
        // A target word that the memory does not have gets a number above those that it has.
        let known = memory.target.vocabulary.len() as u32;
        let mut unknown = known + 1;
        let target = self.candidates.numbers_in(&memory.target, || {
            unknown += 1;
            unknown - 1
        });
        let reference_words = |word: u32| {
            let text = self.references.vocabulary.word(word - 1);
            self.candidates.vocabulary.get(text).map_or(UNKNOWN, |number| target[number as usize + 1])
        };
        let references = (0..=self.references.vocabulary.len() as u32)
            .map(|word| if word == 0 { 0 } else { reference_words(word) })
            .collect();
        let source = self.sources.numbers_in(&memory.source, || UNKNOWN);
        Encoded { inputs: self, source, target, references }
    }
}

/// Inputs in the numbers of a memory's words.
pub struct Encoded<'a> {
    pub inputs: &'a Inputs,
    source: Vec<u32>,
    target: Vec<u32>,
    references: Vec<u32>,
}

impl Encoded<'_> {
    pub fn source(&self, sentence: usize) -> Vec<u32> {
        mapped(&self.source, self.inputs.sources.get(sentence))
    }

    pub fn candidates(&self, sentence: usize) -> Vec<Vec<u32>> {
        let one = |candidate| mapped(&self.target, self.inputs.candidates.get(candidate));
        self.inputs.list(sentence).map(one).collect()
    }

    pub fn references(&self, sentence: usize) -> Vec<Vec<u32>> {
        let lists = &self.inputs.reference_lists;
        let one = |reference| mapped(&self.references, self.inputs.references.get(reference));
        (lists[sentence]..lists[sentence + 1]).map(one).collect()
    }

    pub fn left_out(&self, sentence: usize) -> &[u32] {
        &self.inputs.left_out[sentence]
    }
}

fn mapped(numbers: &[u32], words: &[u32]) -> Vec<u32> {
    words.iter().map(|&word| numbers[word as usize]).collect()
}
