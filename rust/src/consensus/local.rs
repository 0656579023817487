//! Local consensus: the support from the other candidates of the same list, formula (11).

use rayon::prelude::*;

use super::lists::Lists;
use super::similarity::Measure;
use super::transfers::by_label;
use super::transfers::{Normalisation, Receivers, Transfers};
use crate::error::Result;
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;
use crate::work::interrupt;

/// The sum in formula (11) for every candidate (rows) and measure (columns).
pub fn local_consensus(
    lists: &Lists,
    posterior: &[f64],
    measures: &[Measure],
    normalised: Normalisation,
) -> Result<Vec<f64>> {
    lists.check(posterior)?;
    let numbers = lists.renumbered(None);
    let of_sentence = |sentence: usize| {
        interrupt::point();
        let profiles = lists.profiles(sentence, &numbers, &mut Ngrams::default(), ORDER);
        let own = posterior[lists.range(sentence)].repeat(measures.len());
        let mut sums = vec![0.0; own.len()];
        let transfers = Transfers::new(measures, normalised, &profiles, &profiles);
        transfers.receive(Receivers::Rows, &own, 1.0, &mut sums);
        by_label(&sums, measures.len())
    };
    Ok((0..lists.len()).into_par_iter().map(of_sentence).collect::<Vec<_>>().concat())
}
