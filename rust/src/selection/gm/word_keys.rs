//! The keys under which relatedness counts words: their lemmas, or their forms.

use super::pairs::NO_KEY;
use crate::error::{Error, Result};
use crate::selection::classes::Class;
use crate::store::vocab::Interner;

/// The side of the corpus that words belong to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    Source,
    Target,
}

/// Returns the lemmas of words.
pub type Lemmatise<'a> = &'a (dyn Fn(Side, &[&str]) -> Result<Vec<String>> + Sync);

/// For each word, the keys of its lemma and of its form.
#[derive(Default)]
pub struct WordKeys {
    pub keys: Interner,
    pub lemma: Vec<u32>,
    pub form: Vec<u32>,
}

impl WordKeys {
    /// Adds the new words of a vocabulary.
    pub fn grow(&mut self, words: &Interner, side: Side, lemmatise: Lemmatise<'_>) -> Result<()> {
        let new: Vec<&str> = (self.lemma.len() as u32..words.len() as u32).map(|id| words.word(id)).collect();
        let lemmas = if new.is_empty() { Vec::new() } else { lemmatise(side, &new)? };
        if lemmas.len() != new.len() {
            return Err(Error::internal(format!("{} lemmas for {} words.", lemmas.len(), new.len())));
        }
        for (word, lemma) in new.iter().zip(&lemmas) {
            self.form.push(self.keys.intern(word)?);
            self.lemma.push(self.keys.intern(lemma)?);
        }
        Ok(())
    }

    pub fn of(&self, word: u32, class: Class) -> u32 {
        match class {
            Class::Other => NO_KEY,
            class if class.keeps_form() => self.form[word as usize],
            _ => self.lemma[word as usize],
        }
    }
}
