//! The topics of rules as a file.

use std::ops::Range;
use std::path::Path;

use crate::error::Result;
use crate::selection::parts::SortedColumn;
use crate::store::mapped::{Format, Mapped};
use crate::store::prefetch::{prefetch, CACHE_LINE};

pub const FORMAT: Format =
    Format { kind: b'T', name: "topic similarity model", version: 4, sections: 6, large: &[section::TOPICS] };

pub mod section {
    /// The number of topics.
    pub const SETTINGS: usize = 0;
    /// The identifiers of the rules in ascending order, so that those of a source side are adjacent; and the starts of
    /// that column's parts.
    pub const RULES: usize = 1;
    pub const PARTS: usize = 2;
    /// The profile of each rule. Most rules were seen in one document and share its profile.
    pub const PROFILES: usize = 3;
    /// For each profile √P(z|r) of the source side, then of the target side in source topics, in units of 1 / 32767.
    pub const TOPICS: usize = 4;
    /// For each profile the entropies of P(z|r) of the source side and of the target side.
    pub const ENTROPIES: usize = 5;
}

/// The value 1 in the file's units of √P.
pub const UNIT: f32 = i16::MAX as f32;

pub fn in_units(root: f32) -> i16 {
    (root * UNIT).round() as i16
}

pub struct TsmModel {
    file: Mapped,
    pub topics: usize,
}

/// The topic profile of a rule.
pub struct Profile<'a> {
    /// √P(z|r) in units of 1 / [`UNIT`].
    pub source: &'a [i16],
    pub target: &'a [i16],
    pub entropies: [f32; 2],
}

fn sorted(file: &Mapped) -> SortedColumn<'_> {
    SortedColumn { numbers: file.section(section::RULES), starts: file.section(section::PARTS) }
}

impl TsmModel {
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
        Ok(TsmModel { file, topics })
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    pub fn rules(&self) -> usize {
        self.file.section::<u64>(section::RULES).len()
    }

    /// A range of indices that contains all rules of a source side.
    pub fn side(&self, source: u64) -> Range<usize> {
        sorted(&self.file).part_of(source)
    }

    /// The index of a rule within the range of its source side.
    pub fn find(&self, side: Range<usize>, rule: u64) -> Option<usize> {
        sorted(&self.file).find_in(side, rule)
    }

    /// The number of the profile of the rule with this index.
    pub fn profile(&self, index: usize) -> usize {
        self.file.section::<u32>(section::PROFILES)[index] as usize
    }

    pub fn get(&self, profile: usize) -> Profile<'_> {
        let range = 2 * self.topics * profile..2 * self.topics * (profile + 1);
        self.file.touch_values::<i16>(section::TOPICS, range.clone());
        let topics = &self.file.section::<i16>(section::TOPICS)[range];
        let (source, target) = topics.split_at(self.topics);
        let entropies = &self.file.section::<f32>(section::ENTROPIES)[2 * profile..];
        Profile { source, target, entropies: [entropies[0], entropies[1]] }
    }

    /// Prefetches the part of a source side.
    pub fn prefetch_side(&self, source: u64) {
        sorted(&self.file).prefetch(source);
    }

    /// Prefetches the rules of a source side.
    pub fn prefetch_rules(&self, side: &Range<usize>) {
        // Four cache lines cover all rules of most source sides.
        for at in side.clone().step_by(CACHE_LINE / size_of::<u64>()).take(4) {
            prefetch(self.file.section::<u64>(section::RULES), at);
        }
    }

    /// Prefetches the profile number of the rule with this index.
    pub fn prefetch_index(&self, index: usize) {
        prefetch(self.file.section::<u32>(section::PROFILES), index);
    }

    /// Prefetches a profile.
    pub fn prefetch(&self, profile: usize) {
        let topics = self.file.section::<i16>(section::TOPICS);
        for at in (0..2 * self.topics).step_by(CACHE_LINE / size_of::<i16>()) {
            prefetch(topics, 2 * self.topics * profile + at);
        }
        prefetch(self.file.section::<f32>(section::ENTROPIES), 2 * profile);
    }
}
