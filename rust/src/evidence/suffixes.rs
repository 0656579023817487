//! A suffix array of a text, sorted by the first few words: finds every occurrence of a short n-gram.

use std::ops::Range;

use rayon::prelude::*;

use super::distinct::DistinctCounts;
use super::text::{Text, END};
use crate::work::interrupt;

/// Tokens between two entries of the table that finds the sentence of a token.
const STRIDE: usize = 16;

/// About 5 bytes a token besides the text: four for the array, a bit for each n-gram order, a quarter of a byte to find
/// the sentence of a token; and four bytes for each word of the vocabulary. Building takes about 17 bytes more for each
/// occurrence of the word being sorted, and a byte a token.
pub struct SuffixArray {
    depth: usize,
    /// Positions of all tokens, sorted by the `depth` words from there or up to the sentence end, then by position.
    positions: Vec<u32>,
    /// Where the suffixes of each first word begin.
    buckets: Vec<u32>,
    /// The sentence of every [`STRIDE`]th position.
    sentences: Vec<u32>,
    distinct: DistinctCounts,
}

impl SuffixArray {
    pub fn new(text: &Text, depth: usize) -> Self {
        let words = text.words();
        let (mut positions, buckets) = by_first_word(words, text.vocabulary.len());
        let mut rest = &mut positions[..];
        let mut slices = Vec::new();
        for ends in buckets[1..].windows(2) {
            let (one, others) = rest.split_at_mut((ends[1] - ends[0]) as usize);
            rest = others;
            if one.len() > 1 {
                slices.push(one);
            }
        }
        slices.into_par_iter().for_each(|slice| {
            interrupt::point();
            sort(words, slice, 1, depth);
        });
        let mut sentences = Vec::with_capacity(words.len() / STRIDE + 1);
        let mut sentence = 0;
        for position in (0..words.len()).step_by(STRIDE) {
            while text.starts()[sentence + 1] as usize <= position {
                sentence += 1;
            }
            sentences.push(sentence as u32);
        }
        let distinct = DistinctCounts::new(text, &positions, depth);
        SuffixArray { depth, positions, buckets, sentences, distinct }
    }

    /// The suffixes that begin with a word.
    pub fn word(&self, word: u32) -> Range<u32> {
        match self.buckets.get(word as usize + 1) {
            Some(&end) if word != END => self.buckets[word as usize]..end,
            _ => 0..0,
        }
    }

    /// Of suffixes that have `length` words in common, those where `word` follows; [`END`] asks for those that end.
    pub fn narrow(&self, text: &Text, range: Range<u32>, length: usize, word: u32) -> Range<u32> {
        debug_assert!(length < self.depth);
        let slice = &self.positions[range.start as usize..range.end as usize];
        let next = |&position: &u32| text.words()[position as usize + length];
        let first = slice.partition_point(|position| next(position) < word);
        let number = slice[first..].partition_point(|position| next(position) == word);
        range.start + first as u32..range.start + (first + number) as u32
    }

    /// The suffixes that begin with an n-gram of at most `depth` words.
    pub fn find(&self, text: &Text, ngram: &[u32]) -> Range<u32> {
        let Some((&first, others)) = ngram.split_first() else { return 0..0 };
        let mut range = self.word(first);
        for (length, &word) in others.iter().enumerate() {
            if range.is_empty() {
                break;
            }
            range = self.narrow(text, range, length + 1, word);
        }
        range
    }

    /// The number of sentences with an n-gram of this length whose suffixes are these.
    pub fn sentences_with(&self, range: Range<u32>, length: usize) -> usize {
        self.distinct.count(range, length)
    }

    /// The sentences with such an n-gram, each once, in the order of the suffixes.
    pub fn each_sentence<'a>(
        &'a self,
        text: &'a Text,
        range: Range<u32>,
        length: usize,
    ) -> impl Iterator<Item = u32> + 'a {
        range
            .filter(move |&rank| self.distinct.is_first(rank, length))
            .map(|rank| self.sentence(text, self.positions[rank as usize]))
    }

    /// The position of a suffix in the text.
    pub fn position(&self, rank: u32) -> u32 {
        self.positions[rank as usize]
    }

    /// The sentence of a position.
    #[inline]
    pub fn sentence(&self, text: &Text, position: u32) -> u32 {
        let mut sentence = self.sentences[position as usize / STRIDE];
        while text.starts()[sentence as usize + 1] <= position {
            sentence += 1;
        }
        sentence
    }
}

