//! The trained model as a file, and its queries for a decoder.
//!
//! The log-odds of straight are a sum of weights: those of each block by itself, and those of a word of one block with a
//! word of the other. A decoder looks up the pairs of source words once a sentence ([`Reordering::source_pair`]), and gets
//! ln p of both orders from [`straight`] and [`inverted`].

use std::path::Path;

use super::examples::Ends;
use super::features::{key, starts, Features, BETWEEN, CONJUNCTIONS, MAX_VOCABULARY, PLACES, WITHIN};
use crate::error::Result;
use crate::store::hashing;
use crate::store::mapped::{Format, Mapped, Writer};
use crate::store::vocab::{Interner, Words};

pub const FORMAT: Format =
    Format { kind: b'O', name: "reordering model", version: 2, sections: 10, large: &[] };

mod section {
    pub const META: usize = 0;
    pub const SOURCE_TEXT: usize = 1;
    pub const TARGET_TEXT: usize = 4;
    /// The weight of the bias.
    pub const BIAS: usize = 7;
    /// Weights by place and word.
    pub const SINGLES: usize = 8;
    /// Slots of two numbers: a key, and its weight's bits.
    pub const CONJUNCTIONS: usize = 9;
}

/// A word that is unknown to the model: it has no weights.
pub const UNKNOWN: u32 = u32::MAX;

const EMPTY: u64 = u64::MAX;

/// The role of a block in a merge, in source order.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    Left,
    Right,
}

/// ln p(straight) of log-odds.
#[inline]
pub fn straight(sum: f32) -> f32 {
    sum.min(0.0) - (-sum.abs()).exp().ln_1p()
}

/// ln p(inverted) of log-odds of straight.
#[inline]
pub fn inverted(sum: f32) -> f32 {
    straight(-sum)
}

pub struct Reordering {
    file: Mapped,
    starts: [usize; PLACES + 1],
    bias: f32,
}

impl Reordering {
    pub fn open(path: &Path) -> Result<Self> {
        let file = Mapped::open(path, &FORMAT)?;
        let damaged = || file.misfit();
        let number = |first: usize| vocabulary(&file, first).map(|words| words.len());
        let source = number(section::SOURCE_TEXT).ok_or_else(damaged)?;
        let target = number(section::TARGET_TEXT).ok_or_else(damaged)?;
        let starts = starts(source, target);
        let slots = file.section::<u64>(section::CONJUNCTIONS).len();
        let &[bias] = file.section::<f32>(section::BIAS) else { return Err(damaged()) };
        let fits = file.section::<f32>(section::SINGLES).len() == starts[PLACES]
            && source.max(target) <= MAX_VOCABULARY
            && (slots == 0 || slots >= 2 && slots.is_power_of_two());
        if !fits {
            return Err(damaged());
        }
        Ok(Reordering { file, starts, bias })
    }

    /// A description of the model, as JSON.
    pub fn meta(&self) -> &str {
        std::str::from_utf8(self.file.section(section::META)).unwrap_or("{}")
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    /// Reads the whole file and compares its checksums.
    pub fn verify(&self) -> Result<()> {
        self.file.verify()
    }

    pub fn bytes(&self) -> usize {
        self.file.bytes()
    }

    pub fn source_words(&self) -> Words<'_> {
        vocabulary(&self.file, section::SOURCE_TEXT).expect("checked when the model was opened")
    }

