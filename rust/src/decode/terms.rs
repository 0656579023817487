//! Terms: translations of source spans that a glossary or the input itself requires, prefers or forbids.

use std::sync::Arc;

use super::prepared::{hole, PreparedRule, RankedRules};
use crate::error::{Error, Result};
use crate::source::spans::Span;
use crate::store::vocab::Words;

/// The length limit of either side of a term. A sentence that is too long for one search can always be cut between
/// terms of this length (see [`super::pieces`]).
pub const MAX_TERM: usize = 32;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TermUse {
    /// No other rule translates words of the span.
    Required,
    /// The same for a choice among the translations that the table has, which keeps the scores of its rule.
    Chosen,
    /// Competes with the rules of the table, with the feature `glossary`.
    Preferred,
    /// Rules with this translation of the span are not used.
    Forbidden,
}

impl TermUse {
    /// Whether nothing else may translate the span.
    pub fn is_required(self) -> bool {
        matches!(self, TermUse::Required | TermUse::Chosen)
    }
}

/// A translation of a source span.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    pub span: Span,
    /// The translation as it is written in the output.
    pub target: Vec<String>,
    /// The same words as table and language model spell them.
    pub lookup: Vec<String>,
    /// (position in the span, position in the target).
    pub alignment: Vec<(u8, u8)>,
    pub usage: TermUse,
    /// ln p of the target given the source.
    pub log_probability: f32,
}

/// Rejects terms that are malformed, lie outside a sentence of this many words, or contradict one another.
pub fn check(terms: &[Term], words: usize) -> Result<()> {
    let required = || terms.iter().filter(|term| term.usage.is_required());
    for term in terms {
        let (first, end) = term.span;
        if first >= end || end > words {
            return Err(Error::input(format!("a term covers {first}..{end} of {words} words.")));
        }
        if end - first > MAX_TERM || term.target.len() > MAX_TERM || term.target.is_empty() {
            return Err(Error::input(format!(
                "a term has {} words and a translation of {}; 1 to {MAX_TERM} were expected.",
                end - first,
                term.target.len()
            )));
        }
        let links = |&(s, t): &(u8, u8)| usize::from(s) < end - first && usize::from(t) < term.target.len();
        if term.lookup.len() != term.target.len()
            || !term.alignment.iter().all(links)
            || !(-100.0..=0.0).contains(&term.log_probability)
        {
            return Err(Error::input(
                "the words, the links or the probability of a term do not go together.",
            ));
        }
        let conflicts = |other: &Term| other.span != term.span && other.span.0 < end && first < other.span.1;
        if term.usage.is_required() && required().any(conflicts) {
            return Err(Error::input(format!("the required term at {first}..{end} overlaps another one.")));
        }
    }
    Ok(())
}

/// The terms of a sentence, for the collection of its options.
pub struct SentenceTerms<'a> {
    terms: &'a [Term],
    /// The numbers of the sentence's words in the table; `None` for unknown words.
    words: &'a [Option<u32>],
    /// The positions that only required terms translate; empty if there are none.
    reserved: Vec<bool>,
    /// Spans with translations that they must not have.
    forbidden: Vec<(Span, Vec<u32>)>,
}

impl<'a> SentenceTerms<'a> {
    /// `vocabulary` is the table's target vocabulary.
    pub fn new(terms: &'a [Term], words: &'a [Option<u32>], vocabulary: Words<'_>) -> Self {
        let mut reserved = Vec::new();
        for term in terms.iter().filter(|term| term.usage.is_required()) {
            reserved.resize(words.len(), false);
            reserved[term.span.0..term.span.1].fill(true);
        }
        let forbidden = terms.iter().filter(|term| term.usage == TermUse::Forbidden);
        // No rule of the table has a word that is not in its vocabulary.
        let numbers = |term: &Term| {
            let target: Option<Vec<u32>> = term.lookup.iter().map(|word| vocabulary.get(word)).collect();
            Some((term.span, target?))
        };
        SentenceTerms { terms, words, reserved, forbidden: forbidden.filter_map(numbers).collect() }
    }

    /// Required and preferred terms, with their numbers.
    pub fn translations(&self) -> impl Iterator<Item = (usize, &'a Term)> {
        self.terms.iter().enumerate().filter(|(_, term)| term.usage != TermUse::Forbidden)
    }

    /// The words of a term's span, if the table knows them all.
    pub fn source_words(&self, term: &Term) -> Option<Vec<u32>> {
        self.words[term.span.0..term.span.1].iter().copied().collect()
    }

    /// Whether only required terms translate a position.
    pub fn reserves(&self, position: usize) -> bool {
        self.reserved.get(position).is_some_and(|&reserved| reserved)
    }

