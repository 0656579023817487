//! BLEU (Papineni et al. 2002) as computed by sacreBLEU: clipped n-gram matches, closest reference length, exponential
//! or no smoothing.

use super::ngrams::{Ngrams, EMPTY_NGRAM};
use super::ter::edits;
use crate::error::Result;
use crate::store::vocab::Interner;

/// The highest n-gram order.
pub const ORDER: usize = 4;

/// Indices in [`Statistics`].
pub const TOTALS: usize = ORDER;
/// The length of the reference.
pub const REFERENCE: usize = 2 * ORDER;
/// The edits of TER; 0 if they are not needed.
pub const EDITS: usize = 2 * ORDER + 1;
pub const LENGTH: usize = 2 * ORDER + 2;

/// Matches of each order, n-grams of each order, the closest reference length; and the edits of TER.
pub type Statistics = [u32; LENGTH];
/// The same summed over a corpus.
pub type Sums = [i64; LENGTH];

pub fn add(sums: &mut Sums, statistics: &Statistics) {
    for (sum, &one) in sums.iter_mut().zip(statistics) {
        *sum += i64::from(one);
    }
}

/// The number of words that are in no reference.
pub const UNSEEN: u32 = u32::MAX;

/// The references of one sentence.
#[derive(Debug, Default)]
pub struct Reference {
    ngrams: Ngrams,
    /// The highest count of an n-gram in any single reference.
    most: Vec<u32>,
    lengths: Vec<u32>,
    words: Vec<Vec<u32>>,
}

impl Reference {
    pub fn new(references: &[Vec<u32>]) -> Self {
        let mut made = Reference::default();
        for words in references {
            let mut counts = vec![0; made.most.len()];
            for first in 0..words.len() {
                let mut ngram = EMPTY_NGRAM;
                // UNSEEN words never match.
                for &word in words[first..].iter().take(ORDER).take_while(|&&word| word != UNSEEN) {
                    ngram = made.ngrams.number(ngram, word);
                    if ngram as usize == counts.len() {
                        counts.push(0);
                        made.most.push(0);
                    }
                    counts[ngram as usize] += 1;
                }
            }
            made.most.iter_mut().zip(counts).for_each(|(most, count)| *most = count.max(*most));
            made.lengths.push(words.len() as u32);
        }
        made.words = references.to_vec();
        made
    }

    /// The length nearest to `length`; of two equally near, the shorter.
    fn closest(&self, length: u32) -> u32 {
        self.lengths.iter().copied().min_by_key(|&own| (own.abs_diff(length), own)).unwrap_or(0)
    }

    /// The contribution of a hypothesis to the corpus statistics.
    pub fn statistics(&self, words: &[u32]) -> Statistics {
        let mut statistics = [0; LENGTH];
        let length = words.len();
        for order in 0..ORDER {
            statistics[TOTALS + order] = (length.saturating_sub(order)) as u32;
        }
        statistics[REFERENCE] = self.closest(length as u32);
        let mut left = self.most.clone();
        for first in 0..length {
            let mut ngram = EMPTY_NGRAM;
            for (order, &word) in words[first..].iter().take(ORDER).enumerate() {
                // Longer n-grams cannot match either.
                let Some(next) = self.ngrams.get(ngram, word) else { break };
                ngram = next;
                if left[ngram as usize] > 0 {
                    left[ngram as usize] -= 1;
                    statistics[order] += 1;
                }
            }
        }
        statistics
    }
}

/// The references of a corpus, with their vocabulary.
#[derive(Default)]
pub struct References {
    words: Interner,
    sentences: Vec<Reference>,
}

impl References {
    pub fn new(sentences: &[Vec<Vec<String>>]) -> Result<Self> {
        let mut words = Interner::default();
        let mut numbered = |references: &Vec<Vec<String>>| {
            let mut number = |line: &Vec<String>| line.iter().map(|word| words.intern(word)).collect();
            let lines: Vec<Vec<u32>> = references.iter().map(&mut number).collect::<Result<_>>()?;
            Ok(Reference::new(&lines))
        };
        let sentences = sentences.iter().map(&mut numbered).collect::<Result<_>>()?;
        Ok(References { words, sentences })
    }

    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// The number of a word, [`UNSEEN`] if no reference has it.
    pub fn number(&self, word: &str) -> u32 {
        self.words.get(word).unwrap_or(UNSEEN)
    }

    /// The contribution of a hypothesis to the corpus statistics.
    pub fn statistics(&self, sentence: usize, words: &[u32]) -> Statistics {
        self.sentences[sentence].statistics(words)
    }

