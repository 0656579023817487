//! Scores as numbers that are fast to compare.

/// A number whose order is that of [`f32::total_cmp`].
#[inline]
pub fn rank(score: f32) -> u32 {
    let bits = score.to_bits();
    if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_in_the_order_of_scores() {
        let scores = [f32::NEG_INFINITY, -3.5, -1e-30, -0.0, 0.0, 1e-30, 2.0, f32::INFINITY];
        for pair in scores.windows(2) {
            assert!(rank(pair[0]) < rank(pair[1]), "{pair:?}");
        }
    }
}
