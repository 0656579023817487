//! Which neighbours spoke for a candidate, and how loudly.

use super::graph::{labels, Graph};
use super::links::{shares, Link, Place};
use super::memory::Memory;
use super::transfers::Transfers;
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;

/// What one label of a neighbour adds to the p of a candidate.
pub struct Voice {
    pub link: Link,
    /// The label's place among those of its node.
    pub label: usize,
    /// Its own p.
    pub p: f64,
    /// T_s · T_l · p for each measure; over all voices they sum up to the p of the candidate.
    pub said: Vec<f64>,
}

/// All voices for the candidate of a sentence. `values` are the p of all candidates by measure, as propagation gave them.
pub fn voices(
    graph: &Graph,
    memory: Option<&Memory>,
    values: &[f64],
    sentence: usize,
    candidate: usize,
) -> Vec<Voice> {
    let (lists, settings) = (&graph.lists, &graph.settings);
    let measures = settings.measures.len();
    let mut known = Ngrams::default();
    let own = lists.profiles(sentence, &graph.numbers, &mut known, ORDER);
    let links = &graph.links[sentence];
    let mut found = Vec::new();
    for (link, share) in links.iter().zip(shares(links, settings.sharpness)) {
        let (profiles, fixed) = labels(lists, memory, &graph.numbers, link.to, &mut known);
        let transfers = Transfers::new(&settings.measures, settings.normalised, &own, &profiles);
        let rows: Vec<Vec<f64>> = (0..measures).map(|measure| transfers.of_row(measure, candidate)).collect();
        for label in 0..profiles.len() {
            let p = |measure: usize| match link.to {
                Place::Fixed(_) => fixed[label],
                Place::Open(node) => values[(lists.range(node as usize).start + label) * measures + measure],
            };
            let said = (0..measures).map(|measure| share * rows[measure][label] * p(measure));
            found.push(Voice { link: *link, label, p: p(0), said: said.collect() });
        }
    }
    found
}