/// The positions of all words, in a bucket for each word, and where the buckets begin.
fn by_first_word(words: &[u32], vocabulary: usize) -> (Vec<u32>, Vec<u32>) {
    let mut buckets = vec![0u32; vocabulary + 2];
    for &word in words {
        buckets[word as usize + 1] += 1;
    }
    // Sentence ends are not sorted, so theirs is the empty bucket at the beginning.
    buckets[END as usize + 1] = 0;
    for at in 1..buckets.len() {
        buckets[at] += buckets[at - 1];
    }
    let mut free = buckets.clone();
    let mut positions = vec![0u32; buckets[vocabulary + 1] as usize];
    for (position, &word) in words.iter().enumerate() {
        if word != END {
            let place = &mut free[word as usize];
            positions[*place as usize] = position as u32;
            *place += 1;
        }
    }
    (positions, buckets)
}

/// Sorts suffixes that have the first `at` words in common, by the next two words at a time.
fn sort(words: &[u32], slice: &mut [u32], at: usize, depth: usize) {
    if slice.len() < 2 || at >= depth {
        return;
    }
    let key = |position: u32| {
        let here = position as usize + at;
        let first = words[here];
        let second = if first == END || at + 1 >= depth { END } else { words[here + 1] };
        u64::from(first) << 32 | u64::from(second)
    };
    let mut keyed: Vec<(u64, u32)> = slice.iter().map(|&position| (key(position), position)).collect();
    keyed.sort_unstable();
    slice.iter_mut().zip(&keyed).for_each(|(to, &(_, position))| *to = position);
    let mut unsorted = Vec::new();
    let mut start = 0;
    for equal in keyed.chunk_by(|a, b| a.0 == b.0) {
        let end = start + equal.len();
        if equal.len() > 1 && equal[0].0 as u32 != END {
            unsorted.push(start..end);
        }
        start = end;
    }
    drop(keyed);
    for range in unsorted {
        sort(words, &mut slice[range], at + 2, depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str]) -> Text {
        let mut text = Text::default();
        lines.iter().for_each(|line| text.push(line, false).unwrap());
        text
    }

    #[test]
    fn suffixes_are_sorted_by_words_up_to_the_sentence_end() {
        // a = 1, b = 2, c = 3
        let text = text(&["a b a", "", "a b", "c a b c"]);
        let suffixes = SuffixArray::new(&text, 4);
        // a$ (2), a b$ (5), a b a (0), a b c (9); b$ (6), b a (1), b c (10); c$ (11), c a (8)
        assert_eq!(suffixes.positions, [2, 5, 0, 9, 6, 1, 10, 11, 8]);
        let sentences: Vec<u32> = suffixes.positions.iter().map(|&at| suffixes.sentence(&text, at)).collect();
        assert_eq!(sentences, [0, 2, 0, 3, 2, 0, 3, 3, 3]);
        assert_eq!(suffixes.find(&text, &[1, 2]), 1..4);
        assert_eq!(suffixes.find(&text, &[1, 2, END]), 1..2);
        assert_eq!(suffixes.find(&text, &[1, 2, 3]), 3..4);
        assert!(suffixes.find(&text, &[2, 2]).is_empty() && suffixes.find(&text, &[9]).is_empty());
        assert_eq!(suffixes.sentences_with(suffixes.word(1), 1), 3);
        assert_eq!(suffixes.each_sentence(&text, 0..4, 1).collect::<Vec<_>>(), [2, 0, 3]);
    }

    #[test]
    fn words_beyond_the_depth_do_not_matter() {
        let text = text(&["a b c d", "a b c a", "a b c"]);
        let suffixes = SuffixArray::new(&text, 3);
        assert_eq!(&suffixes.positions[..4], [8, 0, 5, 10]);
    }
}
