//! Encodes rules with holes as bytes.

use super::phrases::Phrases;
use crate::corpus::pair::Pair;
use crate::rule::record;
use crate::rule::record::Context;

/// A symbol of a source side.
#[derive(Clone, Copy, Debug)]
pub struct SourceSymbol {
    /// The first source word that it covers.
    pub first: usize,
    pub symbol: u32,
    /// The rest of its identity in the rule, besides the symbol.
    pub joint: u16,
    /// The first and the last target word of a hole.
    pub hole: Option<(u16, u16)>,
}

/// Encodes rules one after the other with the same buffers.
#[derive(Default)]
pub struct RuleEncoder {
    /// The source side of the rule, in order.
    pub parts: Vec<SourceSymbol>,
    bytes: Vec<u8>,
    joints: Vec<u16>,
    target: Vec<u32>,
    /// For each target word of the phrase pair, its index among the symbols.
    places: Vec<u8>,
    points: Vec<(u8, u8)>,
}

impl RuleEncoder {
    /// Encodes the rule of `parts` for a target span. Alignment points are those of its words.
    pub fn write(&mut self, pair: &Pair, target: (u16, u16), phrases: &Phrases) -> &[u8] {
        self.write_target(pair, target);
        self.points.clear();
        for (k, part) in self.parts.iter().enumerate().filter(|(_, part)| part.hole.is_none()) {
            for &(_, t) in phrases.links_of(part.first) {
                self.points.push((k as u8, self.places[usize::from(t - target.0)]));
            }
        }
        self.joints.clear();
        self.joints.extend(self.parts.iter().map(|part| part.joint));
        self.bytes.clear();
        let source = self.parts.iter().map(|part| part.symbol);
        record::write(&mut self.bytes, source, &self.joints, Context::Any, &self.target, &self.points);
        &self.bytes
    }

    fn write_target(&mut self, pair: &Pair, (first, end): (u16, u16)) {
        self.target.clear();
        self.places.clear();
        let mut at = first;
        while at <= end {
            // Holes are counted from the left of the source side.
            let holes = self.parts.iter().filter_map(|part| part.hole).enumerate();
            let hole = holes.into_iter().find(|(_, target)| target.0 == at);
            let last = hole.map_or(at, |(_, target)| target.1);
            self.places.resize(usize::from(last - first) + 1, self.target.len() as u8);
            self.target.push(hole.map_or(pair.target[usize::from(at)], |(number, _)| number as u32));
            at = last + 1;
        }
    }

    /// The number of symbols on the target side for a target span.
    pub fn target_symbols(&self, (first, last): (u16, u16)) -> usize {
        let in_holes: u16 = self.parts.iter().filter_map(|part| part.hole).map(|(from, to)| to - from).sum();
        usize::from(last - first - in_holes) + 1
    }
}
