//! N-best lists as columns, for tuning: words and feature values without an object for each translation.

use super::translator::Translations;
use crate::error::Result;
use crate::store::vocab::Interner;

#[derive(Default)]
pub struct NBestColumns {
    /// The offset of the first hypothesis of each sentence, and the total.
    pub hypotheses: Vec<u32>,
    /// The offset of the first word of each hypothesis, and the total.
    pub tokens: Vec<u32>,
    /// The words, numbered in the order of their first appearance.
    pub numbers: Vec<u32>,
    /// The values of every feature, a row for each hypothesis.
    pub values: Vec<f32>,
    words: Interner,
}

impl NBestColumns {
    pub fn new(translations: &[Translations]) -> Result<Self> {
        let mut made = NBestColumns { hypotheses: vec![0], tokens: vec![0], ..Default::default() };
        for sentence in translations {
            for derivation in &sentence.best {
                for word in derivation.target() {
                    made.numbers.push(made.words.intern(word)?);
                }
                made.tokens.push(made.numbers.len() as u32);
                made.values.extend_from_slice(&derivation.features);
            }
            made.hypotheses.push(made.tokens.len() as u32 - 1);
        }
        Ok(made)
    }

    /// The words by number.
    pub fn words(&self) -> Vec<String> {
        self.words.iter().map(str::to_owned).collect()
    }
}
