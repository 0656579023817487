//! Everything a translation by chart needs, in one object that many threads may use.

use std::sync::Arc;

use super::annotation::annotate as annotate_edges;
use super::cube::{Cube, Limits};
use super::derivation::derive;
use super::extra::Extra;
use super::forced::Forced;
use super::forest::{Forest, NONE};
use super::glue;
use super::hypergraph::to_json_lines;
use super::options::Options;
use super::searched::Searched;
use super::system::{Place, System};
use super::texts::{weighted, Texts};
use crate::decode::annotate::Annotate;
use crate::decode::annotate::Annotators;
use crate::decode::derivation::Derivation;
use crate::decode::features::{place, Weights};
use crate::decode::pieces;
use crate::decode::prepared::{Choice, Preparer, Preparers};
use crate::decode::sentence::Sentence;
use crate::decode::span_scorer::Opinion;
use crate::decode::translator::{
    no_finite_score, ForcedResult, SpanTranslations, Translations, Translator, Wanted,
};
use crate::error::{Error, Result};
use crate::lm::Model;
use crate::store::watched::checked;
use crate::table::read::Table;
use crate::work::interrupt;

/// The longest sentence that one chart takes: its cells grow with the square.
pub const MAX_WORDS: usize = 1000;

/// Where opinions of whole texts may change their order, twice as many texts as are wanted are looked at, and this many more.
const MORE: usize = 20;

/// The fewest texts that opinions choose from: as many as for lists of 100, which the weights of opinions are tuned on.
const LEAST_POOL: usize = 2 * 100 + MORE;

/// How a chart is built.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub limits: Limits,
    /// Most words that a rule covers, holes included; glue above.
    pub max_span: usize,
    pub choice: Choice,
}

pub struct Decoder {
    system: System,
    table: Arc<Table>,
    lm: Arc<Model>,
    weights: Arc<Weights>,
    settings: Settings,
    annotators: Annotators,
    opinion: Option<Arc<dyn Opinion>>,
    preparers: Preparers<Model>,
}

impl Decoder {
    pub fn new(
        system: System,
        table: Arc<Table>,
        lm: Arc<Model>,
        weights: Weights,
        settings: Settings,
    ) -> Result<Self> {
        if table.settings().grammar != system.grammar() {
            return Err(Error::input("this rule table holds the rules of another kind of system.")
                .hint("Extract the rules again for this system."));
        }
        let preparers = Preparers::default();
        let annotators = Annotators::from([]);
        let (weights, opinion) = (Arc::new(weights), None);
        Ok(Decoder { system, table, lm, weights, settings, annotators, opinion, preparers })
    }

    fn with(&self, annotators: Annotators, opinion: Option<Arc<dyn Opinion>>, weights: Weights) -> Self {
        Decoder {
            annotators,
            opinion,
            system: self.system.clone(),
            table: self.table.clone(),
            lm: self.lm.clone(),
            weights: Arc::new(weights),
            settings: self.settings,
            preparers: Preparers::default(),
        }
    }

    /// The weights of added columns: those of options, those of opinions.
    fn added(&self) -> Result<(&[f32], &[f32])> {
        let added = self.weights.added();
        let opinions = self.opinion.as_ref().map_or(0, |opinion| opinion.columns());
        added.split_at_checked(added.len().wrapping_sub(opinions)).ok_or_else(|| {
            let given = added.len();
            Error::option(format!("{given} weights for added features; {opinions} were expected at least."))
        })
    }

