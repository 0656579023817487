//! The topics of rules as a file.

use std::path::Path;

use crate::error::{Error, Result};
use crate::mapped::{Format, Mapped};
use crate::selection::rules::find;

pub const FORMAT: Format = Format { kind: b'T', name: "topic similarity model", version: 1, sections: 4 };

pub mod section {
    /// How many topics there are.
    pub const SETTINGS: usize = 0;
    /// The rules by number, in order.
    pub const RULES: usize = 1;
    /// For each rule √P(z|r) of the source side, then of the target side in source topics, in units of 1 / 65535.
    pub const TOPICS: usize = 2;
    /// For each rule the entropy of P(z|r) of the source side and of the target side.
    pub const ENTROPIES: usize = 3;
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
        let fits = topics > 0
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

    pub fn get(&self, rule: u64) -> Option<RuleTopics<'_>> {
        let at = find(self.file.section(section::RULES), rule)?;
        let topics = &self.file.section::<u16>(section::TOPICS)[2 * self.topics * at..][..2 * self.topics];
        let (source, target) = topics.split_at(self.topics);
        let entropies = &self.file.section::<f32>(section::ENTROPIES)[2 * at..];
        Some(RuleTopics { source, target, entropies: [entropies[0], entropies[1]] })
    }
}
