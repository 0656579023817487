//! The n-gram model as a [`LanguageModel`].

use super::LanguageModel;
use crate::error::Result;
use crate::lm::{Model, State};

const LN_10: f32 = std::f32::consts::LN_10;

impl LanguageModel for Model {
    type State = State;

    fn begin(&self) -> State {
        self.begin_state()
    }

    fn no_context(&self) -> State {
        self.null_state()
    }

    fn word(&self, text: &str) -> u32 {
        self.vocab().id(text)
    }

    fn end(&self) -> u32 {
        self.vocab().end_sentence()
    }

    #[inline]
    fn score(&self, state: &State, word: u32) -> (f32, State) {
        let mut next = State::default();
        let scored = Model::score(self, state, word, &mut next);
        (scored.prob * LN_10, next)
    }

    #[inline]
    fn last_word(&self, state: &State) -> Option<u32> {
        state.words().first().copied()
    }

    fn gain(&self, last: u32, word: u32) -> f32 {
        Model::gain(self, last, word) * LN_10
    }

    fn check(&self) -> Result<()> {
        Model::check(self)
    }
}
