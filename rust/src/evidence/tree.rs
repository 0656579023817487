//! A regression tree of gradient boosting, grown leaf by leaf, the one with the largest gain first.

use rayon::prelude::*;

use super::bins::{Binned, MAX_BINS};
use super::boosting::BoostingSettings;

/// Children with a smaller sum of second derivatives are not made.
const LEAST_CURVATURE: f64 = 1e-3;
/// Rows times features from which histograms are worth several threads.
const PARALLEL: usize = 1 << 15;

/// A node; the root is the first. A node without children is a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    pub feature: u32,
    /// Rows with at most this value go left.
    pub limit: f32,
    /// 0 for a leaf.
    pub left: u32,
    pub right: u32,
    /// Of a leaf.
    pub value: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    #[inline]
    pub fn value(&self, row: &[f32]) -> f64 {
        let mut node = &self.nodes[0];
        while node.left != 0 {
            let next = if row[node.feature as usize] <= node.limit { node.left } else { node.right };
            node = &self.nodes[next as usize];
        }
        node.value
    }
}

/// First and second derivatives of the loss by the score of a row.
#[derive(Clone, Copy, Default)]
pub struct Slope {
    pub first: f32,
    pub second: f32,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    first: f64,
    second: f64,
    rows: u32,
}

impl Sums {
    fn minus(self, other: Sums) -> Sums {
        Sums {
            first: self.first - other.first,
            second: self.second - other.second,
            rows: self.rows - other.rows,
        }
    }

    /// How much the loss falls, times two, if all rows here get the best value.
    fn gain(self, penalty: f64) -> f64 {
        self.first * self.first / (self.second + penalty)
    }
}

/// For each feature the sums of each bin.
type Histograms = Vec<Vec<Sums>>;

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    bin: usize,
    left: Sums,
}

struct Leaf {
    node: usize,
    start: usize,
    end: usize,
    sums: Sums,
    histograms: Histograms,
    split: Option<Split>,
}

/// Grows trees on one table.
pub struct Grower<'a> {
    binned: &'a Binned,
    settings: &'a BoostingSettings,
    /// Rows, those of a leaf side by side.
    rows: Vec<u32>,
    scratch: Vec<u32>,
}

impl<'a> Grower<'a> {
    pub fn new(binned: &'a Binned, settings: &'a BoostingSettings) -> Self {
        Grower { binned, settings, rows: Vec::new(), scratch: Vec::new() }
    }

    /// A tree for these slopes; its values are added to `scores`.
    pub fn grow(&mut self, slopes: &[Slope], scores: &mut [f64]) -> Tree {
        self.rows.clear();
        self.rows.extend(0..self.binned.rows as u32);
        let mut tree = Tree { nodes: vec![Node::default()] };
        let histograms = self.histograms(0, self.rows.len(), slopes);
        let mut sums = Sums::default();
        for slope in slopes {
            sums.first += f64::from(slope.first);
            sums.second += f64::from(slope.second);
        }
        sums.rows = slopes.len() as u32;
        let mut root = Leaf { node: 0, start: 0, end: self.rows.len(), sums, histograms, split: None };
        root.split = self.best_split(&root);
        let mut leaves = vec![root];
        while leaves.len() < self.settings.leaves {
            let gain = |leaf: &Leaf| leaf.split.map_or(0.0, |split| split.gain);
            // Of equal gains the leaf that was made first.
            let mut best = 0;
            for at in 1..leaves.len() {
                if gain(&leaves[at]) > gain(&leaves[best]) {
                    best = at;
                }
            }
            let Some(split) = leaves[best].split else { break };
            let leaf = leaves.remove(best);
            let (left, right) = self.split(leaf, split, slopes, &mut tree);
            leaves.push(left);
            leaves.push(right);
        }
        for leaf in &leaves {
            let value = -self.settings.rate * leaf.sums.first / (leaf.sums.second + self.settings.penalty);
            tree.nodes[leaf.node].value = value;
            self.rows[leaf.start..leaf.end].iter().for_each(|&row| scores[row as usize] += value);
        }
        tree
    }

