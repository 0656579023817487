//! The numbers under which relatedness knows words: those of their lemmas, and of their forms.

use super::pairs::NONE;
use crate::error::{Error, Result};
use crate::selection::classes::Class;
use crate::store::vocab::Interner;

/// Which side words belong to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    Source,
    Target,
}

/// Gives the lemmas of words.
pub type Lemmatise<'a> = &'a (dyn Fn(Side, &[&str]) -> Result<Vec<String>> + Sync);

/// Numbers of words and of their lemmas in relatedness.
#[derive(Default)]
pub struct Numbers {
    pub keys: Interner,
    pub lemma: Vec<u32>,
    pub form: Vec<u32>,
}

impl Numbers {
    /// Learns the words that are new.
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
            Class::Other => NONE,
            class if class.keeps_form() => self.form[word as usize],
            _ => self.lemma[word as usize],
        }
    }
}
