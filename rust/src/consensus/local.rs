//! Local consensus: what the other candidates of the same list say, formula (11).

use rayon::prelude::*;

use super::lists::Lists;
use super::similarity::{transfers, Measure, Normalised};
use crate::error::Result;
use crate::ngrams::Ngrams;
use crate::tune::bleu::ORDER;

/// The sum in formula (11) for every candidate (rows) and measure (columns).
pub fn local_consensus(
    lists: &Lists,
    posterior: &[f64],
    measures: &[Measure],
    normalised: Normalised,
) -> Result<Vec<f64>> {
    lists.check(posterior)?;
    let numbers = lists.renumbered(None);
    let of_sentence = |sentence: usize| {
        let profiles = lists.profiles(sentence, &numbers, &mut Ngrams::default(), ORDER);
        let own = &posterior[lists.range(sentence)];
        let matrices = transfers(measures, normalised, &profiles, &profiles);
        let sum = |row: &[f32]| row.iter().zip(own).map(|(&t, p)| f64::from(t) * p).sum::<f64>();
        let columns = profiles.len();
        let value = |candidate: usize, matrix: &Vec<f32>| sum(&matrix[candidate * columns..][..columns]);
        (0..columns)
            .flat_map(|candidate| matrices.iter().map(move |matrix| value(candidate, matrix)))
            .collect::<Vec<f64>>()
    };
    Ok((0..lists.len()).into_par_iter().map(of_sentence).collect::<Vec<_>>().concat())
}
