//! Discounting of rule counts: rare rules are less likely than their relative frequencies suggest.
//!
//! Good-Turing replaces a joint count c by c* = (c + 1) N(c+1) / N(c), where N(c) is the number of rules seen c times.
//! Modified Kneser-Ney (Foster, Kuhn and Johnson 2006) subtracts D(c) from every joint count and gives the freed mass
//! to a lower-order distribution: p(t|s) = (c(s,t) - D) / c(s) + a(s) n(t) / n, where a(s) is the mass taken from the
//! rules of s, n(t) the number of distinct rules with target side t, and n that of all rules. Both apply to both
//! directions, and separately to basic and contextual rules. Both need whole counts, so grammars whose rules share
//! occurrences are not discounted.

use crate::error::{Error, Result};
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

/// Statistics of rules, each counted once with the sum over its alignments.
#[derive(Clone, Debug, Default)]
pub struct RuleStatistics {
    /// Basic rules, contextual rules.
    kinds: [KindStatistics; 2],
    /// The target sides, where they are counted.
    pub targets: FastMap<u64, SideCounts>,
}

impl RuleStatistics {
    /// The length of [`RuleStatistics::numbers`].
    const NUMBERS: usize = 2 * (MAX_DISCOUNTED + 3);

    /// Counts a rule, given as a record without alignment; `keys` if its target side is counted too.
    pub fn count(&mut self, rule: &[u8], joint: u64, keys: Option<TargetKeys>) {
        let record = Record::read(rule);
        let kind = &mut self.kinds[kind(record.context)];
        kind.rules += 1;
        if let Some(seen) = kind.seen.get_mut((joint / ONE) as usize) {
            *seen += 1;
        }
        if let Some(keys) = keys {
            self.targets.entry(keys.of(&record)).or_default().add(joint);
        }
    }

    /// The statistics without target sides as a list; the lists of parts of a table add up to that of the table.
    pub fn numbers(&self) -> Vec<u64> {
        self.kinds.iter().flat_map(|kind| kind.seen.into_iter().chain([kind.rules])).collect()
    }

    /// The statistics of a table from their list.
    pub fn from_numbers(numbers: &[u64]) -> Result<Self> {
        let mut made = RuleStatistics::default();
        if numbers.len() != Self::NUMBERS {
            return Err(Error::internal(format!("{} statistics of rules.", numbers.len())));
        }
        for (kind, numbers) in made.kinds.iter_mut().zip(numbers.chunks_exact(Self::NUMBERS / 2)) {
            let (seen, rules) = numbers.split_at(MAX_DISCOUNTED + 2);
            kind.seen.copy_from_slice(seen);
            kind.rules = rules[0];
        }
        Ok(made)
    }
}

/// Adds up the counts of successive records that are the same rule with different alignments.
#[derive(Default)]
pub struct RuleGroups {
    rule: Vec<u8>,
    joint: u64,
}

impl RuleGroups {
    /// Takes the next record; `whole` gets the rule before it, if that is complete now.
    pub fn push(&mut self, bytes: &[u8], occurrences: u64, whole: impl FnMut(&[u8], u64)) {
        let identity = &bytes[..bytes.len() - Record::read(bytes).points.len()];
        if identity != &self.rule[..] {
            self.finish(whole);
            self.rule.extend_from_slice(identity);
        }
        self.joint += occurrences;
    }

    /// Passes the last rule to `whole`.
    pub fn finish(&mut self, mut whole: impl FnMut(&[u8], u64)) {
        if self.joint > 0 {
            whole(&self.rule, self.joint);
        }
        self.rule.clear();
        self.joint = 0;
    }
}

/// Turns counts into probabilities.
pub struct Smoother {
    smoothing: Smoothing,
    /// With target sides if the smoothing needs their rules.
    statistics: RuleStatistics,
}

impl Smoother {
    pub fn new(smoothing: Smoothing, mut statistics: RuleStatistics) -> Self {
        statistics.kinds.iter_mut().for_each(KindStatistics::learn_discounts);
        Smoother { smoothing, statistics }
    }

    /// Collects statistics in one pass over all rules; `None` needs no pass.
    pub fn learn(smoothing: Smoothing, keys: TargetKeys, runs: &mut Runs) -> Result<Self> {
        let mut statistics = RuleStatistics::default();
        if smoothing == Smoothing::None {
            return Ok(Smoother { smoothing, statistics });
        }
        let counted = (smoothing == Smoothing::KneserNey).then_some(keys);
        let mut merge = runs.merge()?;
        let mut rules = RuleGroups::default();
        let mut count = |rule: &[u8], joint| statistics.count(rule, joint, counted);
        while let Some((bytes, counts)) = merge.next()? {
            rules.push(bytes, counts.occurrences, &mut count);
        }
        rules.finish(&mut count);
        Ok(Smoother::new(smoothing, statistics))
    }

    /// The target side with this key, see [`TargetKeys`]; if only its total matters, that is `total`.
    pub fn target(&self, key: u64, total: u64) -> SideCounts {
        let known = self.statistics.targets.get(&key);
        known.copied().unwrap_or(SideCounts { total, ..SideCounts::default() })
    }

    /// The probability of the other side given `this`, for a rule seen `joint` times.
    pub fn probability(&self, context: Context, joint: u64, this: &SideCounts, other: &SideCounts) -> f64 {
        let kind = &self.statistics.kinds[kind(context)];
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
