//! The distinct n-grams of a few sentences, as a trie.

use std::ops::Range;

use crate::metric::ngrams::{Ngrams, EMPTY_NGRAM};

/// An n-gram: another one and the word that follows it.
#[derive(Clone, Copy, Debug)]
pub struct Ngram {
    parent: u32,
    pub word: u32,
    /// The number of words.
    pub length: usize,
    /// The first sentence with it, and where it is there.
    pub sentence: u32,
    pub position: u32,
}

impl Ngram {
    /// The n-gram without its last word; `None` for a single word.
    pub fn parent(&self) -> Option<usize> {
        (self.parent != EMPTY_NGRAM).then_some(self.parent as usize)
    }
}

/// N-grams are numbered by length, then by where they are first seen.
pub struct NgramSet {
    numbers: Ngrams,
    ngrams: Vec<Ngram>,
    /// The n-grams of length n are `lengths[n - 1]..lengths[n]`.
    lengths: Vec<usize>,
    /// The n-grams of sentence k are `members[ends[k]..ends[k + 1]]`, in order.
    members: Vec<u32>,
    ends: Vec<usize>,
}

impl NgramSet {
    /// The n-grams of up to `longest` words.
    pub fn new<'a>(sentences: impl Iterator<Item = &'a [u32]>, longest: usize) -> Self {
        let mut numbers = Ngrams::default();
        let mut ngrams: Vec<Ngram> = Vec::new();
        let (mut members, mut ends) = (Vec::new(), vec![0]);
        for (sentence, words) in sentences.enumerate() {
            let before = members.len();
            for position in 0..words.len() {
                let mut parent = EMPTY_NGRAM;
                for (at, &word) in words[position..].iter().take(longest).enumerate() {
                    let next = ngrams.len() as u32;
                    let number = numbers.number(parent, word);
                    if number == next {
                        let (sentence, position) = (sentence as u32, position as u32);
                        ngrams.push(Ngram { parent, word, length: at + 1, sentence, position });
                    }
                    members.push(number);
                    parent = number;
                }
            }
            members[before..].sort_unstable();
            dedup_from(&mut members, before);
            ends.push(members.len());
        }
        let mut made = NgramSet { numbers, ngrams, lengths: Vec::new(), members, ends };
        made.renumber(longest);
        made
    }

    /// Gives n-grams of one length consecutive numbers.
    fn renumber(&mut self, longest: usize) {
        let mut order: Vec<u32> = (0..self.ngrams.len() as u32).collect();
        order.sort_by_key(|&old| self.ngrams[old as usize].length);
        let mut new = vec![0; order.len()];
        for (number, &old) in order.iter().enumerate() {
            new[old as usize] = number as u32;
        }
        let parent = |old: u32| if old == EMPTY_NGRAM { EMPTY_NGRAM } else { new[old as usize] };
        self.ngrams = order
            .iter()
            .map(|&old| self.ngrams[old as usize])
            .map(|ngram| Ngram { parent: parent(ngram.parent), ..ngram })
            .collect();
        // Numbers are given in order of appearance, and shorter n-grams come first.
        self.numbers.clear();
        for ngram in &self.ngrams {
            self.numbers.number(ngram.parent, ngram.word);
        }
        self.members.iter_mut().for_each(|member| *member = new[*member as usize]);
        for sentence in self.ends.windows(2) {
            self.members[sentence[0]..sentence[1]].sort_unstable();
        }
        self.lengths =
            (0..=longest).map(|length| self.ngrams.partition_point(|ngram| ngram.length <= length)).collect();
    }

    pub fn len(&self) -> usize {
        self.ngrams.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ngrams.is_empty()
    }

    pub fn get(&self, number: usize) -> &Ngram {
        &self.ngrams[number]
    }

    pub fn iter(&self) -> impl Iterator<Item = &Ngram> {
        self.ngrams.iter()
    }

    /// The numbers of the n-grams of a length.
    pub fn of_length(&self, length: usize) -> Range<usize> {
        self.lengths[length - 1]..self.lengths[length]
    }

    /// The distinct n-grams of a sentence, in order.
    pub fn members(&self, sentence: usize) -> &[u32] {
        &self.members[self.ends[sentence]..self.ends[sentence + 1]]
    }

    /// Adds the distinct n-grams of other words that are in this set to `found`. `seen` has a mark for each n-gram, all
    /// unset before and after.
    pub fn find_in(&self, words: &[u32], seen: &mut [bool], found: &mut Vec<u32>) {
        let before = found.len();
        for position in 0..words.len() {
            let mut parent = EMPTY_NGRAM;
            for &word in &words[position..] {
                let Some(number) = self.numbers.get(parent, word) else { break };
                if !std::mem::replace(&mut seen[number as usize], true) {
                    found.push(number);
                }
                parent = number;
            }
        }
        found[before..].iter().for_each(|&number| seen[number as usize] = false);
    }
}

/// Removes repeated elements from a sorted tail.
fn dedup_from(values: &mut Vec<u32>, start: usize) {
    let mut kept = start;
    for at in start..values.len() {
        if kept == start || values[kept - 1] != values[at] {
            values[kept] = values[at];
            kept += 1;
        }
    }
    values.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ngrams_are_numbered_by_length_and_first_occurrence() {
        let sentences: [&[u32]; 3] = [&[7, 8, 7], &[], &[8, 7, 9]];
        let set = NgramSet::new(sentences.into_iter(), 2);
        let found: Vec<_> = set.iter().map(|ngram| (ngram.parent(), ngram.word)).collect();
        // 7, 8, 9; 7 8, 8 7, 7 9
        let wanted = [(None, 7), (None, 8), (None, 9), (Some(0), 8), (Some(1), 7), (Some(0), 9)];
        assert_eq!(found, wanted);
        assert_eq!((set.of_length(1), set.of_length(2)), (0..3, 3..6));
        assert_eq!(
            (set.members(0), set.members(1), set.members(2)),
            (&[0, 1, 3, 4][..], &[][..], &[0, 1, 2, 4, 5][..])
        );
        assert_eq!((set.get(5).sentence, set.get(5).position), (2, 1));
        let (mut seen, mut found) = (vec![false; 6], Vec::new());
        set.find_in(&[7, 9, 9, 7, 9, 3], &mut seen, &mut found);
        assert_eq!(found, [0, 5, 2]);
        assert!(seen.iter().all(|&mark| !mark));
    }
}
