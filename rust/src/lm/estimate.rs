//! Estimates interpolated modified Kneser-Ney models, from text to a [`Sink`].
//!
//! 1. [`count`](super::count): the n-grams of the highest order, sorted in suffix order with runs on disk;
//! 2. [`adjust`](super::adjust): one pass over them gives the adjusted counts of all orders;
//! 3. [`normalise`]: sorted by context, they give shares and interpolation weights;
//! 4. [`interpolate`](super::interpolate): sorted back, the orders are joined from the lowest to the highest.
//!
//! Memory: the budget, the vocabulary, and at most 16 MiB of buffers for each merge; everything else is on disk.

use std::path::PathBuf;

use super::adjust::{adjust, mark_unigrams, WordCounts, PRUNED};
use super::count::{count, Corpus, Reserved};
use super::discount::{discounts, Discount, Replaced, Statistics};
use super::interpolate::{longer, unigrams, Renumber};
use super::normalise;
use super::sorter::{EqualKeys, Sorter};
use super::spool::Spool;
use super::{Progress, Sink, MAX_ORDER, SPECIAL_WORDS};
use crate::error::{Error, Result};
use crate::store::vocab::Interner;
use crate::work::threads;

pub struct LmOptions {
    pub order: usize,
    /// Bytes for sorting.
    pub memory: usize,
    /// A threshold for each order; the last one applies to missing ones.
    pub prune: Vec<u64>,
    pub discount_fallback: bool,
    pub reserved: Reserved,
    /// Folder for temporary files.
    pub temporary: PathBuf,
    /// 0: one per core.
    pub threads: usize,
}

/// The result of estimation.
pub struct Report {
    pub lines: u64,
    pub tokens: u64,
    /// N-grams of each order.
    pub counts: Vec<u64>,
    pub discounts: Vec<Discount>,
    pub fallback: Replaced,
    /// Bytes written to disk while counting.
    pub spilled: u64,
}

impl LmOptions {
    pub fn check(&self) -> Result<()> {
        self.thresholds().map(drop)
    }

    /// Bytes for sorting n-grams of the highest order.
    pub fn counting(&self) -> usize {
        2 * (self.memory / 10 * 3)
    }

    /// A pruning threshold for each order.
    pub fn thresholds(&self) -> Result<Vec<u64>> {
        if !(1..=MAX_ORDER).contains(&self.order) {
            return Err(Error::option(format!("order must be from 1 to {MAX_ORDER}, not {}.", self.order)));
        }
        if self.prune.len() > self.order {
            return Err(Error::option(format!(
                "prune has {} thresholds for a model of order {}.",
                self.prune.len(),
                self.order
            ))
            .hint("Pass at most one for each order, from unigrams up."));
        }
        if let Some(pair) = self.prune.windows(2).find(|pair| pair[0] > pair[1]) {
            return Err(Error::option(format!(
                "prune thresholds must not decrease, but {} follows {}.",
                pair[1], pair[0]
            ))
            .hint("An n-gram cannot stay in the model if its shorter parts are pruned."));
        }
        let last = self.prune.last().copied().unwrap_or(0);
        let mut thresholds = self.prune.clone();
        thresholds.resize(self.order, last);
        Ok(thresholds)
    }
}

/// What the adjusted counts of a whole text determine: which words are kept, how many n-grams, and the discounts.
pub struct Summary {
    /// See [`mark_unigrams`].
    pub unigrams: Vec<u64>,
    /// N-grams of each order.
    pub counts: Vec<u64>,
    pub discounts: Vec<Discount>,
    pub fallback: Replaced,
}

impl Summary {
    /// `seen` are the words seen, of `words` words; `statistics` those of the orders from two on.
    pub fn new(
        seen: impl Iterator<Item = (u32, WordCounts)>,
        words: usize,
        statistics: &[Statistics],
        options: &LmOptions,
    ) -> Result<Self> {
        let threshold = options.thresholds()?[0];
        let (unigrams, of_unigrams) = mark_unigrams(seen, words, threshold);
        let all: Vec<Statistics> = [of_unigrams].into_iter().chain(statistics.iter().cloned()).collect();
        let (discounts, fallback) = discounts(&all, options.discount_fallback)?;
        Ok(Summary { unigrams, counts: all.iter().map(|order| order.kept).collect(), discounts, fallback })
    }

