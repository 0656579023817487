//! Reads a memory-mapped rule table, which may consist of several files.

use std::path::Path;

use super::part::Part;
use super::{further_path, section, Place, TableSettings, FORMAT};
use crate::error::{Error, Result};
use crate::rule::bytes::Rule;
use crate::store::mapped::Mapped;
use crate::store::vocab::Words;

/// A node of the trie: a source side, or a prefix of one. The nodes of a part are numbered after those of the parts
/// before it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Node(pub u32);

pub struct Table {
    /// At least one.
    parts: Vec<Part>,
    /// The number of the first node of each part.
    starts: Vec<u32>,
    /// The lowest first symbol of each further part.
    firsts: Vec<u32>,
}

impl Table {
    /// Opens a table and its further parts, if there are any.
    pub fn open(path: &Path) -> Result<Self> {
        let first = Part::opened(Mapped::open(path, &FORMAT)?)?;
        let listed = match &first.place {
            Place::Whole => Vec::new(),
            Place::First(listed) => listed.clone(),
            Place::Further(number) => {
                return Err(Error::input(format!("this is part {number} of a rule table."))
                    .at(path, None)
                    .hint("Open its first part, the file without a number at the end."))
            }
        };
        let settings = first.settings;
        let mut parts = vec![first];
        for (number, expected) in (1..).zip(listed) {
            let path = further_path(path, number);
            let missing = || {
                Error::input(format!("part {number} of the rule table is missing."))
                    .at(&path, None)
                    .hint("Copy all parts of a table.")
            };
            if !path.exists() {
                return Err(missing());
            }
            let part = Part::opened(Mapped::open(&path, &FORMAT)?)?;
            let fits = part.file.sum() == expected.sum
                && part.place == Place::Further(number)
                && part.settings == settings
                && part.first_symbol() == Some(expected.first)
                && parts[parts.len() - 1].last_symbol().is_none_or(|last| last < expected.first);
            if !fits {
                return Err(Error::input(format!("this is not part {number} of the rule table beside it."))
                    .at(&path, None)
                    .hint("Copy all parts of a table, or split it again."));
            }
            parts.push(part);
        }
        Self::from_parts(parts)
    }

    fn from_parts(parts: Vec<Part>) -> Result<Self> {
        let mut starts = Vec::with_capacity(parts.len());
        let mut nodes = 0u32;
        for part in &parts {
            starts.push(nodes);
            let more = u32::try_from(part.nodes()).ok().and_then(|more| nodes.checked_add(more));
            nodes = more.ok_or_else(|| {
                Error::input("the parts of the rule table have more than 2^32 source sides and prefixes.")
                    .at(part.file.path(), None)
                    .hint("Prune the table.")
            })?;
        }
        let firsts = parts.iter().skip(1).filter_map(Part::first_symbol).collect();
        Ok(Table { parts, starts, firsts })
    }

    /// The number of files.
    pub fn number_of_parts(&self) -> usize {
        self.parts.len()
    }

