//! The first 256 bytes of a binary model, and the layout of its parts.
//!
//! Files are little-endian. The header is followed by, each at a multiple of 64 bytes: the ends of the words in the
//! text, the text of all words, the hash table of words, the unigrams, a hash table for each higher order, and the
//! checksums of everything after the header, see [`crate::store::blocks`].

use std::mem::size_of;
use std::path::Path;

use super::table::{Bucket, LongestBucket, MiddleBucket, Unigram};
use super::MAX_ORDER;
use crate::error::{Error, Result};
use crate::store::blocks;
use crate::store::hashing;

pub const SIZE: usize = 256;
const MAGIC: [u8; 8] = *b"graphmtL";
const VERSION: u32 = 2;
/// Reads differently on a machine with the other byte order.
const BYTE_ORDER: u32 = 0x0102_0304;

/// The sizes of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub order: usize,
    pub words: usize,
    /// Bytes of all words together.
    pub text: usize,
    /// Slots in the hash table of words.
    pub word_places: usize,
    /// N-grams of each order.
    pub counts: [usize; MAX_ORDER],
    /// For the orders from two on: the number of buckets that a hash value can select.
    pub ranges: [usize; MAX_ORDER],
    /// The total number of buckets (unigrams: entries); higher than the range, so that probing never wraps around.
    pub buckets: [usize; MAX_ORDER],
}

/// Start and length of a part, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub start: usize,
    pub length: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub ends: Part,
    pub text: Part,
    pub word_places: Part,
    /// By order - 1.
    pub orders: [Part; MAX_ORDER],
    /// The checksums; they cover everything between the header and them.
    pub sums: Part,
    pub file: usize,
}

impl Header {
    /// The sizes of a model with these n-grams.
    pub fn plan(counts: &[u64], text: usize) -> Result<Header> {
        let mut header = Header { order: counts.len(), words: counts[0] as usize, text, ..Header::default() };
        header.word_places = header.words + header.words / 2 + 1;
        if text > u32::MAX as usize {
            return Err(Error::input("the words have more than 4 GiB of text."));
        }
        for (index, &count) in counts.iter().enumerate() {
            let count = count as usize;
            header.counts[index] = count;
            let width = if index + 1 == counts.len() { LongestBucket::WIDTH } else { MiddleBucket::WIDTH };
            // Four of five slots are filled; entries may overflow behind the end of the range.
            header.ranges[index] = if index == 0 { 0 } else { (count + count / 4) / width + 1 };
            header.buckets[index] =
                if index == 0 { count } else { header.ranges[index] + count.min(4096) / width + 1 };
            if header.buckets[index] >= u32::MAX as usize / width {
                return Err(Error::input(format!("{count} n-grams of order {} are too many.", index + 1))
                    .hint("Prune the model (option prune), or lower the order."));
            }
        }
        Ok(header)
    }

    /// The parts of the file; `None` if the numbers are invalid.
    pub fn layout(&self) -> Option<Layout> {
        if !(1..=MAX_ORDER).contains(&self.order) {
            return None;
        }
        let mut layout = Layout { file: SIZE, ..Layout::default() };
        let mut part = |count: usize, size: usize| -> Option<Part> {
            let start = layout.file.checked_next_multiple_of(64)?;
            let length = count.checked_mul(size)?;
            layout.file = start.checked_add(length)?;
            Some(Part { start, length })
        };
        let ends = part(self.words, 4)?;
        let text = part(self.text, 1)?;
        let word_places = part(self.word_places, 8)?;
        let mut orders = [Part::default(); MAX_ORDER];
        for (index, order) in orders[..self.order].iter_mut().enumerate() {
            let size = if index == 0 { size_of::<Unigram>() } else { size_of::<MiddleBucket>() };
            *order = part(self.buckets[index], size)?;
        }
        let blocks = blocks::number(layout.file.checked_next_multiple_of(64)? - SIZE);
        let sums = Part { start: layout.file.checked_next_multiple_of(64)?, length: blocks.checked_mul(8)? };
        layout.file = sums.start.checked_add(sums.length)?;
        let ranges_fit = (1..self.order).all(|index| (1..self.buckets[index]).contains(&self.ranges[index]));
        let counts_fit = self.counts.iter().zip(&self.buckets).all(|(&count, &buckets)| count / 5 <= buckets);
        let words_fit = self.words == self.buckets[0] && self.words == self.counts[0] && self.words >= 3;
        let file = layout.file;
        let fits = words_fit && self.word_places > self.words && ranges_fit && counts_fit;
        fits.then_some(Layout { ends, text, word_places, orders, sums, file })
    }

    fn numbers(&self) -> Vec<u64> {
        let mut numbers =
            vec![self.order as u64, self.words as u64, self.text as u64, self.word_places as u64];
        for list in [&self.counts, &self.ranges, &self.buckets] {
            numbers.extend(list.iter().map(|&value| value as u64));
        }
        numbers
    }

