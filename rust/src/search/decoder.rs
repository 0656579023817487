//! Everything a translation needs, in one object that many threads may use.

use std::sync::Arc;

use super::annotate::{annotation, Annotators};
use super::derivation::{derive, target_words, Derivation};
use super::features::Weights;
use super::graph::{SearchGraph, NONE};
use super::input::Input;
use super::kbest::{paths, TextKey};
use super::opinion::Opinion;
use super::options::Options;
use super::prepare::{hole, Choice, Preparer, Preparers};
use super::stack::{search, Beam};
use super::LanguageModel;
use crate::bits::{NodeSet, Wide, MAX_WORDS};
use crate::error::{Error, Result};
use crate::links::LinkKinds;
use crate::spans::Span;
use crate::table::read::Table;

/// A sentence to be translated.
#[derive(Clone, Debug, Default)]
pub struct Sentence {
    /// As the table knows the words.
    pub words: Vec<String>,
    /// As unknown words are copied.
    pub surface: Vec<String>,
    /// From 0, -1 for the root word; empty where there is no tree.
    pub heads: Vec<i32>,
    /// The part of speech of each word; empty where there is no tree.
    pub tags: Vec<String>,
    /// P(z|d) of the document that the sentence is from; empty where no model asks.
    pub topics: Vec<f32>,
}

/// How many translations of a sentence are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub n_best: usize,
    /// Only translations that differ as text.
    pub distinct: bool,
    /// Also write the search graph.
    pub graph: bool,
}

/// The translations of a sentence, the best first, and the search graph if it was wanted.
#[derive(Clone, Debug, Default)]
pub struct Translations {
    pub best: Vec<Derivation>,
    pub graph: Option<String>,
}

impl Translations {
    /// Those of an empty sentence.
    pub fn nothing(features: usize, wanted: &Wanted) -> Self {
        let graph = wanted.graph.then(String::new);
        Translations { best: vec![Derivation::nothing(features)], graph }
    }
}

/// What a search says of a sentence with more words than it takes.
pub fn too_long(words: usize, most: usize) -> Error {
    Error::input(format!("a sentence of {words} words; the most is {most}.")).hint("Split it into sentences.")
}

/// Sees the options of a sentence before the search and adds feature columns: the number of columns, and that many
/// values for each option.
pub type Annotate<'a> = &'a (dyn Fn(&dyn OptionColumns, &Sentence) -> Result<(usize, Vec<f32>)> + Sync);

/// What an annotation may see of the options, whatever their node sets are made of.
pub trait OptionColumns {
    fn number(&self) -> usize;
    /// Calls `found` for every option in order with its source positions, target words, alignment within the rule,
    /// table scores, whether it copies an unknown word, and its context.
    fn each(&self, found: &mut dyn FnMut(OptionRow<'_>));
}

/// The links within an option.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    links: &'a [(u8, u8)],
    words: Option<&'a [Option<u8>]>,
}

impl<'a> Links<'a> {
    /// Those of a rule without holes.
    pub fn of(links: &'a [(u8, u8)]) -> Self {
        Links { links, words: None }
    }

    /// Those of a rule of whose source symbols some are words: for each of them which word it is.
    pub fn among(links: &'a [(u8, u8)], words: &'a [Option<u8>]) -> Self {
        Links { links, words: Some(words) }
    }

    /// (index into the positions, index into the target side) of each link.
    pub fn iter(self) -> impl Iterator<Item = (u8, u8)> + 'a {
        self.links.iter().filter_map(move |&(s, t)| match self.words {
            None => Some((s, t)),
            Some(words) => Some(((*words.get(usize::from(s))?)?, t)),
        })
    }
}

