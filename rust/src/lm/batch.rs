//! Scores many whole sentences.

use std::time::Instant;

use rayon::prelude::*;

use super::model::Model;
use super::query::{Located, Scored};
use super::state::State;
use super::text::words;
use super::{BOS, EOS, MAX_ORDER, UNK};
use crate::error::Result;
use crate::work::interrupt;
use crate::work::threads;

/// The score of a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sentence {
    /// log10 probability.
    pub total: f64,
    /// The part of it that is due to unknown words.
    pub unknown_total: f64,
    /// Words scored, including `</s>` if it was.
    pub tokens: u32,
    pub unknown: u32,
}

/// How many words ahead memory is prefetched.
const AHEAD: usize = 2;

/// Scores words in order and passes each result to `each`. The following words are known, so their n-grams are
/// prefetched while one is scored.
fn run<T>(
    model: &Model,
    bos: bool,
    mut words: impl Iterator<Item = (u32, T)>,
    mut each: impl FnMut(u32, T, &Scored),
) {
    let mut states = [if bos { model.begin_state() } else { model.null_state() }, State::default()];
    let mut context = [BOS; MAX_ORDER - 1];
    let mut known = usize::from(bos);
    let mut queue: [Option<(u32, T, Located)>; AHEAD] = [const { None }; AHEAD];
    let mut waiting = 0;
    for index in 0.. {
        let next = words.next().map(|(id, item)| {
            let located = model.locate(id, &context[..known]);
            context.copy_within(..MAX_ORDER - 2, 1);
            context[0] = id;
            known = (known + 1).min(context.len());
            (id, item, located)
        });
        let ended = next.is_none();
        waiting += usize::from(!ended);
        match std::mem::replace(&mut queue[index % AHEAD], next) {
            Some((id, item, located)) => {
                waiting -= 1;
                let [even, odd] = &mut states;
                let (from, to) = if index % 2 == 0 { (&*even, odd) } else { (&*odd, even) };
                each(id, item, &model.score_located(from, &located, to));
            }
            // The queue fills at the start and drains at the end.
            None => states.swap(0, 1),
        }
        if ended && waiting == 0 {
            break;
        }
    }
}

/// Scores a sentence of words separated by white space and passes each word to `each`; `bos` and `eos` select sentence
/// start and end.
pub fn sentence<'t>(
    model: &Model,
    text: &'t str,
    bos: bool,
    eos: bool,
    mut each: impl FnMut(&'t str, u32, &Scored),
) -> Sentence {
    let mut out = Sentence::default();
    let ids = words(text).map(|word| (model.vocab().id(word), word));
    run(model, bos, ids.chain(eos.then_some((EOS, "</s>"))), |id, word, scored| {
        out.total += f64::from(scored.prob);
        out.tokens += 1;
        if id == UNK {
            out.unknown_total += f64::from(scored.prob);
            out.unknown += 1;
        }
        each(word, id, scored);
    });
    out
}

/// Scores sentences on `threads` threads (0: one per core), in order.
pub fn sentences<S: AsRef<str> + Sync>(
    model: &Model,
    texts: &[S],
    bos: bool,
    eos: bool,
    threads: usize,
) -> Result<Vec<Sentence>> {
    let one = |text: &S| {
        interrupt::point();
        sentence(model, text.as_ref(), bos, eos, |_, _, _| ())
    };
    if threads == 1 {
        return Ok(texts.iter().map(one).collect());
    }
    threads::on(threads, || Ok(texts.par_iter().with_min_len(64).map(one).collect()))
}

/// Scores the words of all sentences `rounds` times on one thread, with precomputed word numbers: one by one, as in a
/// search, or if `ahead` as whole sentences. Returns seconds, queries, and the sum of scores.
pub fn measure<S: AsRef<str>>(model: &Model, texts: &[S], rounds: usize, ahead: bool) -> (f64, u64, f64) {
    let ids: Vec<Vec<u32>> = texts
        .iter()
        .map(|text| words(text.as_ref()).map(|word| model.vocab().id(word)).chain([EOS]).collect())
        .collect();
    let start = Instant::now();
    let mut total = 0.0;
    for sentence in (0..rounds).flat_map(|_| &ids) {
        if ahead {
            run(model, true, sentence.iter().map(|&id| (id, ())), |_, (), scored| {
                total += f64::from(scored.prob)
            });
            continue;
        }
        let mut states = [model.begin_state(), State::default()];
        for (index, &id) in sentence.iter().enumerate() {
            let [even, odd] = &mut states;
            let (from, to) = if index % 2 == 0 { (&*even, odd) } else { (&*odd, even) };
            total += f64::from(model.score(from, id, to).prob);
        }
    }
    let queries = ids.iter().map(|sentence| sentence.len() as u64).sum::<u64>() * rounds as u64;
    (start.elapsed().as_secs_f64(), queries, total)
}
