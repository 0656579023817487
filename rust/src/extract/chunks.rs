//! Extraction from chunks of a corpus that are read somewhere else: the vocabulary in a first pass, counted rules in a
//! second. The results of all chunks together are those of [`super::train`] on the whole corpus.

use std::io::Cursor;
use std::path::Path;

use super::corpus::{count, PAIRS_PER_RUN};
use super::extractor::Extractor;
use super::train::{count_links, vocabularies};
use crate::align::lexical_counts::LexicalCounts;
use crate::corpus::conllu::{MultiwordTokens, Reader};
use crate::corpus::links::Link;
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::attach_tree;
use crate::corpus::pharaoh::{check_range, parse_line};
use crate::corpus::text::Lines;
use crate::corpus::tokens::tokens;
use crate::corpus::trees::Trees;
use crate::error::{Error, Result};
use crate::store::runs::{Heap, Run};
use crate::store::vocab::Interner;

/// A sentence pair as it is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairText<'a> {
    /// The place of the pair in the corpus, from 0.
    pub number: u64,
    pub source: &'a str,
    pub target: &'a str,
    /// Links `i-j`.
    pub alignment: &'a str,
    /// The source side as CoNLL-U with the same tokens, for extractors that need trees.
    pub tree: Option<&'a str>,
}

/// Words, and symbols of holes, of both sides.
pub struct Vocabularies {
    pub source: Interner,
    pub target: Interner,
}

impl Vocabularies {
    /// The extractor's symbols, followed by words in the order of their numbers.
    pub fn with<'a, E: Extractor>(
        extractor: &E,
        source: impl Iterator<Item = &'a str>,
        target: impl Iterator<Item = &'a str>,
    ) -> Result<Self> {
        let (mut made, mut other) = vocabularies(extractor)?;
        for (words, given) in [(&mut made, source.collect::<Vec<_>>()), (&mut other, target.collect())] {
            for word in given {
                words.intern(word)?;
            }
        }
        Ok(Vocabularies { source: made, target: other })
    }

    fn sizes(&self) -> (usize, usize) {
        (self.source.len(), self.target.len())
    }
}

/// The first place of a symbol in a chunk. The places of a corpus sort in the order of the symbols' numbers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FirstPlace {
    pub is_target: bool,
    pub symbol: String,
    pub place: u64,
}

/// Bits of a place for the pairs of a block and for the symbols of a pair.
const PAIR_BITS: u32 = PAIRS_PER_RUN.trailing_zeros();
const SYMBOL_BITS: u32 = 20;

/// Words are numbered pair by pair; the other symbols of a block of pairs follow the words of the block.
fn place(number: u64, is_word: bool, symbol: usize) -> Result<u64> {
    let (block, pair) = (number >> PAIR_BITS, number & (PAIRS_PER_RUN as u64 - 1));
    if symbol >> SYMBOL_BITS > 0 || block >> (62 - PAIR_BITS - SYMBOL_BITS) > 0 {
        return Err(at(number, Error::input("a sentence of more than 1,048,575 different words.")));
    }
    Ok((((block << 1 | u64::from(!is_word)) << PAIR_BITS) | pair) << SYMBOL_BITS | symbol as u64)
}

/// Turns text into pairs.
#[derive(Default)]
pub struct PairParser {
    /// Parts of speech.
    tags: Interner,
    links: Vec<Link>,
}