    /// Fills the chart of a sentence.
    pub fn search<'a, E: Extra>(
        &'a self,
        sentence: &'a Sentence,
        extra: &'a E,
        keep_ways: bool,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Searched<'a, E>> {
        let words = sentence.words.len();
        self.system.check(sentence)?;
        debug_assert!(words <= MAX_WORDS);
        let mut forest = Forest::new(words);
        let mut options = self.options(&forest, sentence);
        let (added, judged) = self.added()?;
        annotate_edges(&mut options, &forest, &self.annotators, annotate, sentence, added)?;
        let limits = Limits { keep_ways, ..self.settings.limits };
        let lm_weight = self.weights.of(place::LM);
        let texts = self.opinion.as_ref().map(|opinion| Texts::new(&**opinion, sentence, judged));
        let mut cube = Cube::new(&self.lm, lm_weight, extra, limits).judged(texts);
        for length in 1..=self.system.longest(words, self.settings.max_span) {
            for first in 0..=words - length {
                interrupt::point();
                let cell = forest.span_cell((first, first + length));
                cube.fill(&mut forest, &options.edges, &options.of_cell[cell as usize], cell);
            }
        }
        glue::begin(&mut forest, &self.lm, options.begin);
        glue::fill(&mut cube, &mut forest, &options.edges, &options.of_end);
        glue::end(&mut forest, &self.lm, lm_weight, extra, words, options.end, keep_ways);
        let (table, lm, weights) = (&*self.table, &*self.lm, &*self.weights);
        Ok(Searched { sentence, options, forest, table, lm, weights, extra })
    }

    /// Every place in a sentence where a rule could be applied.
    fn options<S: Copy>(&self, forest: &Forest<S>, sentence: &Sentence) -> Options {
        let vocabulary = self.table.source_words();
        let words: Vec<Option<u32>> = sentence.words.iter().map(|word| vocabulary.get(word)).collect();
        let mut options = Options::new(forest, words.len());
        let max_span = self.system.longest(words.len(), self.settings.max_span);
        let place = Place { table: &self.table, sentence, words: &words, max_span, forest };
        let (table, lm, weights) = (&self.table, &self.lm, &self.weights);
        let make = || Preparer::new(table.clone(), lm.clone(), weights.clone(), self.settings.choice);
        self.preparers.lend(make, |preparer| self.system.push_edges(&place, preparer, &mut options));
        options.push_glue(forest, words.len(), max_span, self.system.glue(), weights);
        options
    }
}

impl Decoder {
    /// The best derivations of a sentence. Where there are opinions of texts, they choose among texts, not derivations: no
    /// two of the list have the same.
    fn best<E: Extra>(&self, searched: &Searched<'_, E>, wanted: &Wanted) -> Result<Vec<Derivation>> {
        let number = wanted.n_best.max(1);
        let Some(opinion) = &self.opinion else {
            return Ok(searched.k_best(wanted.distinct, |derivations| {
                (0..number as u32).map_while(|rank| derive(searched, derivations, rank)).collect()
            }));
        };
        let forest = &searched.forest;
        let (weights, columns) = (self.added()?.1, opinion.columns());
        let mut judge = opinion.on(searched.sentence);
        let best = searched.k_best(true, |derivations| {
            // The score that the search gave each, without what was thought of its text.
            let mut found: Vec<(f32, u32)> = Vec::new();
            let mut texts: Vec<Vec<u32>> = Vec::new();
            for rank in 0..(2 * number + MORE).max(LEAST_POOL) as u32 {
                let Some(one) = derivations.get(forest.goal, rank) else { break };
                let whole = forest.ways[one.way as usize].holes[0];
                found.push((one.score - forest.hypotheses[whole as usize].bonus, rank));
                let words = searched.words_of(derivations, rank);
                texts.push(words.iter().map(|word| judge.number_of(word)).collect());
            }
            let slices: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
            let mut values = Vec::new();
            if !judge.judge((0, searched.sentence.words.len()), &slices, &mut values) {
                values = vec![0.0; texts.len() * columns];
            }
            let mut judged: Vec<(f32, u32, &[f32])> = found
                .into_iter()
                .zip(values.chunks_exact(columns))
                .map(|((score, rank), values)| (score + weighted(weights, values), rank, values))
                .collect();
            judged.sort_by(|a, b| b.0.total_cmp(&a.0));
            judged.truncate(number);
            let told = judged.into_iter().map_while(|(_, rank, values)| {
                let mut one = derive(searched, derivations, rank)?;
                let from = one.features.len() - columns;
                one.features[from..].copy_from_slice(values);
                one.score = self.weights.dot(&one.features);
                Some(one)
            });
            told.collect()
        });
        Ok(best)
    }

    /// The n best of a sentence as words and scores; they differ as text.
    fn best_texts<E: Extra>(
        &self,
        searched: &Searched<'_, E>,
        number: usize,
    ) -> Result<Vec<(Vec<String>, f32)>> {
        if self.opinion.is_some() {
            let wanted = Wanted { n_best: number, distinct: true, graph: false };
            let words = |one: &Derivation| one.target().into_iter().map(str::to_owned).collect();
            let best = self.best(searched, &wanted)?;
            return Ok(best.iter().map(|one| (words(one), one.score)).collect());
        }
        Ok(searched.k_best(true, |derivations| {
            let text = |rank| {
                let score = derivations.get(searched.forest.goal, rank)?.score;
                Some((searched.words_of(derivations, rank), score))
            };
            (0..number as u32).map_while(text).collect()
        }))
    }
}

