//! Rules with holes: phrase pairs inside a phrase pair become holes (Chiang 2007, section 3.1), counted as in Moses.
//!
//! The rules of one phrase pair share one occurrence. Grammars differ in the source spans that may be phrases, the
//! symbols of holes and the joints of symbols, see [`Spans`].

use super::extractor::{Extractor, KINDS};
use super::gaps::{open_gaps, RuleHoles};
use super::phrases::{Longest, Phrase, Phrases};
use super::rule_encoder::{RuleEncoder, SourceSymbol};
use crate::corpus::pair::Pair;
use crate::error::{Error, Result};
use crate::rule::record::Record;
use crate::rule::record::MAX_SIDE;
use crate::rule::symbols::{hole, ANY_HOLE, STRING_HOLES, TARGET_HOLES};
use crate::source::fragments::{FragmentShape, Fragments};
use crate::source::spans::{AnySpan, Span, Spans};
use crate::source::tree::projectivise;
use crate::store::runs::{Heap, Occurrence, ONE};
use crate::store::vocab::Interner;
use crate::table::{Grammar, TableSettings};

/// Limits on rules; the options of extraction declare them for users.
#[derive(Clone, Copy, Debug)]
pub struct HoleLimits {
    /// The highest number of words on either side of a phrase pair that rules are extracted from; at most [`MAX_SIDE`].
    pub max_length: usize,
    /// The highest number of symbols on a source side.
    pub max_symbols: usize,
    /// The highest number of holes, at most [`STRING_HOLES`].
    pub max_holes: usize,
    /// The lowest number of source words in a hole.
    pub min_hole: usize,
}

/// A grammar over the spans of a sentence.
pub trait SpanGrammar: Sync {
    type Spans<'a>: Spans;

    const GRAMMAR: Grammar;

    /// Source symbols that must have the first numbers.
    fn symbols(&self) -> &'static [&'static str];

    /// See [`Extractor::prepare`].
    fn prepare(
        &self,
        _pair: &mut Pair,
        _longest: usize,
        _tags: &Interner,
        _source: &mut Interner,
    ) -> Result<()> {
        Ok(())
    }

    fn spans<'a>(&self, pair: &'a Pair) -> Self::Spans<'a>;

    /// The definition of fragments, for grammars that use them.
    fn shape(&self) -> FragmentShape {
        FragmentShape::PAPER
    }
}

/// Strings of words and holes (HPB).
#[derive(Clone, Copy, Debug)]
pub struct Strings;

impl SpanGrammar for Strings {
    type Spans<'a> = AnySpan;

    const GRAMMAR: Grammar = Grammar::Hierarchical;

    fn symbols(&self) -> &'static [&'static str] {
        &[" X"]
    }

    fn spans(&self, _: &Pair) -> AnySpan {
        AnySpan { x: Some(0) }
    }
}

/// Fragments of dependency graphs (DGST): holes have labels, symbols have heads.
#[derive(Clone, Copy, Debug)]
pub struct DependencyGraphs {
    pub shape: FragmentShape,
}

impl SpanGrammar for DependencyGraphs {
    type Spans<'a> = &'a Fragments;

    const GRAMMAR: Grammar = Grammar::Fragments;

    fn symbols(&self) -> &'static [&'static str] {
        if self.shape.any_span {
            &[ANY_HOLE]
        } else {
            &[]
        }
    }

    fn prepare(&self, pair: &mut Pair, longest: usize, tags: &Interner, source: &mut Interner) -> Result<()> {
        projectivise(&mut pair.heads);
        let names: Vec<&str> = pair.tags.iter().map(|&tag| tags.word(tag)).collect();
        let mut failed = None;
        pair.fragments = Fragments::new(&pair.heads, &names, longest, self.shape, |label| {
            source.intern(&hole(label)).map_err(|error| failed = Some(error)).ok()
        });
        failed.map_or(Ok(()), Err)
    }

    fn spans<'a>(&self, pair: &'a Pair) -> &'a Fragments {
        &pair.fragments
    }

    fn shape(&self) -> FragmentShape {
        self.shape
    }
}

