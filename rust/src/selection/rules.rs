//! Rules identified by the words and holes of their sides, for models of rule selection.
//!
//! An identifier is a hash of the symbols as numbered by the rule table. Rules that differ only in links, gaps,
//! contexts or alignment share one.

use crate::corpus::pair::Pair;
use crate::decode::option_rows::OptionRow;
use crate::decode::sentence::Sentence;
use crate::error::Result;
use crate::extract::extractor::Extractor;
use crate::rule::bytes::Rule;
use crate::rule::record::{Context, Record};
use crate::rule::symbols::label;
use crate::source::spans::Span;
use crate::store::hashing;
use crate::store::vocab::Interner;
use crate::table::read::Table;

/// A hole of a source side, regardless of its label.
const HOLE: u32 = u32::MAX - 1;
/// A word that is not in the table.
pub const UNKNOWN_WORD: u32 = u32::MAX;

/// The identifier of a source side or target side.
pub fn side(symbols: impl Iterator<Item = u32>) -> u64 {
    let mut bytes = [0; 4 * 32];
    let mut length = 0;
    for (symbol, four) in symbols.zip(bytes.chunks_exact_mut(4)) {
        four.copy_from_slice(&symbol.to_le_bytes());
        length += 4;
    }
    hashing::word(&bytes[..length])
}

/// The lower bits of a rule's identifier come from its target side, the others from its source side.
const TARGET_BITS: u32 = 28;

/// The identifier of a rule, from those of its sides. Rules with the same source side are adjacent when sorted.
pub fn rule(source: u64, target: u64) -> u64 {
    source_of(source) | target >> (u64::BITS - TARGET_BITS)
}

/// The bits that all rules with this rule's source side share.
pub fn source_of(rule: u64) -> u64 {
    rule >> TARGET_BITS << TARGET_BITS
}

/// Maps the word numbers of a training corpus to those of the table.
pub struct TableNumbers<'a> {
    table: &'a Table,
    source: Vec<u32>,
    target: Vec<u32>,
}

impl<'a> TableNumbers<'a> {
    pub fn new(table: &'a Table) -> Self {
        TableNumbers { table, source: Vec::new(), target: Vec::new() }
    }

    /// Adds the new words of the corpus.
    pub fn grow(&mut self, source: &Interner, target: &Interner) {
        let (known, other) = (self.table.source_words(), self.table.target_words());
        for id in self.source.len() as u32..source.len() as u32 {
            let word = source.word(id);
            let number = label(word).map_or_else(|| known.get(word).unwrap_or(UNKNOWN_WORD), |_| HOLE);
            self.source.push(number);
        }
        for id in self.target.len() as u32..target.len() as u32 {
            let word = target.word(id);
            self.target.push(other.get(word).unwrap_or(UNKNOWN_WORD));
        }
    }

    /// The table's number for a source word of the corpus.
    pub fn source_word(&self, word: u32) -> u32 {
        self.source[word as usize]
    }

    /// The table's number for a target word of the corpus.
    pub fn target_word(&self, word: u32) -> u32 {
        self.target[word as usize]
    }

    /// The identifiers of a rule's sides.
    pub fn sides(&self, record: &Record<'_>) -> (u64, u64) {
        let source = side(record.source_words().map(|(word, _)| self.source[word as usize]));
        (source, side(record.target_words().map(|word| self.target[word as usize])))
    }
}

/// The words of a sentence as numbers of the table.
pub fn sentence_numbers(sentence: &Sentence, table: &Table) -> Vec<u32> {
    let words = table.source_words();
    sentence.words.iter().map(|word| words.get(word).unwrap_or(UNKNOWN_WORD)).collect()
}

/// The identifier of an option's source side.
pub fn option_source(row: &OptionRow<'_>, words: &[u32]) -> u64 {
    let (mut positions, mut holes) = (row.positions.iter().peekable(), row.holes.iter().peekable());
    side(std::iter::from_fn(|| match (positions.peek(), holes.peek()) {
        (Some(&&at), Some(&&(first, _))) if first < at => {
            holes.next();
            Some(HOLE)
        }
        (Some(&&at), _) => {
            positions.next();
            Some(words[at])
        }
        (None, Some(_)) => {
            holes.next();
            Some(HOLE)
        }
        (None, None) => None,
    }))
}

