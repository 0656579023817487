//! Corpus-wide extraction of connected subgraphs of a source graph.

use super::continuous::Continuous;
use super::extractor::{Extractor, KINDS};
use super::initial::Aligned;
use super::sentence::{extract, Orientation, SubgraphSettings};
use crate::corpus::pair::Pair;
use crate::rule::record::{Context, Record};
use crate::source::links::{links, LinkKinds};
use crate::source::spans::Span;
use crate::store::bits::{NodeSet, Wide};
use crate::store::runs::{Heap, Occurrence, ONE};
use crate::table::TableSettings;

#[derive(Clone, Copy, Debug)]
pub struct Subgraphs {
    pub settings: SubgraphSettings,
    pub kinds: LinkKinds,
}

impl Subgraphs {
    fn rules_of<B: NodeSet>(&self, pair: &Pair, mut emit: impl FnMut(&[u8], Occurrence, &[Span])) {
        let links = links::<B>(pair.source.len(), &pair.heads, self.kinds);
        let aligned = Aligned::new(links, pair.target.len(), &pair.points);
        extract(&pair.source, &pair.target, &aligned, &self.settings, |record, orientation, places| {
            emit(record, self.occurrence(orientation), places);
        });
    }

    fn occurrence(&self, orientation: Orientation) -> Occurrence {
        let packed = match self.settings.orientations {
            true => 3 * orientation.previous + orientation.next,
            false => Heap::NONE,
        };
        Occurrence { weight: ONE, orientation: packed }
    }

    /// Whether its rules are phrases: in a graph of neighbouring words, only these are connected.
    fn is_continuous(&self) -> bool {
        self.kinds == LinkKinds { bigram: true, dependency: false } && self.settings.context.is_none()
    }
}

impl Extractor for Subgraphs {
    type Scratch = Continuous;

    fn extract(
        &self,
        pair: &Pair,
        continuous: &mut Continuous,
        mut emit: impl FnMut(&[u8], Occurrence, &[Span]),
    ) {
        if self.is_continuous() {
            continuous.extract(pair, &self.settings, |record, orientation, places| {
                emit(record, self.occurrence(orientation), places);
            });
            return;
        }
        match pair.source.len().max(pair.target.len()) {
            0..=64 => self.rules_of::<u64>(pair, emit),
            _ => self.rules_of::<Wide>(pair, emit),
        }
    }

    fn settings(&self) -> TableSettings {
        let max_span = self.settings.limits.max_span as u32;
        TableSettings::subgraphs(self.settings.identity, max_span, self.settings.orientations)
    }

    fn symbols(&self) -> (&[&'static str], &[&'static str]) {
        (&[], &[])
    }

    fn kinds(&self) -> [&'static str; KINDS] {
        ["basic", "segmenting", "selecting"]
    }

    fn kind(&self, rule: &Record<'_>) -> usize {
        match rule.context {
            Context::Any => 0,
            Context::Nodes(0) => 2,
            Context::Nodes(_) => 1,
        }
    }
}
