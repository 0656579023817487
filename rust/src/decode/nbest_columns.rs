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
    /// The values of the features that were asked for, a row for each hypothesis.
    pub values: Vec<f32>,
    words: Interner,
}

impl NBestColumns {
    fn empty() -> Self {
        NBestColumns { hypotheses: vec![0], tokens: vec![0], ..Default::default() }
    }

    /// The list of one sentence, with the values of the features in `columns`.
    pub fn of(sentence: &Translations, columns: &[usize]) -> Result<Self> {
        let mut made = NBestColumns::empty();
        for derivation in &sentence.best {
            for word in derivation.target() {
                made.numbers.push(made.words.intern(word)?);
            }
            made.tokens.push(made.numbers.len() as u32);
            made.values.extend(columns.iter().map(|&column| derivation.features[column]));
        }
        made.hypotheses.push(made.tokens.len() as u32 - 1);
        Ok(made)
    }

    /// The lists of all sentences, in this order.
    pub fn joined(lists: Vec<NBestColumns>) -> Result<Self> {
        let mut made = NBestColumns::empty();
        made.numbers.reserve_exact(lists.iter().map(|list| list.numbers.len()).sum());
        made.values.reserve_exact(lists.iter().map(|list| list.values.len()).sum());
        for list in lists {
            let numbers =
                list.words.iter().map(|word| made.words.intern(word)).collect::<Result<Vec<u32>>>()?;
            let (before, offset) = (made.tokens.len() as u32 - 1, made.numbers.len() as u32);
            made.numbers.extend(list.numbers.iter().map(|&word| numbers[word as usize]));
            made.tokens.extend(list.tokens[1..].iter().map(|end| offset + end));
            made.hypotheses.extend(list.hypotheses[1..].iter().map(|end| before + end));
            made.values.extend_from_slice(&list.values);
        }
        Ok(made)
    }

    /// The words by number.
    pub fn words(&self) -> Vec<String> {
        self.words.iter().map(str::to_owned).collect()
    }
}
