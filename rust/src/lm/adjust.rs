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
use crate::work::interrupt;
use std::path::Path;

/// Marks the count of a pruned n-gram, which still contributes to the sums of its context.
pub const PRUNED: u64 = 1 << 63;

pub struct Adjusted {
    /// Adjusted counts by word number, with [`PRUNED`] set for pruned words; 0 for `<s>`, and for `<unk>` unless it is
    /// counted.
    pub unigrams: Vec<u64>,
    /// For the orders from two on, the n-grams in context order with their adjusted counts.
    pub longer: Vec<Sorter>,
    /// For every order.
    pub statistics: Vec<Statistics>,
}

/// N-grams between two reports of progress.
const PROGRESS_INTERVAL: u64 = 1 << 20;

/// `prune` has a threshold for each order: n-grams seen at most that often are marked. `memory` is shared by all
/// orders.
pub fn adjust(
    mut ngrams: Sorted,
    vocabulary: usize,
    prune: &[u64],
    memory: usize,
    folder: &Path,
    progress: &Progress,
) -> Result<Adjusted> {
    let order = prune.len();
    let share = memory / order.saturating_sub(1).max(1);
    let mut out = Adjusted {
        unigrams: vec![0; vocabulary],
        longer: (2..=order).map(|_| Sorter::new(share, EqualKeys::Never, folder)).collect(),
        statistics: vec![Statistics::default(); order],
    };
    // The suffixes of the last full n-gram, by length - 1: adjusted count, and frequency.
    let mut adjusted = [0u64; MAX_ORDER];
    let mut seen = [0u64; MAX_ORDER];
    let mut last = Key::default();
    // The number of open suffixes: fewer than `order` if the n-gram contains `<s>`.
    let mut open = 0;
    let mut done = 0;
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
        interrupt::point();
        if done % PROGRESS_INTERVAL == 0 {
            progress("adjusting counts", done, 0)?;
        }
    }
    out.close(&last, 0..open, &adjusted, &seen, prune)?;
    out.count_unigrams();
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
        let pruned = seen <= prune[order - 1];
        if order == 1 {
            let word = key.word(0);
            let pruned = pruned && word > EOS;
            self.unigrams[word as usize] = adjusted | if pruned { PRUNED } else { 0 };
            return Ok(());
        }
        self.statistics[order - 1].add(adjusted, pruned);
        let value = adjusted | if pruned { PRUNED } else { 0 };
        self.longer[order - 2].push(Record { key: key.to_context_order(order), value })
    }

    /// Unigrams are counted at the end, because they include `<s>` and `<unk>`, which may not have been seen.
    fn count_unigrams(&mut self) {
        for &count in &self.unigrams {
            self.statistics[0].add(count & !PRUNED, count & PRUNED != 0);
        }
    }
}
