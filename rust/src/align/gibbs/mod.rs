//! Word alignment by collapsed Gibbs sampling (Östling & Tiedemann 2016, "Efficient Word Alignment with Markov Chain
//! Monte Carlo"): IBM model 1, then a hidden Markov model, then the same with fertilities, with Dirichlet priors.
//!
//! [`sampler`] has the state of a chain and its sweeps, [`counts`] and [`jumps`] the counts that its conditional
//! distributions need, and [`marginals`] sums these distributions up. Several chains run for each direction, all of
//! them independent, so the links do not depend on the number of threads. Only additions, multiplications and
//! divisions are used, so they do not depend on the platform either.
//!
//! Memory for each chain, in bytes: 18 a choosing word of the text (links and marginals), about 24 a pair of words
//! that are linked somewhere (at most as many as there are words in the text, usually a fraction of that), 16 a
//! different choosing word and 68 a different given word. The number of chains that are in memory at a time is the
//! number of samplers times two.

pub mod counts;
pub mod jumps;
pub mod marginals;
pub mod sampler;

use std::sync::Mutex;

use rayon::prelude::*;

use self::marginals::{Marginals, MOST_SWEEPS, NONE};
use self::sampler::{Priors, Sampler, Stage, Text};
use crate::align::encoded::Encoded;
use crate::corpus::links::Links;
use crate::error::{Error, Result};
use crate::metric::random::Random;
use crate::work::interrupt;

/// Chains for each direction, unless a number is given.
///
/// The paper runs two for 5000 / √pairs sweeps. Three for half as many take three quarters of the time and have lower
/// error rates (docs/benchmarks/alignment.md), since every chain sums up the distributions of several sweeps.
pub const SAMPLERS: usize = 3;

/// Sweeps with fertilities, multiplied by the square root of the number of pairs.
const SWEEPS: f64 = 2500.0;

/// Fewer pairs than this do not get more sweeps: links of so small a text change little after the first hundred.
const FEWEST_PAIRS: usize = 400;

/// Sweeps with fertilities on the largest text.
const FEWEST_SWEEPS: usize = 4;

/// What decides on the links, besides the text.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub seed: u64,
    /// Chains for each direction.
    pub samplers: usize,
    /// Sweeps, relative to [`schedule`].
    pub length: f64,
    pub priors: Priors,
}

/// Sweeps with each model.
pub type Schedule = [(Stage, usize); 3];

/// The number of sweeps falls with the square root of the number of pairs, and there are a quarter as many with each of
/// the first two models as with the last, as in the paper.
pub fn schedule(length: f64, pairs: usize) -> Schedule {
    let sweeps = (SWEEPS / (pairs.max(FEWEST_PAIRS) as f64).sqrt()).max(FEWEST_SWEEPS as f64);
    let sweeps = ((length * sweeps).round() as usize).max(2);
    let quarter = (sweeps / 4).max(1);
    [(Stage::Ibm1, quarter.max(2)), (Stage::Hmm, quarter), (Stage::Fertility, sweeps)]
}

/// The sweeps at the end whose distributions are summed up: half of those with fertilities.
fn summed(sweeps: usize) -> usize {
    sweeps.div_ceil(2).min(MOST_SWEEPS)
}

