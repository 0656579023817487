//! The statistics of a corpus as a file, and queries on them.

use std::path::Path;

use super::pairs::{pmi, NO_KEY};
use super::translations::{Translation, MAX_TARGET_WORDS};
use crate::error::{Error, Result};
use crate::selection::classes::Class;
use crate::store::mapped::{Format, Mapped};
use crate::store::vocab::Words;

pub const FORMAT: Format =
    Format { kind: b'G', name: "lexical selection model", version: 2, sections: 18, large: &[] };

pub mod section {
    pub const META: usize = 0;
    /// The window in which source words are related.
    pub const SETTINGS: usize = 1;
    pub const SOURCE_TEXT: usize = 2;
    /// For each source word, the keys of its lemma and its form in relatedness.
    pub const SOURCE_LEMMA: usize = 5;
    pub const SOURCE_FORM: usize = 6;
    pub const SOURCE_IDF: usize = 7;
    /// The related words of each source key, in ascending order, and where they begin.
    pub const SOURCE_RELATED: usize = 8;
    pub const SOURCE_OFFSETS: usize = 9;
    /// For each source word its translations, in ascending order: three words and a count.
    pub const TRANSLATIONS: usize = 10;
    pub const TRANSLATION_OFFSETS: usize = 11;
    pub const TARGET_TEXT: usize = 12;
    /// For each target word its key in relatedness; [`super::NO_KEY`] for function words.
    pub const TARGET_KEY: usize = 15;
    /// The neighbours of each target key in ascending order, with counts, and where they begin.
    pub const TARGET_NEAR: usize = 16;
    pub const TARGET_OFFSETS: usize = 17;
}

/// How the relatedness of two target words is measured (section 2.2.2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Measure {
    /// p(t' | t) of a bigram model over neighbouring words, with Witten-Bell smoothing.
    Lm,
    /// Pointwise mutual information, if positive.
    Pmi,
    /// exp(3 cos) of the words' vectors; an extension of the paper.
    Embeddings,
}

/// The logarithm of the ratio between the relatedness of words with the same vector and of words with orthogonal
/// vectors.
const SHARPNESS: f64 = 3.0;

pub struct GmModel {
    file: Mapped,
    /// For each target key the number of pairs it is counted in, and their sum.
    of_target: Vec<u64>,
    total: u64,
    /// A vector of length 1 (or 0) for each target key, and its number of dimensions.
    vectors: Vec<f32>,
    dimensions: usize,
}

impl GmModel {
    pub fn open(path: &Path) -> Result<Self> {
        let file = Mapped::open(path, &FORMAT)?;
        let damaged = || file.misfit();
        let words = |first: usize| vocabulary(&file, first).map(|words| words.len());
        let source = words(section::SOURCE_TEXT).ok_or_else(damaged)?;
        let target = words(section::TARGET_TEXT).ok_or_else(damaged)?;
        let length = |section: usize| file.section::<u32>(section).len();
        let rows = |offsets: usize, values: usize, width: usize| {
            let offsets = file.section::<u64>(offsets);
            offsets.windows(2).all(|pair| pair[0] <= pair[1])
                && offsets
                    .last()
                    .is_some_and(|&end| end.checked_mul(width as u64) == Some(length(values) as u64))
        };
        let fits = file.section::<u32>(section::SETTINGS).len() == 1
            && length(section::SOURCE_LEMMA) == source
            && length(section::SOURCE_FORM) == source
            && file.section::<f32>(section::SOURCE_IDF).len() == source
            && rows(section::SOURCE_OFFSETS, section::SOURCE_RELATED, 1)
            && rows(section::TRANSLATION_OFFSETS, section::TRANSLATIONS, MAX_TARGET_WORDS + 1)
            && file.section::<u64>(section::TRANSLATION_OFFSETS).len() == source + 1
            && length(section::TARGET_KEY) == target
            && rows(section::TARGET_OFFSETS, section::TARGET_NEAR, 2);
        if !fits {
            return Err(damaged());
        }
        let mut model = GmModel { file, of_target: Vec::new(), total: 0, vectors: Vec::new(), dimensions: 0 };
        let numbers = model.file.section::<u64>(section::TARGET_OFFSETS).len() - 1;
        let sum = |number: u32| model.near(number).chunks_exact(2).map(|pair| u64::from(pair[1])).sum();
        let of_target: Vec<u64> = (0..numbers as u32).map(sum).collect();
        model.total = of_target.iter().sum();
        model.of_target = of_target;
        Ok(model)
    }

    /// Adds a vector of `dimensions` values for each target key.
    pub fn with_vectors(mut self, mut vectors: Vec<f32>, dimensions: usize) -> Result<Self> {
        if dimensions == 0 || vectors.len() != dimensions * self.of_target.len() {
            let (given, numbers) = (vectors.len() / dimensions.max(1), self.of_target.len());
            return Err(Error::input(format!("{given} vectors for {numbers} target words of gm.")).hint(
                "gm.bin and gm-vectors.npy may come from different trainings; train the model again.",
            ));
        }
        for vector in vectors.chunks_exact_mut(dimensions) {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            if length > 0.0 {
                vector.iter_mut().for_each(|x| *x /= length);
            }
        }
        (self.vectors, self.dimensions) = (vectors, dimensions);
        Ok(self)
    }

    pub fn has_vectors(&self) -> bool {
        self.dimensions > 0
    }

