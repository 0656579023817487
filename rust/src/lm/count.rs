//! Counting: text in, sorted n-grams of the highest order out.

use std::path::{Path, PathBuf};

use super::record::{Key, Record};
use super::sorter::{EqualKeys, Sorted, Sorter};
use super::text::words;
use super::{Progress, BOS, EOS, SPECIAL_WORDS, UNK};
use crate::corpus::text::Lines;
use crate::error::{Error, Result};
use crate::store::vocab::Interner;

/// How `<s>`, `</s>` and `<unk>` in the text are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// Reject the text.
    Error,
    /// Skip them like white space.
    Skip,
    /// Count `<unk>` as the unknown word, so that it gets its own n-grams; reject the other two.
    Unknown,
}

/// A text as sorted n-grams.
pub struct Corpus {
    pub words: Interner,
    pub lines: u64,
    /// Words without `<s>` and `</s>`.
    pub tokens: u64,
    /// The n-grams of the highest order in suffix order. A sentence is preceded by as many `<s>` as the context has
    /// words, so that these n-grams determine the shorter ones.
    pub ngrams: Sorted,
}

/// Lines between two reports of progress.
const PROGRESS_INTERVAL: u64 = 100_000;

pub fn count(
    texts: &[PathBuf],
    order: usize,
    reserved: Reserved,
    memory: usize,
    folder: &Path,
    progress: &Progress,
) -> Result<Corpus> {
    let mut vocabulary = Interner::with(&SPECIAL_WORDS)?;
    let mut sorter = Sorter::new(memory, EqualKeys::Sum, folder);
    let counter = LineCounter::new(order, reserved);
    let (mut lines, mut tokens) = (0, 0);
    for path in texts {
        let mut text = Lines::open_plain(path)?;
        while let Some(line) = text.next_line()? {
            match counter.count(line, &mut vocabulary, |record| sorter.push(record))? {
                Ok(words) => tokens += words,
                Err(id) => return Err(text.error(refusal(&vocabulary, id)).hint(advice(id))),
            }
            lines += 1;
            if lines % PROGRESS_INTERVAL == 0 {
                progress("reading", lines, 0)?;
            }
        }
    }
    if tokens == 0 {
        let named: Vec<String> = texts.iter().map(|path| path.display().to_string()).collect();
        return Err(Error::input(format!("no words in {}.", named.join(", ")))
            .hint("A language model is estimated from text with one sentence a line."));
    }
    progress("sorting", lines, lines)?;
    Ok(Corpus { words: vocabulary, lines, tokens, ngrams: sorter.finish()? })
}

/// Counts the n-grams of lines.
#[derive(Clone, Copy)]
pub struct LineCounter {
    order: usize,
    reserved: Reserved,
    start: Key,
}

impl LineCounter {
    pub fn new(order: usize, reserved: Reserved) -> Self {
        LineCounter { order, reserved, start: Key::new(&[BOS; 6]).prefix(order - 1) }
    }

    /// Whether a word with this number is left out (`Some(false)`) or rejected (`Some(true)`).
    fn is_rejected(&self, id: u32) -> Option<bool> {
        let is_reserved = id <= EOS && !(id == UNK && self.reserved == Reserved::Unknown);
        is_reserved.then_some(self.reserved != Reserved::Skip)
    }

    /// Passes every n-gram of a line to `push`; returns the number of words, or the reserved word that is rejected.
    pub fn count(
        &self,
        line: &str,
        vocabulary: &mut Interner,
        mut push: impl FnMut(Record) -> Result<()>,
    ) -> Result<std::result::Result<u64, u32>> {
        let mut key = self.start;
        let mut tokens = 0;
        for word in words(line) {
            let id = vocabulary.intern(word)?;
            match self.is_rejected(id) {
                Some(true) => return Ok(Err(id)),
                Some(false) => continue,
                None => {}
            }
            tokens += 1;
            key = key.pushed(id).prefix(self.order);
            push(Record { key, value: 1 })?;
        }
        push(Record { key: key.pushed(EOS).prefix(self.order), value: 1 })?;
        Ok(Ok(tokens))
    }
}

/// The message for a reserved word in a text.
pub fn refusal(vocabulary: &Interner, id: u32) -> String {
    format!("the word {} is reserved and may not occur in the text.", vocabulary.word(id))
}

pub fn advice(id: u32) -> &'static str {
    if id == UNK {
        "Escape it, or set reserved-words to unknown (counts as the unknown word) or skip (left out)."
    } else {
        "Escape or remove it, as sentence boundaries are added automatically; or set reserved-words to skip."
    }
}
