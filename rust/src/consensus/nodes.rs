//! The open nodes of a graph: sentences, where those with the same source and the same candidates are one node.
//!
//! Such sentences have the same neighbours and the same similarities, so a node stands for all of them, and n equal
//! sentences need one edge instead of n². Their posteriors may differ, so each keeps its own probabilities.

use super::lists::Lists;
use crate::error::Result;
use crate::store::hashing::FastMap;

/// Nodes with their members, which are sentences of the lists.
pub struct Nodes {
    /// The node of each sentence.
    of: Vec<u32>,
    /// The members of node k are `members[starts[k]..starts[k + 1]]`, in ascending order.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Nodes {
    /// A node for each of `number` sentences.
    pub fn single(number: usize) -> Self {
        let all: Vec<u32> = (0..number as u32).collect();
        Nodes { of: all.clone(), starts: (0..=number as u32).collect(), members: all }
    }

    /// A node for each pair of a source, given by its number, and a list.
    pub fn merged(sources: &[u32], lists: &Lists) -> Result<Self> {
        let mut known: FastMap<(u32, u32), u32> = FastMap::default();
        let mut of = Vec::with_capacity(sources.len());
        for (&source, list) in sources.iter().zip(lists.first_equal()?) {
            let new = known.len() as u32;
            of.push(*known.entry((source, list)).or_insert(new));
        }
        let mut starts = vec![0u32; known.len() + 1];
        of.iter().for_each(|&node| starts[node as usize + 1] += 1);
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut free = starts.clone();
        let mut members = vec![0; of.len()];
        for (sentence, &node) in of.iter().enumerate() {
            members[free[node as usize] as usize] = sentence as u32;
            free[node as usize] += 1;
        }
        Ok(Nodes { of, starts, members })
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of sentences.
    pub fn sentences(&self) -> usize {
        self.of.len()
    }

    /// The node of a sentence.
    pub fn of(&self, sentence: usize) -> usize {
        self.of[sentence] as usize
    }

    /// The sentences of a node; there is at least one.
    pub fn members(&self, node: usize) -> &[u32] {
        &self.members[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The first sentence of a node.
    pub fn first(&self, node: usize) -> usize {
        self.members(node)[0] as usize
    }

    /// The sentences that a link from one node to another stands for: a sentence is no neighbour of itself.
    pub fn count(&self, from: usize, to: usize) -> usize {
        self.members(to).len() - usize::from(from == to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_with_equal_source_and_list_are_one_node() {
        let mut lists = Lists::new(false);
        for list in [["a", "b"], ["a", "b"], ["b", "a"], ["a", "b"], ["a", "b"]] {
            lists.push(list.into_iter()).unwrap();
        }
        let nodes = Nodes::merged(&[0, 1, 0, 0, 1], &lists).unwrap();
        assert_eq!((nodes.len(), nodes.sentences()), (3, 5));
        assert_eq!([nodes.members(0), nodes.members(1), nodes.members(2)], [&[0, 3][..], &[1, 4], &[2]]);
        assert_eq!((nodes.of(4), nodes.first(1)), (1, 1));
        assert_eq!((nodes.count(0, 0), nodes.count(0, 1), nodes.count(2, 2)), (1, 2, 0));
        let single = Nodes::single(2);
        assert_eq!((single.members(1), single.count(1, 1)), (&[1][..], 0));
    }
}
