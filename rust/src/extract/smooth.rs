//! Discounting of rule counts: rare rules are less likely than their relative frequencies suggest.
//!
//! Good-Turing replaces a joint count c by c* = (c + 1) N(c+1) / N(c), where N(c) is the number of rules seen c times.
//! Modified Kneser-Ney (Foster, Kuhn and Johnson 2006) subtracts D(c) from every joint count and gives the freed mass
//! to a lower-order distribution: p(t|s) = (c(s,t) - D) / c(s) + a(s) n(t) / n, where a(s) is the mass taken from the
//! rules of s, n(t) the number of distinct rules with target side t, and n that of all rules. Both apply to both
//! directions, and separately to basic and contextual rules. Both need whole counts, so grammars whose rules share
//! occurrences are not discounted.

use crate::error::Result;
use crate::rule::record::{Context, Record, TargetKeys};
use crate::store::hashing::FastMap;
use crate::store::runs::{number, Runs, ONE};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Smoothing {
    None,
    GoodTuring,
    KneserNey,
}

/// Good-Turing does not discount counts above this.
const MAX_DISCOUNTED: usize = 10;

/// One side of a rule: its count, and how many of its rules were seen once, twice, and more often.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideCounts {
    pub total: u64,
    pub rules: [u32; 3],
}

impl SideCounts {
    pub fn add(&mut self, joint: u64) {
        self.total += joint;
        self.rules[class(joint)] += 1;
    }

    fn distinct(&self) -> f64 {
        self.rules.iter().map(|&n| f64::from(n)).sum()
    }
}

fn class(count: u64) -> usize {
    ((count / ONE).clamp(1, 3) - 1) as usize
}

/// Statistics of one kind of rules.
#[derive(Clone, Debug, Default)]
struct KindStatistics {
    /// The number of rules seen 0, 1, 2, ... times.
    seen: [u64; MAX_DISCOUNTED + 2],
    rules: u64,
    discounts: [f64; 3],
}

impl KindStatistics {
    /// D for counts of 1, 2 and more (Chen and Goodman 1999), or the usual defaults if there are too few rules.
    fn learn_discounts(&mut self) {
        let n = |count: usize| self.seen[count] as f64;
        let y = n(1) / (n(1) + 2.0 * n(2));
        for (class, stand_in) in [0.5, 1.0, 1.5].into_iter().enumerate() {
            let count = class + 1;
            let estimated = count as f64 - (count + 1) as f64 * y * n(count + 1) / n(count);
            let usable = estimated.is_finite() && estimated > 0.0 && estimated < count as f64;
            self.discounts[class] = if usable { estimated } else { stand_in };
        }
    }

    fn good_turing(&self, count: u64) -> f64 {
        let c = (count / ONE) as usize;
        if c > MAX_DISCOUNTED || self.seen[c + 1] == 0 {
            return number(count);
        }
        let discounted = (c + 1) as f64 * self.seen[c + 1] as f64 / self.seen[c] as f64;
        discounted.min(number(count))
    }
}

/// Turns counts into probabilities.
pub struct Smoother {
    smoothing: Smoothing,
    /// Basic rules, contextual rules.
    kinds: [KindStatistics; 2],
    /// The target sides, if the smoothing needs their rules.
    targets: FastMap<u64, SideCounts>,
    keys: TargetKeys,
}

impl Smoother {
    /// Collects statistics in one pass over all rules; `None` needs no pass.
    pub fn learn(smoothing: Smoothing, keys: TargetKeys, runs: &mut Runs) -> Result<Self> {
        let mut made = Smoother { smoothing, kinds: Default::default(), targets: FastMap::default(), keys };
        if smoothing == Smoothing::None {
            return Ok(made);
        }
        let mut merge = runs.merge()?;
        let mut rule: Vec<u8> = Vec::new();
        let mut joint = 0;
        while let Some((bytes, counts)) = merge.next()? {
            // A rule with another alignment is the same rule.
            let identity = bytes.len() - Record::read(bytes).points.len();
            if bytes[..identity] != rule[..] {
                made.count(&rule, joint);
                rule.clear();
                rule.extend_from_slice(&bytes[..identity]);
                joint = 0;
            }
            joint += counts.occurrences;
        }
        made.count(&rule, joint);
        made.kinds.iter_mut().for_each(KindStatistics::learn_discounts);
        Ok(made)
    }

    fn count(&mut self, rule: &[u8], joint: u64) {
        if joint == 0 {
            return;
        }
        let record = Record::read(rule);
        let kind = &mut self.kinds[kind(record.context)];
        kind.rules += 1;
        if let Some(seen) = kind.seen.get_mut((joint / ONE) as usize) {
            *seen += 1;
        }
        if self.smoothing == Smoothing::KneserNey {
            self.targets.entry(self.keys.of(&record)).or_default().add(joint);
        }
    }

    /// The target side of a rule; if only its total matters, that is `total`.
    pub fn target(&self, record: &Record<'_>, total: u64) -> SideCounts {
        let known = self.targets.get(&self.keys.of(record));
        known.copied().unwrap_or(SideCounts { total, ..SideCounts::default() })
    }

    /// The probability of the other side given `this`, for a rule seen `joint` times.
    pub fn probability(&self, context: Context, joint: u64, this: &SideCounts, other: &SideCounts) -> f64 {
        let kind = &self.kinds[kind(context)];
        let total = number(this.total);
        match self.smoothing {
            Smoothing::None => number(joint) / total,
            Smoothing::GoodTuring => kind.good_turing(joint) / total,
            Smoothing::KneserNey => {
                let taken: f64 = kind.discounts.iter().zip(this.rules).map(|(d, n)| d * f64::from(n)).sum();
                let own = number(joint) - kind.discounts[class(joint)];
                (own + taken * other.distinct() / kind.rules as f64) / total
            }
        }
    }
}

fn kind(context: Context) -> usize {
    usize::from(context != Context::Any)
}
