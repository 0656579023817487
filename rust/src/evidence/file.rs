//! A predictor as a file.

use std::path::Path;

use super::boosting::Boosted;
use super::features::width;
use super::logistic::Logistic;
use super::predictor::{Classifier, Predictor};
use super::tree::{Node, Tree};
use super::ORDERS;
use crate::error::Result;
use crate::store::mapped::{Format, Mapped, Writer};

/// To be raised with every change of the layout or of the features.
const VERSION: u32 = 1;
const FORMAT: Format =
    Format { kind: b'E', name: "n-gram predictor", version: VERSION, sections: 7, large: &[] };

mod section {
    /// The values of a row, then for each order its kind of classifier and its number of trees.
    pub const SETTINGS: usize = 0;
    /// For each order the bias of its classifier; of logistic regression also means, scales and weights. Bits of `f64`.
    pub const NUMBERS: usize = 1;
    /// For each tree the number of its nodes.
    pub const TREES: usize = 2;
    /// For each node: feature, limit, left child, right child, bits of its value.
    pub const NODE_FEATURES: usize = 3;
    pub const NODE_LIMITS: usize = 4;
    pub const NODE_CHILDREN: usize = 5;
    pub const NODE_VALUES: usize = 6;
}

const LOGISTIC: u32 = 0;
const BOOSTED: u32 = 1;

impl Predictor {
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut settings = vec![self.features as u32];
        let mut numbers: Vec<u64> = Vec::new();
        let mut trees: Vec<&Tree> = Vec::new();
        for classifier in &self.orders {
            match classifier {
                Classifier::Logistic(model) => {
                    settings.extend([LOGISTIC, 0]);
                    let values = [&[model.bias][..], &model.means, &model.scales, &model.weights];
                    numbers.extend(values.into_iter().flatten().map(|value| value.to_bits()));
                }
                Classifier::Boosted(model) => {
                    settings.extend([BOOSTED, model.trees.len() as u32]);
                    numbers.push(model.base.to_bits());
                    trees.extend(&model.trees);
                }
            }
        }
        let sizes: Vec<u32> = trees.iter().map(|tree| tree.nodes.len() as u32).collect();
        let nodes: Vec<Node> = trees.iter().flat_map(|tree| tree.nodes.iter().copied()).collect();
        let mut writer = Writer::create(path, FORMAT)?;
        writer.section(&settings)?;
        writer.section(&numbers)?;
        writer.section(&sizes)?;
        writer.section(&nodes.iter().map(|node| node.feature).collect::<Vec<u32>>())?;
        writer.section(&nodes.iter().map(|node| node.limit).collect::<Vec<f32>>())?;
        writer.section(&nodes.iter().flat_map(|node| [node.left, node.right]).collect::<Vec<u32>>())?;
        writer.section(&nodes.iter().map(|node| node.value.to_bits()).collect::<Vec<u64>>())?;
        writer.finish()
    }

    pub fn open(path: &Path) -> Result<Self> {
        let file = Mapped::open(path, &FORMAT)?;
        let made =
            Reader::new(&file).and_then(|mut reader| reader.predictor()).ok_or_else(|| file.misfit())?;
        file.check()?;
        Ok(made)
    }
}

/// Takes a file apart; `None` where its parts do not fit together.
struct Reader<'a> {
    settings: &'a [u32],
    numbers: &'a [u64],
    trees: &'a [u32],
    /// Nodes not read yet.
    nodes: std::vec::IntoIter<Node>,
    /// The values of a row.
    width: usize,
}

impl<'a> Reader<'a> {
    fn new(file: &'a Mapped) -> Option<Self> {
        let features = file.section::<u32>(section::NODE_FEATURES);
        let limits = file.section::<f32>(section::NODE_LIMITS);
        let children = file.section::<u32>(section::NODE_CHILDREN);
        let values = file.section::<u64>(section::NODE_VALUES);
        let number = features.len();
        if [limits.len(), children.len() / 2, children.len().div_ceil(2), values.len()] != [number; 4] {
            return None;
        }
        let node = |at: usize| Node {
            feature: features[at],
            limit: limits[at],
            left: children[2 * at],
            right: children[2 * at + 1],
            value: f64::from_bits(values[at]),
        };
        Some(Reader {
            settings: file.section(section::SETTINGS),
            numbers: file.section(section::NUMBERS),
            trees: file.section(section::TREES),
            nodes: (0..number).map(node).collect::<Vec<_>>().into_iter(),
            width: 0,
        })
    }