    /// The header's bytes; `content` is the checksum of the checksums of the content.
    pub fn encode(&self, file: usize, content: u64) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&BYTE_ORDER.to_ne_bytes());
        let numbers = [file as u64, content].into_iter().chain(self.numbers());
        for (place, number) in bytes[24..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let sum = hashing::checksum(&bytes);
        bytes[16..24].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Parses the start of a file: the header, the layout, and the checksum of its checksums.
    pub fn decode(bytes: &[u8], path: &Path) -> Result<(Header, Layout, u64)> {
        let refuse = |message: &str, hint: &str| Err(Error::input(message).at(path, None).hint(hint));
        const AGAIN: &str = "Create it again with graphmt lm train or graphmt lm build.";
        if !bytes.starts_with(&MAGIC) {
            return refuse("this is not a binary language model of graphmt.", looks_like(bytes));
        }
        if bytes.len() < SIZE {
            return refuse("the language model is truncated.", AGAIN);
        }
        let small = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        if small(12) == BYTE_ORDER.swap_bytes() || cfg!(target_endian = "big") {
            return refuse("the language model was made on a machine with another byte order.", AGAIN);
        }
        if small(8) > VERSION {
            let message =
                format!("the language model has format {}; this version reads up to {VERSION}.", small(8));
            return refuse(&message, "Use a newer graphmt, or create the model again.");
        }
        if (1..VERSION).contains(&small(8)) {
            let message =
                format!("the language model has format {}, older than the {VERSION} known here.", small(8));
            return refuse(&message, AGAIN);
        }
        let number = |index: usize| {
            let at = 24 + index * 8;
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
        };
        let mut start: [u8; SIZE] = bytes[..SIZE].try_into().expect("long enough");
        start[16..24].fill(0);
        let sum = u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes"));
        if sum != hashing::checksum(&start) || small(8) != VERSION {
            return refuse("the header of the language model is damaged.", AGAIN);
        }
        let list = |from: usize| std::array::from_fn(|index| number(from + index) as usize);
        let header = Header {
            order: number(2) as usize,
            words: number(3) as usize,
            text: number(4) as usize,
            word_places: number(5) as usize,
            counts: list(6),
            ranges: list(6 + MAX_ORDER),
            buckets: list(6 + 2 * MAX_ORDER),
        };
        match header.layout() {
            Some(layout) if layout.file as u64 == number(0) && layout.file == bytes.len() => {
                Ok((header, layout, number(1)))
            }
            Some(layout) if layout.file > bytes.len() => refuse(
                &format!("the language model is truncated: {} bytes of {}.", bytes.len(), layout.file),
                AGAIN,
            ),
            _ => refuse("the header of the language model does not match its size.", AGAIN),
        }
    }
}

fn looks_like(bytes: &[u8]) -> &'static str {
    let text = bytes.trim_ascii_start();
    if text.starts_with(b"\\data\\") || bytes.starts_with(&[0x1f, 0x8b]) {
        "It looks like an ARPA file; convert it with graphmt lm build."
    } else if bytes.starts_with(b"mmap lm http") {
        "It looks like a KenLM binary; convert the ARPA file it was made from with graphmt lm build."
    } else if bytes.is_empty() {
        "It is empty."
    } else {
        "Pass a file created by graphmt lm train or graphmt lm build."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_and_damage_is_seen() {
        let header = Header::plan(&[10, 20, 30], 55).unwrap();
        let layout = header.layout().unwrap();
        let mut file = vec![0; layout.file];
        file[..SIZE].copy_from_slice(&header.encode(layout.file, 77));
        let path = Path::new("x.lm");
        assert_eq!(Header::decode(&file, path).unwrap(), (header, layout, 77));
        for position in 0..SIZE {
            let mut changed = file.clone();
            changed[position] ^= 1;
            assert!(Header::decode(&changed, path).is_err(), "byte {position}");
        }
        for length in [0, 7, 8, 100, SIZE, file.len() - 1] {
            let message = Header::decode(&file[..length], path).unwrap_err().to_string();
            assert!(length < 8 || message.contains("truncated"), "{length}: {message}");
        }
    }

    #[test]
    fn foreign_and_newer_files_are_named() {
        let message = |bytes: &[u8]| Header::decode(bytes, Path::new("x")).unwrap_err().to_string();
        assert!(message(b"\n\\data\\\nngram 1=3").contains("graphmt lm build"));
        assert!(message(b"mmap lm http://kheafield.com/code").contains("KenLM"));
        let mut newer = Header::plan(&[3], 0).unwrap().encode(999, 0);
        newer[8] = 3;
        assert!(message(&newer).contains("format 3"));
        newer[8] = 1;
        assert!(message(&newer).contains("format 1, older than the 2 known here. Create it again"));
    }
}