/// One option, as an annotation sees it.
pub struct OptionRow<'a> {
    /// A number of its place: what it covers, and where its holes are. The options of a place come one after the other.
    pub place: u32,
    pub positions: &'a [usize],
    /// Numbers in the table's target vocabulary, which has holes too; `u32::MAX` is the copied source word.
    pub target: &'a [u32],
    /// The same as the language model has it, which tells what are holes; nothing where there are none.
    pub lm_words: &'a [u32],
    pub alignment: Links<'a>,
    pub scores: &'a [f32],
    pub copied: bool,
    /// Bits over `positions`; `None` for basic rules.
    pub context: Option<u16>,
    /// The source spans of the holes, in source order.
    pub holes: &'a [Span],
}

impl OptionRow<'_> {
    /// Which hole stands at an index of the target side, if one does.
    pub fn target_hole(&self, index: usize) -> Option<usize> {
        self.lm_words.get(index).and_then(|&word| hole(word))
    }
}

impl<B: NodeSet> OptionColumns for Options<B> {
    fn number(&self) -> usize {
        self.len()
    }

    fn each(&self, found: &mut dyn FnMut(OptionRow<'_>)) {
        let mut positions = Vec::new();
        for option in 0..self.len() as u32 {
            let rule = self.rule(option);
            positions.clear();
            positions.extend(self.place(option).set.iter());
            found(OptionRow {
                place: self.place_of[option as usize],
                positions: &positions,
                target: &rule.target,
                lm_words: &[],
                alignment: Links::of(&rule.alignment),
                scores: &rule.scores,
                copied: self.is_copy(option),
                holes: &[],
                context: match rule.context {
                    crate::extract::record::Context::Any => None,
                    crate::extract::record::Context::Nodes(nodes) => Some(nodes),
                },
            });
        }
    }
}

/// What translates sentences, whatever its search.
pub trait Translator: Send + Sync {
    fn translate(
        &self,
        sentence: &Sentence,
        wanted: &Wanted,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations>;

    /// The same with other weights.
    fn reweighted(&self, weights: Weights) -> Box<dyn Translator>;

    /// The same with models that add feature columns, and with weights for these too.
    fn annotated(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator>;

    /// How many values a derivation has.
    fn features(&self) -> usize;

    fn table(&self) -> &Arc<Table>;

    /// The same with an opinion of whole texts, whose features come last, and with weights for these too.
    fn judged(&self, _: Arc<dyn Opinion>, _: Weights) -> Result<Box<dyn Translator>> {
        Err(no_chart())
    }

    /// [`Translator::spans`], at most so many of a span; then the whole sentence with so many of its n best.
    fn nodes(&self, _: &Sentence, _: usize, _: usize) -> Result<Vec<SpanTranslations>> {
        Err(no_chart())
    }

    /// The best translations of every span of a sentence, at most `most` each.
    fn spans(&self, _: &Sentence, _: usize, _: Option<Annotate<'_>>) -> Result<Vec<SpanTranslations>> {
        Err(no_chart())
    }

    /// Holds the search to a reference; at most `most` translations of every span are told.
    fn forced(&self, _: &Sentence, _: &[String], _: usize, _: Option<Annotate<'_>>) -> Result<ForcedResult> {
        Err(no_chart())
    }
}

fn no_chart() -> Error {
    Error::input("a left-to-right system has no chart of spans.").hint("Use hpb, btg, dgst or dep2str.")
}

/// What a span may be translated with.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTranslations {
    pub span: Span,
    /// Words and score, the best first.
    pub translations: Vec<(Vec<String>, f32)>,
}

/// What forced decoding found.
#[derive(Clone, Debug, Default)]
pub struct ForcedResult {
    /// How the reference can be made, if it can.
    pub derivation: Option<Derivation>,
    /// What was found for every span on the way, whether or not the whole succeeded.
    pub spans: Vec<SpanTranslations>,
    /// The spans of the derivation, if there is one.
    pub derived: Vec<SpanTranslations>,
}

pub struct Decoder<L: LanguageModel> {
    table: Arc<Table>,
    lm: Arc<L>,
    weights: Arc<Weights>,
    kinds: LinkKinds,
    beam: Beam,
    choice: Choice,
    annotators: Annotators,
    preparers: Preparers<L>,
}

impl<L: LanguageModel> Decoder<L> {
    pub fn new(
        table: Arc<Table>,
        lm: Arc<L>,
        weights: Weights,
        kinds: LinkKinds,
        beam: Beam,
        choice: Choice,
    ) -> Self {
        Decoder {
            table,
            lm,
            weights: Arc::new(weights),
            kinds,
            beam,
            choice,
            annotators: Annotators::from([]),
            preparers: Preparers::default(),
        }
    }

