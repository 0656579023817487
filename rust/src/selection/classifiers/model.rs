//! Classifiers as a file.

use std::path::Path;

use crate::error::Result;
use crate::maxent::multiclass::normalise;
use crate::selection::parts::SortedColumn;
use crate::store::mapped::{Format, Mapped};

/// The file format of a model made of classifiers.
pub const fn format(kind: u8, name: &'static str, version: u32) -> Format {
    Format { kind, name, version, sections: 7, large: &[section::FEATURES, section::WEIGHTS] }
}

pub mod section {
    /// The source sides (or source words) with a classifier, in ascending order.
    pub const SOURCES: usize = 0;
    /// The starts of that column's parts.
    pub const PARTS: usize = 1;
    /// The starts of each classifier's classes, features and weights, three numbers each, and the end of the last.
    /// `OTHERS` has for each source side the number of target sides in its last class.
    pub const STARTS: usize = 2;
    pub const OTHERS: usize = 3;
    /// Target sides (or translations). The last class of a classifier stands for all others and has no entry here.
    pub const CLASSES: usize = 4;
    /// Features in ascending order.
    pub const FEATURES: usize = 5;
    /// For each feature a weight for each class, including the last.
    pub const WEIGHTS: usize = 6;
}

/// Not a feature of any match: its weights are ln of the relative frequency of each class in the training corpus.
pub const FREQUENCIES: u64 = u64::MAX;

pub struct Classifiers {
    file: Mapped,
}

/// One classifier.
pub struct Classifier<'a> {
    pub classes: &'a [u64],
    features: &'a [u64],
    weights: &'a [f32],
    /// The number of target sides in the last class; 0 if there is no such class.
    others: u32,
}

fn sorted(file: &Mapped) -> SortedColumn<'_> {
    SortedColumn { numbers: file.section(section::SOURCES), starts: file.section(section::PARTS) }
}

impl Classifiers {
    pub fn open(path: &Path, format: &Format) -> Result<Self> {
        let file = Mapped::open(path, format)?;
        let sources = file.section::<u64>(section::SOURCES).len();
        let starts = file.section::<u64>(section::STARTS);
        let ends = |of: usize| starts.get(3 * sources + of).copied();
        let grow = (0..3).all(|of| {
            let own: Vec<u64> = starts.iter().skip(of).step_by(3).copied().collect();
            own.windows(2).all(|two| two[0] <= two[1])
        });
        let fits = sorted(&file).fits()
            && starts.len() == 3 * (sources + 1)
            && grow
            && file.section::<u32>(section::OTHERS).len() == sources
            && ends(0) == Some(file.section::<u64>(section::CLASSES).len() as u64)
            && ends(1) == Some(file.section::<u64>(section::FEATURES).len() as u64)
            && ends(2) == Some(file.section::<f32>(section::WEIGHTS).len() as u64);
        if !fits {
            return Err(file.misfit());
        }
        Ok(Classifiers { file })
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    /// The number of classifiers.
    pub fn len(&self) -> usize {
        self.file.section::<u64>(section::SOURCES).len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The classifier of a source side.
    pub fn get(&self, source: u64) -> Option<Classifier<'_>> {
        let at = sorted(&self.file).find(source)?;
        let starts = &self.file.section::<u64>(section::STARTS)[3 * at..3 * at + 6];
        let range = |of: usize| starts[of] as usize..starts[of + 3] as usize;
        self.file.touch_values::<u64>(section::FEATURES, range(1));
        self.file.touch_values::<f32>(section::WEIGHTS, range(2));
        Some(Classifier {
            classes: self.file.section::<u64>(section::CLASSES).get(range(0))?,
            features: self.file.section::<u64>(section::FEATURES).get(range(1))?,
            weights: self.file.section::<f32>(section::WEIGHTS).get(range(2))?,
            others: self.file.section::<u32>(section::OTHERS)[at],
        })
    }
}

impl Classifier<'_> {
    /// ln P(class | context) of every class, including the last.
    pub fn class_scores(&self, features: &[u64], scores: &mut Vec<f64>) {
        scores.clear();
        scores.resize(self.classes.len() + usize::from(self.others > 0), 0.0);
        for own in features.iter().filter_map(|&feature| self.weights(feature)) {
            scores.iter_mut().zip(own).for_each(|(score, weight)| *score += f64::from(*weight));
        }
        normalise(scores);
    }

    /// ln P(target side | context) of every class, and last of each target side without a class of its own.
    pub fn log_probabilities(&self, features: &[u64], scores: &mut Vec<f64>) {
        self.class_scores(features, scores);
        match self.others {
            // A target side not seen with this source side in training.
            0 => scores.push(MIN_LOG_PROBABILITY),
            others => scores[self.classes.len()] -= f64::from(others).ln(),
        }
    }

    /// The weights of a feature, one for each class, if the classifier has it.
    pub fn weights(&self, feature: u64) -> Option<&[f32]> {
        let classes = self.classes.len() + usize::from(self.others > 0);
        let at = self.features.binary_search(&feature).ok()?;
        self.weights.get(at * classes..(at + 1) * classes)
    }

    /// The index of a target side in the result of [`Classifier::log_probabilities`].
    pub fn class_index(&self, target: u64) -> usize {
        self.classes.iter().position(|&class| class == target).unwrap_or(self.classes.len())
    }
}

/// Lower bound on the log probability of a target side.
pub const MIN_LOG_PROBABILITY: f64 = -16.0;
