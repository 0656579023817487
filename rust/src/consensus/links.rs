//! The edges of the graph. The module that builds them decides what the strings are; here they are similar sentences.

use rayon::prelude::*;

use super::index::{check_threshold, Index, Scratch};
use super::memory::TranslationMemory;
use super::strings::numbered;
use crate::error::Result;
use crate::store::vocab::Interner;
use crate::work::interrupt;

/// A node, by its index among the nodes of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeId {
    Fixed(u32),
    Open(u32),
}

/// An edge of an open node, with its weight w.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    pub to: NodeId,
    pub weight: f64,
}

/// The links of sentences: to every similar source of the memory and, if `between`, to similar other sentences (section
/// 5.1). Empty sentences have no links, not even to one another.
pub fn sentence_links(
    sources: &[String],
    memory: Option<&TranslationMemory>,
    threshold: f64,
    between: bool,
    lowercase: bool,
) -> Result<Vec<Vec<Link>>> {
    check_threshold(threshold)?;
    let mut words = Interner::default();
    let mut index = Index::default();
    let mut strings = Vec::new();
    // Equal sources share one string in the index but are separate nodes.
    let mut nodes: Vec<Vec<u32>> = Vec::new();
    for (node, source) in sources.iter().enumerate() {
        let mut own = Vec::new();
        numbered(&mut words, source, lowercase, &mut own)?;
        let place = index.insert(&own)? as usize;
        nodes.resize(nodes.len().max(place + 1), Vec::new());
        nodes[place].push(node as u32);
        strings.push(own);
    }
    index.finish();
    let of_node = |(fixed, open): &mut (Scratch, Scratch), node: usize| {
        interrupt::point();
        let mut links = Vec::new();
        if strings[node].is_empty() {
            return links;
        }
        if let Some(memory) = memory {
            let found = memory.neighbours(&sources[node], threshold, fixed);
            links.extend(found.into_iter().map(|(place, weight)| Link { to: NodeId::Fixed(place), weight }));
        }
        if between {
            for (place, weight) in index.search(&strings[node], threshold, open) {
                let others = nodes[place as usize].iter().filter(|&&other| other as usize != node);
                links.extend(others.map(|&other| Link { to: NodeId::Open(other), weight }));
            }
        }
        links
    };
    Ok((0..sources.len()).into_par_iter().map_init(Default::default, of_node).collect())
}

/// T_s of each link, formula (3).
pub fn shares(links: &[Link], sharpness: f64) -> Vec<f64> {
    // The greatest weight is scaled to 1, so that the sum is never 0.
    let most = links.iter().map(|link| link.weight).fold(0.0, f64::max);
    let weights: Vec<f64> = links.iter().map(|link| (link.weight / most).powf(sharpness)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_joined_with_the_memory_and_among_themselves() {
        let mut memory = TranslationMemory::new(true);
        memory.add("ein Mann geht", "a man walks", 1.0).unwrap();
        memory.add("ja", "yes", 1.0).unwrap();
        memory.finish();
        let sources: Vec<String> =
            ["ein mann geht heim", "Ja", "Ein Mann geht heim", "nein"].map(String::from).into();
        let links = sentence_links(&sources, Some(&memory), 0.3, true, true).unwrap();
        // 3 of 4 words, 2 of 3 bigrams, 1 of 2 trigrams; from the short side all of them, times exp(1 - 4/3).
        let long = 0.75 / 16.0 + f64::sqrt(0.5) / 8.0 + f64::cbrt(0.25) / 4.0;
        let short = f64::exp(-1.0 / 3.0) * (1.0 / 16.0 + 1.0 / 8.0 + 1.0 / 4.0);
        assert_eq!(links[0].len(), 2);
        assert!((links[0][0].weight - (long + short) / 2.0).abs() < 1e-12, "{:?}", links[0]);
        assert_eq!(links[0][1], Link { to: NodeId::Open(2), weight: 1.0 });
        assert_eq!(links[1], [Link { to: NodeId::Fixed(1), weight: 1.0 }]);
        assert_eq!(links[3], []);
        let alone = sentence_links(&sources, Some(&memory), 0.3, false, true).unwrap();
        assert_eq!((alone[0].len(), alone[2].len()), (1, 1));
    }

    #[test]
    fn sentences_without_a_word_have_no_neighbours() {
        let mut memory = TranslationMemory::new(false);
        memory.add("", "nothing", 1.0).unwrap();
        memory.finish();
        let sources: Vec<String> = ["", " ", "ja", ""].map(String::from).into();
        let links = sentence_links(&sources, Some(&memory), 0.3, true, false).unwrap();
        assert!(links.iter().all(Vec::is_empty), "{links:?}");
    }

    #[test]
    fn shares_are_numbers_however_sharp() {
        let link = |weight| Link { to: NodeId::Open(0), weight };
        let links = [link(0.3), link(0.6), link(0.6)];
        for (sharpness, wanted) in
            [(0.0, [1.0 / 3.0; 3]), (1.0, [0.2, 0.4, 0.4]), (1e3, [0.0, 0.5, 0.5]), (1e300, [0.0, 0.5, 0.5])]
        {
            let found = shares(&links, sharpness);
            let near = found.iter().zip(wanted).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-12);
            assert!(near, "{found:?} for {sharpness}");
        }
        assert!(shares(&[], 1.0).is_empty());
    }
}
