//! Dep2Str's rules: words with their phrases, and heads with their dependents in up to eight versions (Xie, Mi and Liu
//! 2011, section 3); optionally also parts of such fragments (Li et al. 2014) and plain phrases.

use super::extractor::{Extractor, KINDS};
use super::phrases::Phrases;
use super::rule_encoder::{RuleEncoder, SourceSymbol};
use crate::corpus::pair::Pair;
use crate::error::{Error, Result};
use crate::rule::record::Record;
use crate::rule::record::MAX_SIDE;
use crate::rule::symbols::{MAX_HOLES, TARGET_HOLES};
use crate::source::dependents::{joint, phrase_joint, Element, Fragment, HeadDependents, Role, PHRASE};
use crate::source::spans::Span;
use crate::source::tree::projectivise;
use crate::store::runs::{Heap, Occurrence, ONE};
use crate::store::vocab::Interner;
use crate::table::{Grammar, TableSettings};

/// Extracts rules of heads with their dependents. Every rule counts as a whole occurrence.
#[derive(Clone, Copy, Debug)]
pub struct Dependents {
    /// The highest number of source words in a phrase, at most [`MAX_SIDE`].
    pub max_source: usize,
    /// The highest number of target words of a word's phrase and of a phrase, at most [`MAX_SIDE`].
    pub max_target: usize,
    /// Also extract rules of a head with some of its dependents that form a contiguous run with it.
    pub partial: bool,
    /// Also extract phrases: whole subtrees, and neighbouring elements of a fragment.
    pub phrasal: bool,
}

/// Which elements become holes with a part of speech in a version of a rule. The other internal dependents are holes
/// with a word; the other elements are words.
#[derive(Clone, Copy)]
struct Version {
    internal: bool,
    leaves: bool,
    head: bool,
}

impl Version {
    /// The versions, up to eight, that differ given whether there is an internal dependent, a leaf, and a head.
    fn all(internal: bool, leaves: bool, head: bool) -> impl Iterator<Item = Version> {
        (0..8u8)
            .map(|bits| Version { internal: bits & 1 > 0, leaves: bits & 2 > 0, head: bits & 4 > 0 })
            .filter(move |one| one.internal <= internal && one.leaves <= leaves && one.head <= head)
    }

    /// The symbol of the hole for an element, if it becomes one.
    fn hole(self, element: &Element) -> Option<u32> {
        match element.role {
            Role::Internal if self.internal => element.by_tag,
            Role::Internal => element.by_word,
            Role::Leaf => element.by_tag.filter(|_| self.leaves),
            Role::Head => element.by_tag.filter(|_| self.head),
        }
    }
}

#[derive(Default)]
pub struct Scratch {
    phrases: Phrases,
    /// The target span of each element of the current run, if it has one of its own.
    own: Vec<Option<(u16, u16)>>,
    /// The spans of the symbols of the current source side.
    covered: Vec<Span>,
    encoder: RuleEncoder,
}

impl Dependents {
    pub fn check(&self) -> Result<()> {
        if self.max_source > MAX_SIDE || self.max_target > MAX_SIDE {
            return Err(Error::option(format!(
                "phrases of up to {} and {} words; the limit is {MAX_SIDE}.",
                self.max_source, self.max_target
            )));
        }
        Ok(())
    }

    /// Words, and with `phrasal` phrases: each with every target span, with and without unaligned words at its edges.
    fn write_phrase(
        &self,
        pair: &Pair,
        span: Span,
        scratch: &mut Scratch,
        emit: &mut impl FnMut(&[u8], &[Span]),
    ) {
        let Scratch { phrases, covered, encoder, .. } = scratch;
        let Some(target) = phrases.minimal(span) else { return };
        encoder.parts.clear();
        let part = |(k, first): (usize, usize)| SourceSymbol {
            first,
            symbol: pair.source[first],
            joint: phrase_joint(k),
            hole: None,
        };
        encoder.parts.extend((span.0..span.1).enumerate().map(part));
        covered.clear();
        covered.extend((span.0..span.1).map(|word| (word, word + 1)));
        phrases.with_edges(target, self.max_target, |target| {
            emit(encoder.write(pair, target, phrases), covered);
        });
    }

