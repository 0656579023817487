//! Estimation in parts of the n-grams, for engines that spread them over machines; the result is that of
//! [`super::estimate`] on the whole text, bit by bit.
//!
//! 1. [`adjust_part`]: n-grams of the highest order with some last words give the adjusted counts of all orders;
//! 2. [`Summary`]: the sums over all parts determine the discounts;
//! 3. [`normalise_part`]: n-grams with some contexts give shares and interpolation weights;
//! 4. [`interpolate_part`]: n-grams with some last words give probabilities and backoffs;
//! 5. [`write`]: the n-grams of all parts, in their order, make the model.
//!
//! Parts are ranges of two words: the last two of an n-gram in steps 1 and 4, the last two of its context in step 3. Only
//! words alone are then in several parts; they are added up in step 2 and written in step 5.

use std::path::Path;

use super::adjust::{adjust, WordCounts};
use super::chunks::{records, PIECE};
use super::discount::{Discount, Statistics};
use super::estimate::{LmOptions, Report, Summary};
use super::interpolate::{longer, unigrams, Renumber};
use super::normalise::normalise;
use super::record::{Key, Record};
use super::sorter::{EqualKeys, Sorted, Sorter};
use super::spool::{Replay, Spool};
use super::{Progress, Sink};
use crate::error::Result;
use crate::store::vocab::Interner;

/// The length of the ranges' bounds in words.
const BOUND_WORDS: usize = 2;

/// Records of one part, as bytes, and the number of the part.
pub type Piece = (u32, Vec<u8>);

/// The bounds of parts, ascending.
pub struct Bounds(Vec<Record>);

impl Bounds {
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        records(bytes).map(Bounds)
    }

    /// Divides records in ascending order; `words` says how many words of a key are compared.
    fn divide(&self, mut next: impl FnMut() -> Result<Option<Record>>, words: usize) -> Result<Vec<Piece>> {
        let words = words.min(BOUND_WORDS);
        let (mut made, mut block, mut part) = (Vec::new(), Vec::new(), 0);
        while let Some(record) = next()? {
            let is_after = |bound: &Record| bound.key.prefix(words) <= record.key.prefix(words);
            let passed = self.0[part..].iter().take_while(|bound| is_after(bound)).count();
            if passed > 0 || block.len() == PIECE {
                cut(&mut made, &mut block, part);
            }
            part += passed;
            block.push(record);
        }
        cut(&mut made, &mut block, part);
        Ok(made)
    }
}

fn cut(made: &mut Vec<Piece>, block: &mut Vec<Record>, part: usize) {
    if !block.is_empty() {
        made.push((part as u32, Record::bytes(block).to_vec()));
        block.clear();
    }
}

/// The records of pieces in ascending order.
fn sorted(pieces: &[impl AsRef<[u8]>], equal: EqualKeys, folder: &Path) -> Result<Sorted> {
    let mut sorter = Sorter::new(usize::MAX, equal, folder);
    for piece in pieces {
        records(piece.as_ref())?.into_iter().try_for_each(|record| sorter.push(record))?;
    }
    sorter.finish()
}

/// The same, to be read with a lookahead.
fn replayed(pieces: &[impl AsRef<[u8]>], folder: &Path) -> Result<Replay> {
    let mut sorted = sorted(pieces, EqualKeys::Never, folder)?;
    let mut spool = Spool::new(usize::MAX, folder);
    while let Some(record) = sorted.read()? {
        spool.push(record)?;
    }
    spool.replay()
}

/// The adjusted counts of a part.
pub struct AdjustedPart {
    /// See [`read_words`].
    pub words: Vec<u8>,
    /// For the orders from two on.
    pub statistics: Vec<Statistics>,
    /// For the orders from two on: the n-grams in context order, divided by context.
    pub counts: Vec<Vec<Piece>>,
}

