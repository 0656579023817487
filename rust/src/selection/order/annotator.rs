//! Word order as features of rules: the sum of ln p(inverted) / p(straight) over the linked pairs of words whose
//! translations a rule puts into the other order.
//!
//! Every pair is counted once in a derivation, by the rule that first has both words, in parts of its own. Glue inverts
//! nothing, so that it needs no value.

use std::sync::Arc;

use super::pairs::{dependents, linked_pairs, LinkedPair};
use super::train::{mean_places, INVERTED, STRAIGHT};
use crate::decode::annotate::Annotator;
use crate::decode::option_rows::{OptionColumns, OptionRow};
use crate::decode::sentence::Sentence;
use crate::error::{Error, Result};
use crate::selection::classifiers::model::Classifiers;
use crate::selection::context::{tag, SentenceContext};
use crate::selection::rules::{covered_span, sentence_numbers};
use crate::selection::Selector;
use crate::table::read::Table;

/// The log-odds of inverted where there is no classifier: the two parts of speech are rare, or keep their order always.
const WITHOUT_CLASSIFIER: f32 = -4.0;
/// Bound of the log-odds, either sign.
const MOST: f32 = 6.0;
/// Not part of the option.
const OUTSIDE: usize = usize::MAX;

/// The model for any rule table.
pub struct OrderSelector {
    pub model: Arc<Classifiers>,
}

impl Selector for OrderSelector {
    fn for_table(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>> {
        Ok(Arc::new(Order { model: self.model.clone(), table: table.clone() }))
    }
}

struct Order {
    model: Arc<Classifiers>,
    table: Arc<Table>,
}

impl Order {
    /// The log-odds of inverted of every pair.
    fn log_odds(&self, pairs: &[LinkedPair], sentence: &Sentence) -> Vec<f32> {
        let words = sentence_numbers(sentence, &self.table);
        let tags: Vec<u32> = sentence.tags.iter().map(|upos| tag(upos)).collect();
        let context = SentenceContext { words: &words, tags: &tags, heads: &sentence.heads };
        let of_head = dependents(&sentence.heads);
        let (mut features, mut scores) = (Vec::new(), Vec::new());
        let mut of_pair = |pair: &LinkedPair| {
            let Some(classifier) = self.model.get(pair.classifier(&tags)) else { return WITHOUT_CLASSIFIER };
            pair.features(&context, &of_head, &mut features);
            classifier.class_scores(&features, &mut scores);
            let score = |class| scores.get(classifier.class_index(class)).copied().unwrap_or(0.0);
            ((score(INVERTED) - score(STRAIGHT)) as f32).clamp(-MOST, MOST)
        };
        pairs.iter().map(&mut of_pair).collect()
    }
}

impl Annotator for Order {
    fn columns(&self) -> usize {
        2
    }

    fn check(&self) -> Result<()> {
        self.model.check()
    }

    fn annotate(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<f32>> {
        let words = sentence.words.len();
        if sentence.heads.len() != words || sentence.tags.len() != words {
            return Err(Error::input("the sentence has no dependency tree with parts of speech.")
                .hint("Give it as CoNLL-U, with UPOS and HEAD."));
        }
        let pairs = linked_pairs(&sentence.heads);
        let odds = self.log_odds(&pairs, sentence);
        let mut by_second: Vec<Vec<(usize, f32)>> = vec![Vec::new(); words];
        for (pair, odds) in pairs.iter().zip(odds) {
            by_second[pair.second].push((pair.first, odds));
        }
        let mut values = Vec::with_capacity(self.columns() * options.number());
        let (mut place, mut parts) = (None, MatchPairs::default());
        options.each(&mut |row| {
            if place != Some(row.match_id) {
                place = Some(row.match_id);
                parts.set(&row, &by_second);
            }
            values.extend(parts.inverted(&row));
        });
        Ok(values)
    }
}

/// The linked pairs between the parts of a match: its words, then its holes.
#[derive(Default)]
struct MatchPairs {
    /// Parts in source order, and the sum of the log-odds of the pairs between them.
    between: Vec<(usize, usize, f32)>,
    words: usize,
}

impl MatchPairs {
    /// Those of a row's match; `by_second` has for each word of the sentence the linked words before it, with log-odds.
    fn set(&mut self, row: &OptionRow<'_>, by_second: &[Vec<(usize, f32)>]) {
        let span = covered_span(row);
        let mut part_of = vec![OUTSIDE; span.1.saturating_sub(span.0)];
        for (part, &position) in row.positions.iter().enumerate() {
            part_of[position - span.0] = part;
        }
        self.words = row.positions.len();
        for (hole, &(first, end)) in row.holes.iter().enumerate() {
            part_of[first - span.0..end - span.0].fill(self.words + hole);
        }
        self.between.clear();
        for second in span.0..span.1 {
            let part = part_of[second - span.0];
            let inside = by_second[second].iter().filter(|(first, _)| *first >= span.0);
            for &(first, odds) in inside {
                let other = part_of[first - span.0];
                if other == part || other == OUTSIDE || part == OUTSIDE {
                    continue;
                }
                match self.between.iter_mut().find(|one| (one.0, one.1) == (other, part)) {
                    Some((_, _, sum)) => *sum += odds,
                    None => self.between.push((other, part, odds)),
                }
            }
        }
    }

