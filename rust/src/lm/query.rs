//! Scores of words given their context. Nothing here allocates.

use super::hash;
use super::model::Model;
use super::state::State;
use super::table::{entry, extends_left, extends_right, find, log_prob, Node, Unigram};
use super::{BOS, MAX_ORDER, UNK};
use crate::store::prefetch::prefetch;

/// The score of one word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// log10 of the probability.
    pub prob: f32,
    /// Length of the matched n-gram, including the word itself.
    pub length: u8,
    /// Whether words further left than the given context cannot change the score.
    pub(crate) settled: bool,
    /// That n-gram.
    pub(crate) node: Node,
}

/// Precomputed locations of the n-grams that end in some words, see [`Model::locate`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Located {
    word: u32,
    /// For each context word: the hash of the n-gram that starts with it, and its bucket.
    hashes: [u32; MAX_ORDER - 1],
    buckets: [u32; MAX_ORDER - 1],
}

/// The result of extending an n-gram to the left.
pub(crate) struct LeftExtension {
    prob: f32,
    pub length: usize,
    pub node: Node,
    pub settled: bool,
    /// The number of words to its left that are part of a context of some n-gram.
    pub usable: usize,
}

impl Model {
    #[inline]
    fn unigram(&self, word: u32) -> (u32, Unigram) {
        match self.unigrams.get(word as usize) {
            Some(entry) => (word, *entry),
            None => (UNK, self.unigrams[UNK as usize]),
        }
    }

    /// The state at the start of a sentence, after `<s>`.
    pub fn begin_state(&self) -> State {
        let mut state = State::default();
        let backoff = self.unigrams[BOS as usize].backoff;
        if self.order() > 1 && extends_right(backoff) {
            state.words[0] = BOS;
            state.backoffs[0] = backoff;
            state.length = 1;
        }
        state
    }

    /// The state without left context.
    pub fn null_state(&self) -> State {
        State::default()
    }

    /// The log10 probability of `word` (a number from [`Model::vocab`]; others count as unknown) after `from`; `to`
    /// becomes the state after it.
    #[inline]
    pub fn score(&self, from: &State, word: u32, to: &mut State) -> Scored {
        let (word, entry) = self.unigram(word);
        let node = Node::unigram(word);
        self.score_above(from, word, entry, to, self.hashing(node))
    }

    /// Computes the locations needed for a score and prefetches them, so that a later call of [`Model::score_located`]
    /// need not wait. `context` holds the words before `word`, the nearest first: all of them, or at least those of the
    /// state.
    #[inline]
    pub fn locate(&self, word: u32, context: &[u32]) -> Located {
        let word = if (word as usize) < self.unigrams.len() { word } else { UNK };
        let mut located = Located { word, ..Located::default() };
        let mut place = self.hashing(Node::unigram(word));
        for (step, &word) in context.iter().take(self.order() - 1).enumerate() {
            let longer = step + 2;
            let (hash, bucket) = place(step, longer, word);
            located.hashes[step] = hash;
            located.buckets[step] = bucket as u32;
            if longer == self.order() {
                prefetch(self.longest, bucket);
            } else {
                prefetch(self.middles[longer - 1], bucket);
            }
        }
        located
    }

    /// [`Model::score`] of the word and context that `located` was computed for.
    #[inline]
    pub fn score_located(&self, from: &State, located: &Located, to: &mut State) -> Scored {
        let (word, entry) = self.unigram(located.word);
        let known = |step: usize, _: usize, _: u32| (located.hashes[step], located.buckets[step] as usize);
        self.score_above(from, word, entry, to, known)
    }

