//! Discounting of rule counts: rare rules are less likely than their relative frequencies say.
//!
//! Good-Turing replaces a joint count c by c* = (c + 1) N(c+1) / N(c), N(c) being the number of rules seen c times.
//! Modified Kneser-Ney (Foster, Kuhn and Johnson 2006) takes D(c) off every joint count and gives what is gained to a
//! lower-order distribution: p(t|s) = (c(s,t) - D) / c(s) + a(s) n(t) / n, where a(s) is what was taken off the
//! rules of s, n(t) the number of different rules with target side t and n that of all rules. Both directions alike;
//! basic and contextual rules each on their own. Both are about rules that were seen once, twice and so on: grammars
//! whose rules share occurrences are not discounted.

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

/// Counts above this are believed as they are by Good-Turing.
const TRUSTED: usize = 10;

/// One side of a rule: how often it occurs, and how many of its rules were seen once, twice, more often.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    pub total: u64,
    pub rules: [u32; 3],
}

impl Side {
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

/// What was learned of one kind of rules.
#[derive(Clone, Debug, Default)]
struct Kind {
    /// Rules seen 0, 1, 2, ... times.
    seen: [u64; TRUSTED + 2],
    rules: u64,
    discounts: [f64; 3],
}

impl Kind {
    /// D for counts of 1, 2 and more (Chen and Goodman 1999), or the usual stand-ins where there are too few rules.
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
        if c > TRUSTED || self.seen[c + 1] == 0 {
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
    kinds: [Kind; 2],
    /// The target sides, where their rules must be known.
    targets: FastMap<u64, Side>,
    keys: TargetKeys,
}

impl Smoother {
    /// Goes through all rules once; `None` has nothing to learn and does not.
    pub fn learn(smoothing: Smoothing, keys: TargetKeys, runs: &mut Runs) -> Result<Self> {
        let mut made = Smoother { smoothing, kinds: Default::default(), targets: FastMap::default(), keys };
        if smoothing == Smoothing::None {
            return Ok(made);
        }
        let mut merge = runs.merge()?;
        let mut rule: Vec<u8> = Vec::new();
        let mut joint = 0;
        while let Some((bytes, counts)) = merge.next()? {
            // The same rule with another alignment is the same rule.
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
        made.kinds.iter_mut().for_each(Kind::learn_discounts);
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

    /// The target side of a rule; where only its total matters, that is `total`.
    pub fn target(&self, record: &Record<'_>, total: u64) -> Side {
        let known = self.targets.get(&self.keys.of(record));
        known.copied().unwrap_or(Side { total, ..Side::default() })
    }

    /// The probability of the other side given `this`, of a rule that was seen `joint` times.
    pub fn probability(&self, context: Context, joint: u64, this: &Side, other: &Side) -> f64 {
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
