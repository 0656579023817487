//! Scores of whole sentences, many at a time.

use std::time::Instant;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::lm::model::Model;
use crate::lm::query::Scored;
use crate::lm::state::State;
use crate::lm::text::words;
use crate::lm::{EOS, UNK};

/// The score of a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sentence {
    /// log10 probability.
    pub total: f64,
    /// The part of it that unknown words have.
    pub unknown_total: f64,
    /// Words scored, `</s>` included if it was.
    pub tokens: u32,
    pub unknown: u32,
}

/// Scores a sentence whose words are parted by white space and shows each word to `each`; `bos` and `eos` say whether it
/// has its start and its end.
pub fn sentence<'t>(
    model: &Model,
    text: &'t str,
    bos: bool,
    eos: bool,
    mut each: impl FnMut(&'t str, u32, &Scored),
) -> Sentence {
    let mut state = if bos { model.begin_state() } else { model.null_state() };
    let mut out = Sentence::default();
    let ids = words(text).map(|word| (word, model.vocab().id(word)));
    for (word, id) in ids.chain(eos.then_some(("</s>", EOS))) {
        let mut next = State::default();
        let scored = model.score(&state, id, &mut next);
        out.total += f64::from(scored.prob);
        out.tokens += 1;
        if id == UNK {
            out.unknown_total += f64::from(scored.prob);
            out.unknown += 1;
        }
        each(word, id, &scored);
        state = next;
    }
    out
}

/// Scores sentences on `threads` threads (0: as many as there are cores), in their order.
pub fn sentences<S: AsRef<str> + Sync>(
    model: &Model,
    texts: &[S],
    bos: bool,
    eos: bool,
    threads: usize,
) -> Result<Vec<Sentence>> {
    let one = |text: &S| sentence(model, text.as_ref(), bos, eos, |_, _, _| ());
    if threads == 1 {
        return Ok(texts.iter().map(one).collect());
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::internal(format!("threads could not be started: {error}.")))?;
    Ok(pool.install(|| texts.par_iter().with_min_len(64).map(one).collect()))
}

/// Scores the words of all sentences `rounds` times on one thread, their numbers being known. Returns seconds,
/// queries, and the sum of scores so that nothing can be left out.
pub fn measure<S: AsRef<str>>(model: &Model, texts: &[S], rounds: usize) -> (f64, u64, f64) {
    let ids: Vec<Vec<u32>> = texts
        .iter()
        .map(|text| words(text.as_ref()).map(|word| model.vocab().id(word)).chain([EOS]).collect())
        .collect();
    let start = Instant::now();
    let mut total = 0.0;
    for _ in 0..rounds {
        for sentence in &ids {
            let mut states = [model.begin_state(), State::default()];
            for (index, &id) in sentence.iter().enumerate() {
                let [even, odd] = &mut states;
                let (from, to) = if index % 2 == 0 { (&*even, odd) } else { (&*odd, even) };
                total += f64::from(model.score(from, id, to).prob);
            }
        }
    }
    let queries = ids.iter().map(|sentence| sentence.len() as u64).sum::<u64>() * rounds as u64;
    (start.elapsed().as_secs_f64(), queries, total)
}
