//! Examples of a whole corpus, as many as fit into memory, with equal ones counted.

use rayon::prelude::*;

use super::examples::{examples, BlockLimits, Ends};
use crate::corpus::pair::Pair;
use crate::metric::random::Random;
use crate::store::bits::MAX_WORDS;
use crate::work::interrupt;

/// The ends of the left block, then those of the right block.
pub type Words = [u32; 8];

/// Examples with the same words: the counts of inverted and straight ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Counted {
    pub words: Words,
    pub counts: [u32; 2],
}

impl Counted {
    pub fn total(&self) -> u64 {
        u64::from(self.counts[0]) + u64::from(self.counts[1])
    }
}

/// 36 bytes. The ticket is a random number whose last bit is the order.
#[derive(Clone, Copy)]
struct SampledExample {
    words: Words,
    ticket: u32,
}

/// Keeps at most `most` examples. If there are more, it keeps a uniform random sample that depends only on the corpus.
pub struct Collector {
    limits: BlockLimits,
    most: usize,
    kept: Vec<SampledExample>,
    /// Examples with lower tickets are kept.
    below: u64,
    /// The number of examples seen.
    pub seen: u64,
    /// The number of pairs skipped because a side has more than [`MAX_WORDS`] words.
    pub too_long: u64,
}

/// Pairs per task of a thread.
const PAIRS_PER_TASK: usize = 64;

impl Collector {
    pub fn new(limits: BlockLimits, most: usize) -> Self {
        Collector { limits, most: most.max(1), kept: Vec::new(), below: 1 << 32, seen: 0, too_long: 0 }
    }

    /// Adds pairs with their numbers in the corpus.
    pub fn add(&mut self, pairs: &[(u64, &Pair)]) {
        let (limits, below) = (self.limits, self.below);
        let parts: Vec<(Vec<SampledExample>, u64, u64)> = pairs
            .par_chunks(PAIRS_PER_TASK)
            .map(|share| {
                let (mut kept, mut seen, mut too_long) = (Vec::new(), 0, 0);
                for &(number, pair) in share {
                    interrupt::point();
                    if pair.source.len().max(pair.target.len()) > MAX_WORDS {
                        too_long += 1;
                        continue;
                    }
                    let mut random = Random::new(0, number);
                    examples(pair, &limits, |example| {
                        seen += 1;
                        let ticket = (random.draw() >> 32) as u32 & !1 | u32::from(example.straight);
                        if u64::from(ticket) < below {
                            kept.push(SampledExample {
                                words: joined(&example.left, &example.right),
                                ticket,
                            });
                        }
                    });
                }
                (kept, seen, too_long)
            })
            .collect();
        for (kept, seen, too_long) in parts {
            self.kept.extend_from_slice(&kept);
            self.seen += seen;
            self.too_long += too_long;
        }
        while self.kept.len() > self.most && self.below > 2 {
            self.below /= 2;
            let below = self.below;
            self.kept.retain(|kept| u64::from(kept.ticket) < below);
        }
    }

    /// The distinct examples, sorted by their words, with counts.
    pub fn finish(mut self) -> Vec<Counted> {
        self.kept.par_sort_unstable_by_key(|kept| kept.words);
        let mut all: Vec<Counted> = Vec::new();
        for kept in &self.kept {
            if all.last().is_none_or(|last| last.words != kept.words) {
                all.push(Counted { words: kept.words, counts: [0, 0] });
            }
            if let Some(last) = all.last_mut() {
                last.counts[(kept.ticket & 1) as usize] += 1;
            }
        }
        all
    }
}

pub fn joined(left: &Ends, right: &Ends) -> Words {
    let mut words = [0; 8];
    words[..4].copy_from_slice(left);
    words[4..].copy_from_slice(right);
    words
}

#[cfg(test)]
mod tests {
    use super::super::examples::BlockChoice;
    use super::*;

    fn corpus() -> Vec<Pair> {
        (0..200u32)
            .map(|n| Pair {
                source: (0..8).map(|k| (n + k) % 5).collect(),
                target: (0..8).map(|k| (n * k) % 7).collect(),
                points: (0..8u16).map(|k| (k, if n % 2 == 0 { k } else { 7 - k })).collect(),
                ..Pair::default()
            })
            .collect()
    }

    fn collected(most: usize, chunk: usize) -> (Vec<Counted>, u64) {
        let pairs = corpus();
        let numbered: Vec<_> = pairs.iter().enumerate().map(|(n, pair)| (n as u64, pair)).collect();
        let mut collector = Collector::new(BlockLimits { max_length: 4, which: BlockChoice::All }, most);
        numbered.chunks(chunk).for_each(|chunk| collector.add(chunk));
        let seen = collector.seen;
        (collector.finish(), seen)
    }

    #[test]
    fn every_example_is_counted_when_there_is_room() {
        let (all, seen) = collected(usize::MAX, 64);
        let of = |class: usize| all.iter().map(|one| u64::from(one.counts[class])).sum::<u64>();
        assert_eq!((of(0), of(0) + of(1)), (seen / 2, seen));
        assert!(all.windows(2).all(|two| two[0].words < two[1].words));
    }

    #[test]
    fn a_sample_depends_on_the_corpus_alone() {
        let (sample, seen) = collected(1000, 7);
        let number: u32 = sample.iter().map(|one| one.counts[0] + one.counts[1]).sum();
        assert!(seen > 4000 && number <= 1000 && number > 300, "{number} of {seen}");
        assert_eq!(sample, collected(1000, 200).0);
        let straight: u32 = sample.iter().map(|one| one.counts[1]).sum();
        assert!((f64::from(straight) / f64::from(number) - 0.5).abs() < 0.1, "{straight} of {number}");
    }
}
