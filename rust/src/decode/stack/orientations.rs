//! Probabilities of orientations, from the counts of a rule.

use crate::rule::ORIENTATIONS;

/// ln p of each orientation from its count, smoothed by a half as Moses does by default.
pub(super) fn orientation_scores(counts: &[u32; ORIENTATIONS]) -> [f32; ORIENTATIONS] {
    let total = |from: usize| counts[from..from + 3].iter().map(|&n| n as f32).sum::<f32>() + 1.5;
    let totals = [total(0), total(3)];
    std::array::from_fn(|i| ((counts[i] as f32 + 0.5) / totals[i / 3]).ln())
}
