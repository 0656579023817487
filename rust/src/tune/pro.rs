//! Pairs of hypotheses for pairwise ranked optimisation (Hopkins and May 2011): tuning as the binary classification of
//! which hypothesis is better.

use rayon::prelude::*;

use super::lists::{List, Lists};
use crate::metric::bleu::sentence_bleu;
use crate::metric::random::Random;
use crate::work::interrupt;

#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// Pairs drawn for a sentence (Γ).
    pub draws: usize,
    /// Pairs kept: those with the greatest difference (Ξ).
    pub kept: usize,
    /// The lowest difference in BLEU+1 of a pair (α).
    pub difference: f64,
    pub seed: u64,
}

/// The values of the better hypothesis minus those of the worse, one row per pair. Pairs that differ in a feature with
/// a fixed weight are left out, since that weight cannot change their order.
pub fn pairs(lists: &Lists, free: &[bool], sampling: &Sampling) -> Vec<f32> {
    let rows: Vec<Vec<f32>> = lists
        .lists
        .par_iter()
        .enumerate()
        .map(|(sentence, list)| {
            interrupt::point();
            of_sentence(list, free, sampling, Random::new(sampling.seed, sentence as u64))
        })
        .collect();
    rows.concat()
}

fn of_sentence(list: &List, free: &[bool], sampling: &Sampling, mut random: Random) -> Vec<f32> {
    if list.len() < 2 {
        return Vec::new();
    }
    let features = free.len();
    let row = |hypothesis: usize| &list.values[hypothesis * features..(hypothesis + 1) * features];
    let quality: Vec<f64> = list.statistics.iter().map(sentence_bleu).collect();
    let mut drawn: Vec<(f64, usize, usize)> = Vec::new();
    for _ in 0..sampling.draws {
        let (a, b) = (random.below(list.len()), random.below(list.len()));
        let (better, worse) = if quality[a] >= quality[b] { (a, b) } else { (b, a) };
        let difference = quality[better] - quality[worse];
        let comparable = || row(a).iter().zip(row(b)).zip(free).all(|((x, y), &free)| free || x == y);
        if difference >= sampling.difference && better != worse && comparable() {
            drawn.push((difference, better, worse));
        }
    }
    // The sort is stable: equal differences keep the order of drawing.
    drawn.sort_by(|x, y| y.0.total_cmp(&x.0));
    drawn.truncate(sampling.kept);
    drawn.iter().flat_map(|&(_, a, b)| row(a).iter().zip(row(b)).map(|(x, y)| x - y)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lists::tests::made;
    use super::*;

    #[test]
    fn the_better_comes_first_and_fixed_features_do_not_differ() {
        let good = [10, 9, 8, 7, 10, 9, 8, 7, 10, 0];
        let bad = [5, 2, 0, 0, 10, 9, 8, 7, 10, 0];
        let lists = made(
            2,
            &[vec![
                (vec![1.0, 0.0], bad),
                (vec![4.0, 0.0], good),
                (vec![9.0, 1.0], good),
                (vec![0.5, 0.0], bad),
            ]],
        );
        let sampling = Sampling { draws: 200, kept: 50, difference: 0.05, seed: 7 };
        let found = pairs(&lists, &[true, false], &sampling);
        assert_eq!(found.len(), 100);
        assert!(found.chunks(2).all(|row| (row[0] == 3.0 || row[0] == 3.5) && row[1] == 0.0));
        assert_eq!(found, pairs(&lists, &[true, false], &sampling));
    }
}
