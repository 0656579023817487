//! Contexts as features of rules, instead of as rules of their own.
//!
//! A contextual rule ⟨g, c, t⟩ competes with the basic rule ⟨g, t⟩, of which it is a part: both give the same
//! translation, from counts of different size. Here every derivation consists of basic rules, and the context in which a
//! rule is applied only adds two values:
//!
//! - the gain ln p(t|g,c) / p(t|g), where p(t|g,c) is smoothed with p(t|g);
//! - ln p(c|g), which says how usual it is to translate g while the nodes of c have links to words that are still
//!   untranslated. It is the same for all translations of g.
//!
//! In a chart of fragments and other spans, the labels of a rule's holes are its context in the same way.

use super::features::{column, Weights};
use super::prepared::{ContextValues, PreparedRule};
use crate::rule::bytes::Rule;
use crate::rule::record::Context;
use crate::store::hashing::FastMap;

/// Occurrences that the smoothed p(t|g,c) takes from p(t|g).
const FROM_BASIC: f32 = 5.0;
/// Occurrences with a context that was not seen.
const UNSEEN: f32 = 0.5;

/// Sums of so many are finite, and so are their ratios.
const MOST_OCCURRENCES: f32 = 1e12;

/// The counts of a source side.
#[derive(Default)]
pub struct ContextCounts {
    basic: f32,
    contexts: Vec<(Context, OneContext)>,
}

/// The counts of a source side in one context.
#[derive(Default)]
pub struct OneContext {
    total: f32,
    of_target: FastMap<Vec<u32>, f32>,
}

impl ContextCounts {
    /// Adds a rule; those of a context follow one another.
    pub fn add(&mut self, rule: &Rule) {
        if rule.context == Context::Any {
            self.basic += occurrences(rule);
            return;
        }
        if self.contexts.last().is_none_or(|(context, _)| *context != rule.context) {
            self.contexts.push((rule.context, OneContext::default()));
        }
        if let Some((_, own)) = self.contexts.last_mut() {
            own.add(rule);
        }
    }

    /// The basic rules, for contexts that were not seen, and once more for every context that was, each best first.
    pub fn as_features(&self, basic: &[PreparedRule], weights: &Weights) -> Vec<PreparedRule> {
        let unseen = ContextValues { gain: 0.0, probability: log_probability(0.0, self.basic) };
        let mut made: Vec<_> =
            basic.iter().map(|one| PreparedRule { context: unseen, ..one.clone() }).collect();
        for (context, counts) in &self.contexts {
            let probability = log_probability(counts.total, self.basic);
            // The search adds the weighted probability once for all rules.
            let rules = counts.ranked(basic, probability, |values| {
                weights.of(column::CONTEXT_GAIN) * values.gain - weights.of(column::BASIC_RULE)
            });
            let in_context =
                |one: PreparedRule| PreparedRule { rule: Rule { context: *context, ..one.rule }, ..one };
            made.extend(rules.into_iter().map(in_context));
        }
        made
    }
}

/// The count of a rule; a damaged file may have counts that are none.
pub fn occurrences(rule: &Rule) -> f32 {
    if rule.count.is_nan() {
        return 0.0;
    }
    rule.count.clamp(0.0, MOST_OCCURRENCES)
}

/// ln p(c|g) for the counts of the context and of the source side.
fn log_probability(context: f32, source: f32) -> f32 {
    ((context + UNSEEN) / (source.max(context) + 2.0 * UNSEEN)).ln()
}

impl OneContext {
    pub fn add(&mut self, rule: &Rule) {
        let count = occurrences(rule);
        self.total += count;
        *self.of_target.entry(rule.target.to_vec()).or_default() += count;
    }

    /// The rules of a source side that occurred `source` times, with the values of this context in their scores, best
    /// first. A context that was not seen is empty.
    pub fn informs(&self, rules: &[PreparedRule], source: f32, weights: &Weights) -> Vec<PreparedRule> {
        self.ranked(rules, log_probability(self.total, source), |values| {
            weights.of(column::CONTEXT_GAIN) * values.gain
                + weights.of(column::CONTEXT_PROBABILITY) * values.probability
        })
    }

