//! Writes ARPA files, compressed as their names say.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::decimal;
use super::record::Key;
use super::Sink;
use crate::error::{Error, Result};
use crate::store::compression::Packed;
use crate::store::draft::Draft;
use crate::store::vocab::Interner;

/// A [`Sink`] that writes text.
pub struct ArpaWriter {
    path: PathBuf,
    open: Option<(Draft, Packed<File>)>,
    words: SpacedWords,
    highest: usize,
    /// The order being written.
    current: usize,
    /// Lines that are not written yet.
    lines: Vec<u8>,
}

/// Bytes of lines after which they are written.
const BLOCK: usize = 1 << 18;

/// Words with a space before each.
#[derive(Default)]
struct SpacedWords {
    text: Vec<u8>,
    /// The start of each word, and the end of the last.
    bounds: Vec<usize>,
}

/// Most words are copied as a block of this many bytes, which needs no loop.
const SHORT_WORD: usize = 16;

impl SpacedWords {
    fn new(words: &Interner) -> Self {
        let (mut text, mut bounds) = (Vec::new(), vec![0]);
        for word in words.iter() {
            text.push(b' ');
            text.extend_from_slice(word.as_bytes());
            bounds.push(text.len());
        }
        text.extend_from_slice(&[0; SHORT_WORD]);
        SpacedWords { text, bounds }
    }

    #[inline]
    fn append(&self, word: u32, out: &mut Vec<u8>) {
        let (start, end) = (self.bounds[word as usize], self.bounds[word as usize + 1]);
        match self.text[start..].first_chunk::<SHORT_WORD>() {
            Some(block) if end - start <= SHORT_WORD => {
                out.extend_from_slice(block);
                out.truncate(out.len() - (SHORT_WORD - (end - start)));
            }
            _ => out.extend_from_slice(&self.text[start..end]),
        }
    }
}

impl ArpaWriter {
    pub fn new(path: &Path) -> Self {
        ArpaWriter {
            path: path.to_owned(),
            open: None,
            words: SpacedWords::default(),
            highest: 0,
            current: 0,
            lines: Vec::new(),
        }
    }

    fn write(&mut self) -> Result<()> {
        let (_, output) = self.open.as_mut().expect("begin was called");
        output.write_all(&self.lines).map_err(|error| Error::io(&self.path, &error))?;
        self.lines.clear();
        Ok(())
    }
}

impl Sink for ArpaWriter {
    fn begin(&mut self, words: &Interner, counts: &[u64]) -> Result<()> {
        let (draft, file) = Draft::create(&self.path)?;
        let output = Packed::named(&self.path, file).map_err(|error| Error::io(&self.path, &error))?;
        self.open = Some((draft, output));
        self.words = SpacedWords::new(words);
        self.highest = counts.len();
        self.lines.extend_from_slice(b"\\data\\\n");
        for (index, count) in counts.iter().enumerate() {
            self.lines.extend_from_slice(format!("ngram {}={count}\n", index + 1).as_bytes());
        }
        self.write()
    }

    fn ngram(&mut self, order: usize, key: &Key, prob: f32, backoff: f32) -> Result<()> {
        while self.current < order {
            self.current += 1;
            self.lines.extend_from_slice(format!("\n\\{}-grams:\n", self.current).as_bytes());
        }
        // + 0.0: the sign of zero is internal, not part of the format.
        decimal::write(prob + 0.0, &mut self.lines);
        let start = self.lines.len();
        for place in (0..order).rev() {
            self.words.append(key.word(place), &mut self.lines);
        }
        self.lines[start] = b'\t';
        if order < self.highest {
            self.lines.push(b'\t');
            decimal::write(backoff + 0.0, &mut self.lines);
        }
        self.lines.push(b'\n');
        if self.lines.len() < BLOCK {
            return Ok(());
        }
        self.write()
    }

    fn finish(&mut self) -> Result<()> {
        while self.current < self.highest {
            self.current += 1;
            self.lines.extend_from_slice(format!("\n\\{}-grams:\n", self.current).as_bytes());
        }
        self.lines.extend_from_slice(b"\n\\end\\\n");
        self.write()?;
        let (draft, output) = self.open.take().expect("begin was called");
        output.finish().and_then(|file| file.sync_all()).map_err(|error| Error::io(&self.path, &error))?;
        draft.finish()
    }
}