    /// The counted neighbours of all target keys: the start of each key's neighbours, and neighbours with their counts.
    pub fn neighbours(&self) -> (&[u64], &[u32]) {
        (self.file.section(section::TARGET_OFFSETS), self.file.section(section::TARGET_NEAR))
    }

    fn cosine(&self, a: u32, b: u32) -> f64 {
        let of = |number: u32| self.vectors.get(number as usize * self.dimensions..)?.get(..self.dimensions);
        let (Some(a), Some(b)) = (of(a), of(b)) else { return 0.0 };
        f64::from(a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>())
    }

    /// A description of the model, as JSON.
    pub fn meta(&self) -> &str {
        std::str::from_utf8(self.file.section(section::META)).unwrap_or("{}")
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    pub fn verify(&self) -> Result<()> {
        self.file.verify()
    }

    pub fn source_words(&self) -> Words<'_> {
        vocabulary(&self.file, section::SOURCE_TEXT).expect("checked when the model was opened")
    }

    pub fn target_words(&self) -> Words<'_> {
        vocabulary(&self.file, section::TARGET_TEXT).expect("checked when the model was opened")
    }

    /// The greatest distance between two related source words, in positions.
    pub fn window(&self) -> usize {
        self.file.section::<u32>(section::SETTINGS)[0] as usize
    }

    /// The key of a source word of this class in relatedness.
    pub fn source_number(&self, word: u32, class: Class) -> u32 {
        let section = if class.keeps_form() { section::SOURCE_FORM } else { section::SOURCE_LEMMA };
        self.file.section::<u32>(section)[word as usize]
    }

    /// Inverse document frequency, with sentences as documents.
    pub fn idf(&self, word: u32) -> f64 {
        f64::from(self.file.section::<f32>(section::SOURCE_IDF)[word as usize])
    }

    /// Whether two source keys occur together often enough, and more often than by chance.
    pub fn related(&self, a: u32, b: u32) -> bool {
        let row = self.row(section::SOURCE_OFFSETS, section::SOURCE_RELATED, 1, a);
        row.binary_search(&b).is_ok()
    }

    /// The training count of a translation of a source word.
    pub fn count(&self, word: u32, translation: Translation) -> u64 {
        let row = self.translations(word);
        let (mut low, mut high) = (0, row.len() / (MAX_TARGET_WORDS + 1));
        while low < high {
            let middle = (low + high) / 2;
            let entry = &row[middle * (MAX_TARGET_WORDS + 1)..][..MAX_TARGET_WORDS + 1];
            match entry[..MAX_TARGET_WORDS].cmp(&translation.0[..]) {
                std::cmp::Ordering::Equal => return u64::from(entry[MAX_TARGET_WORDS]),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        0
    }

    /// The training count of all translations of a source word.
    pub fn count_all(&self, word: u32) -> u64 {
        self.translations(word)
            .chunks_exact(MAX_TARGET_WORDS + 1)
            .map(|entry| u64::from(entry[MAX_TARGET_WORDS]))
            .sum()
    }

    fn translations(&self, word: u32) -> &[u32] {
        self.row(section::TRANSLATION_OFFSETS, section::TRANSLATIONS, MAX_TARGET_WORDS + 1, word)
    }

    /// The key of a target word in relatedness; `None` for function words.
    pub fn target_number(&self, word: u32) -> Option<u32> {
        let number = *self.file.section::<u32>(section::TARGET_KEY).get(word as usize)?;
        (number != NO_KEY).then_some(number)
    }

    /// RS(t, t') of two target keys.
    pub fn relatedness(&self, measure: Measure, a: u32, b: u32) -> f64 {
        if measure == Measure::Embeddings {
            return (SHARPNESS * self.cosine(a, b)).exp();
        }
        let row = self.near(a);
        let (mut low, mut high) = (0, row.len() / 2);
        while low < high {
            let middle = (low + high) / 2;
            if row[2 * middle] < b {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let seen = row.get(2 * low..2 * low + 2).filter(|pair| pair[0] == b);
        let count = seen.map_or(0, |pair| u64::from(pair[1]));
        let of = |number: u32| self.of_target.get(number as usize).copied().unwrap_or(0);
        match measure {
            Measure::Embeddings => 0.0,
            Measure::Pmi if count == 0 => 0.0,
            Measure::Pmi => pmi(count, of(a), of(b), self.total).max(0.0),
            Measure::Lm if of(a) == 0 => 0.0,
            Measure::Lm => {
                let kinds = row.len() as f64 / 2.0;
                let alone = of(b) as f64 / self.total as f64;
                (count as f64 + kinds * alone) / (of(a) as f64 + kinds)
            }
        }
    }

    fn near(&self, number: u32) -> &[u32] {
        self.row(section::TARGET_OFFSETS, section::TARGET_NEAR, 2, number)
    }

    /// A row of a section; empty for an invalid number.
    fn row(&self, offsets: usize, values: usize, width: usize, number: u32) -> &[u32] {
        let offsets = self.file.section::<u64>(offsets);
        let at = number as usize;
        let (Some(&from), Some(&to)) = (offsets.get(at), offsets.get(at + 1)) else { return &[] };
        &self.file.section::<u32>(values)[from as usize * width..to as usize * width]
    }
}

fn vocabulary(file: &Mapped, first: usize) -> Option<Words<'_>> {
    Words::new(file.section(first), file.section(first + 1), file.section(first + 2))
}