    /// Computes hashes and buckets on demand, see [`Model::extend_left`].
    #[inline]
    fn hashing(&self, node: Node) -> impl FnMut(usize, usize, u32) -> (u32, usize) + '_ {
        let mut hash = node.hash;
        move |_, longer, word| {
            hash = hash::chain(hash, word);
            (hash, hash::place(hash, self.range(longer)))
        }
    }

    #[inline]
    fn score_above(
        &self,
        from: &State,
        word: u32,
        entry: Unigram,
        to: &mut State,
        place: impl FnMut(usize, usize, u32) -> (u32, usize),
    ) -> Scored {
        to.words[0] = word;
        to.backoffs[0] = entry.backoff;
        let (_, above) = to.backoffs.split_at_mut(1);
        let extension = self.extend_left(Node::unigram(word), 1, entry.prob, from.words(), place, above);
        for (to, from) in to.words[1..].iter_mut().zip(from.words) {
            *to = from;
        }
        to.length = if extends_right(entry.backoff) { extension.usable as u8 + 1 } else { 0 };
        let mut prob = log_prob(extension.prob);
        for backoff in &from.backoffs()[extension.length - 1..] {
            prob += backoff;
        }
        Scored { prob, length: extension.length as u8, settled: extension.settled, node: extension.node }
    }

    /// Extends the n-gram `node` of `length` words with stored probability `prob` to the left by `context`, the nearest
    /// word first, as far as the model has n-grams. `backoffs` gets the backoff of each n-gram found. `place` is called
    /// with the step, the order and the word, and returns the hash of the longer n-gram and its bucket.
    #[inline]
    fn extend_left(
        &self,
        node: Node,
        length: usize,
        prob: f32,
        context: &[u32],
        mut place: impl FnMut(usize, usize, u32) -> (u32, usize),
        backoffs: &mut [f32],
    ) -> LeftExtension {
        let mut extension = LeftExtension { prob, length, node, settled: !extends_left(prob), usable: 0 };
        if extension.settled {
            return extension;
        }
        for (step, &word) in context.iter().take(self.order() - length).enumerate() {
            let longer = extension.length + 1;
            let (hash, from) = place(step, longer, word);
            self.touch(longer, from);
            if longer == self.order() {
                if let Some((_, entry)) = find(self.longest, from, extension.node.place, word) {
                    extension.prob = entry.prob;
                    extension.length = longer;
                }
                extension.settled = true;
                return extension;
            }
            let Some((place, entry)) = find(self.middles[longer - 1], from, extension.node.place, word)
            else {
                extension.settled = true;
                return extension;
            };
            extension.prob = entry.prob;
            extension.length = longer;
            extension.node = Node { place, hash };
            backoffs[step] = entry.backoff;
            if extends_right(entry.backoff) {
                extension.usable = step + 1;
            }
            if !extends_left(entry.prob) {
                extension.settled = true;
                return extension;
            }
        }
        extension
    }

    /// The change in score of the last word of `node`, an n-gram of `length` words scored without context, when it is
    /// preceded by `context`. `charges` are the backoffs of the context, `backoffs` gets those of the n-grams found.
    #[inline]
    pub(crate) fn extend(
        &self,
        node: Node,
        length: usize,
        context: &[u32],
        charges: &[f32],
        backoffs: &mut [f32],
    ) -> (f32, LeftExtension) {
        let before = match length {
            1 => self.unigrams[node.place as usize].prob,
            // Its bucket was touched when the node was found.
            _ => entry(self.middles[length - 1], node.place).map_or(0.0, |entry| entry.prob),
        };
        let extension = self.extend_left(node, length, before, context, self.hashing(node), backoffs);
        let mut change = log_prob(extension.prob) - log_prob(before);
        for charge in &charges[extension.length - length..context.len()] {
            change += charge;
        }
        (change, extension)
    }

    /// How much more probable a word is after another one than without context, in log10.
    pub fn gain(&self, last: u32, word: u32) -> f32 {
        let (last, entry) = self.unigram(last);
        if !extends_right(entry.backoff) {
            return 0.0;
        }
        let mut state = State { length: 1, ..State::default() };
        (state.words[0], state.backoffs[0]) = (last, entry.backoff);
        let alone = log_prob(self.unigram(word).1.prob);
        self.score(&state, word, &mut State::default()).prob - alone
    }

    /// The score of words without left context, for the future-cost estimate of a phrase.
    pub fn phrase(&self, words: &[u32]) -> f32 {
        let mut state = self.null_state();
        let mut total = 0.0;
        for &word in words {
            let mut next = State::default();
            total += self.score(&state, word, &mut next).prob;
            state = next;
        }
        total
    }
}