    pub fn is_kept(&self, word: usize) -> bool {
        self.unigrams[word] & PRUNED == 0
    }

    /// The probabilities of all words.
    pub fn probabilities(&self) -> Vec<f64> {
        normalise::unigrams(&self.unigrams, &self.discounts[0])
    }

    /// The vocabulary of the kept words and the new numbers of words; `None` if all are kept.
    pub fn kept_words(&self, words: &Interner) -> Result<Option<(Interner, Vec<u32>)>> {
        if self.counts[0] == words.len() as u64 {
            return Ok(None);
        }
        let mut kept = Interner::with(&SPECIAL_WORDS)?;
        let mut renumbered = vec![u32::MAX; words.len()];
        for id in (0..words.len()).filter(|&id| self.is_kept(id)) {
            renumbered[id] = kept.intern(words.word(id as u32))?;
        }
        Ok(Some((kept, renumbered)))
    }
}

/// Estimates a model from texts with one sentence a line. The result does not depend on memory or threads.
pub fn estimate(
    texts: &[PathBuf],
    options: &LmOptions,
    sink: &mut (dyn Sink + Send),
    progress: &Progress,
) -> Result<Report> {
    let thresholds = options.thresholds()?;
    let counted =
        || count(texts, options.order, options.reserved, options.counting(), &options.temporary, progress);
    threads::on(options.threads, || run(counted()?, options, &thresholds, sink, progress))
}

fn run(
    corpus: Corpus,
    options: &LmOptions,
    thresholds: &[u64],
    sink: &mut (dyn Sink + Send),
    progress: &Progress,
) -> Result<Report> {
    let order = options.order;
    let folder = &options.temporary;
    // At most three of these exist at a time: n-grams waiting for normalisation and two orders waiting for
    // interpolation. The spools between them get the rest.
    let (part, small) = (options.memory / 10 * 3, options.memory / 30);
    let spilled = corpus.ngrams.spilled();
    let adjusted = adjust(corpus.ngrams, thresholds, part, folder, progress)?;
    let summary =
        Summary::new(adjusted.unigrams.into_iter(), corpus.words.len(), &adjusted.statistics, options)?;
    let (counts, amounts) = (&summary.counts, &summary.discounts);

    let filtered = summary.kept_words(&corpus.words)?;
    let (words, renumber) = match &filtered {
        Some((words, numbers)) => (words, Renumber(Some(numbers))),
        None => (&corpus.words, Renumber(None)),
    };
    sink.begin(words, counts)?;

    let all: u64 = counts.iter().sum();
    let mut sorters = adjusted.longer.into_iter();
    // The weights of contexts of order n come from the n-grams of order n + 1, which are normalised just before.
    let mut normalised = |upper: usize| -> Result<_> {
        let Some(sorter) = sorters.next() else { return Ok((None, None)) };
        let mut shares = Sorter::new(part, EqualKeys::Never, folder);
        let mut weights = Spool::new(small, folder);
        normalise::normalise(upper, sorter.finish()?, &amounts[upper - 1], &mut shares, &mut weights)?;
        Ok((Some(shares), Some(weights.replay()?)))
    };

    let (mut shares, weights) = normalised(2)?;
    let spool = || Spool::new(small, folder);
    let is_kept = |word| summary.is_kept(word);
    let mut shorter = unigrams(&summary.probabilities(), is_kept, weights, spool(), &renumber, sink)?;
    for n in 2..=order {
        progress("interpolating", counts[..n - 1].iter().sum(), all)?;
        let sorted = shares.take().expect("an order below the highest was normalised").finish()?;
        let (next, weights) = normalised(n + 1)?;
        shares = next;
        shorter = longer(n, sorted, shorter.replay()?, weights, spool(), &renumber, sink)?;
    }
    progress("writing", all, all)?;
    sink.finish()?;
    let Summary { counts, discounts, fallback, .. } = summary;
    Ok(Report { lines: corpus.lines, tokens: corpus.tokens, counts, discounts, fallback, spilled })
}
