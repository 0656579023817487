//! The words of an aligned corpus with their translations, as matches of classifiers.

use super::context::ContextScope;
use crate::corpus::pair::Pair;
use crate::selection::classifiers::corpus::Matches;
use crate::selection::classifiers::model::format;
use crate::selection::classifiers::train::Kind;
use crate::selection::context::SentenceContext;
use crate::selection::rules::{side, TableNumbers, UNKNOWN_WORD};

/// The files of this model.
pub const KIND: Kind =
    Kind { format: format(b'W', "discriminative word lexicon", 1), options: "dwl", frequencies: true };

/// Every source word of the table with its translation and its features.
pub struct Words {
    pub scope: ContextScope,
}

impl Matches for Words {
    fn each(
        &self,
        pair: &Pair,
        context: &SentenceContext<'_>,
        numbers: &TableNumbers<'_>,
        found: &mut dyn FnMut(u64, u64, &[u64]),
    ) {
        let mut seen = Vec::new();
        let mut points = pair.points.clone();
        points.sort_unstable();
        points.dedup();
        let mut rest = &points[..];
        for (position, &word) in context.words.iter().enumerate() {
            let own = rest.iter().take_while(|&&(s, _)| usize::from(s) == position).count();
            let (linked, others) = rest.split_at(own);
            rest = others;
            if word != UNKNOWN_WORD {
                let target_word = |&(_, t): &(u16, u16)| numbers.target_word(pair.target[usize::from(t)]);
                let translation = side(linked.iter().map(target_word));
                context.features(position, self.scope, &mut seen);
                found(side([word].into_iter()), translation, &seen);
            }
        }
    }
}
