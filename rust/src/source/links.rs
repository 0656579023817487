//! The links of a source graph as sets, for both extraction and search.

use crate::store::bits::NodeSet;

/// The kinds of links in a system's graph.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LinkKinds {
    /// Between neighbouring words.
    pub bigram: bool,
    /// Between a word and its head.
    pub dependency: bool,
}

/// The positions linked to each position. `heads` counts from 0; -1 is the root word's.
pub fn links<B: NodeSet>(words: usize, heads: &[i32], kinds: LinkKinds) -> Vec<B> {
    let mut links = vec![B::default(); words];
    let mut join = |a: usize, b: usize| {
        links[a] = links[a].with(b);
        links[b] = links[b].with(a);
    };
    if kinds.bigram {
        (1..words).for_each(|p| join(p - 1, p));
    }
    if kinds.dependency {
        for (p, &head) in heads.iter().enumerate().filter(|&(_, &head)| head >= 0) {
            join(p, head as usize);
        }
    }
    links
}

/// Whether the positions of a set are connected by links among themselves; false for the empty set.
pub fn is_connected<B: NodeSet>(set: B, links: &[B]) -> bool {
    let Some(start) = set.first() else { return false };
    let (mut reached, mut rest) = (B::single(start), set.minus(B::single(start)));
    loop {
        let before = reached;
        // In ascending order, so that one round is enough for words in a row.
        for p in rest.iter() {
            if links[p].meets(reached) {
                reached = reached.with(p);
            }
        }
        rest = rest.minus(reached);
        if rest.is_empty() || reached == before {
            return rest.is_empty();
        }
    }
}
