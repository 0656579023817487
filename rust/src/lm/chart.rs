//! Scores of sentence pieces that are combined in any order, as in a chart search (Heafield 2011).
//!
//! A piece is scored with the context inside it. When pieces are joined, only the words at the left end of the right
//! piece can change; the right end of the left piece is their context. The scores of all pieces and joins of a sentence
//! add up to its left-to-right score.

use super::model::Model;
use super::query::LeftExtension;
use super::state::{ChartState, State};
use super::MAX_ORDER;

/// Computes the score of one rule from left to right, out of words and finished pieces.
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
    /// Whether the left context of further words is complete.
    settled: bool,
    prob: f32,
}

impl<'m> RuleScore<'m> {
    pub fn new(model: &'m Model) -> Self {
        RuleScore { model, out: ChartState::default(), settled: false, prob: 0.0 }
    }

    /// Starts the piece with `<s>`; call it first.
    pub fn begin_sentence(&mut self) {
        self.out.right = self.model.begin_state();
        self.settled = true;
    }

    /// Appends a word.
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
        // Once a word has left the right state, no context further left can matter.
        self.settled = self.out.right.length != from.length + 1;
    }

    /// Appends a piece with its own score.
    pub fn nonterminal(&mut self, piece: &ChartState, prob: f32) {
        self.prob += prob;
        let known = self.out.right;
        if piece.left.is_empty() {
            // Either there are no words, or even the first is settled and the context is not used.
            if piece.left.full {
                self.close(piece, known.backoffs());
            }
            return;
        }
        if known.length == 0 {
            // No context before the piece can change it.
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
            let (change, extension) =
                self.model.extend(node, index + 1, &known.words[..usable], &charges, &mut backoffs);
            self.prob += change;
            self.take(&extension);
            usable = extension.usable;
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
            // The right state of the piece no longer contains its first word.
            self.out.right = piece.right;
        } else {
            self.lengthen(piece, known, usable, &charges);
        }
    }

    /// All words of the piece are in both its left and right state: extends its right state by the usable context.
    fn lengthen(&mut self, piece: &ChartState, known: &State, usable: usize, charges: &[f32]) {
        let own = piece.right.length as usize;
        let mut right = piece.right;
        right.words[own..own + usable].copy_from_slice(&known.words[..usable]);
        right.backoffs[own..own + usable].copy_from_slice(&charges[..usable]);
        right.length = (own + usable) as u8;
        self.out.right = right;
    }

    /// Words after the left end of the piece never use the context: charge its backoffs.
    fn close(&mut self, piece: &ChartState, charges: &[f32]) {
        self.prob += charges.iter().sum::<f32>();
        self.settled = true;
        self.out.right = piece.right;
    }

    fn take(&mut self, extension: &LeftExtension) {
        if !self.settled {
            if extension.settled {
                self.settled = true;
            } else {
                self.keep(extension.node);
            }
        }
    }

    fn keep(&mut self, node: super::table::Node) {
        self.out.left.nodes[self.out.left.length as usize] = node;
        self.out.left.length += 1;
    }

    /// The state of the whole piece and its log10 score.
    pub fn finish(mut self) -> (ChartState, f32) {
        self.out.left.full = self.settled || self.out.left.len() == self.model.order() - 1;
        (self.out, self.prob)
    }
}
