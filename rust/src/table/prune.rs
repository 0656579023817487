//! A table without rare or insignificant rules.
//!
//! The significance of a rule is that of Johnson et al. (2007): the probability that its two sides would occur together
//! at least as often by chance (Fisher's exact test), as -ln p. The counts are those of the table, occurrences of rules,
//! where the paper counts sentence pairs. A rule whose sides occur once, and together, has significance ln N, the paper's
//! threshold α, where N is the number of all occurrences.

use std::path::Path;

use super::build::Builder;
use super::filter::copied;
use super::read::Table;
use crate::error::{Error, Result};
use crate::rule::bytes::Rule;
use crate::rule::record::Context;
use crate::store::hashing::{self, FastMap};
use crate::work::interrupt;

/// Which rules are kept.
#[derive(Clone, Copy, Debug)]
pub struct PruneLimits {
    /// The lowest count.
    pub min_count: f64,
    /// The lowest significance, relative to α; `None`: any.
    pub significance: Option<f64>,
}

/// The number of rules kept and dropped.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Pruned {
    pub kept: u64,
    pub dropped: u64,
}

/// Basic and contextual rules are counted separately, as for scores.
fn kind(context: Context) -> usize {
    usize::from(context != Context::Any)
}

fn target_key(rule: &Rule) -> u64 {
    let bytes: Vec<u8> = rule.target.iter().flat_map(|word| word.to_le_bytes()).collect();
    hashing::word(&bytes) ^ kind(rule.context) as u64
}

/// The counts of a table that significance depends on.
#[derive(Default)]
struct Totals {
    targets: FastMap<u64, f64>,
    all: [f64; 2],
}

/// Writes the rules of a table that the limits keep, with their scores unchanged.
pub fn prune(table: &Table, limits: PruneLimits, out: &Path) -> Result<Pruned> {
    let mut totals = Totals::default();
    if limits.significance.is_some() {
        table.source_sides(|_, node| {
            interrupt::point();
            table.rules(node, |rule| {
                *totals.targets.entry(target_key(rule)).or_default() += f64::from(rule.count);
                totals.all[kind(rule.context)] += f64::from(rule.count);
            });
            true
        });
    }
    let mut builder = Builder::create(out, *table.settings())?;
    let (mut found, mut failed) = (Pruned::default(), None);
    table.source_sides(|source, node| {
        interrupt::point();
        let mut rules: Vec<Rule> = Vec::new();
        table.rules(node, |rule| rules.push(rule.clone()));
        let all = rules.len();
        let keep = kept(&rules, limits, &totals);
        let mut keep = keep.iter();
        rules.retain(|_| keep.next().copied().unwrap_or(false));
        found.kept += rules.len() as u64;
        found.dropped += (all - rules.len()) as u64;
        if !rules.is_empty() {
            failed = builder.add(source, &rules).err();
        }
        failed.is_none()
    });
    if let Some(error) = failed {
        return Err(error);
    }
    table.check()?;
    if found.kept == 0 {
        return Err(Error::input("no rule is left.").hint("Choose lower limits."));
    }
    builder.finish(table.meta(), &copied(table.source_words())?, &copied(table.target_words())?)?;
    Ok(found)
}

/// Which rules of a source side are kept.
fn kept(rules: &[Rule], limits: PruneLimits, totals: &Totals) -> Vec<bool> {
    let mut by_context: FastMap<u32, f64> = FastMap::default();
    for rule in rules {
        *by_context.entry(rule.context.code()).or_default() += f64::from(rule.count);
    }
    let is_kept = |rule: &Rule| {
        let joint = f64::from(rule.count);
        let enough = joint >= limits.min_count;
        enough
            && limits.significance.is_none_or(|least| {
                let (source, target) = (by_context[&rule.context.code()], totals.targets[&target_key(rule)]);
                let all = totals.all[kind(rule.context)];
                significance(joint, source, target, all) >= whole(all).ln() + least
            })
    };
    rules.iter().map(is_kept).collect()
}

/// Rules that share occurrences have fractional counts, which the test does not.
fn whole(count: f64) -> f64 {
    count.round().max(1.0)
}

/// -ln of the probability of at least `joint` common occurrences of sides with these counts.
pub fn significance(joint: f64, source: f64, target: f64, all: f64) -> f64 {
    let (k, s, t, n) = (whole(joint), whole(source), whole(target), whole(all));
    let (s, t) = (s.max(k), t.max(k));
    let n = n.max(s + t - k);
    let first = ln_choose(s, k) + ln_choose(n - s, t - k) - ln_choose(n, t);
    // The terms after the first, relative to it.
    let (mut term, mut sum, mut i) = (1.0, 1.0, k);
    while i < s.min(t) && term > 1e-15 * sum {
        term *= (s - i) * (t - i) / ((i + 1.0) * (n - s - t + i + 1.0));
        sum += term;
        i += 1.0;
    }
    (-first - sum.ln()).max(0.0)
}

fn ln_choose(n: f64, k: f64) -> f64 {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// ln n!, exact to about 1e-12 of its value: Stirling's series from 16 on.
fn ln_factorial(n: f64) -> f64 {
    let (mut x, mut shift) = (n + 1.0, 0.0);
    while x < 16.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let series =
        (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x;
    (x - 0.5) * x.ln() - x + 0.918_938_533_204_672_7 + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significance_by_hand() {
        let close = |found: f64, p: f64| assert!((found + p.ln()).abs() < 1e-9, "{found} is not -ln of {p}");
        // Once each, together: 1/N.
        close(significance(1.0, 1.0, 1.0, 1000.0), 1e-3);
        // Of ten, three and four, two or three in common: (C(3,2) C(7,2) + C(3,3) C(7,1)) / C(10,4) = 70 / 210.
        close(significance(2.0, 3.0, 4.0, 10.0), 70.0 / 210.0);
        close(significance(3.0, 3.0, 4.0, 10.0), 7.0 / 210.0);
        // Everything together is certain.
        close(significance(10.0, 10.0, 10.0, 10.0), 1.0);
    }

    #[test]
    fn factorials() {
        for (n, value) in [(0.0, 1.0f64), (1.0, 1.0), (5.0, 120.0), (20.0, 2_432_902_008_176_640_000.0)] {
            assert!((ln_factorial(n) - value.ln()).abs() < 1e-10, "{n}");
        }
    }
}