    /// The rules of a source side that may be used; `symbols` gives the positions of its words, `None` for holes.
    pub fn allowed(
        &self,
        rules: Arc<RankedRules>,
        symbols: impl FnOnce() -> Vec<Option<usize>>,
    ) -> Arc<RankedRules> {
        if self.reserved.is_empty() && self.forbidden.is_empty() {
            return rules;
        }
        let symbols = symbols();
        if symbols.iter().flatten().any(|&position| self.reserves(position)) {
            return Arc::default();
        }
        let covers = |(span, _): &&(Span, Vec<u32>)| symbols.iter().flatten().any(|&p| inside(*span, p));
        let here: Vec<_> = self.forbidden.iter().filter(covers).collect();
        let allows = |rule: &&PreparedRule| {
            !here.iter().any(|(span, target)| translates_as(rule, &symbols, *span, target))
        };
        if rules.iter().all(|rule| allows(&rule)) {
            return rules;
        }
        rules.iter().filter(allows).cloned().collect()
    }
}

fn inside(span: Span, position: usize) -> bool {
    (span.0..span.1).contains(&position)
}

/// Whether a rule translates words of a span as `target`, or begins to, so that other rules could complete it: it has
/// only some words of the span, and the first words of `target` before a hole or at its end.
fn translates_as(prepared: &PreparedRule, symbols: &[Option<usize>], span: Span, target: &[u32]) -> bool {
    let rule = &prepared.rule;
    let own = symbols.iter().flatten().filter(|&&position| inside(span, position)).count();
    let is_part = own < span.1 - span.0;
    (0..rule.target.len()).any(|start| {
        let same = rule.target[start..].iter().zip(target).take_while(|(a, b)| a == b).count();
        let end = start + same;
        let is_open = prepared.lm_words.get(end).is_none_or(|&word| hole(word).is_some());
        if same == 0 || (same < target.len() && !(is_part && is_open)) {
            return false;
        }
        // Words that are linked to other words only are the translation of those.
        let links = rule.alignment.iter().filter(|(_, t)| (start..end).contains(&usize::from(*t)));
        let mut sources =
            links.filter_map(|(s, _)| symbols.get(usize::from(*s)).copied().flatten()).peekable();
        sources.peek().is_none() || sources.any(|position| inside(span, position))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::prepared::FIRST_HOLE;
    use crate::rule::bytes::Rule;

    fn rule(target: &[u32], alignment: &[(u8, u8)]) -> PreparedRule {
        let rule = Rule { target: target.into(), alignment: alignment.into(), ..Rule::default() };
        PreparedRule {
            rule,
            lm_words: target.into(),
            score: 0.0,
            estimate: 0.0,
            context: Default::default(),
            target_side: 0,
        }
    }

    fn term(span: Span, usage: TermUse) -> Term {
        let target = vec!["a".to_owned()];
        Term { span, lookup: target.clone(), target, alignment: vec![(0, 0)], usage, log_probability: 0.0 }
    }

    #[test]
    fn forbidden_translations_are_found_whole_and_in_parts() {
        let (both, first) = ([Some(3), Some(4)], [Some(3)]);
        let span = (3, 5);
        let whole = rule(&[7, 8, 9], &[(0, 0), (0, 1), (1, 2)]);
        assert!(translates_as(&whole, &both, span, &[8, 9]));
        assert!(!translates_as(&whole, &both, span, &[9, 8]));
        // Position 2 is not part of the term, so its translation may be anything.
        assert!(!translates_as(&whole, &[Some(2), Some(1)], span, &[8, 9]));
        assert!(translates_as(&rule(&[8, 9], &[]), &both, span, &[8, 9]), "words without links");
        // A rule for the first word alone begins the translation; one for the whole term does not.
        let part = rule(&[7, 8], &[(0, 0), (0, 1)]);
        assert!(translates_as(&part, &first, span, &[8, 9]));
        assert!(!translates_as(&part, &both, span, &[8, 9]));
        let with_hole = rule(&[8, FIRST_HOLE], &[(0, 0)]);
        assert!(translates_as(&with_hole, &[Some(3), None], span, &[8, 9]));
        assert!(!translates_as(&rule(&[8, 7], &[(0, 0)]), &first, span, &[8, 9]));
    }

    #[test]
    fn terms_are_checked() {
        let required = |span| term(span, TermUse::Required);
        assert!(check(&[required((0, 2)), required((2, 3)), required((0, 2))], 3).is_ok());
        assert!(check(&[required((0, 2)), term((1, 3), TermUse::Preferred)], 3).is_ok());
        for bad in [vec![required((0, 2)), required((1, 3))], vec![required((2, 4))], vec![required((1, 1))]]
        {
            assert!(check(&bad, 3).is_err());
        }
        let mut links = required((0, 1));
        links.alignment = vec![(1, 0)];
        assert!(check(&[links], 3).is_err());
        let empty = Term { target: Vec::new(), lookup: Vec::new(), ..required((0, 1)) };
        assert!(check(&[empty], 3).is_err());
    }
}