impl PairParser {
    /// Adds the places of the symbols of a chunk that `words` does not have, and the symbols. The pairs are in ascending
    /// order. Alignments are not read.
    fn find_places<E: Extractor>(
        &mut self,
        extractor: &E,
        texts: &[PairText<'_>],
        words: &mut Vocabularies,
        found: &mut Vec<FirstPlace>,
    ) -> Result<()> {
        let trees = read_trees(texts)?;
        for (k, text) in texts.iter().enumerate() {
            let before = words.sizes();
            let mut pair = self.words(text, trees.as_ref().map(|trees| (trees, k)), words)?;
            let between = words.sizes();
            extractor.prepare(&mut pair, &self.tags, &mut words.source)?;
            let after = words.sizes();
            for (is_target, is_word, first, end) in [
                (false, true, before.0, between.0),
                (true, true, before.1, between.1),
                (false, false, between.0, after.0),
            ] {
                let side = if is_target { &words.target } else { &words.source };
                for id in first..end {
                    found.push(FirstPlace {
                        is_target,
                        symbol: side.word(id as u32).to_owned(),
                        place: place(text.number, is_word, id - first)?,
                    });
                }
            }
        }
        Ok(())
    }

    /// The pairs of a chunk, prepared for the extractor. All their symbols must have numbers.
    fn pairs<E: Extractor>(
        &mut self,
        extractor: &E,
        texts: &[PairText<'_>],
        words: &mut Vocabularies,
    ) -> Result<Vec<Pair>> {
        let trees = read_trees(texts)?;
        let before = words.sizes();
        let mut pairs = Vec::with_capacity(texts.len());
        for (k, text) in texts.iter().enumerate() {
            let mut pair = self.words(text, trees.as_ref().map(|trees| (trees, k)), words)?;
            self.links.clear();
            parse_line(text.alignment, false, &mut self.links).map_err(|error| at(text.number, error))?;
            check_range(&self.links, pair.source.len() as u32, pair.target.len() as u32)
                .map_err(|error| at(text.number, error))?;
            pair.points.extend(self.links.iter().map(|link| (link.source, link.target)));
            extractor.prepare(&mut pair, &self.tags, &mut words.source)?;
            if words.sizes() != before {
                return Err(at(text.number, Error::input("the vocabulary lacks some of its words."))
                    .hint("The vocabulary must be that of the same corpus and system."));
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }

    fn words(
        &mut self,
        text: &PairText<'_>,
        tree: Option<(&Trees, usize)>,
        words: &mut Vocabularies,
    ) -> Result<Pair> {
        let mut pair = Pair {
            source: tokens(text.source).map(|word| words.source.intern(word)).collect::<Result<_>>()?,
            target: tokens(text.target).map(|word| words.target.intern(word)).collect::<Result<_>>()?,
            ..Pair::default()
        };
        if let Some((trees, k)) = tree {
            let (tree, source) = (trees.heads_of(k).len(), pair.source.len());
            if tree != source {
                let message = format!("its tree has {tree} words, its source text has {source}.");
                return Err(
                    at(text.number, Error::input(message)).hint("Trees and text must have the same tokens.")
                );
            }
            attach_tree(&mut pair, trees, k, &mut self.tags)?;
        }
        Ok(pair)
    }
}

/// Finds the first places of the symbols of chunks. A chunk that begins before the end of the one before it is searched
/// for all symbols again, so that a symbol may have several places, the first of which counts.
#[derive(Default)]
pub struct SymbolFinder {
    parser: PairParser,
    /// The symbols found since a chunk began before its predecessor's end.
    known: Option<Vocabularies>,
    /// The number of the next pair at the earliest.
    next: u64,
    pub found: Vec<FirstPlace>,
}

impl SymbolFinder {
    /// Reads a chunk whose pairs are in ascending order.
    pub fn add<E: Extractor>(&mut self, extractor: &E, texts: &[PairText<'_>]) -> Result<()> {
        let [Some(first), Some(last)] = [texts.first(), texts.last()] else { return Ok(()) };
        if first.number < self.next {
            self.known = None;
        }
        self.next = last.number + 1;
        let known = match &mut self.known {
            Some(known) => known,
            none => {
                let (source, target) = vocabularies(extractor)?;
                none.insert(Vocabularies { source, target })
            }
        };
        self.parser.find_places(extractor, texts, known, &mut self.found)
    }

    /// What was found since this was last called; the symbols are forgotten.
    pub fn take(&mut self) -> Vec<FirstPlace> {
        self.known = None;
        std::mem::take(&mut self.found)
    }
}

/// Rules, linked words and pairs counted so far.
#[derive(Default)]
pub struct ChunkCounts {
    pub runs: Vec<Run>,
    pub links: LexicalCounts,
    pub pairs: u64,
    pub too_long: u64,
}

impl ChunkCounts {
    /// Counts the pairs of a chunk.
    pub fn add<E: Extractor>(
        &mut self,
        parser: &mut PairParser,
        extractor: &E,
        texts: &[PairText<'_>],
        words: &mut Vocabularies,
    ) -> Result<()> {
        let pairs = parser.pairs(extractor, texts, words)?;
        pairs.iter().for_each(|pair| count_links(pair, &mut self.links));
        // As large as they can be: merging costs less for fewer runs.
        self.runs.extend(count(&pairs, extractor, &mut Heap::default()));
        self.pairs += pairs.len() as u64;
        self.too_long += pairs.iter().filter(|pair| pair.is_too_long()).count() as u64;
        Ok(())
    }

    /// The bytes of the counted rules.
    pub fn bytes(&self) -> usize {
        self.runs.iter().map(Run::bytes).sum()
    }
}

/// The trees of a chunk; `None` if it has none.
fn read_trees(texts: &[PairText<'_>]) -> Result<Option<Trees>> {
    let Some(first) = texts.first().filter(|text| text.tree.is_some()) else { return Ok(None) };
    let mut joined = String::new();
    for text in texts {
        let tree = text.tree.unwrap_or_default();
        if tree.trim().is_empty() {
            return Err(at(text.number, Error::input("it has no tree.")));
        }
        joined.push_str(tree.trim_matches('\n'));
        joined.push_str("\n\n");
    }
    let named = format!("trees from sentence pair {}", first.number + 1);
    let lines = Lines::from_stream(Cursor::new(joined.into_bytes()), Path::new(&named))?;
    let trees = Reader::new(lines, MultiwordTokens::Surface).read(texts.len() + 1)?;
    if trees.len() != texts.len() {
        return Err(Error::input(format!("{named}: {} trees for {} pairs.", trees.len(), texts.len()))
            .hint("Each pair has one tree, without blank lines in it."));
    }
    Ok(Some(trees))
}

fn at(number: u64, mut error: Error) -> Error {
    error.message = format!("sentence pair {}: {}", number + 1, error.message);
    error
}
