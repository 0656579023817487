//! The topics of rules as a file.

use std::ops::Range;
use std::path::Path;

use crate::error::Result;
use crate::selection::parts::Sorted;
use crate::store::mapped::{Format, Mapped};
use crate::store::prefetch::{prefetch, CACHE_LINE};

pub const FORMAT: Format =
    Format { kind: b'T', name: "topic similarity model", version: 4, sections: 6, large: &[section::TOPICS] };

pub mod section {
    /// How many topics there are.
    pub const SETTINGS: usize = 0;
    /// The rules by number, in order, so that those of a source side are side by side, and where the parts of that
    /// column begin.
    pub const RULES: usize = 1;
    pub const PARTS: usize = 2;
    /// For each rule its profile. Most rules were seen in one document, and have the profile of that.
    pub const PROFILES: usize = 3;
    /// For each profile √P(z|r) of the source side, then of the target side in source topics, in units of 1 / 32767.
    pub const TOPICS: usize = 4;
    /// For each profile the entropy of P(z|r) of the source side and of the target side.
    pub const ENTROPIES: usize = 5;
}

/// A whole in the file's units of √P.
pub const UNIT: f32 = i16::MAX as f32;

pub fn in_units(root: f32) -> i16 {
    (root * UNIT).round() as i16
}

pub struct Model {
    file: Mapped,
    pub topics: usize,
}

/// What is known of a rule.
pub struct Profile<'a> {
    /// √P(z|r) in units of 1 / [`UNIT`].
    pub source: &'a [i16],
    pub target: &'a [i16],
    pub entropies: [f32; 2],
}

fn sorted(file: &Mapped) -> Sorted<'_> {
    Sorted { numbers: file.section(section::RULES), starts: file.section(section::PARTS) }
}

impl Model {
    pub fn open(path: &Path) -> Result<Self> {
        let file = Mapped::open(path, &FORMAT)?;
        let topics = file.section::<u32>(section::SETTINGS).first().map_or(0, |&number| number as usize);
        let rules = file.section::<u64>(section::RULES).len();
        let profiles = file.section::<u32>(section::PROFILES);
        let known = file.section::<f32>(section::ENTROPIES).len() / 2;
        let fits = topics > 0
            && sorted(&file).fits()
            && profiles.len() == rules
            && topics.checked_mul(2 * known) == Some(file.section::<i16>(section::TOPICS).len())
            && profiles.iter().all(|&profile| (profile as usize) < known);
        if !fits {
            return Err(file.misfit());
        }
        Ok(Model { file, topics })
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    pub fn rules(&self) -> usize {
        self.file.section::<u64>(section::RULES).len()
    }

    /// Where the rules of a source side are, with some others.
    pub fn side(&self, source: u64) -> Range<usize> {
        sorted(&self.file).part_of(source)
    }

    /// The place of a rule of a source side.
    pub fn place(&self, side: Range<usize>, rule: u64) -> Option<usize> {
        sorted(&self.file).find_in(side, rule)
    }

    /// The number of the profile of the rule at a place.
    pub fn profile(&self, place: usize) -> usize {
        self.file.section::<u32>(section::PROFILES)[place] as usize
    }

    pub fn get(&self, profile: usize) -> Profile<'_> {
        let range = 2 * self.topics * profile..2 * self.topics * (profile + 1);
        self.file.touch_values::<i16>(section::TOPICS, range.clone());
        let topics = &self.file.section::<i16>(section::TOPICS)[range];
        let (source, target) = topics.split_at(self.topics);
        let entropies = &self.file.section::<f32>(section::ENTROPIES)[2 * profile..];
        Profile { source, target, entropies: [entropies[0], entropies[1]] }
    }

    /// A source side is looked for soon.
    pub fn fetch_side(&self, source: u64) {
        sorted(&self.file).fetch(source);
    }

    /// The rules of a source side are looked for soon.
    pub fn fetch_rules(&self, side: &Range<usize>) {
        // Few sides have so many rules that not all of them come.
        for at in side.clone().step_by(CACHE_LINE / size_of::<u64>()).take(4) {
            prefetch(self.file.section::<u64>(section::RULES), at);
        }
    }

    /// The profile of the rule at a place is looked up soon.
    pub fn fetch_place(&self, place: usize) {
        prefetch(self.file.section::<u32>(section::PROFILES), place);
    }

    /// A profile is looked at soon.
    pub fn fetch(&self, profile: usize) {
        let topics = self.file.section::<i16>(section::TOPICS);
        for at in (0..2 * self.topics).step_by(CACHE_LINE / size_of::<i16>()) {
            prefetch(topics, 2 * self.topics * profile + at);
        }
        prefetch(self.file.section::<f32>(section::ENTROPIES), 2 * profile);
    }
}
