//! The classifiers as a file.

use std::path::Path;

use crate::error::Result;
use crate::maxent::multiclass::normalise;
use crate::selection::parts::Sorted;
use crate::store::mapped::{Format, Mapped};

pub const FORMAT: Format = Format {
    kind: b'C',
    name: "rule selection model",
    version: 3,
    sections: 7,
    large: &[section::FEATURES, section::WEIGHTS],
};

pub mod section {
    /// The source sides that have a classifier, in order.
    pub const SOURCES: usize = 0;
    /// Where the parts of that column begin.
    pub const PARTS: usize = 1;
    /// Where the classes, features and weights of each begin, three numbers each, and where the last ones end; for each
    /// source side also how many target sides its last class stands for.
    pub const STARTS: usize = 2;
    pub const OTHERS: usize = 3;
    /// Target sides; the last class of a classifier is all that are not among the others, and has no entry here.
    pub const CLASSES: usize = 4;
    /// Features in order.
    pub const FEATURES: usize = 5;
    /// For each feature a weight for each class, the last one included.
    pub const WEIGHTS: usize = 6;
}

pub struct Model {
    file: Mapped,
}

/// One classifier.
pub struct Classifier<'a> {
    pub classes: &'a [u64],
    features: &'a [u64],
    weights: &'a [f32],
    /// How many target sides the last class stands for; 0: there is no such class.
    others: u32,
}

fn sorted(file: &Mapped) -> Sorted<'_> {
    Sorted { numbers: file.section(section::SOURCES), starts: file.section(section::PARTS) }
}

impl Model {
    pub fn open(path: &Path) -> Result<Self> {
        let file = Mapped::open(path, &FORMAT)?;
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
        Ok(Model { file })
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    /// How many classifiers there are.
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
    /// ln P(target side | context) of every class, and last of each target side that is no class of its own.
    pub fn log_probabilities(&self, features: &[u64], scores: &mut Vec<f64>) {
        let classes = self.classes.len() + usize::from(self.others > 0);
        scores.clear();
        scores.resize(classes, 0.0);
        for feature in features {
            let Ok(at) = self.features.binary_search(feature) else { continue };
            let Some(own) = self.weights.get(at * classes..(at + 1) * classes) else { continue };
            scores.iter_mut().zip(own).for_each(|(score, weight)| *score += f64::from(*weight));
        }
        normalise(scores);
        match self.others {
            // A target side that training did not see after this source side.
            0 => scores.push(LEAST),
            others => scores[classes - 1] -= f64::from(others).ln(),
        }
    }

    /// The place of a target side in what [`Classifier::log_probabilities`] gives.
    pub fn place(&self, target: u64) -> usize {
        self.classes.iter().position(|&class| class == target).unwrap_or(self.classes.len())
    }
}

/// No target side is less probable.
pub const LEAST: f64 = -16.0;