    /// The versions of a head with dependents: elements `first` to `last` of a fragment.
    fn write_run(
        pair: &Pair,
        fragment: Fragment<'_>,
        (first, last): (usize, usize),
        scratch: &mut Scratch,
        emit: &mut impl FnMut(&[u8], &[Span]),
    ) {
        let Scratch { phrases, own, covered, encoder } = scratch;
        let elements = &fragment.elements[first..=last];
        let (Some(head), Some(target)) = (fragment.head, phrases.minimal(fragment.span(first, last))) else {
            return;
        };
        if elements.len() > MAX_SIDE {
            return;
        }
        own.clear();
        own.extend(elements.iter().map(|element| phrases.minimal(element.span)));
        covered.clear();
        covered.extend(elements.iter().map(|element| element.span));
        let with = |role| elements.iter().zip(own.iter()).filter(move |(element, _)| element.role == role);
        // Only an element with a translation of its own can be a hole, and an internal dependent must be one.
        if with(Role::Internal).any(|(_, own)| own.is_none()) {
            return;
        }
        let [internal, leaves, heads] =
            [Role::Internal, Role::Leaf, Role::Head].map(|role| with(role).any(|(_, own)| own.is_some()));
        for version in Version::all(internal, leaves, heads) {
            encoder.parts.clear();
            for (k, (element, &own)) in elements.iter().zip(own.iter()).enumerate() {
                let hole = version.hole(element).filter(|_| own.is_some());
                encoder.parts.push(SourceSymbol {
                    first: element.span.0,
                    symbol: hole.unwrap_or(pair.source[element.word]),
                    joint: joint(k, head - first),
                    hole: own.filter(|_| hole.is_some()),
                });
            }
            let holes = encoder.parts.iter().filter(|part| part.hole.is_some()).count();
            if holes <= MAX_HOLES && encoder.target_symbols(target) <= MAX_SIDE {
                emit(encoder.write(pair, target, phrases), covered);
            }
        }
    }

    /// Phrases of neighbouring elements, with or without the head.
    fn write_phrases(
        &self,
        pair: &Pair,
        fragment: Fragment<'_>,
        scratch: &mut Scratch,
        emit: &mut impl FnMut(&[u8], &[Span]),
    ) {
        for first in 0..fragment.elements.len() {
            for last in first + 1..fragment.elements.len() {
                let span = fragment.span(first, last);
                if span.1 - span.0 > self.max_source {
                    break;
                }
                self.write_phrase(pair, span, scratch, emit);
            }
        }
    }
}

impl Extractor for Dependents {
    type Scratch = Scratch;

    fn prepare(&self, pair: &mut Pair, tags: &Interner, source: &mut Interner) -> Result<()> {
        projectivise(&mut pair.heads);
        let words: Vec<String> = pair.source.iter().map(|&word| source.word(word).to_owned()).collect();
        let names: Vec<&str> = pair.tags.iter().map(|&tag| tags.word(tag)).collect();
        let mut failed = None;
        pair.dependents = HeadDependents::new(&pair.heads, &words, &names, |label| {
            source.intern(label).map_err(|error| failed = Some(error)).ok()
        });
        failed.map_or(Ok(()), Err)
    }

    fn extract(&self, pair: &Pair, scratch: &mut Scratch, mut emit: impl FnMut(&[u8], Occurrence, &[Span])) {
        let whole = Occurrence { weight: ONE, orientation: Heap::NONE };
        let mut emit = |record: &[u8], covered: &[Span]| emit(record, whole, covered);
        scratch.phrases.read_links(pair);
        for (word, fragment) in pair.dependents.of_words().enumerate() {
            self.write_phrase(pair, (word, word + 1), scratch, &mut emit);
            let all = (0, fragment.elements.len() - 1);
            for run in fragment.runs().filter(|&run| self.partial || run == all) {
                Self::write_run(pair, fragment, run, scratch, &mut emit);
            }
            if self.phrasal {
                self.write_phrases(pair, fragment, scratch, &mut emit);
            }
        }
        if self.phrasal {
            self.write_phrases(pair, pair.dependents.of_roots(), scratch, &mut emit);
        }
    }

    fn settings(&self) -> TableSettings {
        TableSettings::strings(Grammar::HeadDependents, self.max_source as u32)
    }

    fn symbols(&self) -> (&[&'static str], &[&'static str]) {
        (&[], &TARGET_HOLES)
    }

    fn kinds(&self) -> [&'static str; KINDS] {
        ["head", "head_dependents", "phrasal"]
    }

    fn kind(&self, rule: &Record<'_>) -> usize {
        match rule.source_words().nth(1) {
            None => 0,
            Some((_, PHRASE)) => 2,
            Some(_) => 1,
        }
    }
}