/// Merges the counted n-grams of a part, see [`super::chunks::NgramCounter`], and adjusts their counts.
pub fn adjust_part(
    pieces: &[impl AsRef<[u8]>],
    options: &LmOptions,
    bounds: &Bounds,
    progress: &Progress,
) -> Result<AdjustedPart> {
    let folder = &options.temporary;
    let ngrams = sorted(pieces, EqualKeys::Sum, folder)?;
    let made = adjust(ngrams, &options.thresholds()?, usize::MAX, folder, progress)?;
    let divided = |(place, sorter): (usize, Sorter)| {
        let mut sorted = sorter.finish()?;
        bounds.divide(|| sorted.read(), place + 1)
    };
    let written = |&(word, counts): &(u32, WordCounts)| [u64::from(word), counts.adjusted, counts.seen];
    Ok(AdjustedPart {
        words: made.unigrams.iter().flat_map(written).flat_map(u64::to_le_bytes).collect(),
        statistics: made.statistics,
        counts: made.longer.into_iter().enumerate().map(divided).collect::<Result<_>>()?,
    })
}

/// The counts of words from the bytes of an [`AdjustedPart`].
pub fn read_words(bytes: &[u8]) -> impl Iterator<Item = (u32, WordCounts)> + '_ {
    bytes.chunks_exact(24).map(|entry| {
        let number = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight bytes"));
        (number(0) as u32, WordCounts { adjusted: number(8), seen: number(16) })
    })
}

/// The probabilities of the kept words, for [`interpolate_part`].
pub fn word_probabilities(summary: &Summary) -> Vec<u8> {
    let probs = summary.probabilities();
    let kept = probs.iter().enumerate().filter(|(word, _)| summary.is_kept(*word));
    let written: Vec<Record> =
        kept.map(|(word, &prob)| Record::with_floats(Key::new(&[word as u32]), prob as f32, 0.0)).collect();
    Record::bytes(&written).to_vec()
}

/// Normalised n-grams of one order.
#[derive(Debug)]
pub struct NormalisedPart {
    /// The n-grams in suffix order, divided by their last words.
    pub shares: Vec<Piece>,
    /// Their contexts in suffix order, divided by their last words; all in part 0 if contexts are single words.
    pub weights: Vec<Piece>,
}

/// Normalises the n-grams of an order from two on, with some contexts.
pub fn normalise_part(
    order: usize,
    pieces: &[impl AsRef<[u8]>],
    discount: &Discount,
    bounds: &Bounds,
    folder: &Path,
) -> Result<NormalisedPart> {
    let mut shares = Sorter::new(usize::MAX, EqualKeys::Never, folder);
    let mut weights = Spool::new(usize::MAX, folder);
    normalise(order, sorted(pieces, EqualKeys::Never, folder)?, discount, &mut shares, &mut weights)?;
    let (mut shares, mut weights) = (shares.finish()?, weights.replay()?);
    let next_weight = || {
        let next = weights.next().copied();
        weights.advance()?;
        Ok(next)
    };
    let whole = Bounds(Vec::new());
    let of_weights = if order == 2 { &whole } else { bounds };
    Ok(NormalisedPart {
        shares: bounds.divide(|| shares.read(), order)?,
        weights: of_weights.divide(next_weight, order - 1)?,
    })
}

/// N-grams collected as records of their log10 probability and backoff.
#[derive(Default)]
struct Collected(Vec<Record>);

impl Sink for Collected {
    fn begin(&mut self, _: &Interner, _: &[u64]) -> Result<()> {
        Ok(())
    }

