//! Which neighbours support a candidate, and by how much.

use super::graph::Graph;
use super::links::{Link, NodeId};
use super::memory::TranslationMemory;
use super::transfers::one_row;
use crate::metric::bleu::ORDER;
use crate::metric::ngrams::Ngrams;

/// The contribution of one label of a neighbour to the p of a candidate.
pub struct Contribution {
    pub link: Link,
    /// The first sentence of an open neighbour.
    pub sentence: Option<usize>,
    /// The number of sentences that the neighbour stands for.
    pub count: usize,
    /// Index of the label within its node.
    pub label: usize,
    /// p of the label itself; the mean over the sentences.
    pub p: f64,
    /// T_s · T_l · p for each measure, summed over the sentences. Over all contributions these sum to the p of the
    /// candidate.
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
    let (lists, settings, nodes) = (&graph.lists, &graph.settings, &graph.nodes);
    let measures = settings.measures.len();
    let mut known = Ngrams::default();
    let own = lists.profiles(sentence, &graph.numbers, &mut known, ORDER);
    let node = nodes.of(sentence);
    let mut found = Vec::new();
    for (link, share) in graph.links[node].iter().zip(graph.shares(node)) {
        let (profiles, fixed) = graph.senders(memory, link.to, &mut known);
        let rows = one_row(&settings.measures, settings.normalised, &own, &profiles, candidate);
        let others: Vec<usize> = match link.to {
            NodeId::Fixed(_) => Vec::new(),
            NodeId::Open(to) => {
                let members = nodes.members(to as usize).iter().map(|&member| member as usize);
                members.filter(|&member| member != sentence).collect()
            }
        };
        let count = graph.count(node, link.to);
        for label in 0..profiles.len() {
            let sum = |measure: usize| match link.to {
                NodeId::Fixed(_) => fixed[label],
                NodeId::Open(_) => {
                    let place = |other: usize| (lists.range(other).start + label) * measures + measure;
                    others.iter().map(|&other| values[place(other)]).sum()
                }
            };
            let amounts = (0..measures).map(|measure| share * rows[measure][label] * sum(measure)).collect();
            let p = sum(0) / count as f64;
            found.push(Contribution {
                link: *link,
                sentence: others.first().copied(),
                count,
                label,
                p,
                amounts,
            });
        }
    }
    found
}
