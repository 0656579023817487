//! A forest as text: one hyperedge per line.

use std::fmt::Write;

use super::filled::FilledChart;
use crate::decode::hypothesis_feature::HypothesisFeature;
use crate::decode::stack::graph::quoted;

/// The hyperedges that derivations of the goal use, one JSON object per line, from the goal down: node (on the first
/// line, the goal), the nodes that fill the holes, source span, label (S for glue, X for rules), target symbols (a
/// number is a hole, from 0 in source order) and the score that the hyperedge adds.
pub fn to_json_lines<F: HypothesisFeature>(chart: &FilledChart<'_, F>) -> String {
    let forest = &chart.forest;
    let mut lines = String::new();
    let mut useful = vec![false; forest.hypotheses.len()];
    if let Some(goal) = useful.get_mut(forest.goal as usize) {
        *goal = true;
    }
    // The nodes that fill a hole have smaller numbers.
    for node in (0..forest.hypotheses.len() as u32).rev() {
        if !useful[node as usize] {
            continue;
        }
        for (_, hyperedge) in forest.hyperedges_of(node) {
            let edge = chart.edge(hyperedge.edge);
            let mut step = hyperedge.score;
            for &filler in hyperedge.holes() {
                useful[filler as usize] = true;
                step -= forest.hypotheses[filler as usize].score;
            }
            let symbols: Vec<String> = chart
                .symbols(hyperedge.edge, hyperedge.rank)
                .into_iter()
                .map(|symbol| symbol.map_or_else(|hole| hole.to_string(), quoted))
                .collect();
            let label = if edge.kind.name() == "glue" { "S" } else { "X" };
            let _ = writeln!(
                lines,
                "{{\"node\": {node}, \"tails\": {:?}, \"span\": [{}, {}], \"label\": \"{label}\", \"kind\": \"{}\", \
                 \"target\": [{}], \"score\": {step}}}",
                hyperedge.holes(),
                edge.first,
                edge.end,
                edge.kind.name(),
                symbols.join(", ")
            );
        }
    }
    lines
}
