//! Local consensus: the support from the other candidates of the same list, formula (11).

use rayon::prelude::*;

use super::lists::{highest, Lists};
use super::profiles::Profile;
use super::similarity::Measure;
use super::transfers::{by_label, BlockedTransfers, Normalisation};
use crate::error::Result;
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;
use crate::work::interrupt;

/// The sum in formula (11) for every candidate (rows) and measure (columns). The sum runs over the `senders` most
/// probable candidates of a list.
pub fn local_consensus(
    lists: &Lists,
    posterior: &[f64],
    measures: &[Measure],
    normalised: Normalisation,
    senders: usize,
) -> Result<Vec<f64>> {
    lists.check(posterior)?;
    let numbers = lists.renumbered(None);
    let of_sentence = |sentence: usize| {
        interrupt::point();
        let profiles = lists.profiles(sentence, &numbers, &mut Ngrams::default(), ORDER);
        let own = &posterior[lists.range(sentence)];
        let senders = highest(own, senders);
        let p: Vec<f64> = senders.iter().map(|&place| own[place]).collect();
        let sending: Vec<&Profile> = senders.iter().map(|&place| &profiles[place]).collect();
        let receiving: Vec<&Profile> = profiles.iter().collect();
        let mut sums = vec![0.0; own.len() * measures.len()];
        let p = p.repeat(measures.len());
        BlockedTransfers::new(measures, normalised).receive(&receiving, &sending, &p, 1.0, &mut sums);
        by_label(&sums, measures.len())
    };
    Ok((0..lists.len()).into_par_iter().map(of_sentence).collect::<Vec<_>>().concat())
}