/// The identifier of an option's target side.
pub fn option_target(row: &OptionRow<'_>) -> u64 {
    side(row.target.iter().copied())
}

/// The span that a match covers, and its holes.
pub struct MatchSpans<'a> {
    pub span: Span,
    pub holes: &'a [Span],
}

/// The span that an option covers, from its first word or hole to its last.
pub fn covered_span(row: &OptionRow<'_>) -> Span {
    let first = row.positions.first().copied().unwrap_or(usize::MAX);
    let end = row.positions.last().map_or(0, |last| last + 1);
    row.holes.iter().fold((first, end), |(first, end), hole| (first.min(hole.0), end.max(hole.1)))
}

/// Calls `found(source side, target side, rule)` for every rule of a table.
pub fn table_sides(table: &Table, mut found: impl FnMut(u64, u64, &Rule)) {
    let source = table.source_words();
    let source_symbol = |symbol: u32| label(source.word(symbol)).map_or(symbol, |_| HOLE);
    table.source_sides(|symbols, node| {
        let from = side(symbols.iter().map(|&(symbol, _)| source_symbol(symbol)));
        table.rules(node, |rule| found(from, side(rule.target.iter().copied()), rule));
        true
    });
}

/// Calls `found(source side, target side, weight, spans)` for every occurrence of a basic rule in a pair.
pub fn occurrences<E: Extractor>(
    extractor: &E,
    pair: &Pair,
    scratch: &mut E::Scratch,
    numbers: &TableNumbers<'_>,
    mut found: impl FnMut(u64, u64, u64, &MatchSpans<'_>) -> Result<()>,
) -> Result<()> {
    let mut failed = Ok(());
    let mut holes: Vec<Span> = Vec::new();
    extractor.extract(pair, scratch, |bytes, occurrence, places| {
        let record = Record::read(bytes);
        // Contextual rules come from the same occurrences as the basic rule with the same words.
        let (Some(first), Some(last)) = (places.first(), places.last()) else { return };
        if failed.is_ok() && record.context == Context::Any {
            holes.clear();
            let symbols = record.source_words().zip(places);
            let is_hole = |&((symbol, _), _): &((u32, u16), &Span)| numbers.source_word(symbol) == HOLE;
            holes.extend(symbols.filter(is_hole).map(|(_, place)| place));
            let (source, target) = numbers.sides(&record);
            failed = found(
                source,
                target,
                occurrence.weight,
                &MatchSpans { span: (first.0, last.1), holes: &holes },
            );
        }
    });
    failed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::option_rows::Links;

    #[test]
    fn rules_of_a_source_side_are_side_by_side() {
        let sides: Vec<u64> = (0..50).map(|word| side([word, 7].into_iter())).collect();
        let mut rules: Vec<(u64, u64)> =
            sides.iter().flat_map(|&s| sides.iter().map(move |&t| (rule(s, t), s))).collect();
        rules.sort_unstable();
        assert!(rules.windows(2).all(|two| two[0].0 < two[1].0), "identifiers are unique");
        assert_eq!(rules.chunk_by(|a, b| a.1 == b.1).count(), 50);
        assert!(rules.iter().all(|&(number, source)| source_of(number) == source_of(source)));
    }

    #[test]
    fn positions_and_holes_make_a_source_side() {
        let row = |positions: &'static [usize], holes: &'static [Span]| OptionRow {
            positions,
            target: &[7, 8],
            lm_words: &[],
            match_id: 0,
            alignment: Links::of(&[]),
            scores: &[],
            copied: false,
            context: None,
            holes,
        };
        let words = [10, 11, 12, 13];
        assert_eq!(option_source(&row(&[0, 3], &[(1, 3)]), &words), side([10, HOLE, 13].into_iter()));
        assert_eq!(option_source(&row(&[2], &[(0, 2), (3, 4)]), &words), side([HOLE, 12, HOLE].into_iter()));
        assert_eq!(option_source(&row(&[1, 2], &[]), &words), side([11, 12].into_iter()));
        assert_eq!(option_target(&row(&[1], &[])), side([7, 8].into_iter()));
    }
}