    pub fn source_words(&self) -> Words<'_> {
        self.parts[0].vocabulary(section::SOURCE_TEXT).expect("checked when the table was opened")
    }

    pub fn target_words(&self) -> Words<'_> {
        self.parts[0].vocabulary(section::TARGET_TEXT).expect("checked when the table was opened")
    }

    /// A description of the table, as JSON.
    pub fn meta(&self) -> &str {
        std::str::from_utf8(self.parts[0].file.section(section::META)).unwrap_or("{}")
    }

    pub fn settings(&self) -> &TableSettings {
        &self.parts[0].settings
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.parts.iter().try_for_each(|part| part.file.check())
    }

    /// Marks the table as damaged: [`Table::check`] will fail.
    pub fn found_damage(&self) {
        self.parts[0].file.found_damage();
    }

    pub fn verify(&self) -> Result<()> {
        self.parts.iter().try_for_each(|part| part.file.verify())
    }

    /// The part of a node, the number of its first node, and the number of the node in it.
    #[inline]
    fn located(&self, node: Node) -> (&Part, u32, usize) {
        if let [only] = &self.parts[..] {
            return (only, 0, node.0 as usize);
        }
        let part = self.starts.partition_point(|&start| start <= node.0).saturating_sub(1);
        (&self.parts[part], self.starts[part], (node.0 - self.starts[part]) as usize)
    }

    /// The node of the source side that consists of one word.
    #[inline]
    pub fn start(&self, word: u32) -> Option<Node> {
        let part = self.firsts.partition_point(|&first| first <= word);
        Some(Node(self.starts[part] + self.parts[part].start(word)? as u32))
    }

    /// The child for a further word; `joint` is its joint, see [`crate::rule::record::Identity`].
    #[inline]
    pub fn step(&self, node: Node, word: u32, joint: u16) -> Option<Node> {
        let (part, first, node) = self.located(node);
        Some(Node(first + part.step(node, word, joint)? as u32))
    }

    /// Calls `found(joint, child)` for every child with this word.
    pub fn children_with(&self, node: Node, word: u32, mut found: impl FnMut(u16, Node)) {
        let (part, first, node) = self.located(node);
        part.children_with(node, word, |joint, child| found(joint, Node(first + child as u32)));
    }

    #[inline]
    pub fn has_children(&self, node: Node) -> bool {
        let (part, _, node) = self.located(node);
        part.has_children(node)
    }

    #[inline]
    pub fn has_rules(&self, node: Node) -> bool {
        let (part, _, node) = self.located(node);
        part.has_rules(node)
    }

    /// Calls `found` for every rule of a node, ordered by context and target side. A damaged file can contain invalid
    /// rules, see [`Rule::is_sound`].
    pub fn rules(&self, node: Node, found: impl FnMut(&Rule)) {
        let (part, _, node) = self.located(node);
        part.rules(node, found);
    }

    /// The source side of a node: its symbols with their joints.
    pub fn source_side(&self, node: Node) -> Vec<(u32, u16)> {
        let (part, _, node) = self.located(node);
        part.source_side(node)
    }

    /// Calls `found(source side, node)` for every source side with rules, in order, until it returns false.
    pub fn source_sides(&self, mut found: impl FnMut(&[(u32, u16)], Node) -> bool) {
        for (part, &first) in self.parts.iter().zip(&self.starts) {
            if !part.source_sides(|side, node| found(side, Node(first + node as u32))) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::Builder;
    use super::*;
    use crate::store::vocab::Interner;

    /// 20,000 source sides of two words, each with a rule.
    fn written(path: &Path) {
        let mut words = Interner::default();
        (0..200).for_each(|n| drop(words.intern(&format!("w{n}"))));
        let settings = TableSettings::subgraphs(crate::rule::record::Identity::Links, 7, false);
        let mut builder = Builder::create(path, settings).unwrap();
        for n in 0..20_000u32 {
            let rule =
                Rule { target: [n % 200, n / 100].into(), alignment: [(0, 1)].into(), ..Rule::default() };
            builder.add(&[(n / 100, 0), (n % 100, 1)], &[rule]).unwrap();
        }
        builder.finish("{}", &words, &words).unwrap();
    }

    fn rules(table: &Table) -> Vec<Rule> {
        let mut all = Vec::new();
        table.source_sides(|_, node| {
            table.rules(node, |rule| all.push(rule.clone()));
            true
        });
        all
    }

    #[test]
    fn rules_of_a_large_table_are_compared_when_they_are_used() {
        let path = std::env::temp_dir().join(format!("graphmt-table-{}", std::process::id()));
        written(&path);
        let whole = rules(&Table::open(&path).unwrap());
        let open = || Table::from_parts(vec![Part::opened(Mapped::open_comparing(&path, &FORMAT, 0)?)?]);
        let table = open().unwrap();
        assert!(whole.len() == 20_000 && rules(&table) == whole);
        table.check().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        // A score in the second block, which contains only rules.
        bytes[400_000] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(Table::open(&path).is_err());
        let table = open().unwrap();
        let first = table.step(table.start(0).unwrap(), 0, 1).unwrap();
        table.rules(first, |rule| assert_eq!(*rule, whole[0]));
        table.check().unwrap();
        rules(&table);
        let error = table.check().unwrap_err().to_string();
        assert!(error.contains("this rule table is damaged"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