/// Extracts the rules with holes of a grammar.
#[derive(Clone, Copy, Debug)]
pub struct Hierarchical<G> {
    pub grammar: G,
    pub limits: HoleLimits,
}

/// The index of a hole that a rule does not have.
const NONE: u32 = u32::MAX;

#[derive(Default)]
pub struct Scratch {
    phrases: Phrases,
    /// The possible holes of the current phrase pair.
    holes: Vec<Phrase>,
    rules: Vec<RuleHoles>,
    buffers: Buffers,
}

/// Where a rule comes from.
struct Origin<'a> {
    pair: &'a Pair,
    phrase: &'a Phrase,
    phrases: &'a Phrases,
}

#[derive(Default)]
struct Buffers {
    covered: Vec<Span>,
    earlier: Vec<Span>,
    encoder: RuleEncoder,
}

impl Buffers {
    /// Writes the rules of a phrase pair, which share one occurrence; `with_holes`: those without holes are left out.
    fn write(
        &mut self,
        &Origin { pair, phrase, phrases }: &Origin,
        (holes, rules): (&[Phrase], &[RuleHoles]),
        spans: &impl Spans,
        with_holes: bool,
        emit: &mut impl FnMut(&[u8], Occurrence, &[Span]),
    ) {
        let Buffers { covered, earlier, encoder } = self;
        let n = rules.len() as u64;
        for rule in rules.iter().filter(|rule| !with_holes || rule.holes[0] != NONE) {
            let chosen = rule.holes.map(|k| holes.get(k as usize).copied());
            parts(pair, phrase, (&chosen, rule.gaps), spans, (covered, earlier), &mut encoder.parts);
            let record = encoder.write(pair, phrase.target, phrases);
            // Rounded to the nearest unit; exactly one if there is a single rule.
            let occurrence = Occurrence { weight: (ONE + n / 2) / n, orientation: Heap::NONE };
            emit(record, occurrence, covered);
        }
    }
}

impl<G: SpanGrammar> Extractor for Hierarchical<G> {
    type Scratch = Scratch;

    fn prepare(&self, pair: &mut Pair, tags: &Interner, source: &mut Interner) -> Result<()> {
        self.grammar.prepare(pair, self.limits.max_length, tags, source)
    }

    fn extract(&self, pair: &Pair, scratch: &mut Scratch, mut emit: impl FnMut(&[u8], Occurrence, &[Span])) {
        let spans = self.grammar.spans(pair);
        let Scratch { phrases, holes, rules, buffers } = scratch;
        let (any, has_gaps) = (spans.any(), spans.gap().is_some());
        let needs_cells = any.is_none() && !has_gaps;
        let longest = Longest { source: self.limits.max_length, target: self.limits.max_length };
        phrases.fill(pair, longest, |span| !needs_cells || spans.is_cell(span));
        for phrase in phrases.all() {
            let is_cell = needs_cells || spans.is_cell(phrase.source_span());
            let origin = Origin { pair, phrase, phrases };
            self.limits.holes(phrase, phrases, holes);
            if any.is_some() {
                self.limits.rules(phrase, phrases, holes, rules);
                buffers.write(&origin, (holes, rules), &AnySpan { x: any }, false, &mut emit);
            }
            if !needs_cells && is_cell {
                holes.retain(|hole| spans.is_cell(hole.source_span()));
            }
            if is_cell || has_gaps {
                self.limits.rules(phrase, phrases, holes, rules);
                if !is_cell {
                    open_gaps(phrase, holes, &spans, self.grammar.shape().max_gaps, rules);
                }
                // Rules without holes are the same over any span.
                buffers.write(&origin, (holes, rules), &spans, any.is_some(), &mut emit);
            }
        }
    }

    fn settings(&self) -> TableSettings {
        let shape = self.grammar.shape();
        TableSettings { shape, ..TableSettings::strings(G::GRAMMAR, self.limits.max_length as u32) }
    }

    fn symbols(&self) -> (&[&'static str], &[&'static str]) {
        (self.grammar.symbols(), &TARGET_HOLES[..STRING_HOLES])
    }

    fn kinds(&self) -> [&'static str; KINDS] {
        ["lexical", "one_hole", "two_holes"]
    }

