//! The edges of the graph. The module that builds them decides what the strings are; here they are similar sentences.

use rayon::prelude::*;

use super::index::{check_threshold, Index, Scratch};
use super::lists::{highest, Lists};
use super::memory::TranslationMemory;
use super::nodes::Nodes;
use super::strings::numbered;
use crate::error::{Error, Result};
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

/// A sentence is linked to at most so many lists of other input sentences, the most similar sentences first, so that the
/// number of edges grows with that of sentences and not with its square.
pub const MOST_OPEN_LINKS: usize = 100;

/// Nodes, and the links of each.
pub struct Linked {
    pub nodes: Nodes,
    pub links: Vec<Vec<Link>>,
}

impl Linked {
    /// A node for each sentence.
    pub fn single(links: Vec<Vec<Link>>) -> Self {
        Linked { nodes: Nodes::single(links.len()), links }
    }
}

/// How sentences are linked.
#[derive(Clone, Copy)]
pub struct LinkSettings {
    /// Lowest similarity of linked sentences.
    pub threshold: f64,
    /// Whether to link similar input sentences with each other.
    pub between: bool,
    pub lowercase: bool,
    /// See [`MOST_OPEN_LINKS`].
    pub most: usize,
}

/// The links of sentences: to every similar source of the memory and, if `between`, to similar other sentences (section
/// 5.1). Empty sentences have no links, not even to one another.
pub fn sentence_links(
    sources: &[String],
    lists: &Lists,
    memory: Option<&TranslationMemory>,
    settings: LinkSettings,
) -> Result<Linked> {
    let LinkSettings { threshold, between, lowercase, most } = settings;
    check_threshold(threshold)?;
    check_lengths(sources.len(), lists)?;
    let mut words = Interner::default();
    let mut index = Index::default();
    let mut own = Vec::new();
    let mut places = Vec::with_capacity(sources.len());
    for source in sources {
        numbered(&mut words, source, lowercase, &mut own)?;
        places.push(index.insert(&own)?);
    }
    index.finish();
    let nodes = Nodes::merged(&places, lists)?;
    // The nodes of each source: several if its sentences have different lists.
    let mut of_source: Vec<Vec<u32>> = vec![Vec::new(); index.len()];
    for node in 0..nodes.len() {
        of_source[places[nodes.first(node)] as usize].push(node as u32);
    }
    let of_node = |(fixed, open): &mut (Scratch, Scratch), node: usize| {
        interrupt::point();
        let mut links = Vec::new();
        let sentence = nodes.first(node);
        let source = index.get(places[sentence]);
        if source.is_empty() {
            return links;
        }
        if let Some(memory) = memory {
            let found = memory.neighbours(&sources[sentence], threshold, fixed);
            links.extend(found.into_iter().map(|(place, weight)| Link { to: NodeId::Fixed(place), weight }));
        }
        if between {
            let found = index.search(source, threshold, open);
            let others = found.into_iter().flat_map(|(place, weight)| {
                of_source[place as usize].iter().map(move |&other| (other, weight))
            });
            let linked: Vec<(u32, f64)> =
                others.filter(|&(other, _)| nodes.count(node, other as usize) > 0).collect();
            let weights: Vec<f64> = linked.iter().map(|&(_, weight)| weight).collect();
            let kept = highest(&weights, most).into_iter().map(|place| linked[place]);
            links.extend(kept.map(|(other, weight)| Link { to: NodeId::Open(other), weight }));
        }
        links
    };
    let links = (0..nodes.len()).into_par_iter().map_init(Default::default, of_node).collect();
    Ok(Linked { nodes, links })
}

/// Rejects another number of sentences than lists.
pub fn check_lengths(sentences: usize, lists: &Lists) -> Result<()> {
    if sentences == lists.len() {
        return Ok(());
    }
    let message = format!("{sentences} source sentences for {} n-best lists.", lists.len());
    Err(Error::input(message).hint("Provide one list per sentence, in the same order."))
}

