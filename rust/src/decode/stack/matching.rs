//! Finds the source sides of a table in an input graph.

use super::input::Input;
use crate::rule::record::{Identity, MAX_SIDE};
use crate::source::links::is_connected;
use crate::store::bits::NodeSet;
use crate::table::read::{Node, Table};
use crate::work::interrupt;

/// Calls `found(positions, node)` for every set of positions whose subgraph is a source side of the table.
///
/// The walk goes from left to right. A prefix of a match need not be connected, although every source side is.
pub fn matches<B: NodeSet>(table: &Table, input: &Input<'_, B>, mut found: impl FnMut(&[usize], Node)) {
    let settings = table.settings();
    let mut positions = Vec::with_capacity(MAX_SIDE);
    for start in 0..input.len() {
        interrupt::point();
        let Some(node) = input.words[start].and_then(|word| table.start(word)) else { continue };
        positions.push(start);
        let end = input.len().min(start + settings.max_span as usize);
        walk(table, input, settings.identity, end, node, &mut positions, &mut found);
        positions.pop();
    }
}

fn walk<B: NodeSet>(
    table: &Table,
    input: &Input<'_, B>,
    identity: Identity,
    end: usize,
    node: Node,
    positions: &mut Vec<usize>,
    found: &mut impl FnMut(&[usize], Node),
) {
    // If links are part of a source side's identity, it is connected wherever it matches; otherwise that must be
    // checked.
    if table.has_rules(node)
        && (identity == Identity::Links || is_connected(set_of::<B>(positions), &input.links))
    {
        found(positions, node);
    }
    let last = positions[positions.len() - 1];
    if positions.len() == MAX_SIDE || !table.has_children(node) {
        return;
    }
    for next in last + 1..end {
        let Some(word) = input.words[next] else { continue };
        let joint = match identity {
            Identity::Gaps => u16::from(next > last + 1),
            Identity::Links => {
                let earlier = positions.iter().enumerate();
                earlier.filter(|&(_, &p)| input.links[next].contains(p)).fold(0, |bits, (i, _)| bits | 1 << i)
            }
        };
        if let Some(child) = table.step(node, word, joint) {
            positions.push(next);
            walk(table, input, identity, end, child, positions, found);
            positions.pop();
        }
    }
}

fn set_of<B: NodeSet>(positions: &[usize]) -> B {
    positions.iter().fold(B::default(), |set, &p| set.with(p))
}
