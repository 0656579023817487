//! Reads a memory-mapped rule table.

use std::path::Path;

use super::{section, Grammar, TableSettings, FORMAT, NO_RULES};
use crate::error::Result;
use crate::rule::bytes::{Cursor, Rule};
use crate::rule::symbols::{label, MAX_HOLES};
use crate::store::mapped::Mapped;
use crate::store::vocab::Words;

/// A node of the trie: a source side, or a prefix of one.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Node(pub u32);

pub struct Table {
    file: Mapped,
    /// For each source word, the node of the one-word source side.
    first_level: usize,
    settings: TableSettings,
}

impl Table {
    pub fn open(path: &Path) -> Result<Self> {
        Self::opened(Mapped::open(path, &FORMAT)?)
    }

    fn opened(file: Mapped) -> Result<Self> {
        let settings =
            TableSettings::from_numbers(file.section(section::SETTINGS)).ok_or_else(|| file.misfit())?;
        let mut table = Table { file, first_level: 0, settings };
        let nodes = table.words().len();
        let parts_fit = table.file.section::<u16>(section::NODE_JOINT).len() == nodes
            && is_tree(table.children(), nodes)
            && table.file.section::<u32>(section::NODE_RULES).len() == nodes
            && table.vocabulary(section::SOURCE_TEXT).is_some_and(|words| words.is_sound())
            && table.vocabulary(section::TARGET_TEXT).is_some_and(|words| words.is_sound());
        if !parts_fit {
            return Err(table.file.misfit());
        }
        table.first_level = table.children().first().map_or(0, |&child| child as usize).min(nodes);
        Ok(table)
    }