    fn ngram(&mut self, _: usize, key: &Key, prob: f32, backoff: f32) -> Result<()> {
        self.0.push(Record::with_floats(*key, prob, backoff));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Probabilities and backoffs of the n-grams of a part. `words` are those of [`word_probabilities`]; `shares` begins with
/// order two, and so does `weights`, with contexts of order two.
pub fn interpolate_part<T: AsRef<[u8]>>(
    words: &[u8],
    shares: &[Vec<T>],
    weights: &[Vec<T>],
    folder: &Path,
) -> Result<Vec<Vec<Vec<u8>>>> {
    let mut shorter = Spool::new(usize::MAX, folder);
    records(words)?.into_iter().try_for_each(|record| shorter.push(record))?;
    let mut made = Vec::new();
    for (place, own) in shares.iter().enumerate() {
        let ngrams = sorted(own, EqualKeys::Never, folder)?;
        let contexts = weights.get(place).map(|own| replayed(own, folder)).transpose()?;
        let mut found = Collected::default();
        let out = Spool::new(usize::MAX, folder);
        shorter = longer(place + 2, ngrams, shorter.replay()?, contexts, out, &Renumber(None), &mut found)?;
        made.push(found.0.chunks(PIECE).map(|piece| Record::bytes(piece).to_vec()).collect());
    }
    Ok(made)
}

/// Writes the model of a text of so many lines and tokens. `backoffs` are the weights of single words; `ngrams` the
/// pieces of [`interpolate_part`] with their orders, in ascending order of orders and parts.
pub fn write(
    words: &Interner,
    (lines, tokens): (u64, u64),
    summary: Summary,
    backoffs: &[impl AsRef<[u8]>],
    ngrams: impl Iterator<Item = Result<(usize, Vec<Record>)>>,
    sink: &mut (dyn Sink + Send),
    progress: &Progress,
) -> Result<Report> {
    let folder = std::env::temp_dir();
    let filtered = summary.kept_words(words)?;
    let (kept, renumber) = match &filtered {
        Some((kept, numbers)) => (kept, Renumber(Some(numbers))),
        None => (words, Renumber(None)),
    };
    sink.begin(kept, &summary.counts)?;
    let weights = (summary.counts.len() > 1).then(|| replayed(backoffs, &folder)).transpose()?;
    let spool = Spool::new(usize::MAX, &folder);
    unigrams(&summary.probabilities(), |word| summary.is_kept(word), weights, spool, &renumber, sink)?;
    let (all, mut done) = (summary.counts.iter().sum(), summary.counts[0]);
    for piece in ngrams {
        let (order, records) = piece?;
        done += records.len() as u64;
        for record in records {
            let (prob, backoff) = record.floats();
            sink.ngram(order, &renumber.apply(&record.key, order), prob, backoff)?;
        }
        progress("writing", done, all)?;
    }
    sink.finish()?;
    let Summary { counts, discounts, fallback, .. } = summary;
    Ok(Report { lines, tokens, counts, discounts, fallback, spilled: 0 })
}

#[cfg(test)]
mod tests {
    use super::super::chunks::{first_places, vocabulary, NgramCounter};
    use super::super::count::Reserved;
    use super::super::estimate::estimate;
    use super::*;

    /// All n-grams of a model, in their order.
    #[derive(Default)]
    struct Listed(Vec<(usize, Key, u32, u32)>);

    impl Sink for Listed {
        fn begin(&mut self, words: &Interner, counts: &[u64]) -> Result<()> {
            self.0.push((
                words.len(),
                Key::default(),
                counts.len() as u32,
                counts.iter().sum::<u64>() as u32,
            ));
            Ok(())
        }

        fn ngram(&mut self, order: usize, key: &Key, prob: f32, backoff: f32) -> Result<()> {
            self.0.push((order, *key, prob.to_bits(), backoff.to_bits()));
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn options(order: usize, prune: Vec<u64>) -> LmOptions {
        let temporary = std::env::temp_dir();
        let reserved = Reserved::Error;
        LmOptions { order, memory: 1 << 20, prune, discount_fallback: true, reserved, temporary, threads: 1 }
    }

    fn in_parts(lines: &[String], options: &LmOptions, parts: usize) -> Result<Vec<(usize, Key, u32, u32)>> {
        let numbered = || lines.iter().enumerate().map(|(number, line)| (number as u64, &**line));
        let found = first_places(numbered())?;
        let mut words = vocabulary(found.iter().map(|(word, _)| &**word))?;
        let mut sample = NgramCounter::new(options.order, options.reserved);
        numbered().try_for_each(|(number, line)| sample.add(number, line, &mut words))?;
        let cuts = sample.bounds(parts);
        let bounds = Bounds(cuts.clone());
        let of = |pieces: &[Piece], part: usize| -> Vec<Vec<u8>> {
            let own = pieces.iter().filter(|(number, _)| *number as usize == part);
            own.map(|(_, piece)| piece.clone()).collect()
        };
        // Two tasks count every other line each.
        let mut counted = Vec::new();
        for task in 0..2 {
            let mut counter = NgramCounter::new(options.order, options.reserved);
            for (number, line) in numbered().filter(|(number, _)| number % 2 == task) {
                counter.add(number, line, &mut words)?;
            }
            counted.extend(counter.take(&cuts));
        }
        let told = |_: &str, _, _| Ok(());
        let higher = options.order - 1;
        let (mut seen, mut statistics) = (Vec::new(), vec![Statistics::default(); higher]);
        let mut contexts: Vec<Vec<Piece>> = vec![Vec::new(); higher];
        for part in 0..=cuts.len() {
            let made = adjust_part(&of(&counted, part), options, &bounds, &told)?;
            seen.extend(made.words);
            for (all, own) in statistics.iter_mut().zip(&made.statistics) {
                all.add_all(own);
            }
            for (all, own) in contexts.iter_mut().zip(made.counts) {
                all.extend(own);
            }
        }
        let summary = Summary::new(read_words(&seen), words.len(), &statistics, options)?;
        let (mut shares, mut weights) = (vec![Vec::new(); higher], vec![Vec::new(); higher]);
        for place in 0..higher {
            for part in 0..=cuts.len() {
                let (own, discount) = (of(&contexts[place], part), &summary.discounts[place + 1]);
                let made = normalise_part(place + 2, &own, discount, &bounds, &options.temporary)?;
                shares[place].extend(made.shares);
                weights[place].extend(made.weights);
            }
        }
        let probs = word_probabilities(&summary);
        let mut ngrams: Vec<Vec<Vec<u8>>> = vec![Vec::new(); higher];
        for part in 0..=cuts.len() {
            let own: Vec<_> = shares.iter().map(|pieces| of(pieces, part)).collect();
            let above: Vec<_> = weights.iter().skip(1).map(|pieces| of(pieces, part)).collect();
            let made = interpolate_part(&probs, &own, &above, &options.temporary)?;
            ngrams.iter_mut().zip(made).for_each(|(all, own)| all.extend(own));
        }
        let backoffs: Vec<Vec<u8>> = weights.first().map_or(Vec::new(), |own| of(own, 0));
        let pieces =
            ngrams.iter().enumerate().flat_map(|(place, own)| own.iter().map(move |piece| (place, piece)));
        let read = pieces.map(|(place, piece)| Ok((place + 2, records(piece)?)));
        let mut sink = Listed::default();
        write(&words, (lines.len() as u64, 1), summary, &backoffs, read, &mut sink, &told)?;
        Ok(sink.0)
    }

    #[test]
    fn parts_give_the_model_of_the_whole_text() {
        let mut random = 7u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        let lines: Vec<String> = (0..300)
            .map(|_| {
                let length = next(9);
                let mut word = || {
                    let most = next(40) + 1;
                    format!("w{}", next(most))
                };
                (0..length).map(|_| word()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        std::fs::write(&text, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        for (order, prune) in [(1, vec![]), (2, vec![0, 1]), (3, vec![1]), (5, vec![0, 0, 1]), (6, vec![])] {
            let options = options(order, prune);
            let mut whole = Listed::default();
            estimate(std::slice::from_ref(&text), &options, &mut whole, &|_, _, _| Ok(())).unwrap();
            for parts in [1, 2, 7] {
                let made = in_parts(&lines, &options, parts).unwrap();
                assert!(made == whole.0, "order {order}, {parts} parts");
            }
        }
    }
}