impl Translator for Decoder {
    fn longest(&self) -> usize {
        MAX_WORDS
    }

    fn reweighted(&self, weights: Weights) -> Box<dyn Translator> {
        self.annotated(self.annotators.clone(), weights)
    }

    fn annotated(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator> {
        Box::new(self.with(annotators, self.opinion.clone(), weights))
    }

    fn judged(&self, opinion: Arc<dyn Opinion>, weights: Weights) -> Result<Box<dyn Translator>> {
        Ok(Box::new(self.with(self.annotators.clone(), Some(opinion), weights)))
    }

    fn features(&self) -> usize {
        self.weights.len()
    }

    fn table(&self) -> &Arc<Table> {
        &self.table
    }

    fn check(&self) -> Result<()> {
        self.table.check()?;
        self.lm.check()?;
        if let System::Blocks(blocks) = &self.system {
            blocks.check()?;
        }
        self.annotators.iter().try_for_each(|annotator| annotator.check())
    }

    fn translate(
        &self,
        sentence: &Sentence,
        wanted: &Wanted,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations> {
        if sentence.words.is_empty() {
            return Ok(Translations::nothing(self.weights.len(), wanted));
        }
        if sentence.words.len() > MAX_WORDS {
            self.system.check(sentence)?;
            return pieces::translate(self, sentence, wanted, annotate);
        }
        checked(
            || self.check(),
            || {
                let keep_ways = wanted.n_best > 1 || wanted.graph || self.opinion.is_some();
                let extra = self.system.extra(sentence, &self.weights);
                let searched = self.search(sentence, &extra, keep_ways, annotate)?;
                if searched.forest.goal == NONE {
                    return Err(no_finite_score());
                }
                let best = self.best(&searched, wanted)?;
                let graph = wanted.graph.then(|| to_json_lines(&searched));
                Ok(Translations { best, graph })
            },
        )
    }

    fn forced(
        &self,
        sentence: &Sentence,
        reference: &[String],
        most: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<ForcedResult> {
        if sentence.words.is_empty() {
            return Ok(ForcedResult::default());
        }
        if sentence.words.len() > MAX_WORDS {
            // Nobody knows which part of the reference a piece would have to make.
            self.system.check(sentence)?;
            return Ok(ForcedResult::default());
        }
        checked(
            || self.check(),
            || {
                let inner = self.system.extra(sentence, &self.weights);
                let forced = Forced::new(&inner, reference, &sentence.surface, self.table.target_words());
                let searched = self.search(sentence, &forced, false, annotate)?;
                let reached = searched.forest.goal != NONE;
                let derivation = reached
                    .then(|| searched.k_best(false, |derivations| derive(&searched, derivations, 0)))
                    .flatten();
                let derived = if reached { searched.derived_spans() } else { Vec::new() };
                Ok(ForcedResult { derivation, spans: searched.span_translations(most), derived })
            },
        )
    }

    fn spans(
        &self,
        sentence: &Sentence,
        most: usize,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Vec<SpanTranslations>> {
        if sentence.words.is_empty() {
            return Ok(Vec::new());
        }
        if sentence.words.len() > MAX_WORDS {
            self.system.check(sentence)?;
            return pieces::spans(sentence, MAX_WORDS, |piece| self.spans(piece, most, annotate));
        }
        checked(
            || self.check(),
            || {
                let extra = self.system.extra(sentence, &self.weights);
                Ok(self.search(sentence, &extra, false, annotate)?.span_translations(most))
            },
        )
    }

    fn nodes(&self, sentence: &Sentence, most: usize, whole: usize) -> Result<Vec<SpanTranslations>> {
        if sentence.words.is_empty() {
            return Ok(Vec::new());
        }
        if sentence.words.len() > MAX_WORDS {
            self.system.check(sentence)?;
            return pieces::spans(sentence, MAX_WORDS, |piece| self.nodes(piece, most, whole));
        }
        checked(
            || self.check(),
            || {
                let extra = self.system.extra(sentence, &self.weights);
                let searched = self.search(sentence, &extra, true, None)?;
                let mut spans = searched.span_translations(most);
                let translations = self.best_texts(&searched, whole)?;
                let span = (0, sentence.words.len());
                spans.retain(|one| one.span != span);
                spans.push(SpanTranslations { span, translations });
                Ok(spans)
            },
        )
    }
}
