//! Writes a rule table from source sides in ascending order, in several files if it is large.

use std::path::{Path, PathBuf};

use super::{further_path, FurtherPart, Place, TableSettings, FORMAT, NO_RULES};
use crate::error::{Error, Result};
use crate::rule::bytes;
use crate::rule::bytes::Rule;
use crate::store::draft::Draft;
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

/// Offsets of rules are in units of four bytes, so that 32 bits cover 16 GiB.
const LARGEST_PART: u64 = (NO_RULES as u64) * 4;

/// Holds the trie in memory (14 bytes a node); rules are written to the file immediately.
///
/// A further file begins with the first source side of a symbol after the limit of bytes is reached. All files get their
/// names when the table is finished, the first one last.
pub struct Builder {
    path: PathBuf,
    settings: TableSettings,
    /// Bytes of rules after which a part ends.
    limit: u64,
    first: PartBuilder,
    /// The part that is being written, unless it is the first one.
    current: Option<PartBuilder>,
    /// The first symbol of the source sides of the current part.
    begun: u32,
    complete: Vec<(Draft, FurtherPart)>,
    last: Vec<(u32, u16)>,
    encoded: Vec<u8>,
}

impl Builder {
    /// A table in as few files as possible: one, up to 16 GiB.
    pub fn create(path: &Path, settings: TableSettings) -> Result<Self> {
        // The source sides of one symbol must fit into what is left of a part.
        Self::with_limit(path, settings, LARGEST_PART / 2)
    }

    /// A table whose parts end after so many bytes of rules.
    pub fn with_limit(path: &Path, settings: TableSettings, limit: u64) -> Result<Self> {
        let first = PartBuilder::create(path)?;
        let (complete, last, encoded) = Default::default();
        let (path, current, begun) = (path.to_owned(), None, 0);
        Ok(Builder { path, settings, limit, first, current, begun, complete, last, encoded })
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
        let is_new = self.last.first().is_some_and(|&(symbol, _)| symbol < source[0].0);
        if is_new && self.current.as_ref().unwrap_or(&self.first).at >= self.limit {
            self.complete_current()?;
            let number = self.complete.len() as u32 + 1;
            self.current = Some(PartBuilder::create(&further_path(&self.path, number))?);
            self.begun = source[0].0;
        }
        let part = self.current.as_mut().unwrap_or(&mut self.first);
        part.add_encoded(source, rules, encoded)?;
        self.last.clear();
        self.last.extend_from_slice(source);
        Ok(())
    }

    /// Completes the current part if it is a further one.
    fn complete_current(&mut self) -> Result<()> {
        let Some(part) = self.current.take() else { return Ok(()) };
        let number = self.complete.len() as u32 + 1;
        let none = Interner::default();
        let (draft, sum) =
            part.complete("{}", &none, &none, &self.settings.numbers(&Place::Further(number)))?;
        self.complete.push((draft, FurtherPart { first: self.begun, sum }));
        Ok(())
    }

    /// Writes the rest and gives the files their names. `meta` describes the table, as JSON.
    pub fn finish(mut self, meta: &str, source: &Interner, target: &Interner) -> Result<()> {
        self.complete_current()?;
        let (drafts, parts): (Vec<Draft>, Vec<FurtherPart>) = self.complete.into_iter().unzip();
        let place = if parts.is_empty() { Place::Whole } else { Place::First(parts) };
        let (first, _) = self.first.complete(meta, source, target, &self.settings.numbers(&place))?;
        drafts.into_iter().try_for_each(Draft::finish)?;
        first.finish()
    }
}

/// Writes one file of a table.
struct PartBuilder {
    out: Writer,
    levels: Vec<Level>,
    last: Vec<(u32, u16)>,
    at: u64,
    buffer: Vec<u8>,
}

impl PartBuilder {
    fn create(path: &Path) -> Result<Self> {
        let mut out = Writer::create(path, FORMAT)?;
        out.begin()?;
        let (levels, last, buffer) = Default::default();
        Ok(PartBuilder { out, levels, last, at: 0, buffer })
    }

    fn add_encoded(&mut self, source: &[(u32, u16)], rules: u32, encoded: &[u8]) -> Result<()> {
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
        self.last.clear();
        self.last.extend_from_slice(source);

        self.buffer.clear();
        bytes::put_number(&mut self.buffer, rules);
        self.buffer.extend_from_slice(encoded);
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let place = u32::try_from(self.at / 4).ok().filter(|&place| place != NO_RULES);
        let Some(place) = place else {
            return Err(Error::input(
                "the rules whose source sides begin with the same symbol exceed 16 GiB.",
            )
            .hint("Use less data, shorter rules, or a minimum count."));
        };
        if let Some(slot) = self.levels[source.len() - 1].rules.last_mut() {
            *slot = place;
        }
        self.at += self.buffer.len() as u64;
        self.out.write(&self.buffer)
    }

    /// Writes the rest; see [`Writer::complete`].
    fn complete(
        mut self,
        meta: &str,
        source: &Interner,
        target: &Interner,
        settings: &[u32],
    ) -> Result<(Draft, u64)> {
        self.out.section(meta.as_bytes())?;
        for words in [source, target] {
            let (text, offsets, slots) = words.layout()?;
            self.out.section(text)?;
            self.out.section(&offsets)?;
            self.out.section(&slots)?;
        }
        let words = self.levels.iter().map(|level| &level.words[..]).collect::<Vec<_>>().concat();
        let rules = self.levels.iter().map(|level| &level.rules[..]).collect::<Vec<_>>().concat();
        let joints = self.levels.iter().map(|level| &level.joints[..]).collect::<Vec<_>>().concat();
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
        self.out.section(settings)?;
        self.out.complete()
    }
}
