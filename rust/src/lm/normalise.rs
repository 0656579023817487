//! Discounted relative frequencies and interpolation weights, context by context.

use super::adjust::PRUNED;
use super::discount::Discount;
use super::record::{Key, Record};
use super::sorter::{Sorted, Sorter};
use super::spool::Spool;
use super::BOS;
use crate::error::Result;
use crate::work::interrupt::Points;

/// The probability mass that a context leaves to the next shorter one, and the sum that divides its counts.
struct Sums {
    denominator: f64,
    gamma: f64,
    /// Whether an n-gram with this context is in the model.
    extends: bool,
}

/// `counts` are adjusted counts with pruned ones marked: their whole mass goes to the shorter context.
fn sums(counts: impl Iterator<Item = u64>, discount: &Discount) -> Sums {
    let (mut total, mut pruned) = (0, 0);
    let mut with_count = [0u64; 3];
    for count in counts {
        let plain = count & !PRUNED;
        total += plain;
        if count & PRUNED != 0 {
            pruned += plain;
        } else if plain > 0 {
            with_count[plain.min(3) as usize - 1] += 1;
        }
    }
    let discounted: f64 = with_count.iter().zip(discount.0).map(|(&n, amount)| n as f64 * amount).sum();
    let denominator = total as f64;
    let extends = with_count.iter().any(|&n| n > 0);
    Sums { denominator, gamma: (discounted + pruned as f64) / denominator, extends }
}

fn share(count: u64, sums: &Sums, discount: &Discount) -> f64 {
    (count as f64 - discount.of(count)) / sums.denominator
}

/// The unigram probability of every word: its own share and, for all but `<s>`, an equal part of the discounted mass.
/// `<s>` has 1, because it is never predicted; pruned words have 0.
pub fn unigrams(counts: &[u64], discount: &Discount) -> Vec<f64> {
    let sums = sums(counts.iter().copied(), discount);
    let sharing = counts.iter().filter(|&&count| count & PRUNED == 0).count() - 1;
    let uniform = 1.0 / sharing as f64;
    let prob = |(word, &count): (usize, &u64)| {
        if word == BOS as usize {
            1.0
        } else if count & PRUNED != 0 {
            0.0
        } else {
            share(count, &sums, discount) + sums.gamma * uniform
        }
    };
    counts.iter().enumerate().map(prob).collect()
}

/// Reads the n-grams of an order in context order. `shares` gets each kept n-gram with its own share and the weight of
/// the shorter context, `weights` each context with that weight and 1 if it has a kept n-gram, else 0.
pub fn normalise(
    order: usize,
    mut ngrams: Sorted,
    discount: &Discount,
    shares: &mut Sorter,
    weights: &mut Spool,
) -> Result<()> {
    shares.reserve(ngrams.most());
    // The n-grams of one context; at most as many as there are words.
    let mut group: Vec<Record> = Vec::new();
    let mut points = Points::default();
    loop {
        let next = ngrams.read()?;
        let context = |record: &Record| record.key.prefix(order - 1);
        let changed = match (group.first(), &next) {
            (Some(first), Some(next)) => context(first) != context(next),
            (first, _) => first.is_some(),
        };
        if changed {
            points.pass();
            close(order, context(&group[0]), &group, discount, shares, weights)?;
            group.clear();
        }
        match next {
            Some(record) => group.push(record),
            None => return Ok(()),
        }
    }
}

fn close(
    order: usize,
    context: Key,
    group: &[Record],
    discount: &Discount,
    shares: &mut Sorter,
    weights: &mut Spool,
) -> Result<()> {
    let sums = sums(group.iter().map(|record| record.value), discount);
    weights.push(Record::with_floats(context, sums.gamma as f32, f32::from(u8::from(sums.extends))))?;
    for record in group.iter().filter(|record| record.value & PRUNED == 0) {
        let own = share(record.value, &sums, discount);
        shares.push(Record::with_floats(record.key.to_suffix_order(order), own as f32, sums.gamma as f32))?;
    }
    Ok(())
}
