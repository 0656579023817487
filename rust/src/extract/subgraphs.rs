//! Corpus-wide extraction of connected subgraphs of a source graph.

use super::extractor::{Extractor, KINDS};
use super::initial::Aligned;
use super::sentence::{extract, SubgraphSettings};
use crate::corpus::pair::Pair;
use crate::rule::bytes::Rule;
use crate::rule::record::Context;
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
            let packed = match self.settings.orientations {
                true => 3 * orientation.previous + orientation.next,
                false => Heap::NONE,
            };
            emit(record, Occurrence { weight: ONE, orientation: packed }, places);
        });
    }
}

impl Extractor for Subgraphs {
    type Scratch = ();

    fn extract(&self, pair: &Pair, (): &mut (), emit: impl FnMut(&[u8], Occurrence, &[Span])) {
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

    fn kind(&self, _: &[(u32, u16)], rule: &Rule) -> usize {
        match rule.context {
            Context::Any => 0,
            Context::Nodes(0) => 2,
            Context::Nodes(_) => 1,
        }
    }
}
