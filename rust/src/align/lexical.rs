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
use crate::corpus::links::Position;

/// Entries sorted by (source, target) number; number 0 ([`NULL`]) is the empty word on either side.
///
/// Sixteen bytes an entry and eight a source word.
#[derive(Clone, Debug, Default)]
pub struct LexicalTable {
    /// The start of each source word's entries, and the end of the last.
    rows: Vec<usize>,
    target: Vec<u32>,
    /// Number of links; 0 if the table was read from probabilities.
    count: Vec<u32>,
    target_given_source: Vec<f32>,
    source_given_target: Vec<f32>,
}

/// One row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub source: u32,
    pub target: u32,
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
        entries.sort_by_key(|entry| (entry.source, entry.target));
        let mut table = LexicalTable { rows: vec![0; source_words + 1], ..Self::default() };
        for (k, entry) in entries.iter().enumerate() {
            let pair = (entry.source, entry.target);
            if k > 0 && pair == (entries[k - 1].source, entries[k - 1].target) {
                return Err(Error::input(format!("the pair of words {pair:?} occurs twice.")));
            }
            if entry.source as usize >= source_words {
                return Err(Error::internal(format!("word {} of {source_words}.", entry.source)));
            }
            table.rows[entry.source as usize + 1] = k + 1;
            table.target.push(entry.target);
            table.count.push(entry.count);
            table.target_given_source.push(entry.target_given_source);
            table.source_given_target.push(entry.source_given_target);
        }
        // A source word without entries ends where the one before it does.
        for word in 1..table.rows.len() {
            table.rows[word] = table.rows[word].max(table.rows[word - 1]);
        }
        Ok(table)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.target.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.rows.len().saturating_sub(1) as u32).flat_map(move |source| self.row(source))
    }

    /// The entries of one source word, by target number.
    pub fn row(&self, source: u32) -> impl Iterator<Item = Entry> + '_ {
        let at = source as usize;
        let range = if at + 1 < self.rows.len() { self.rows[at]..self.rows[at + 1] } else { 0..0 };
        range.map(move |k| Entry {
            source,
            target: self.target[k],
            count: self.count[k],
            target_given_source: self.target_given_source[k],
            source_given_target: self.source_given_target[k],
        })
    }

    /// w(e|f), or `None` if the two were never linked.
    pub fn target_given_source(&self, source: u32, target: u32) -> Option<f32> {
        self.find(source, target).map(|k| self.target_given_source[k])
    }

    /// w(f|e), or `None` if the two were never linked.
    pub fn source_given_target(&self, source: u32, target: u32) -> Option<f32> {
        self.find(source, target).map(|k| self.source_given_target[k])
    }

    fn find(&self, source: u32, target: u32) -> Option<usize> {
        let at = source as usize;
        let (start, end) = (*self.rows.get(at)?, *self.rows.get(at + 1)?);
        self.target[start..end].binary_search(&target).ok().map(|k| start + k)
    }

    /// lex(e|f) of a pair of word sequences with links (source position, target position) inside it. A word pair that
    /// is not in the table has weight 1, as in Moses.
    pub fn weight_of_target(&self, source: &[u32], target: &[u32], links: &[(Position, Position)]) -> f64 {
        product_of_means(
            target.len(),
            |at| {
                let linked = links.iter().filter(move |link| usize::from(link.1) == at);
                linked.map(move |link| self.target_given_source(source[usize::from(link.0)], target[at]))
            },
            |at| self.target_given_source(NULL, target[at]),
        )
    }

    /// lex(f|e), the same for source words.
    pub fn weight_of_source(&self, source: &[u32], target: &[u32], links: &[(Position, Position)]) -> f64 {
        product_of_means(
            source.len(),
            |at| {
                let linked = links.iter().filter(move |link| usize::from(link.0) == at);
                linked.map(move |link| self.source_given_target(source[at], target[usize::from(link.1)]))
            },
            |at| self.source_given_target(source[at], NULL),
        )
    }
}

fn product_of_means<I: Iterator<Item = Option<f32>>>(
    words: usize,
    linked: impl Fn(usize) -> I,
    unlinked: impl Fn(usize) -> Option<f32>,
) -> f64 {
    let value = |found: Option<f32>| found.map_or(1.0, f64::from);
    let mut product = 1.0;
    for at in 0..words {
        let (mut sum, mut number) = (0.0, 0u32);
        for found in linked(at) {
            sum += value(found);
            number += 1;
        }
        product *= if number > 0 { sum / f64::from(number) } else { value(unlinked(at)) };
    }
    product
}

/// Rounds to 7 decimals like C's `%.7f`. Arithmetic rounding differs where a decimal tie has no exact binary form, and
/// for rare words the last digit is a thousandth of the value.
pub(super) fn rounded(probability: f64) -> f32 {
    format!("{probability:.7}").parse().unwrap_or(probability as f32)
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
        close(table.target_given_source(1, 1), 0.5);
        close(table.target_given_source(1, 2), 0.25);
        close(table.target_given_source(1, NULL), 0.25);
        close(table.source_given_target(1, 2), 0.5);
        close(table.source_given_target(1, 1), 1.0);
        close(table.target_given_source(NULL, 4), 1.0);
        assert_eq!(table.target_given_source(3, 1), None);
        assert_eq!(table.target_given_source(99, 1), None);
        assert_eq!(table.entries().map(|entry| entry.count).sum::<u32>(), 7);
    }

    #[test]
    fn weights_by_hand() {
        let table = table();
        // the: das; house: mean of das (0.25) and haus (1).
        let weight = table.weight_of_target(&[1, 2], &[1, 2], &[(0, 0), (0, 1), (1, 1)]);
        assert!((weight - 0.5 * 0.625).abs() < 1e-7, "{weight}");
        // das: mean of w(das|the) = 1 and w(das|house) = 0.5; haus: w(haus|house) = 0.5.
        let weight = table.weight_of_source(&[1, 2], &[1, 2], &[(0, 0), (0, 1), (1, 1)]);
        assert!((weight - 0.75 * 0.5).abs() < 1e-7, "{weight}");
        // Without a link: w(das|NULL) = 1/1; an unknown pair counts as 1.
        assert_eq!(table.weight_of_source(&[1], &[4], &[]), 1.0);
        assert_eq!(table.weight_of_target(&[3], &[1], &[(0, 0)]), 1.0);
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