    fn vocabulary(&self, first: usize) -> Option<Words<'_>> {
        Words::new(self.file.section(first), self.file.section(first + 1), self.file.section(first + 2))
    }

    pub fn source_words(&self) -> Words<'_> {
        self.vocabulary(section::SOURCE_TEXT).expect("checked when the table was opened")
    }

    pub fn target_words(&self) -> Words<'_> {
        self.vocabulary(section::TARGET_TEXT).expect("checked when the table was opened")
    }

    /// A description of the table, as JSON.
    pub fn meta(&self) -> &str {
        std::str::from_utf8(self.file.section(section::META)).unwrap_or("{}")
    }

    pub fn settings(&self) -> &TableSettings {
        &self.settings
    }

    /// See [`Mapped::check`].
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    /// Marks the table as damaged: [`Table::check`] will fail.
    pub fn found_damage(&self) {
        self.file.found_damage();
    }

    pub fn verify(&self) -> Result<()> {
        self.file.verify()
    }

    fn words(&self) -> &[u32] {
        self.file.section(section::NODE_WORD)
    }

    fn children(&self) -> &[u32] {
        self.file.section(section::NODE_CHILDREN)
    }

    /// The node of the source side that consists of one word.
    #[inline]
    pub fn start(&self, word: u32) -> Option<Node> {
        let found = self.words()[..self.first_level].binary_search(&word).ok()?;
        Some(Node(found as u32))
    }

    /// The child for a further word; `joint` is its joint, see [`crate::rule::record::Identity`].
    #[inline]
    pub fn step(&self, node: Node, word: u32, joint: u16) -> Option<Node> {
        let (from, to) = self.child_range(node)?;
        let words = &self.words()[from..to];
        let joints = &self.file.section::<u16>(section::NODE_JOINT)[from..to];
        let (mut low, mut high) = (0, words.len());
        while low < high {
            let middle = (low + high) / 2;
            match (words[middle], joints[middle]).cmp(&(word, joint)) {
                std::cmp::Ordering::Equal => return Some(Node((from + middle) as u32)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Calls `found(joint, child)` for every child with this word.
    pub fn children_with(&self, node: Node, word: u32, mut found: impl FnMut(u16, Node)) {
        let Some((from, to)) = self.child_range(node) else { return };
        let joints = self.file.section::<u16>(section::NODE_JOINT);
        let first = from + self.words()[from..to].partition_point(|&other| other < word);
        for child in (first..to).take_while(|&child| self.words()[child] == word) {
            found(joints[child], Node(child as u32));
        }
    }

    #[inline]
    fn child_range(&self, node: Node) -> Option<(usize, usize)> {
        let n = node.0 as usize;
        let (from, to) = (*self.children().get(n)? as usize, *self.children().get(n + 1)? as usize);
        (from < to && to <= self.words().len()).then_some((from, to))
    }

    #[inline]
    pub fn has_children(&self, node: Node) -> bool {
        self.child_range(node).is_some()
    }

    #[inline]
    pub fn has_rules(&self, node: Node) -> bool {
        self.file.section::<u32>(section::NODE_RULES)[node.0 as usize] != NO_RULES
    }

    /// Calls `found` for every rule of a node, ordered by context and target side. A damaged file can contain invalid
    /// rules, see [`Rule::is_sound`].
    pub fn rules(&self, node: Node, mut found: impl FnMut(&Rule)) {
        let place = self.file.section::<u32>(section::NODE_RULES)[node.0 as usize];
        if place == NO_RULES {
            return;
        }
        let all = self.file.section::<u8>(section::RULES);
        let mut cursor = Cursor::new(all.get(place as usize * 4..).unwrap_or(&[]));
        let mut rule = Rule::default();
        let mut at = place as usize * 4;
        let Some(number) = cursor.number() else { return self.found_damage() };
        for _ in 0..number {
            let read = cursor.rule(&mut rule, self.settings.oriented);
            if self.file.is_touched() {
                let end = all.len() - cursor.left();
                self.file.touch(section::RULES, at..end);
                at = end;
            }
            if read.is_none() {
                return self.found_damage();
            }
            found(&rule);
        }
    }

    /// The number of holes in the source side of a node.
    pub fn holes(&self, node: Node) -> usize {
        if self.settings.grammar == Grammar::Subgraphs {
            return 0;
        }
        let words = self.source_words();
        let side = self.source_side(node);
        side.iter().filter(|&&(symbol, _)| label(words.word(symbol)).is_some()).count().min(MAX_HOLES)
    }

    /// The source side of a node: its symbols with their joints.
    pub fn source_side(&self, node: Node) -> Vec<(u32, u16)> {
        let joints = self.file.section::<u16>(section::NODE_JOINT);
        let mut symbols = Vec::new();
        let mut at = Some(node.0 as usize);
        while let Some(n) = at {
            symbols.push((self.words()[n], joints[n]));
            // Children are stored in the order of their parents, and after them.
            let parent = self.children().partition_point(|&child| child as usize <= n).checked_sub(1);
            at = parent.filter(|&parent| n >= self.first_level && parent < n);
        }
        symbols.reverse();
        symbols
    }

    /// Calls `found(source side, node)` for every source side with rules, in order, until it returns false.
    pub fn source_sides(&self, mut found: impl FnMut(&[(u32, u16)], Node) -> bool) {
        let joints = self.file.section::<u16>(section::NODE_JOINT);
        let mut path = Vec::new();
        let mut open: Vec<(usize, usize)> = (0..self.first_level).rev().map(|n| (n, 0)).collect();
        while let Some((n, depth)) = open.pop() {
            path.truncate(depth);
            path.push((self.words()[n], joints[n]));
            let node = Node(n as u32);
            if self.has_rules(node) && !found(&path, node) {
                return;
            }
            if let Some((from, to)) = self.child_range(node) {
                // In a valid file children come after their parent; this prevents a loop in a damaged one.
                open.extend((from.max(n + 1)..to).rev().map(|child| (child, depth + 1)));
            }
        }
    }
}

/// Whether the children of every node come after it, and after those of the nodes before it: then every node has one
/// parent, and a walk visits none twice.
fn is_tree(children: &[u32], nodes: usize) -> bool {
    let behind =
        |(node, pair): (usize, &[u32])| pair[0] == pair[1] || node < pair[0] as usize && pair[0] < pair[1];
    children.len() == nodes + 1
        && children.last() == Some(&(nodes as u32))
        && children.windows(2).enumerate().all(behind)
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
            let rule = Rule { target: vec![n % 200, n / 100], alignment: vec![(0, 1)], ..Rule::default() };
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
        let open = || Table::opened(Mapped::open_comparing(&path, &FORMAT, 0)?);
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

    #[test]
    fn children_that_are_no_tree_are_refused() {
        assert!(is_tree(&[2, 3, 4, 4, 4], 4) && is_tree(&[0], 0) && is_tree(&[1, 1], 1));
        for (children, nodes) in [
            (&[][..], 0),
            (&[2, 3, 4, 4], 4),
            (&[2, 3, 4, 4, 5], 4),
            (&[0, 3, 4, 4, 4], 4),
            (&[2, 1, 4, 4, 4], 4),
            (&[2, 3, 2, 4, 4], 4),
        ] {
            assert!(!is_tree(children, nodes), "{children:?}");
        }
    }
}
