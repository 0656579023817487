//! Lexical translation tables as Moses defines them: relative frequencies of linked words.
//!
//! w(e|f) = count(f,e) / count(f) and w(f|e) = count(f,e) / count(e), where count(f,e) is the number of links between
//! source word f and target word e, a word without any link is linked once to NULL, and
//! count(f), count(e) are sums of count(f,e) over the other side, NULL included. Moses writes them with 7 decimals
//! and reads them back, so the values here are rounded in the same way.
//!
//! The lexical weight of a phrase or rule (Koehn, Och & Marcu 2003, equation 5 and following) is
//! lex(e|f) = Π over target words of the mean of w(e|f) over the source words linked to it, NULL when there is none.

use crate::error::{Error, Result};

use super::encoded::NULL;
use crate::store::hashing::mix;

/// Entries sorted by (source, target) number; number 0 ([`NULL`]) is the empty word on either side.
///
/// At most 36 bytes an entry and eight a source word.
#[derive(Clone, Debug, Default)]
pub struct LexicalTable {
    entries: Vec<Entry>,
    /// The start of each source word's entries, and the end of the last.
    rows: Vec<usize>,
    /// The numbers of entries plus one, by the hash of their words; 0 where there is none. Half of them are free or more.
    slots: Vec<u32>,
}

/// One row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub source: u32,
    pub target: u32,
    /// Number of links; 0 if the table was read from probabilities.
    pub count: u32,
    /// w(e|f)
    pub target_given_source: f32,
    /// w(f|e)
    pub source_given_target: f32,
}

impl LexicalTable {
    /// From entries in any order; each pair of words may occur once.
    pub fn from_entries(entries: impl IntoIterator<Item = Entry>, source_words: usize) -> Result<Self> {
        let mut entries: Vec<Entry> = entries.into_iter().collect();
        entries.sort_unstable_by_key(|entry| (entry.source, entry.target));
        let slots = vec![0; (2 * entries.len() + 1).next_power_of_two()];
        let mut table = LexicalTable { rows: vec![0; source_words + 1], slots, entries };
        for (k, entry) in table.entries.iter().enumerate() {
            let pair = (entry.source, entry.target);
            if k > 0 && pair == (table.entries[k - 1].source, table.entries[k - 1].target) {
                return Err(Error::input(format!("the pair of words {pair:?} occurs twice.")));
            }
            if entry.source as usize >= source_words {
                return Err(Error::internal(format!("word {} of {source_words}.", entry.source)));
            }
            table.rows[entry.source as usize + 1] = k + 1;
            let mut slot = first_slot(&table.slots, hash(entry.source, entry.target));
            while table.slots[slot] != 0 {
                slot = slot_after(&table.slots, slot);
            }
            table.slots[slot] = k as u32 + 1;
        }
        // A source word without entries ends where the one before it does.
        for word in 1..table.rows.len() {
            table.rows[word] = table.rows[word].max(table.rows[word - 1]);
        }
        Ok(table)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries.iter().copied()
    }

    /// The entries of one source word, by target number.
    pub fn row(&self, source: u32) -> impl Iterator<Item = Entry> + '_ {
        let at = source as usize;
        let range = if at + 1 < self.rows.len() { self.rows[at]..self.rows[at + 1] } else { 0..0 };
        self.entries[range].iter().copied()
    }

    /// The entry of two words, or `None` if they were never linked.
    #[inline]
    pub fn find(&self, source: u32, target: u32) -> Option<&Entry> {
        self.find_hashed(hash(source, target), source, target)
    }

    #[inline]
    fn find_hashed(&self, hash: u64, source: u32, target: u32) -> Option<&Entry> {
        let mut slot = first_slot(&self.slots, hash);
        loop {
            let number = *self.slots.get(slot)? as usize;
            let entry = &self.entries[number.checked_sub(1)?];
            if (entry.source, entry.target) == (source, target) {
                return Some(entry);
            }
            slot = slot_after(&self.slots, slot);
        }
    }
}

#[inline]
fn hash(source: u32, target: u32) -> u64 {
    // Side by side: `mix` begins with an exclusive or, which many pairs of small numbers have in common.
    mix(u64::from(source) << 32, u64::from(target))
}