/// T_s of each link of a node, formula (3): its share for each of the sentences that it stands for.
pub fn shares(links: &[Link], sharpness: f64, count: impl Fn(NodeId) -> usize) -> Vec<f64> {
    // The greatest weight is scaled to 1, so that the sum is never 0.
    let most = links.iter().map(|link| link.weight).fold(0.0, f64::max);
    let weights: Vec<f64> = links.iter().map(|link| (link.weight / most).powf(sharpness)).collect();
    let sum: f64 = weights.iter().zip(links).map(|(weight, link)| weight * count(link.to) as f64).sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One link for each pair of sentences.
    fn linked(sources: &[&str], memory: &TranslationMemory, settings: LinkSettings) -> Vec<Vec<Link>> {
        let sources: Vec<String> = sources.iter().map(|&source| source.into()).collect();
        let mut lists = Lists::new(false);
        // All lists differ.
        sources.iter().enumerate().for_each(|(k, _)| lists.push([&*k.to_string()].into_iter()).unwrap());
        sentence_links(&sources, &lists, Some(memory), settings).unwrap().links
    }

    fn settings(between: bool, lowercase: bool) -> LinkSettings {
        LinkSettings { threshold: 0.3, between, lowercase, most: MOST_OPEN_LINKS }
    }

    #[test]
    fn sentences_are_joined_with_the_memory_and_among_themselves() {
        let mut memory = TranslationMemory::new(true);
        memory.add("ein Mann geht", "a man walks", 1.0).unwrap();
        memory.add("ja", "yes", 1.0).unwrap();
        memory.finish();
        let sources = ["ein mann geht heim", "Ja", "Ein Mann geht heim", "nein"];
        let links = linked(&sources, &memory, settings(true, true));
        // 3 of 4 words, 2 of 3 bigrams, 1 of 2 trigrams; from the short side all of them, times exp(1 - 4/3).
        let long = 0.75 / 16.0 + f64::sqrt(0.5) / 8.0 + f64::cbrt(0.25) / 4.0;
        let short = f64::exp(-1.0 / 3.0) * (1.0 / 16.0 + 1.0 / 8.0 + 1.0 / 4.0);
        assert_eq!(links[0].len(), 2);
        assert!((links[0][0].weight - (long + short) / 2.0).abs() < 1e-12, "{:?}", links[0]);
        assert_eq!(links[0][1], Link { to: NodeId::Open(2), weight: 1.0 });
        assert_eq!(links[1], [Link { to: NodeId::Fixed(1), weight: 1.0 }]);
        assert_eq!(links[3], []);
        let alone = linked(&sources, &memory, settings(false, true));
        assert_eq!((alone[0].len(), alone[2].len()), (1, 1));
    }

    #[test]
    fn sentences_without_a_word_have_no_neighbours() {
        let mut memory = TranslationMemory::new(false);
        memory.add("", "nothing", 1.0).unwrap();
        memory.finish();
        let links = linked(&["", " ", "ja", ""], &memory, settings(true, false));
        assert!(links.iter().all(Vec::is_empty), "{links:?}");
    }

    #[test]
    fn equal_sentences_have_one_edge_and_similar_ones_few() {
        let mut lists = Lists::new(false);
        let mut sources = Vec::new();
        for k in 0..300 {
            sources.push(if k < 200 { "Das ist gut .".to_owned() } else { format!("Das ist gut . {k}") });
            lists.push([if k % 2 == 0 { "that is good ." } else { "that 's good ." }].into_iter()).unwrap();
        }
        let LinkSettings { most, .. } = settings(true, false);
        let made = sentence_links(&sources, &lists, None, settings(true, false)).unwrap();
        // The first two nodes have 100 sentences each.
        assert_eq!((made.nodes.len(), made.nodes.members(0).len()), (102, 100));
        assert!(made.links.iter().all(|links| links.len() <= most));
        let equal = |to| Link { to: NodeId::Open(to), weight: 1.0 };
        assert_eq!((made.links[0].len(), &made.links[1][..2]), (most, &[equal(0), equal(1)][..]));
        let few = sentence_links(&sources, &lists, None, LinkSettings { most: 2, ..settings(true, false) });
        assert_eq!(few.unwrap().links[0], [equal(0), equal(1)]);
    }

    #[test]
    fn shares_are_numbers_however_sharp() {
        let link = |weight| Link { to: NodeId::Open(0), weight };
        let links = [link(0.3), link(0.6), link(0.6)];
        for (sharpness, wanted) in
            [(0.0, [1.0 / 3.0; 3]), (1.0, [0.2, 0.4, 0.4]), (1e3, [0.0, 0.5, 0.5]), (1e300, [0.0, 0.5, 0.5])]
        {
            let found = shares(&links, sharpness, |_| 1);
            let near = found.iter().zip(wanted).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-12);
            assert!(near, "{found:?} for {sharpness}");
        }
        assert!(shares(&[], 1.0, |_| 1).is_empty());
        // Three equal neighbours, and one other.
        assert_eq!(shares(&[link(0.5), link(0.5)], 1.0, |_| 3), [1.0 / 6.0; 2]);
    }
}
