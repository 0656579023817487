//! Computes the adjusted counts of all orders from the sorted n-grams of the highest order, in one pass.
//!
//! The adjusted count of an n-gram is its frequency if it has the highest order or starts with `<s>`, and otherwise the
//! number of different words before it (Kneser and Ney 1995). In suffix order all n-grams with the same last words are
//! adjacent, so counting different words means counting changes.

use super::discount::Statistics;
use super::record::{Key, Record};
use super::sorter::{EqualKeys, Sorted, Sorter};
use super::{Progress, BOS, EOS, MAX_ORDER};
use crate::error::Result;
use crate::work::interrupt::Points;
use std::path::Path;

/// Marks the count of a pruned n-gram, which still contributes to the sums of its context.
pub const PRUNED: u64 = 1 << 63;

/// The adjusted count of a word, and its frequency. Those of parts of a text add up if no two n-grams of different parts
/// have the same last two words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordCounts {
    pub adjusted: u64,
    pub seen: u64,
}

pub struct Adjusted {
    /// Every word seen, with its counts, ascending by word number.
    pub unigrams: Vec<(u32, WordCounts)>,
    /// For the orders from two on, the n-grams in context order with their adjusted counts.
    pub longer: Vec<Sorter>,
    /// For the orders from two on.
    pub statistics: Vec<Statistics>,
}

/// Adjusted counts of `words` words by number, with [`PRUNED`] set for those seen at most `threshold` times; 0 for `<s>`,
/// and for `<unk>` unless it is counted. Also their statistics, which include words that were not seen.
pub fn mark_unigrams(
    seen: impl Iterator<Item = (u32, WordCounts)>,
    words: usize,
    threshold: u64,
) -> (Vec<u64>, Statistics) {
    let mut all = vec![WordCounts::default(); words];
    for (word, counts) in seen {
        let whole = &mut all[word as usize];
        whole.adjusted += counts.adjusted;
        whole.seen += counts.seen;
    }
    let mut statistics = Statistics::default();
    let mut mark = |(word, counts): (usize, &WordCounts)| {
        let pruned = (1..=threshold).contains(&counts.seen) && word > EOS as usize;
        statistics.add(counts.adjusted, pruned);
        counts.adjusted | if pruned { PRUNED } else { 0 }
    };
    (all.iter().enumerate().map(&mut mark).collect(), statistics)
}

/// N-grams between two reports of progress.
const PROGRESS_INTERVAL: u64 = 1 << 20;

/// `prune` has a threshold for each order: n-grams seen at most that often are marked. `memory` is shared by all
/// orders.
pub fn adjust(
    mut ngrams: Sorted,
    prune: &[u64],
    memory: usize,
    folder: &Path,
    progress: &Progress,
) -> Result<Adjusted> {
    let order = prune.len();
    let share = memory / order.saturating_sub(1).max(1);
    let mut out = Adjusted {
        unigrams: Vec::new(),
        longer: (2..=order).map(|_| Sorter::new(share, EqualKeys::Never, folder)).collect(),
        statistics: vec![Statistics::default(); order - 1],
    };
    // There are not more n-grams of any order than of the highest.
    out.longer.iter_mut().for_each(|sorter| sorter.reserve(ngrams.most()));
    // The suffixes of the last full n-gram, by length - 1: adjusted count, and frequency.
    let mut adjusted = [0u64; MAX_ORDER];
    let mut seen = [0u64; MAX_ORDER];
    let mut last = Key::default();
    // The number of open suffixes: fewer than `order` if the n-gram contains `<s>`.
    let mut open = 0;
    let (mut done, mut points) = (0, Points::default());
    while let Some(Record { key, value }) = ngrams.read()? {
        let same = key.common(&last, open);
        out.close(&last, same..open, &adjusted, &seen, prune)?;
        for count in &mut seen[..same] {
            *count += value;
        }
        if same > 0 {
            // Another word was seen before the suffix of this length.
            adjusted[same - 1] += 1;
        }
        open = same;
        while open < order - 1 {
            let from_start = key.word(open) == BOS;
            adjusted[open] = if from_start { value } else { 1 };
            seen[open] = value;
            open += 1;
            if from_start {
                break;
            }
        }
        // Any `<s>` after the first is only padding.
        if open == order - 1 && (open == 0 || key.word(open - 1) != BOS) {
            out.emit(&key, order, value, value, prune)?;
        }
        last = key;
        done += 1;
        points.pass();
        if done % PROGRESS_INTERVAL == 0 {
            progress("adjusting counts", done, 0)?;
        }
    }
    out.close(&last, 0..open, &adjusted, &seen, prune)?;
    Ok(out)
}

impl Adjusted {
    /// Emits the suffixes of `key` with `lengths.start` + 1 to `lengths.end` words.
    fn close(
        &mut self,
        key: &Key,
        lengths: std::ops::Range<usize>,
        adjusted: &[u64; MAX_ORDER],
        seen: &[u64; MAX_ORDER],
        prune: &[u64],
    ) -> Result<()> {
        for index in lengths {
            self.emit(&key.prefix(index + 1), index + 1, adjusted[index], seen[index], prune)?;
        }
        Ok(())
    }

    #[inline]
    fn emit(&mut self, key: &Key, order: usize, adjusted: u64, seen: u64, prune: &[u64]) -> Result<()> {
        if order == 1 {
            self.unigrams.push((key.word(0), WordCounts { adjusted, seen }));
            return Ok(());
        }
        let pruned = seen <= prune[order - 1];
        self.statistics[order - 2].add(adjusted, pruned);
        let value = adjusted | if pruned { PRUNED } else { 0 };
        self.longer[order - 2].push(Record { key: key.to_context_order(order), value })
    }
}
