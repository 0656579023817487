//! Jump distances of the hidden Markov model (Vogel et al. 1996), with a Dirichlet prior.

/// Longer jumps, in either direction, share one probability.
const FARTHEST: usize = 100;

/// A probability for each distance from one linked position to the next.
///
/// The position before the first word is -1, and the one after the last word of a sentence of n words is n. Words
/// without a link are skipped. Probabilities are the posterior means for the counts of the sweep before.
#[derive(Clone, Debug)]
pub struct Jumps {
    counts: Vec<u64>,
    /// By distance from `-longest - 1`.
    ascending: Vec<f32>,
    /// The same in reverse order, so that both factors of a row of positions lie side by side.
    descending: Vec<f32>,
    longest: usize,
    prior: f64,
}

impl Jumps {
    /// For sentences of at most `longest` words. At first, all distances are equally probable.
    pub fn new(longest: usize, prior: f64) -> Self {
        let mut jumps = Jumps {
            counts: vec![0; 2 * FARTHEST + 1],
            ascending: Vec::new(),
            descending: Vec::new(),
            longest,
            prior,
        };
        jumps.estimate();
        jumps
    }

    /// Counts the jumps of a sentence whose words are linked to these positions, in order.
    pub fn count(&mut self, positions: impl Iterator<Item = i32>, length: usize) {
        let mut before = -1;
        for position in positions.chain([length as i32]) {
            self.counts[bin(position - before)] += 1;
            before = position;
        }
    }

    /// Sets the probabilities to the posterior means, (n(d) + prior) / (n + prior · distances), and forgets the
    /// counts.
    pub fn estimate(&mut self) {
        let total: u64 = self.counts.iter().sum();
        let denominator = total as f64 + self.prior * self.counts.len() as f64;
        let farthest = self.longest as i32 + 1;
        let probability = |distance| ((self.counts[bin(distance)] as f64 + self.prior) / denominator) as f32;
        self.ascending = (-farthest..=farthest).map(probability).collect();
        self.descending = self.ascending.iter().rev().copied().collect();
        self.counts.fill(0);
    }

    pub fn probability(&self, distance: i32) -> f32 {
        self.ascending[(distance + self.longest as i32 + 1) as usize]
    }

    /// The probabilities of the jumps from a position to the positions from 0 to `length` - 1.
    pub fn from(&self, position: i32, length: usize) -> &[f32] {
        let start = (self.longest as i32 + 1 - position) as usize;
        &self.ascending[start..start + length]
    }

    /// The probabilities of the jumps from the positions from 0 to `length` - 1 to a position.
    pub fn to(&self, position: i32, length: usize) -> &[f32] {
        let start = (self.longest as i32 + 1 - position) as usize;
        &self.descending[start..start + length]
    }
}

fn bin(distance: i32) -> usize {
    let farthest = FARTHEST as i32;
    (distance.clamp(-farthest, farthest) + farthest) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posterior_means() {
        let mut jumps = Jumps::new(1024, 0.5);
        let bins = (2 * FARTHEST + 1) as f64;
        assert_eq!(jumps.probability(3), (1.0 / bins) as f32);
        // From -1 to 0, to 1 and to the end at 2, which are three jumps of 1; then from -1 to 500, and to the end.
        jumps.count([0, 1].into_iter(), 2);
        jumps.count([500].into_iter(), 501);
        jumps.estimate();
        let denominator = 5.0 + 0.5 * bins;
        for (distance, count) in [(1, 4.0), (2, 0.0), (-1, 0.0), (100, 1.0), (501, 1.0), (1024, 1.0)] {
            assert_eq!(jumps.probability(distance), ((count + 0.5) / denominator) as f32, "{distance}");
        }
    }

    #[test]
    fn rows_of_positions() {
        let mut jumps = Jumps::new(20, 0.5);
        jumps.count([3, 1, 4, 1, 5, 9, 2, 6].into_iter(), 20);
        jumps.estimate();
        for other in -1..=20 {
            for position in 0..20 {
                assert_eq!(jumps.from(other, 20)[position as usize], jumps.probability(position - other));
                assert_eq!(jumps.to(other, 20)[position as usize], jumps.probability(other - position));
            }
        }
    }
}
