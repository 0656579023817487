//! Writes a rule table from source sides in ascending order.

use std::path::Path;

use super::{TableSettings, FORMAT, NO_RULES};
use crate::error::{Error, Result};
use crate::rule::bytes;
use crate::rule::bytes::Rule;
use crate::store::mapped::Writer;
use crate::store::vocab::Interner;

/// The nodes of one depth of the trie, in order.
#[derive(Default)]
struct Level {
    words: Vec<u32>,
    joints: Vec<u16>,
    /// The first child of each node, counted within the next level.
    children: Vec<u32>,
    rules: Vec<u32>,
}

/// Holds the trie in memory (14 bytes a node); rules are written to the file immediately.
pub struct Builder {
    out: Writer,
    levels: Vec<Level>,
    last: Vec<(u32, u16)>,
    at: u64,
    buffer: Vec<u8>,
    encoded: Vec<u8>,
    settings: TableSettings,
}

impl Builder {
    pub fn create(path: &Path, settings: TableSettings) -> Result<Self> {
        let mut out = Writer::create(path, FORMAT)?;
        out.begin()?;
        let (buffer, encoded) = Default::default();
        Ok(Builder { out, levels: Vec::new(), last: Vec::new(), at: 0, buffer, encoded, settings })
    }

    /// Adds a source side (words with their joints) and its rules. Source sides must be added in ascending order.
    pub fn add(&mut self, source: &[(u32, u16)], rules: &[Rule]) -> Result<()> {
        let mut encoded = std::mem::take(&mut self.encoded);
        encoded.clear();
        rules.iter().for_each(|rule| bytes::write(&mut encoded, rule, self.settings.oriented));
        let added = self.add_encoded(source, rules.len() as u32, &encoded);
        self.encoded = encoded;
        added
    }

    /// The same with rules that are encoded already (see [`bytes::write`]).
    pub fn add_encoded(&mut self, source: &[(u32, u16)], rules: u32, encoded: &[u8]) -> Result<()> {
        if source.is_empty() || source <= &self.last[..] {
            return Err(Error::internal("source sides reached the rule table out of order."));
        }
        let shared = source.iter().zip(&self.last).take_while(|(a, b)| a == b).count();
        while self.levels.len() < source.len() + 1 {
            self.levels.push(Level::default());
        }
        for (depth, &(word, joint)) in source.iter().enumerate().skip(shared) {
            let children = self.levels[depth + 1].words.len() as u32;
            let level = &mut self.levels[depth];
            level.words.push(word);
            level.joints.push(joint);
            level.children.push(children);
            level.rules.push(NO_RULES);
        }
        self.last = source.to_vec();

        self.buffer.clear();
        bytes::put_number(&mut self.buffer, rules);
        self.buffer.extend_from_slice(encoded);
        // Offsets are in units of four bytes, so that 32 bits cover 16 GiB of rules.
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let place = u32::try_from(self.at / 4).ok().filter(|&place| place != NO_RULES);
        let Some(place) = place else {
            return Err(Error::input("the rule table exceeds 16 GiB.")
                .hint("Use less data, shorter rules, or a minimum count."));
        };
        if let Some(slot) = self.levels[source.len() - 1].rules.last_mut() {
            *slot = place;
        }
        self.at += self.buffer.len() as u64;
        self.out.write(&self.buffer)
    }

    /// Writes the rest and gives the file its name. `meta` describes the table, as JSON.
    pub fn finish(mut self, meta: &str, source: &Interner, target: &Interner) -> Result<()> {
        self.out.section(meta.as_bytes())?;
        for words in [source, target] {
            let (text, offsets, slots) = words.layout()?;
            self.out.section(text)?;
            self.out.section(&offsets)?;
            self.out.section(&slots)?;
        }
        let flat = |take: &dyn Fn(&Level) -> Vec<u32>| self.levels.iter().flat_map(take).collect::<Vec<_>>();
        let words = flat(&|level| level.words.clone());
        let rules = flat(&|level| level.rules.clone());
        let joints: Vec<u16> = self.levels.iter().flat_map(|level| level.joints.iter().copied()).collect();
        let mut children = Vec::with_capacity(words.len() + 1);
        let mut next_level = 0;
        for level in &self.levels {
            next_level += level.words.len() as u32;
            children.extend(level.children.iter().map(|child| next_level + child));
        }
        children.push(words.len() as u32);
        self.out.section(&words)?;
        self.out.section(&joints)?;
        self.out.section(&children)?;
        self.out.section(&rules)?;
        self.out.section(&self.settings.numbers())?;
        self.out.finish()
    }
}
