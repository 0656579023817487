//! The random walk with reallocation (section 3.2): V^{r+1} = (1 − λ) M V^r + λ V⁰.

/// Weighted edges, indexed by their target node.
pub struct Edges {
    offsets: Vec<usize>,
    from: Vec<u32>,
    weights: Vec<f64>,
}

impl Edges {
    /// `all` holds (from, to, weight) in any order.
    pub fn new(nodes: usize, all: &[(u32, u32, f64)]) -> Self {
        let mut offsets = vec![0; nodes + 1];
        all.iter().for_each(|&(_, to, _)| offsets[to as usize + 1] += 1);
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let (mut from, mut weights) = (vec![0; all.len()], vec![0.0; all.len()]);
        for &(node, to, weight) in all {
            let at = next[to as usize];
            next[to as usize] += 1;
            from[at] = node;
            weights[at] = weight;
        }
        Edges { offsets, from, weights }
    }

    /// The inflow of a node: a row of M times V.
    #[inline]
    pub fn inflow(&self, to: usize, values: &[f64]) -> f64 {
        let range = self.offsets[to]..self.offsets[to + 1];
        let pairs = self.from[range.clone()].iter().zip(&self.weights[range]);
        pairs.map(|(&from, weight)| weight * values[from as usize]).sum()
    }
}

/// Parameters of the walk.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// λ: the share of evidence that returns to the start in every round.
    pub reallocation: f64,
    /// The walk ends when the Euclidean distance between two rounds is below this.
    pub epsilon: f64,
    pub rounds: usize,
}

impl Walk {
    /// The evidence of each node after the walk.
    pub fn evidence(&self, initial: &[f64], edges: &Edges) -> Vec<f64> {
        let mut values = initial.to_vec();
        let mut next = vec![0.0; initial.len()];
        for _ in 0..self.rounds {
            let mut distance = 0.0;
            for (node, value) in next.iter_mut().enumerate() {
                let flow = edges.inflow(node, &values);
                *value = (1.0 - self.reallocation) * flow + self.reallocation * initial[node];
                distance += (*value - values[node]).powi(2);
            }
            std::mem::swap(&mut values, &mut next);
            if distance.sqrt() < self.epsilon {
                break;
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1 and 2 (0.6, 0.4), 1 ⇄ 2; λ = 0.5 and V⁰ = (1, 0, 0). By hand: V0 = 0.5; V1 = 0.5 (0.6 · 0.5 + V2) and
    /// V2 = 0.5 (0.4 · 0.5 + V1), so that V1 = 0.8/3 and V2 = 0.7/3.
    #[test]
    fn three_nodes_by_hand() {
        let edges = Edges::new(3, &[(0, 1, 0.6), (0, 2, 0.4), (1, 2, 1.0), (2, 1, 1.0)]);
        let walk = Walk { reallocation: 0.5, epsilon: 1e-12, rounds: 100 };
        let found = walk.evidence(&[1.0, 0.0, 0.0], &edges);
        for (value, wanted) in found.iter().zip([0.5, 0.8 / 3.0, 0.7 / 3.0]) {
            assert!((value - wanted).abs() < 1e-9, "{found:?}");
        }
        let once = Walk { rounds: 1, ..walk }.evidence(&[1.0, 0.0, 0.0], &edges);
        assert_eq!(once, [0.5, 0.3, 0.2]);
    }
}
