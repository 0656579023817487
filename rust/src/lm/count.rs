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
    let start = Key::new(&[BOS; 6]).prefix(order - 1);
    let (mut lines, mut tokens) = (0, 0);
    for path in texts {
        let mut text = Lines::open_plain(path)?;
        while let Some(line) = text.next_line()? {
            let mut key = start;
            let mut offence = None;
            for word in words(line) {
                let id = vocabulary.intern(word)?;
                if id <= EOS && !(id == UNK && reserved == Reserved::Unknown) {
                    if reserved == Reserved::Skip {
                        continue;
                    }
                    offence = Some(id);
                    break;
                }
                tokens += 1;
                key = key.pushed(id).prefix(order);
                sorter.push(Record { key, value: 1 })?;
            }
            if let Some(id) = offence {
                return Err(refusal(&text, &vocabulary, id));
            }
            sorter.push(Record { key: key.pushed(EOS).prefix(order), value: 1 })?;
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

fn refusal(text: &Lines, vocabulary: &Interner, id: u32) -> Error {
    let advice = if id == UNK {
        "Escape it, or set reserved-words to unknown (counts as the unknown word) or skip (left out)."
    } else {
        "Escape or remove it, as sentence boundaries are added automatically; or set reserved-words to skip."
    };
    text.error(format!("the word {} is reserved and may not occur in the text.", vocabulary.word(id)))
        .hint(advice)
}
