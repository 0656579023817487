//! Scores of pieces of a sentence that are put together in any order, as a chart search does (Heafield 2011).
//!
//! A piece is scored with what is known inside it. When pieces are joined, only the words at the left end of the
//! right piece can change; those of the left piece's right end are their context. The scores of all pieces
//! and joins of a sentence add up to its left-to-right score.

use super::model::Model;
use super::query::Climb;
use super::state::{ChartState, State};
use super::MAX_ORDER;

/// Builds the score of one rule from left to right out of words and finished pieces.
///
/// ```no_run
/// use _core::lm::{Model, RuleScore};
/// # fn rule(model: &Model, x: _core::lm::ChartState, x_score: f32) {
/// let mut rule = RuleScore::new(model);
/// rule.terminal(model.vocab().id("the"));
/// rule.nonterminal(&x, x_score);
/// let (state, score) = rule.finish();
/// # }
/// ```
pub struct RuleScore<'m> {
    model: &'m Model,
    out: ChartState,
    /// Whether words to come are settled by what stands before them.
    settled: bool,
    prob: f32,
}

impl<'m> RuleScore<'m> {
    pub fn new(model: &'m Model) -> Self {
        RuleScore { model, out: ChartState::default(), settled: false, prob: 0.0 }
    }

    /// The piece starts with `<s>`; only as the first thing.
    pub fn begin_sentence(&mut self) {
        self.out.right = self.model.begin_state();
        self.settled = true;
    }

    /// The next word.
    #[inline]
    pub fn terminal(&mut self, word: u32) {
        let from = self.out.right;
        let scored = self.model.score(&from, word, &mut self.out.right);
        self.prob += scored.prob;
        if self.settled {
            return;
        }
        if scored.settled {
            self.settled = true;
            return;
        }
        self.keep(scored.node);
        // Once the right end has let go of a word, nothing further left can reach past it.
        self.settled = self.out.right.length != from.length + 1;
    }

    /// The next piece, with its own score.
    pub fn nonterminal(&mut self, piece: &ChartState, prob: f32) {
        self.prob += prob;
        let known = self.out.right;
        if piece.left.is_empty() {
            // Either no words at all, or even the first is settled and the context stays unused.
            if piece.left.full {
                self.close(piece, known.backoffs());
            }
            return;
        }
        if known.length == 0 {
            // Nothing before the piece can change it.
            self.out.right = piece.right;
            if !self.settled {
                self.settled = !self.out.left.is_empty() || piece.left.full;
                if self.out.left.is_empty() {
                    self.out.left = piece.left;
                }
            }
            return;
        }
        self.join(piece, &known);
    }

    /// Joins a piece with unsettled words to a context.
    fn join(&mut self, piece: &ChartState, known: &State) {
        let mut usable = known.length as usize;
        let mut charges = known.backoffs;
        for (index, &node) in piece.left.nodes().iter().enumerate() {
            let mut backoffs = [0.0; MAX_ORDER - 1];
            let (change, climb) =
                self.model.extend(node, index + 1, &known.words[..usable], &charges, &mut backoffs);
            self.prob += change;
            self.take(&climb);
            usable = climb.usable;
            charges = backoffs;
            if usable != known.length as usize {
                self.settled = true;
                if usable == 0 {
                    self.out.right = piece.right;
                    return;
                }
            }
        }
        if piece.left.full {
            self.close(piece, &charges[..usable]);
        } else if piece.right.length < piece.left.length {
            // The piece's right end has already let go of its first word.
            self.out.right = piece.right;
        } else {
            self.lengthen(piece, known, usable, &charges);
        }
    }

    /// A piece whose words are all still at both ends: its right end and what is usable before it.
    fn lengthen(&mut self, piece: &ChartState, known: &State, usable: usize, charges: &[f32]) {
        let own = piece.right.length as usize;
        let mut right = piece.right;
        right.words[own..own + usable].copy_from_slice(&known.words[..usable]);
        right.backoffs[own..own + usable].copy_from_slice(&charges[..usable]);
        right.length = (own + usable) as u8;
        self.out.right = right;
    }

    /// The words after the left end of the piece never see the context: its backoffs are due.
    fn close(&mut self, piece: &ChartState, charges: &[f32]) {
        self.prob += charges.iter().sum::<f32>();
        self.settled = true;
        self.out.right = piece.right;
    }

    fn take(&mut self, climb: &Climb) {
        if !self.settled {
            if climb.settled {
                self.settled = true;
            } else {
                self.keep(climb.node);
            }
        }
    }

    fn keep(&mut self, node: super::table::Node) {
        self.out.left.nodes[self.out.left.length as usize] = node;
        self.out.left.length += 1;
    }

    /// The state of the whole and its log10 score.
    pub fn finish(mut self) -> (ChartState, f32) {
        self.out.left.full = self.settled || self.out.left.len() == self.model.order() - 1;
        (self.out, self.prob)
    }
}