/// Links of the pairs that are `kept`, no side of which may be empty: forward (each target word is linked to at most
/// one source word) and reverse, both with the source position first. The other pairs have none.
///
/// `report` is called with the number of sweeps done and their total.
pub fn align(
    source: &Encoded,
    target: &Encoded,
    kept: &[bool],
    settings: &Settings,
    report: &(dyn Fn(u64, u64) -> Result<()> + Sync),
) -> Result<(Links, Links)> {
    let pairs = pairs(source, target, kept)?;
    let texts = [
        Text { given: source, choosing: target, pairs: &pairs },
        Text { given: target, choosing: source, pairs: &pairs },
    ];
    let schedule = schedule(settings.length, pairs.len());
    let chains: Vec<(usize, usize)> =
        (0..settings.samplers).flat_map(|number| [(0, number), (1, number)]).collect();
    let sweeps: usize = schedule.iter().map(|(_, sweeps)| sweeps).sum();
    let total = (sweeps * chains.len()) as u64;
    let done = Mutex::new(0);
    let advance = || -> Result<()> {
        // A report that panics must not make the other chains panic at the lock.
        let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *done += 1;
        report(*done, total)
    };
    let run = |&(direction, number): &(usize, usize)| {
        // Both directions draw the same numbers, so exchanging the sides of the text exchanges the directions.
        let random = Random::new(settings.seed, number as u64);
        run_chain(Sampler::new(texts[direction], settings.priors, random), schedule, &advance)
    };
    let mut marginals = chains.par_iter().map(run).collect::<Result<Vec<_>>>()?.into_iter();
    let (mut forward, mut reverse) = (Vec::new(), Vec::new());
    while let (Some(one), Some(other)) = (marginals.next(), marginals.next()) {
        forward.push(one);
        reverse.push(other);
    }
    let links = |marginals: &[Marginals], choosing: &Encoded, choosing_source: bool| {
        interrupt::point();
        let lengths: Vec<u32> = pairs.iter().map(|&pair| choosing.sentence(pair).len() as u32).collect();
        Links::from_choices(&Marginals::best(marginals), &lengths, choosing_source)?.spread(kept)
    };
    Ok((links(&forward, target, false)?, links(&reverse, source, true)?))
}

/// Samples with each model in turn; sums up the distributions of the last sweeps.
fn run_chain(
    mut sampler: Sampler<'_>,
    schedule: Schedule,
    advance: &dyn Fn() -> Result<()>,
) -> Result<Marginals> {
    let mut marginals = Marginals::new(sampler.text().words());
    for (stage, sweeps) in schedule {
        sampler.set_stage(stage);
        for sweep in 0..sweeps {
            let is_summed = stage == Stage::Fertility && sweep + summed(sweeps) >= sweeps;
            sampler.sweep(is_summed.then_some(&mut marginals));
            advance()?;
        }
    }
    Ok(marginals)
}

/// For each word of the kept pairs, its distribution over the positions of the other side and NULL, the last, given
/// the links of all other words. `links` has a position for each choosing word, or -1.
pub fn conditionals(
    given: &Encoded,
    choosing: &Encoded,
    links: &[i32],
    stage: Stage,
    priors: Priors,
) -> Result<Vec<Vec<f32>>> {
    let pairs = pairs(given, choosing, &vec![true; given.len()])?;
    let text = Text { given, choosing, pairs: &pairs };
    if links.len() != text.words() {
        return Err(Error::internal(format!("{} links for {} words.", links.len(), text.words())));
    }
    let lengths = pairs
        .iter()
        .flat_map(|&pair| std::iter::repeat_n(given.sentence(pair).len(), choosing.sentence(pair).len()));
    let checked = links.iter().zip(lengths).map(|(&link, length)| match usize::try_from(link) {
        Ok(position) if position < length => Ok(position as u16),
        Ok(position) => Err(Error::input(format!("position {position} of a sentence of {length} words."))),
        Err(_) => Ok(NONE),
    });
    let mut sampler = Sampler::with_links(text, priors, checked.collect::<Result<_>>()?);
    sampler.set_stage(stage);
    Ok(sampler.conditionals())
}

/// The numbers of the kept pairs.
fn pairs(source: &Encoded, target: &Encoded, kept: &[bool]) -> Result<Vec<usize>> {
    if source.len() != target.len() || source.len() != kept.len() {
        let (source, target) = (source.len(), target.len());
        return Err(Error::internal(format!("{source} and {target} sentences, {} marks.", kept.len())));
    }
    let pairs: Vec<usize> = (0..kept.len()).filter(|&pair| kept[pair]).collect();
    for &pair in &pairs {
        let lengths = [source.sentence(pair).len(), target.sentence(pair).len()];
        if lengths.iter().any(|&length| length == 0 || length >= usize::from(NONE)) {
            let [source, target] = lengths;
            return Err(Error::input(format!(
                "pair {} has {source} and {target} words; 1 to {} are allowed.",
                pair + 1,
                NONE - 1
            )));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests;