    fn kind(&self, rule: &Record<'_>) -> usize {
        rule.target_words().filter(|&symbol| (symbol as usize) < STRING_HOLES).count()
    }
}

impl HoleLimits {
    /// Fails if the limits allow rules that cannot be encoded.
    pub fn check(&self) -> Result<()> {
        if self.max_length > MAX_SIDE || self.max_holes > STRING_HOLES || self.min_hole == 0 {
            return Err(Error::option(format!(
                "phrase pairs of up to {} words with {} holes of {} words or more; the limits are {MAX_SIDE} words, \
                 {STRING_HOLES} holes and at least 1 word.",
                self.max_length, self.max_holes, self.min_hole
            )));
        }
        Ok(())
    }

    /// The phrase pairs that can be holes of a phrase pair: at least one aligned word must remain.
    fn holes(&self, phrase: &Phrase, phrases: &Phrases, holes: &mut Vec<Phrase>) {
        holes.clear();
        let aligned = phrases.aligned(phrase.target);
        let inside = phrases.beginning_in(phrase.target).iter().filter(|other| {
            phrase.holds(other)
                && other.source_words() >= self.min_hole
                && phrases.aligned(other.target) < aligned
        });
        if self.max_holes > 0 {
            holes.extend(inside);
        }
    }

    /// The rules of a phrase pair. Holes are in target order, so that each set of them occurs once.
    fn rules(&self, phrase: &Phrase, phrases: &Phrases, holes: &[Phrase], rules: &mut Vec<RuleHoles>) {
        rules.clear();
        let mut push = |holes| rules.push(RuleHoles { holes, gaps: 0 });
        let words = phrase.source_words();
        let aligned = phrases.aligned(phrase.target);
        if words <= self.max_symbols {
            push([NONE; STRING_HOLES]);
        }
        for (k, one) in holes.iter().enumerate() {
            let left = words - one.source_words();
            if left < self.max_symbols {
                push([k as u32, NONE]);
            }
            if self.max_holes < 2 {
                continue;
            }
            for (m, two) in holes.iter().enumerate().skip(k + 1) {
                let apart = one.target.1 < two.target.0
                    && (one.source.1 + 1 < two.source.0 || two.source.1 + 1 < one.source.0);
                if apart
                    && left - two.source_words() + 2 <= self.max_symbols
                    && phrases.aligned(one.target) + phrases.aligned(two.target) < aligned
                {
                    push([k as u32, m as u32]);
                }
            }
        }
    }
}

/// The source side of a rule with holes, some of which are gaps. `covered` gets the spans of its symbols; `earlier` is
/// a buffer.
fn parts(
    pair: &Pair,
    phrase: &Phrase,
    (holes, gaps): (&[Option<Phrase>; STRING_HOLES], u8),
    spans: &impl Spans,
    (covered, earlier): (&mut Vec<Span>, &mut Vec<Span>),
    parts: &mut Vec<SourceSymbol>,
) {
    covered.clear();
    earlier.clear();
    parts.clear();
    let mut at = phrase.source.0;
    while at <= phrase.source.1 {
        let found = holes
            .iter()
            .enumerate()
            .find_map(|(k, hole)| Some((k, hole.filter(|hole| hole.source.0 == at)?)));
        let hole = found.map(|(_, hole)| hole);
        let is_gap = found.is_some_and(|(k, _)| gaps >> k & 1 == 1);
        let last = hole.map_or(at, |hole| hole.source.1);
        let part = (usize::from(at), usize::from(last) + 1);
        let symbol = if is_gap { spans.gap() } else { hole.and_then(|_| spans.symbol(part)) };
        let symbol = symbol.unwrap_or(pair.source[part.0]);
        let place = if is_gap { (part.1, part.1) } else { part };
        // The head of the first symbol is outside the rule, or encoded in the joints of the others.
        let joint = if earlier.is_empty() { 0 } else { spans.joint(earlier, place) };
        parts.push(SourceSymbol { first: part.0, symbol, joint, hole: hole.map(|hole| hole.target) });
        covered.push(part);
        earlier.push(place);
        at = last + 1;
    }
}