    /// The sums over inverted pairs: of those with a word in a hole, and of those between the rule's own words.
    fn inverted(&self, row: &OptionRow<'_>) -> [f32; 2] {
        if self.between.is_empty() || row.copied {
            return [0.0; 2];
        }
        let links = row.alignment.iter().map(|(s, t)| (usize::from(s), usize::from(t)));
        let holes =
            (0..row.target.len()).filter_map(|t| row.target_hole(t).map(|hole| (self.words + hole, t)));
        let places = mean_places(self.words + row.holes.len(), links.chain(holes));
        let mut sums = [0.0; 2];
        for &(first, second, odds) in &self.between {
            if let (Some(one), Some(other)) = (places[first], places[second]) {
                if one > other {
                    sums[usize::from(second.max(first) < self.words)] += odds;
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::option_rows::Links;
    use crate::decode::prepared::FIRST_HOLE;
    use crate::metric::random::Random;
    use crate::source::spans::Span;

    /// A rule over words 0 to 4 with the hole 1..4: it puts word 4 first, then the hole, then word 0.
    #[test]
    fn a_rule_by_hand() {
        let row = row(&[0, 4], &[(1, 4)], &[7, FIRST_HOLE, 8], &[(0, 2), (1, 0)]);
        // Words 0 and 4 change places, and both with the words of the hole; 1 and 2 are in it together.
        let by_second = [vec![], vec![(0, 0.5)], vec![(1, 4.0)], vec![], vec![(0, 0.25), (2, 1.0), (3, 2.0)]];
        let mut pairs = MatchPairs::default();
        pairs.set(&row, &by_second);
        assert_eq!(pairs.inverted(&row), [0.5 + 1.0 + 2.0, 0.25]);
        let copied = OptionRow { copied: true, ..row };
        assert_eq!(pairs.inverted(&copied), [0.0, 0.0]);
    }

    #[test]
    fn words_without_links_have_no_order() {
        let row = row(&[0, 1], &[], &[7], &[(1, 0)]);
        let mut pairs = MatchPairs::default();
        pairs.set(&row, &[vec![], vec![(0, 1.0)]]);
        assert_eq!(pairs.inverted(&row), [0.0, 0.0]);
    }

    /// Random rules over six words with up to two holes, against every pair of words by itself.
    #[test]
    fn sums_are_those_of_single_pairs() {
        for seed in 0..200 {
            let mut random = Random::new(seed, 5);
            let holes: &[Span] = [&[][..], &[(1, 3)], &[(0, 2), (3, 5)], &[(2, 6)]][random.below(4)];
            let inside = |word: usize| holes.iter().position(|&(first, end)| (first..end).contains(&word));
            let positions: Vec<usize> = (0..6).filter(|&word| inside(word).is_none()).collect();
            // Every part has a place of its own in the target side.
            let mut order: Vec<usize> = (0..positions.len() + holes.len()).collect();
            for k in (1..order.len()).rev() {
                order.swap(k, random.below(k + 1));
            }
            let symbol =
                |part: usize| part.checked_sub(positions.len()).map_or(7, |hole| FIRST_HOLE + hole as u32);
            let target: Vec<u32> = order.iter().map(|&part| symbol(part)).collect();
            let place = |part: usize| order.iter().position(|&other| other == part).unwrap();
            let links: Vec<(u8, u8)> =
                (0..positions.len()).map(|part| (part as u8, place(part) as u8)).collect();
            let part = |word: usize| {
                inside(word).map_or_else(
                    || positions.iter().position(|&other| other == word).unwrap(),
                    |hole| positions.len() + hole,
                )
            };
            let (mut by_second, mut wanted) = (vec![Vec::new(); 6], [0.0; 2]);
            for (second, before) in by_second.iter_mut().enumerate() {
                for first in 0..second {
                    if random.below(2) == 0 {
                        // Powers of two, so that sums are exact.
                        let odds = 2f32.powi(random.below(12) as i32 - 6);
                        before.push((first, odds));
                        if place(part(first)) > place(part(second)) {
                            let own = inside(first).is_none() && inside(second).is_none();
                            wanted[usize::from(own)] += odds;
                        }
                    }
                }
            }
            let row = row(&positions, holes, &target, &links);
            let mut pairs = MatchPairs::default();
            pairs.set(&row, &by_second);
            assert_eq!(pairs.inverted(&row), wanted, "seed {seed}");
        }
    }

    fn row<'a>(
        positions: &'a [usize],
        holes: &'a [Span],
        target: &'a [u32],
        links: &'a [(u8, u8)],
    ) -> OptionRow<'a> {
        OptionRow {
            match_id: 0,
            positions,
            target,
            lm_words: target,
            alignment: Links::of(links),
            scores: &[],
            copied: false,
            context: None,
            holes,
        }
    }
}