    fn split(&mut self, leaf: Leaf, split: Split, slopes: &[Slope], tree: &mut Tree) -> (Leaf, Leaf) {
        let column = &self.binned.columns[split.feature];
        self.scratch.clear();
        let mut kept = leaf.start;
        for at in leaf.start..leaf.end {
            let row = self.rows[at];
            if usize::from(column[row as usize]) <= split.bin {
                self.rows[kept] = row;
                kept += 1;
            } else {
                self.scratch.push(row);
            }
        }
        self.rows[kept..leaf.end].copy_from_slice(&self.scratch);
        let first = tree.nodes.len();
        tree.nodes[leaf.node] = Node {
            feature: split.feature as u32,
            limit: self.binned.limits[split.feature][split.bin],
            left: first as u32,
            right: first as u32 + 1,
            value: 0.0,
        };
        tree.nodes.extend([Node::default(); 2]);
        // The histograms of the smaller child are counted, those of the other are the difference.
        let is_left_smaller = kept - leaf.start <= leaf.end - kept;
        let (start, end) = if is_left_smaller { (leaf.start, kept) } else { (kept, leaf.end) };
        let smaller = self.histograms(start, end, slopes);
        let mut larger = leaf.histograms;
        for (larger, smaller) in larger.iter_mut().flatten().zip(smaller.iter().flatten()) {
            *larger = larger.minus(*smaller);
        }
        let (left, right) = if is_left_smaller { (smaller, larger) } else { (larger, smaller) };
        let right_sums = leaf.sums.minus(split.left);
        let made = |node, start, end, sums, histograms| {
            let mut child = Leaf { node, start, end, sums, histograms, split: None };
            child.split = self.best_split(&child);
            child
        };
        (made(first, leaf.start, kept, split.left, left), made(first + 1, kept, leaf.end, right_sums, right))
    }

    fn histograms(&self, start: usize, end: usize, slopes: &[Slope]) -> Histograms {
        let rows = &self.rows[start..end];
        let gathered: Vec<Slope> = rows.iter().map(|&row| slopes[row as usize]).collect();
        // Each feature is summed up by one thread, row by row, so the sums do not depend on the number of threads.
        let histogram = |column: &Vec<u8>| {
            let mut sums = vec![Sums::default(); MAX_BINS];
            for (&row, slope) in rows.iter().zip(&gathered) {
                let bin = &mut sums[usize::from(column[row as usize])];
                bin.first += f64::from(slope.first);
                bin.second += f64::from(slope.second);
                bin.rows += 1;
            }
            sums
        };
        let columns = &self.binned.columns;
        match rows.len() * columns.len() >= PARALLEL {
            true => columns.par_iter().map(histogram).collect(),
            false => columns.iter().map(histogram).collect(),
        }
    }

    /// The split with the largest gain; of equal ones that with the lowest feature and bin.
    fn best_split(&self, leaf: &Leaf) -> Option<Split> {
        let (penalty, least) = (self.settings.penalty, self.settings.leaf_rows as u32);
        if leaf.sums.rows < 2 * least {
            return None;
        }
        let before = leaf.sums.gain(penalty);
        let mut best: Option<Split> = None;
        for (feature, limits) in self.binned.limits.iter().enumerate() {
            let mut left = Sums::default();
            for bin in 0..limits.len() {
                let here = leaf.histograms[feature][bin];
                left.first += here.first;
                left.second += here.second;
                left.rows += here.rows;
                let right = leaf.sums.minus(left);
                if right.rows < least {
                    break;
                }
                if left.rows < least || left.second < LEAST_CURVATURE || right.second < LEAST_CURVATURE {
                    continue;
                }
                let gain = left.gain(penalty) + right.gain(penalty) - before;
                if gain > best.map_or(0.0, |best| best.gain) {
                    best = Some(Split { gain, feature, bin, left });
                }
            }
        }
        best
    }
}
