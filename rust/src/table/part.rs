//! Reads one memory-mapped file of a rule table: the whole, or a part with the trie of some source sides.

use super::{section, Place, TableSettings, NO_RULES};
use crate::error::Result;
use crate::rule::bytes::{Cursor, Rule};
use crate::store::mapped::Mapped;
use crate::store::vocab::Words;

/// A file of a table. Nodes are numbered within it.
pub(super) struct Part {
    pub file: Mapped,
    /// The number of nodes for source sides of one word.
    first_level: usize,
    pub settings: TableSettings,
    pub place: Place,
}

impl Part {
    pub fn opened(file: Mapped) -> Result<Self> {
        let (settings, place) =
            TableSettings::from_numbers(file.section(section::SETTINGS)).ok_or_else(|| file.misfit())?;
        let mut table = Part { file, first_level: 0, settings, place };
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

    pub fn vocabulary(&self, first: usize) -> Option<Words<'_>> {
        Words::new(self.file.section(first), self.file.section(first + 1), self.file.section(first + 2))
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.words().len()
    }

    fn words(&self) -> &[u32] {
        self.file.section(section::NODE_WORD)
    }

    fn children(&self) -> &[u32] {
        self.file.section(section::NODE_CHILDREN)
    }

    /// The lowest first symbol of the source sides.
    pub fn first_symbol(&self) -> Option<u32> {
        self.words()[..self.first_level].first().copied()
    }

    /// The highest first symbol of the source sides.
    pub fn last_symbol(&self) -> Option<u32> {
        self.words()[..self.first_level].last().copied()
    }

    /// The node of the source side that consists of one word.
    #[inline]
    pub fn start(&self, word: u32) -> Option<usize> {
        self.words()[..self.first_level].binary_search(&word).ok()
    }

    /// The child for a further word; `joint` is its joint, see [`crate::rule::record::Identity`].
    #[inline]
    pub fn step(&self, node: usize, word: u32, joint: u16) -> Option<usize> {
        let (from, to) = self.child_range(node)?;
        let words = &self.words()[from..to];
        let joints = &self.file.section::<u16>(section::NODE_JOINT)[from..to];
        let (mut low, mut high) = (0, words.len());
        while low < high {
            let middle = (low + high) / 2;
            match (words[middle], joints[middle]).cmp(&(word, joint)) {
                std::cmp::Ordering::Equal => return Some(from + middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Calls `found(joint, child)` for every child with this word.
    pub fn children_with(&self, node: usize, word: u32, mut found: impl FnMut(u16, usize)) {
        let Some((from, to)) = self.child_range(node) else { return };
        let joints = self.file.section::<u16>(section::NODE_JOINT);
        let first = from + self.words()[from..to].partition_point(|&other| other < word);
        for child in (first..to).take_while(|&child| self.words()[child] == word) {
            found(joints[child], child);
        }
    }

    #[inline]
    fn child_range(&self, node: usize) -> Option<(usize, usize)> {
        let (from, to) = (*self.children().get(node)? as usize, *self.children().get(node + 1)? as usize);
        (from < to && to <= self.words().len()).then_some((from, to))
    }

    #[inline]
    pub fn has_children(&self, node: usize) -> bool {
        self.child_range(node).is_some()
    }

    #[inline]
    pub fn has_rules(&self, node: usize) -> bool {
        self.file.section::<u32>(section::NODE_RULES)[node] != NO_RULES
    }

    /// Calls `found` for every rule of a node, ordered by context and target side. A damaged file can contain invalid
    /// rules, see [`Rule::is_sound`].
    pub fn rules(&self, node: usize, mut found: impl FnMut(&Rule)) {
        let place = self.file.section::<u32>(section::NODE_RULES)[node];
        if place == NO_RULES {
            return;
        }
        let all = self.file.section::<u8>(section::RULES);
        let mut cursor = Cursor::new(all.get(place as usize * 4..).unwrap_or(&[]));
        let mut rule = Rule::default();
        let mut at = place as usize * 4;
        let Some(number) = cursor.number() else { return self.file.found_damage() };
        for _ in 0..number {
            let read = cursor.rule(&mut rule, self.settings.oriented);
            if self.file.is_touched() {
                let end = all.len() - cursor.left();
                self.file.touch(section::RULES, at..end);
                at = end;
            }
            if read.is_none() {
                return self.file.found_damage();
            }
            found(&rule);
        }
    }

    /// The source side of a node: its symbols with their joints.
    pub fn source_side(&self, node: usize) -> Vec<(u32, u16)> {
        let joints = self.file.section::<u16>(section::NODE_JOINT);
        let mut symbols = Vec::new();
        let mut at = Some(node);
        while let Some(n) = at {
            symbols.push((self.words()[n], joints[n]));
            // Children are stored in the order of their parents, and after them.
            let parent = self.children().partition_point(|&child| child as usize <= n).checked_sub(1);
            at = parent.filter(|&parent| n >= self.first_level && parent < n);
        }
        symbols.reverse();
        symbols
    }

    /// Calls `found(source side, node)` for every source side with rules, in order, until it returns false; returns
    /// whether it never did.
    pub fn source_sides(&self, mut found: impl FnMut(&[(u32, u16)], usize) -> bool) -> bool {
        let joints = self.file.section::<u16>(section::NODE_JOINT);
        let mut path = Vec::new();
        let mut open: Vec<(usize, usize)> = (0..self.first_level).rev().map(|n| (n, 0)).collect();
        while let Some((n, depth)) = open.pop() {
            path.truncate(depth);
            path.push((self.words()[n], joints[n]));
            if self.has_rules(n) && !found(&path, n) {
                return false;
            }
            if let Some((from, to)) = self.child_range(n) {
                // In a valid file children come after their parent; this prevents a loop in a damaged one.
                open.extend((from.max(n + 1)..to).rev().map(|child| (child, depth + 1)));
            }
        }
        true
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
    use super::*;

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