    /// The rules with the values of this context, best first; `added` is what the values add to their scores.
    fn ranked(
        &self,
        rules: &[PreparedRule],
        probability: f32,
        added: impl Fn(ContextValues) -> f32,
    ) -> Vec<PreparedRule> {
        let informed = |one: &PreparedRule| {
            let context = ContextValues { gain: self.gain(&one.rule), probability };
            let added = added(context);
            let (score, estimate) = (one.score + added, one.estimate + added);
            PreparedRule { score, estimate, context, ..one.clone() }
        };
        let mut ranked: Vec<PreparedRule> = rules.iter().map(informed).collect();
        ranked.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        ranked
    }

    fn gain(&self, basic: &Rule) -> f32 {
        let probability = basic.scores[super::prepared::TARGET_GIVEN_SOURCE].exp();
        let seen = self.of_target.get(&*basic.target).copied().unwrap_or(0.0);
        // (seen + k p) / ((total + k) p)
        ((seen / probability.max(f32::MIN_POSITIVE) + FROM_BASIC) / (self.total + FROM_BASIC)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(context: Context, target: u32, count: f32, log_probability: f32) -> Rule {
        let mut made = Rule { target: [target].into(), count, context, ..Rule::default() };
        made.scores[super::super::prepared::TARGET_GIVEN_SOURCE] = log_probability;
        made
    }

    #[test]
    fn damaged_counts_are_no_counts() {
        for (count, expected) in [
            (2.5, 2.5),
            (f32::NAN, 0.0),
            (-3.0, 0.0),
            (f32::INFINITY, MOST_OCCURRENCES),
            (f32::MAX, MOST_OCCURRENCES),
        ] {
            assert_eq!(occurrences(&rule(Context::Any, 1, count, 0.0)), expected);
        }
    }

    /// g is translated by 1 (6 times) and by 2 (2 times); before its own links are covered, 1 (1 time) and 2 (2 times).
    #[test]
    fn a_source_side_by_hand() {
        let basic = [rule(Context::Any, 1, 6.0, 0.75f32.ln()), rule(Context::Any, 2, 2.0, 0.25f32.ln())];
        let open = Context::Nodes(1);
        let mut counts = ContextCounts::default();
        basic.iter().for_each(|one| counts.add(one));
        counts.add(&rule(open, 1, 1.0, 0.0));
        counts.add(&rule(open, 2, 2.0, 0.0));
        let prepared = |one: &Rule| PreparedRule {
            rule: one.clone(),
            lm_words: [].into(),
            score: 0.0,
            estimate: 0.0,
            context: ContextValues::default(),
            target_side: 0,
        };
        let ranked: Vec<_> = basic.iter().map(prepared).collect();
        let mut values = vec![0.0; column::REGISTERED];
        (values[column::CONTEXT_GAIN], values[column::BASIC_RULE]) = (2.0, 0.5);
        let weights = Weights::for_features::<()>(values).unwrap();
        let made = counts.as_features(&ranked, &weights);
        assert_eq!(made.len(), 4);
        let (unseen, seen) = made.split_at(2);
        assert!(unseen.iter().all(|one| one.rule.context == Context::Any));
        assert_eq!(unseen[0].context, ContextValues { gain: 0.0, probability: (0.5f32 / 9.0).ln() });
        // The second translation is the better one in this context.
        assert_eq!((seen[0].rule.target[0], seen[1].rule.target[0]), (2, 1));
        assert!(seen.iter().all(|one| one.rule.context == open));
        let wanted = [(2.0f32 / 0.25 + 5.0) / 8.0, (1.0f32 / 0.75 + 5.0) / 8.0];
        for (one, wanted) in seen.iter().zip(wanted) {
            assert!((one.context.gain - wanted.ln()).abs() < 1e-6);
            assert!((one.context.probability - (3.5f32 / 9.0).ln()).abs() < 1e-6);
            assert!((one.score - (2.0 * wanted.ln() - 0.5)).abs() < 1e-5);
        }
    }
}
