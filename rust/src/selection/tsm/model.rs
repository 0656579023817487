//! The topics of rules as a file.

use std::ops::Range;
use std::path::Path;

use crate::error::{Error, Result};
use crate::mapped::{Format, Mapped};
use crate::prefetch::{prefetch, CACHE_LINE};
use crate::selection::rules::{find, guess, source_of};

pub const FORMAT: Format = Format { kind: b'T', name: "topic similarity model", version: 2, sections: 6 };

pub mod section {
    /// How many topics there are.
    pub const SETTINGS: usize = 0;
    /// The source sides of rules by number, in order, and where the rules of each begin; then where the last end.
    pub const SIDES: usize = 1;
    pub const STARTS: usize = 2;
    /// The rules by number, in order, so that those of a source side are side by side.
    pub const RULES: usize = 3;
    /// For each rule √P(z|r) of the source side, then of the target side in source topics, in units of 1 / 65535.
    pub const TOPICS: usize = 4;
    /// For each rule the entropy of P(z|r) of the source side and of the target side.
    pub const ENTROPIES: usize = 5;
}

/// A whole in the file's units of √P.
pub const UNIT: f32 = 65535.0;

pub struct Model {
    file: Mapped,
    pub topics: usize,
}

/// What is known of a rule.
pub struct RuleTopics<'a> {
    /// √P(z|r) in units of 1 / [`UNIT`].
    pub source: &'a [u16],
    pub target: &'a [u16],
    pub entropies: [f32; 2],
}

impl Model {
    pub fn open(path: &Path) -> Result<Self> {
        let file = Mapped::open(path, &FORMAT)?;
        let topics = file.section::<u32>(section::SETTINGS).first().map_or(0, |&number| number as usize);
        let rules = file.section::<u64>(section::RULES).len();
        let starts = file.section::<u32>(section::STARTS);
        let fits = topics > 0
            && starts.len() == file.section::<u64>(section::SIDES).len() + 1
            && starts.windows(2).all(|two| two[0] <= two[1])
            && starts.last() == Some(&(rules as u32))
            && file.section::<u16>(section::TOPICS).len() == 2 * topics * rules
            && file.section::<f32>(section::ENTROPIES).len() == 2 * rules;
        if !fits {
            return Err(Error::input(
                "this topic similarity model is damaged: its parts do not fit together.",
            )
            .at(path, None)
            .hint("Copy or make it again."));
        }
        Ok(Model { file, topics })
    }

    pub fn rules(&self) -> usize {
        self.file.section::<u64>(section::RULES).len()
    }

    /// Where the rules of a source side are.
    pub fn side(&self, source: u64) -> Range<usize> {
        let Some(side) = find(self.file.section(section::SIDES), source_of(source)) else { return 0..0 };
        let starts = self.file.section::<u32>(section::STARTS);
        starts[side] as usize..starts[side + 1] as usize
    }

    /// The place of a rule among those of its source side.
    pub fn place(&self, side: Range<usize>, rule: u64) -> Option<usize> {
        let first = side.start;
        self.file.section::<u64>(section::RULES)[side].binary_search(&rule).ok().map(|at| first + at)
    }

    /// What is known of the rule at a place.
    pub fn get(&self, place: usize) -> RuleTopics<'_> {
        let topics = &self.file.section::<u16>(section::TOPICS)[2 * self.topics * place..][..2 * self.topics];
        let (source, target) = topics.split_at(self.topics);
        let entropies = &self.file.section::<f32>(section::ENTROPIES)[2 * place..];
        RuleTopics { source, target, entropies: [entropies[0], entropies[1]] }
    }

    /// A source side is looked for soon.
    pub fn fetch_side(&self, source: u64) {
        let sides = self.file.section::<u64>(section::SIDES);
        let guess = guess(sides.len(), source_of(source));
        prefetch(sides, guess);
        prefetch(self.file.section::<u32>(section::STARTS), guess);
    }

    /// The rules of a source side are looked for soon.
    pub fn fetch_rules(&self, side: &Range<usize>) {
        prefetch(self.file.section::<u64>(section::RULES), (side.start + side.end) / 2);
    }

    /// A rule's topics are looked at soon.
    pub fn fetch(&self, place: usize) {
        let topics = self.file.section::<u16>(section::TOPICS);
        for at in (0..2 * self.topics).step_by(CACHE_LINE / size_of::<u16>()) {
            prefetch(topics, 2 * self.topics * place + at);
        }
        prefetch(self.file.section::<f32>(section::ENTROPIES), 2 * place);
    }
}