    fn run<B: NodeSet>(
        &self,
        sentence: &Sentence,
        wanted: &Wanted,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations> {
        let input = Input::<B>::new(
            &sentence.words,
            &sentence.surface,
            &sentence.heads,
            self.kinds,
            self.table.source_words(),
        );
        let (table, lm, weights) = (&self.table, &self.lm, &self.weights);
        let make = || Preparer::new(table.clone(), lm.clone(), weights.clone(), self.choice);
        let mut options =
            self.preparers.lend(make, |preparer| Options::collect(&self.table, &input, preparer));
        let added = self.weights.added();
        let columns = annotation(&self.annotators, annotate, &options, None, sentence, added.len())?;
        if let Some((columns, values)) = columns {
            options.annotate(columns, values, added);
        }
        let beam = Beam { keep_arcs: wanted.n_best > 1 || wanted.graph, ..self.beam };
        let graph = search(&input, &options, &*self.lm, &self.weights, &beam);
        if graph.goal == NONE {
            return Err(Error::internal("the search ended without a translation."));
        }
        let derive = |path: &[u32]| derive(path, &input, &options, &self.table, &*self.lm, &self.weights);
        let best = if wanted.n_best <= 1 {
            vec![derive(&graph.best_path(graph.goal))]
        } else {
            let words = |option| target_words(option, &input, &options, &self.table);
            let key = |option| TextKey::of(words(option).iter().map(String::as_str));
            let texts: Option<Vec<TextKey>> =
                wanted.distinct.then(|| (0..options.len() as u32).map(key).collect());
            n_best(&graph, wanted.n_best, texts.as_deref(), derive)
        };
        let target = |option| target_words(option, &input, &options, &self.table);
        let graph = wanted.graph.then(|| super::graph::to_json_lines(&graph, &options, target));
        Ok(Translations { best, graph })
    }
}

impl<L: LanguageModel + Send + 'static> Translator for Decoder<L> {
    fn translate(
        &self,
        sentence: &Sentence,
        wanted: &Wanted,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations> {
        match sentence.words.len() {
            0 => Ok(Translations::nothing(self.weights.len(), wanted)),
            1..=64 => self.run::<u64>(sentence, wanted, annotate),
            65..=MAX_WORDS => self.run::<Wide>(sentence, wanted, annotate),
            words => Err(too_long(words, MAX_WORDS)),
        }
    }

    fn reweighted(&self, weights: Weights) -> Box<dyn Translator> {
        self.annotated(self.annotators.clone(), weights)
    }

    fn annotated(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator> {
        let (table, lm) = (self.table.clone(), self.lm.clone());
        let plain = Decoder::new(table, lm, weights, self.kinds, self.beam, self.choice);
        Box::new(Decoder { annotators, ..plain })
    }

    fn features(&self) -> usize {
        self.weights.len()
    }

    fn table(&self) -> &Arc<Table> {
        &self.table
    }
}

fn n_best<B: NodeSet, S: Copy>(
    graph: &SearchGraph<B, S>,
    wanted: usize,
    texts: Option<&[TextKey]>,
    derive: impl Fn(&[u32]) -> Derivation,
) -> Vec<Derivation> {
    let mut best = Vec::new();
    paths(graph, texts, |_, path| {
        best.push(derive(path));
        best.len() < wanted
    });
    best
}