    /// The fewest edits (TER) that turn a hypothesis into one of the references.
    pub fn edits(&self, sentence: usize, words: &[u32]) -> u32 {
        self.sentences[sentence].words.iter().map(|reference| edits(words, reference)).min().unwrap_or(0)
    }

    /// The mean length of the references, summed over all sentences.
    pub fn mean_length(&self) -> f64 {
        let mean = |one: &Reference| {
            one.lengths.iter().map(|&length| f64::from(length)).sum::<f64>() / one.lengths.len().max(1) as f64
        };
        self.sentences.iter().map(mean).sum()
    }
}

/// How an order without matches is smoothed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smoothing {
    None,
    /// 1/2, 1/4, ... of a match (Chen and Cherry 2014, method 3).
    Exponential,
}

/// Corpus BLEU, from 0 to 100.
pub fn bleu(sums: &Sums, smoothing: Smoothing) -> f64 {
    if sums[..ORDER].iter().all(|&matches| matches == 0) {
        return 0.0;
    }
    let mut logarithms = 0.0;
    let mut divisor = 1.0;
    for order in 0..ORDER {
        let (matches, total) = (sums[order], sums[TOTALS + order]);
        let precision = if total == 0 {
            0.0
        } else if matches > 0 {
            100.0 * matches as f64 / total as f64
        } else if smoothing == Smoothing::Exponential {
            divisor *= 2.0;
            100.0 / (divisor * total as f64)
        } else {
            0.0
        };
        if precision == 0.0 {
            return 0.0;
        }
        logarithms += precision.ln();
    }
    brevity(sums[TOTALS] as f64, sums[REFERENCE] as f64) * (logarithms / ORDER as f64).exp()
}

/// The brevity penalty.
pub fn brevity(length: f64, reference: f64) -> f64 {
    if length >= reference {
        1.0
    } else if length > 0.0 {
        (1.0 - reference / length).exp()
    } else {
        0.0
    }
}

/// Sentence-level BLEU+1, from 0 to 1: adds one match and one n-gram for every order above the first (Lin and Och
/// 2004), and one word to the reference, as short translations would win otherwise (Nakov, Guzmán and Vogel 2012).
pub fn sentence_bleu(statistics: &Statistics) -> f64 {
    if statistics[0] == 0 {
        return 0.0;
    }
    let mut logarithms = 0.0;
    for order in 0..ORDER {
        let more = f64::from(u8::from(order > 0));
        let matches = f64::from(statistics[order]) + more;
        logarithms += (matches / (f64::from(statistics[TOTALS + order]) + more)).ln();
    }
    let length = f64::from(statistics[TOTALS]);
    brevity(length, f64::from(statistics[REFERENCE]) + 1.0) * (logarithms / ORDER as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn statistics(hypothesis: &str, references: &[&str]) -> Statistics {
        let made = References::new(&[references.iter().map(|line| words(line)).collect()]).unwrap();
        let numbers: Vec<u32> = words(hypothesis).iter().map(|word| made.number(word)).collect();
        made.statistics(0, &numbers)
    }

    #[test]
    fn matches_are_clipped_by_the_reference_that_has_most() {
        // Papineni et al. 2002, example 2: "the" seven times, of which two are counted.
        let found = statistics(
            "the the the the the the the",
            &["the cat is on the mat", "there is a cat on the mat"],
        );
        assert_eq!(found, [2, 0, 0, 0, 7, 6, 5, 4, 7, 0]);
    }

    #[test]
    fn of_two_lengths_equally_near_the_shorter_counts() {
        assert_eq!(statistics("a b c", &["a b c d", "a b"])[REFERENCE], 2);
        assert_eq!(statistics("", &["a b c d", "a b"]), [0, 0, 0, 0, 0, 0, 0, 0, 2, 0]);
    }

    #[test]
    fn a_perfect_translation_has_100_and_none_has_0() {
        let mut sums = [0; LENGTH];
        add(&mut sums, &statistics("a b c d e", &["a b c d e"]));
        assert!((bleu(&sums, Smoothing::None) - 100.0).abs() < 1e-12);
        assert_eq!(bleu(&[0, 0, 0, 0, 5, 4, 3, 2, 5, 0], Smoothing::Exponential), 0.0);
        assert_eq!(bleu(&[5, 4, 3, 0, 5, 4, 3, 2, 5, 0], Smoothing::None), 0.0);
        // (100 * 100 * 100 * 100 / (2 * 2)) ^ (1 / 4).
        let smoothed = bleu(&[5, 4, 3, 0, 5, 4, 3, 2, 5, 0], Smoothing::Exponential);
        assert!((smoothed - 100.0 / 2f64.sqrt()).abs() < 1e-9);
    }
}
