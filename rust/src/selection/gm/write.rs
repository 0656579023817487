//! Writes the sections of a model while sorted runs are merged, so that no table is held in memory.

use super::pairs::Pairs;
use crate::error::Result;
use crate::store::mapped::Writer;
use crate::store::runs::{Runs, ONE};
use crate::store::vocab::Interner;

/// The words and their lookup table: three sections.
pub fn vocabulary(writer: &mut Writer, words: &Interner) -> Result<()> {
    let (text, offsets, slots) = words.layout()?;
    writer.section(text)?;
    writer.section(&offsets)?;
    writer.section(&slots)
}

/// Rows of a section, one for each key, written in order.
struct Rows {
    offsets: Vec<u64>,
    written: u64,
}

impl Rows {
    fn begin(writer: &mut Writer) -> Result<Self> {
        writer.begin()?;
        Ok(Rows { offsets: Vec::new(), written: 0 })
    }

    fn add(&mut self, writer: &mut Writer, number: u32, entry: &[u32]) -> Result<()> {
        while self.offsets.len() <= number as usize {
            self.offsets.push(self.written);
        }
        self.written += 1;
        entry.iter().try_for_each(|value| writer.write(&value.to_le_bytes()))
    }

    fn end(mut self, writer: &mut Writer, numbers: usize) -> Result<u64> {
        self.offsets.resize(numbers + 1, self.written);
        writer.section(&self.offsets)?;
        Ok(self.written)
    }
}

/// The related words of each source key: those with a joint count above `count` and mutual information above `pmi`.
pub fn related(writer: &mut Writer, pairs: &mut Pairs, numbers: usize, count: u64, pmi: f64) -> Result<u64> {
    let mut rows = Rows::begin(writer)?;
    let (of_word, total) = (pairs.of_word.clone(), pairs.total);
    pairs.each(|a, b, seen| {
        let found = super::pairs::pmi(seen, of_word[a as usize], of_word[b as usize], total);
        if seen > count && found > pmi {
            rows.add(writer, a, &[b])?;
        }
        Ok(())
    })?;
    Ok(rows.end(writer, numbers)? / 2)
}

/// The translations of each source word, with counts.
pub fn translations(writer: &mut Writer, runs: &mut Runs, words: usize) -> Result<u64> {
    let mut rows = Rows::begin(writer)?;
    let mut merge = runs.merge()?;
    while let Some((record, counts)) = merge.next()? {
        let number = |k: usize| {
            u32::from_be_bytes([record[4 * k], record[4 * k + 1], record[4 * k + 2], record[4 * k + 3]])
        };
        let count = u32::try_from(counts.occurrences / ONE).unwrap_or(u32::MAX);
        let word = number(0);
        let entry = [number(1), number(2), number(3), count];
        rows.add(writer, word, &entry)?;
    }
    rows.end(writer, words)
}

/// The neighbours of each target key with counts above `least`.
pub fn near(writer: &mut Writer, pairs: &mut Pairs, numbers: usize, least: u64) -> Result<u64> {
    let mut rows = Rows::begin(writer)?;
    pairs.each(|a, b, count| {
        if count > least {
            rows.add(writer, a, &[b, u32::try_from(count).unwrap_or(u32::MAX)])?;
        }
        Ok(())
    })?;
    Ok(rows.end(writer, numbers)? / 2)
}
