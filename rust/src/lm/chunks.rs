//! Counting n-grams in chunks of a text: the vocabulary in a first pass, sorted records of the highest order in a second.
//! The records of all chunks together give the model of the whole text, see [`super::parts`].

use super::count::{advice, refusal, LineCounter, Reserved};
use super::record::Record;
use super::text::words;
use super::SPECIAL_WORDS;
use crate::error::{Error, Result};
use crate::store::vocab::Interner;

/// Records are returned in pieces of this many.
pub const PIECE: usize = 1 << 17;

/// Bits of a word's place for the words of a line, which has at most 64 MiB.
const WORD_BITS: u32 = 25;

/// Words in the order of their numbers, after the special ones.
pub fn vocabulary<'a>(words: impl Iterator<Item = &'a str>) -> Result<Interner> {
    let mut made = Interner::with(&SPECIAL_WORDS)?;
    for word in words {
        made.intern(word)?;
    }
    Ok(made)
}

/// The words of a chunk with their first places, which sort in the order of the words' numbers. Lines are numbered from
/// 0 and in ascending order.
pub fn first_places<'a>(lines: impl Iterator<Item = (u64, &'a str)>) -> Result<Vec<(String, u64)>> {
    let mut known = Interner::with(&SPECIAL_WORDS)?;
    let mut found = Vec::new();
    for (number, line) in lines {
        let mut place = number << WORD_BITS;
        for word in words(line) {
            let before = known.len();
            known.intern(word)?;
            if known.len() > before {
                found.push((word.to_owned(), place));
                place += 1;
            }
        }
    }
    Ok(found)
}

/// Counts the n-grams of chunks.
pub struct NgramCounter {
    counter: LineCounter,
    records: Vec<Record>,
    /// The number of records after which equal ones are added up.
    limit: usize,
    pub lines: u64,
    pub tokens: u64,
}

impl NgramCounter {
    pub fn new(order: usize, reserved: Reserved) -> Self {
        let counter = LineCounter::new(order, reserved);
        NgramCounter { counter, records: Vec::new(), limit: 1 << 20, lines: 0, tokens: 0 }
    }

    /// Counts a line, all of whose words must have numbers; `number` counts lines from 0.
    pub fn add(&mut self, number: u64, line: &str, vocabulary: &mut Interner) -> Result<()> {
        let known = vocabulary.len();
        let records = &mut self.records;
        let counted = self.counter.count(line, vocabulary, |record| {
            records.push(record);
            Ok(())
        })?;
        let at = |message: String| Error::input(format!("line {}: {message}", number + 1));
        if vocabulary.len() > known {
            return Err(at("the vocabulary lacks some of its words.".to_owned()));
        }
        self.tokens += counted.map_err(|id| at(refusal(vocabulary, id)).hint(advice(id)))?;
        self.lines += 1;
        if self.records.len() > self.limit {
            self.add_up();
            self.limit = (2 * self.records.len()).max(1 << 20);
        }
        Ok(())
    }

    fn add_up(&mut self) {
        self.records.sort_unstable_by_key(|record| record.key);
        self.records.dedup_by(|later, kept| {
            let same = later.key == kept.key;
            kept.value += if same { later.value } else { 0 };
            same
        });
    }

    /// The bytes of the records counted so far.
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(&self.records[..])
    }

    /// The sorted records, divided into parts at `bounds`, see [`bounds`].
    pub fn take(&mut self, bounds: &[Record]) -> Vec<(u32, Vec<u8>)> {
        self.add_up();
        let mut pieces = Vec::new();
        let mut rest = &self.records[..];
        for part in 0..=bounds.len() {
            let end = bounds
                .get(part)
                .map_or(rest.len(), |bound| rest.partition_point(|record| record.key < bound.key));
            let (here, after) = rest.split_at(end);
            pieces.extend(here.chunks(PIECE).map(|piece| (part as u32, Record::bytes(piece).to_vec())));
            rest = after;
        }
        self.records.clear();
        pieces
    }

    /// Bounds that divide the records counted so far into `parts` of about the same size. N-grams with the same last two
    /// words are not separated, so that they have their adjusted counts from one part.
    pub fn bounds(&mut self, parts: usize) -> Vec<Record> {
        self.add_up();
        let mut found: Vec<Record> = (1..parts)
            .filter_map(|part| self.records.get(self.records.len() * part / parts))
            .map(|record| Record { key: record.key.prefix(2), value: 0 })
            .collect();
        found.dedup_by(|a, b| a.key == b.key);
        found
    }
}

/// Records from bytes.
pub fn records(bytes: &[u8]) -> Result<Vec<Record>> {
    let size = std::mem::size_of::<Record>();
    if bytes.len() % size > 0 {
        return Err(Error::internal("a damaged piece of counted n-grams."));
    }
    let mut made = vec![Record::default(); bytes.len() / size];
    Record::bytes_mut(&mut made).copy_from_slice(bytes);
    Ok(made)
}