    fn predictor(&mut self) -> Option<Predictor> {
        let (&features, kinds) = self.settings.split_first()?;
        self.width = features as usize;
        if ![width(false), width(true)].contains(&self.width) || kinds.len() != 2 * ORDERS {
            return None;
        }
        let orders: Option<Vec<Classifier>> =
            kinds.chunks_exact(2).map(|kind| self.classifier(kind[0], kind[1] as usize)).collect();
        let orders = orders?.try_into().ok()?;
        let is_read = self.numbers.is_empty() && self.trees.is_empty() && self.nodes.len() == 0;
        is_read.then_some(Predictor { features: self.width, orders })
    }

    fn classifier(&mut self, kind: u32, trees: usize) -> Option<Classifier> {
        let bias = self.values(1)?[0];
        match kind {
            LOGISTIC if trees == 0 => {
                let (means, scales) = (self.values(self.width)?, self.values(self.width)?);
                let weights = self.values(self.width)?;
                scales.iter().all(|&scale| scale > 0.0).then_some(())?;
                Some(Classifier::Logistic(Logistic { bias, means, scales, weights }))
            }
            BOOSTED => {
                if trees > self.trees.len() {
                    return None;
                }
                let trees: Option<Vec<Tree>> = (0..trees).map(|_| self.tree()).collect();
                Some(Classifier::Boosted(Boosted { base: bias, trees: trees? }))
            }
            _ => None,
        }
    }

    fn values(&mut self, number: usize) -> Option<Vec<f64>> {
        let (now, later) = self.numbers.split_at_checked(number)?;
        self.numbers = later;
        let values: Vec<f64> = now.iter().map(|&bits| f64::from_bits(bits)).collect();
        values.iter().all(|value| value.is_finite()).then_some(values)
    }

    fn tree(&mut self) -> Option<Tree> {
        let (&size, later) = self.trees.split_first()?;
        self.trees = later;
        let size = size as usize;
        if size == 0 || size > self.nodes.len() {
            return None;
        }
        let nodes: Vec<Node> = self.nodes.by_ref().take(size).collect();
        let width = self.width;
        // Children come after their parents, so that every walk ends.
        let fits = |(at, node): (usize, &Node)| {
            let child = |child: u32| (child as usize) > at && (child as usize) < size;
            let is_leaf = node.left == 0 && node.right == 0;
            node.value.is_finite()
                && (is_leaf
                    || (child(node.left)
                        && child(node.right)
                        && (node.feature as usize) < width
                        && node.limit.is_finite()))
        };
        nodes.iter().enumerate().all(fits).then_some(Tree { nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boosted() -> Classifier {
        let split = Node { feature: 3, limit: 0.5, left: 1, right: 2, value: 0.0 };
        let leaf = |value| Node { value, ..Node::default() };
        let tree = Tree { nodes: vec![split, leaf(-0.25), leaf(0.75)] };
        Classifier::Boosted(Boosted { base: -1.5, trees: vec![tree, Tree { nodes: vec![leaf(0.1)] }] })
    }

    fn logistic(features: usize) -> Classifier {
        let numbers = |scale: f64| (0..features).map(|k| scale * (k + 1) as f64).collect();
        Classifier::Logistic(Logistic {
            bias: 0.25,
            means: numbers(1.0),
            scales: numbers(0.5),
            weights: numbers(-0.1),
        })
    }

    #[test]
    fn a_predictor_is_read_as_it_was_written() {
        let path = std::env::temp_dir().join(format!("graphmt-predictor-{}", std::process::id()));
        for features in [width(false), width(true)] {
            let orders = [boosted(), logistic(features), boosted(), logistic(features)];
            let made = Predictor { features, orders };
            made.save(&path).unwrap();
            assert_eq!(Predictor::open(&path).unwrap(), made);
            assert!(made.check(features).is_ok());
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn trees_that_never_end_are_rejected() {
        let path = std::env::temp_dir().join(format!("graphmt-predictor-loop-{}", std::process::id()));
        let node = Node { feature: 0, limit: 0.0, left: 1, right: 2, value: 0.0 };
        for (left, right, feature) in [(0, 2, 0), (1, 3, 0), (1, 2, width(false) as u32), (1, 0, 0)] {
            let nodes = vec![Node { left, right, feature, ..node }, Node::default(), Node::default()];
            let trees = vec![Tree { nodes }];
            let wrong = Classifier::Boosted(Boosted { base: 0.0, trees });
            let [first, third, fourth] = [(); 3].map(|()| logistic(width(false)));
            let made = Predictor { features: width(false), orders: [first, wrong, third, fourth] };
            made.save(&path).unwrap();
            let error = Predictor::open(&path).unwrap_err().to_string();
            assert!(error.contains("its parts do not fit together"), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