#[inline]
fn first_slot(slots: &[u32], hash: u64) -> usize {
    hash as usize & slots.len().wrapping_sub(1)
}

#[inline]
fn slot_after(slots: &[u32], slot: usize) -> usize {
    (slot + 1) & (slots.len() - 1)
}

/// Computes the lexical weights of pairs of word sequences, and reuses its buffers.
pub struct LexicalWeights<'a> {
    table: &'a LexicalTable,
    recent: Vec<PairWeights>,
    /// Those of the source words, then those of the target words.
    means: Vec<Mean>,
}

/// Pairs of words whose weights are held ready: 64 KiB, since frequent pairs are most of those that are looked up.
const RECENT: usize = 1 << 12;

/// w(e|f) and w(f|e) of a pair of words.
#[derive(Clone, Copy)]
struct PairWeights {
    source: u32,
    target: u32,
    target_given_source: f32,
    source_given_target: f32,
}

/// The sum of w over the words that a word is linked to, and their number.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    number: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.number += 1;
    }

    fn value(self, unlinked: impl FnOnce() -> f64) -> f64 {
        match self.number {
            0 => unlinked(),
            1 => self.sum,
            number => self.sum / f64::from(number),
        }
    }
}

impl<'a> LexicalWeights<'a> {
    pub fn new(table: &'a LexicalTable) -> Self {
        // No word has this number, and a pair that is not in the table has weight 1.
        let (source, target) = (u32::MAX, u32::MAX);
        let none = PairWeights { source, target, target_given_source: 1.0, source_given_target: 1.0 };
        LexicalWeights { table, recent: vec![none; RECENT], means: Vec::new() }
    }

    /// w(e|f) and w(f|e).
    #[inline]
    fn of_pair(table: &LexicalTable, recent: &mut [PairWeights], source: u32, target: u32) -> (f64, f64) {
        let hash = hash(source, target);
        // The table takes the lower bits.
        let held = &mut recent[(hash >> 32) as usize % RECENT];
        if (held.source, held.target) != (source, target) {
            let found = table.find_hashed(hash, source, target);
            let (target_given_source, source_given_target) =
                found.map_or((1.0, 1.0), |one| (one.target_given_source, one.source_given_target));
            *held = PairWeights { source, target, target_given_source, source_given_target };
        }
        (held.target_given_source.into(), held.source_given_target.into())
    }

    /// lex(e|f) and lex(f|e) of word sequences with links (source position, target position) between them. A word pair
    /// that is not in the table has weight 1, as in Moses.
    pub fn of(
        &mut self,
        source: &[u32],
        target: &[u32],
        links: impl Iterator<Item = (usize, usize)>,
    ) -> (f64, f64) {
        let LexicalWeights { table, recent, means } = self;
        let mut values = |source: u32, target: u32| Self::of_pair(table, recent, source, target);
        means.clear();
        means.resize(source.len() + target.len(), Mean::default());
        let (of_source, of_target) = means.split_at_mut(source.len());
        for (s, t) in links {
            let (target_given_source, source_given_target) = values(source[s], target[t]);
            of_target[t].add(target_given_source);
            of_source[s].add(source_given_target);
        }
        let direct =
            of_target.iter().zip(target).map(|(mean, &e)| mean.value(|| values(NULL, e).0)).product();
        let inverse =
            of_source.iter().zip(source).map(|(mean, &f)| mean.value(|| values(f, NULL).1)).product();
        (direct, inverse)
    }
}

/// Rounds to 7 decimals like C's `%.7f`. Where the arithmetic is not clear (near a decimal tie, or near the middle between
/// two floats) the decimals are written and read: for rare words the last digit is a thousandth of the value.
pub(super) fn rounded(probability: f64) -> f32 {
    let scaled = probability * 1e7;
    let nearest = (scaled as i64) as f64 + if scaled.fract() > 0.5 { 1.0 } else { 0.0 };
    let value = nearest / 1e7;
    let below_float = value.to_bits() & 0x1fff_ffff;
    let is_tie = (scaled.fract() - 0.5).abs() < 1e-6 || below_float.abs_diff(0x1000_0000) < 4;
    if is_tie {
        return format!("{probability:.7}").parse().unwrap_or(probability as f32);
    }
    value as f32
}

