//! Which neighbours support a candidate, and by how much.

use super::graph::{labels, Graph};
use super::links::{shares, Link, NodeId};
use super::memory::TranslationMemory;
use super::transfers::Transfers;
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;

/// The contribution of one label of a neighbour to the p of a candidate.
pub struct Contribution {
    pub link: Link,
    /// Index of the label within its node.
    pub label: usize,
    /// p of the label itself.
    pub p: f64,
    /// T_s · T_l · p for each measure. Over all contributions these sum to the p of the candidate.
    pub amounts: Vec<f64>,
}

/// All contributions to a candidate of a sentence. `values` holds the p of all candidates by measure, as returned by
/// propagation.
pub fn contributions(
    graph: &Graph,
    memory: Option<&TranslationMemory>,
    values: &[f64],
    sentence: usize,
    candidate: usize,
) -> Vec<Contribution> {
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
                NodeId::Fixed(_) => fixed[label],
                NodeId::Open(node) => values[(lists.range(node as usize).start + label) * measures + measure],
            };
            let amounts = (0..measures).map(|measure| share * rows[measure][label] * p(measure));
            found.push(Contribution { link: *link, label, p: p(0), amounts: amounts.collect() });
        }
    }
    found
}