    pub fn target_words(&self) -> Words<'_> {
        vocabulary(&self.file, section::TARGET_TEXT).expect("checked when the model was opened")
    }

    /// The model's number for each word of another vocabulary, such as a rule table's target side. Computed once, so
    /// that the decoder needs no string lookups.
    pub fn numbers(known: Words<'_>, others: Words<'_>) -> Vec<u32> {
        (0..others.len() as u32).map(|other| known.get(others.word(other)).unwrap_or(UNKNOWN)).collect()
    }

    /// Whether the model has conjunctions: without them [`Reordering::between`] is constant.
    #[inline]
    pub fn has_conjunctions(&self) -> bool {
        !self.slots().is_empty()
    }

    #[inline]
    fn slots(&self) -> &[u64] {
        self.file.section(section::CONJUNCTIONS)
    }

    /// The weight of a word at a place: 0 to 3 are source first, source last, target first and target last of the
    /// left block, 4 to 7 those of the right one.
    #[inline]
    pub fn part(&self, place: usize, word: u32) -> f32 {
        let (from, to) = (self.starts[place], self.starts[place + 1]);
        self.file.section::<f32>(section::SINGLES)[from..to].get(word as usize).copied().unwrap_or(0.0)
    }

    fn conjunction(&self, conjunction: usize, first: u32, second: u32) -> f32 {
        let slots = self.slots();
        // A damaged file may have no free slots, so limit the search.
        if slots.is_empty() || self.file.is_damaged() || first.max(second) as usize >= MAX_VOCABULARY {
            return 0.0;
        }
        let key = key(conjunction, first, second);
        let mask = slots.len() / 2 - 1;
        let mut at = hashing::word(&key.to_le_bytes()) as usize & mask;
        for _ in 0..=mask.min(hashing::LONGEST_SEARCH) {
            match slots[2 * at] {
                EMPTY => return 0.0,
                found if found == key => return f32::from_bits(slots[2 * at + 1] as u32),
                _ => at = (at + 1) & mask,
            }
        }
        self.file.found_damage();
        0.0
    }

    /// The contribution of a block in this role to the log-odds, independent of the other block.
    pub fn block(&self, role: Role, ends: &Ends) -> f32 {
        let first = 4 * role as usize;
        let singles: f32 = ends.iter().enumerate().map(|(k, &word)| self.part(first + k, word)).sum();
        if !self.has_conjunctions() {
            return singles;
        }
        let within = WITHIN[role as usize].clone().map(|conjunction| {
            let (a, b) = CONJUNCTIONS[conjunction];
            self.conjunction(conjunction, ends[a - first], ends[b - first])
        });
        singles + within.sum::<f32>()
    }

    /// The weights of a source word in a left block and one in a right block: as the first word of both, first and
    /// last, last and first, last of both.
    pub fn source_pair(&self, left: u32, right: u32) -> [f32; 4] {
        std::array::from_fn(|conjunction| self.conjunction(conjunction, left, right))
    }

    /// The weight of a conjunction between two blocks.
    fn joint(&self, conjunction: usize, left: &Ends, right: &Ends) -> f32 {
        let (a, b) = CONJUNCTIONS[conjunction];
        self.conjunction(conjunction, left[a], right[b - 4])
    }

    /// The joint contribution of two blocks, given those of their source words as in [`Reordering::source_pair`].
    fn between(&self, left: &Ends, right: &Ends, of_sources: [f32; 4]) -> f32 {
        if !self.has_conjunctions() {
            return self.bias;
        }
        let of_targets =
            BETWEEN.skip(of_sources.len()).map(|conjunction| self.joint(conjunction, left, right));
        self.bias + of_sources.into_iter().chain(of_targets).sum::<f32>()
    }

    /// The log-odds of straight.
    pub fn log_odds(&self, left: &Ends, right: &Ends) -> f32 {
        let of_sources = std::array::from_fn(|conjunction| self.joint(conjunction, left, right));
        self.log_odds_with(left, right, of_sources)
    }

    /// The same, given the joint contributions of the source words.
    pub fn log_odds_with(&self, left: &Ends, right: &Ends, of_sources: [f32; 4]) -> f32 {
        self.block(Role::Left, left) + self.block(Role::Right, right) + self.between(left, right, of_sources)
    }
}

fn vocabulary(file: &Mapped, first: usize) -> Option<Words<'_>> {
    Words::new(file.section(first), file.section(first + 1), file.section(first + 2))
}

/// Writes a complete model or nothing; weight k belongs to feature k.
pub fn write(
    path: &Path,
    meta: &str,
    words: (&Interner, &Interner),
    features: &Features,
    weights: &[f64],
) -> Result<()> {
    let mut out = Writer::create(path, FORMAT)?;
    out.section(meta.as_bytes())?;
    for side in [words.0, words.1] {
        let (text, offsets, slots) = side.layout()?;
        out.section(text)?;
        out.section(&offsets)?;
        out.section(&slots)?;
    }
    out.section(&[weights[0] as f32])?;
    let single = |&feature: &u32| if feature == 0 { 0.0 } else { weights[feature as usize] as f32 };
    out.section(&features.singles.iter().map(single).collect::<Vec<f32>>())?;
    out.section(&table(features, weights))?;
    out.finish()
}

fn table(features: &Features, weights: &[f64]) -> Vec<u64> {
    if features.conjunctions.is_empty() {
        return Vec::new();
    }
    let number = (2 * features.conjunctions.len()).next_power_of_two();
    let mut slots = vec![0; 2 * number];
    slots.iter_mut().step_by(2).for_each(|key| *key = EMPTY);
    for (key, feature) in features.of_conjunctions() {
        let mut at = hashing::word(&key.to_le_bytes()) as usize & (number - 1);
        while slots[2 * at] != EMPTY {
            at = (at + 1) & (number - 1);
        }
        slots[2 * at] = key;
        slots[2 * at + 1] = u64::from((weights[feature] as f32).to_bits());
    }
    slots
}