#[cfg(test)]
mod tests {
    use super::super::encoded::Encoded;
    use super::*;
    use crate::corpus::links::{Link, Links};

    fn encoded(lines: &[&str]) -> Encoded {
        let mut text = Encoded::new(0);
        for line in lines {
            text.push(line).unwrap();
        }
        text
    }

    #[test]
    fn values_are_rounded_as_written_and_read() {
        let all = (1..900u32).flat_map(|n| (1..n).map(move |k| f64::from(k) / f64::from(n)));
        let ties = (0..2000).map(|k| (f64::from(k) + 0.5) / 1e7);
        for probability in all.chain(ties).chain([0.0, 1.0, 1e-9]) {
            assert_eq!(rounded(probability), format!("{probability:.7}").parse::<f32>().unwrap());
        }
    }

    /// Source words: das 1, haus 2, ja 3; target: the 1, house 2, yes 3, well 4.
    fn table() -> LexicalTable {
        let source = encoded(&["das haus", "das", "ja das", "das"]);
        let target = encoded(&["the house", "the", "yes well", "house"]);
        let mut links = Links::default();
        links.push(&mut vec![Link::sure(0, 0), Link::sure(1, 1), Link::sure(0, 1)]);
        links.push(&mut vec![Link::sure(0, 0)]);
        links.push(&mut vec![Link::sure(0, 0)]);
        links.push(&mut vec![]);
        LexicalTable::count(&source, &target, &links).unwrap()
    }

    #[test]
    fn relative_frequencies_by_hand() {
        let table = table();
        let close =
            |found: Option<f32>, value: f64| assert!((f64::from(found.unwrap()) - value).abs() < 1e-7);
        // das: the twice, house once, NULL once (third pair). The fourth pair has no link and does not count.
        close(table.find(1, 1).map(|one| one.target_given_source), 0.5);
        close(table.find(1, 2).map(|one| one.target_given_source), 0.25);
        close(table.find(1, NULL).map(|one| one.target_given_source), 0.25);
        close(table.find(1, 2).map(|one| one.source_given_target), 0.5);
        close(table.find(1, 1).map(|one| one.source_given_target), 1.0);
        close(table.find(NULL, 4).map(|one| one.target_given_source), 1.0);
        assert_eq!(table.find(3, 1).map(|one| one.target_given_source), None);
        assert_eq!(table.find(99, 1).map(|one| one.target_given_source), None);
        assert_eq!(table.entries().map(|entry| entry.count).sum::<u32>(), 7);
    }

    #[test]
    fn weights_by_hand() {
        let table = table();
        // the: das; house: mean of das (0.25) and haus (1).
        let mut weights = LexicalWeights::new(&table);
        let (weight, inverse) = weights.of(&[1, 2], &[1, 2], [(0, 0), (0, 1), (1, 1)].into_iter());
        assert!((weight - 0.5 * 0.625).abs() < 1e-7, "{weight}");
        // das: mean of w(das|the) = 1 and w(das|house) = 0.5; haus: w(haus|house) = 0.5.
        assert!((inverse - 0.75 * 0.5).abs() < 1e-7, "{inverse}");
        // Without a link: w(das|NULL) = 1/1; an unknown pair counts as 1.
        assert_eq!(weights.of(&[1], &[4], [].into_iter()).1, 1.0);
        assert_eq!(weights.of(&[3], &[1], [(0, 0)].into_iter()).0, 1.0);
    }

    #[test]
    fn rounding_is_that_of_printf() {
        assert_eq!(rounded(1.0 / 3.0), 0.3333333);
        assert_eq!(rounded(1.0 / 1280.0), 0.0007813);
        assert_eq!(rounded(1.0 / 256.0), 0.0039062);
    }

    #[test]
    fn lengths_and_ranges_are_checked() {
        let (source, target) = (encoded(&["a"]), encoded(&["b"]));
        assert!(LexicalTable::count(&source, &target, &Links::default()).is_err());
        let mut links = Links::default();
        links.push(&mut vec![Link::sure(0, 1)]);
        let error = LexicalTable::count(&source, &target, &links).unwrap_err();
        assert!(error.message.starts_with("sentence pair 1: link 0-1"), "{error}");
    }
}
