//! The left-to-right decoder: everything that translation needs, in one object that threads can share.

use std::sync::Arc;

use super::application::add_estimates;
use super::derivation::{derive, Matched};
use super::graph::{SearchGraph, NONE};
use super::input::Input;
use super::kbest::k_best_paths;
use super::options::StackOptions;
use super::reordering::LexicalReordering;
use super::search::{search, Beam};
use crate::decode::annotate::{annotation, Annotate, Annotators};
use crate::decode::derivation::Derivation;
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::registered::Registered;
use crate::decode::hypothesis_feature::FeatureModel;
use crate::decode::pieces;
use crate::decode::preparation::{RuleFilter, RulePreparer, RulePreparers};
use crate::decode::sentence::Sentence;
use crate::decode::text_key::TextKey;
use crate::decode::translator::{no_finite_score, NBestRequest, Translations, Translator};
use crate::decode::LanguageModel;
use crate::error::Result;
use crate::source::links::LinkKinds;
use crate::store::bits::{NodeSet, Wide, MAX_WORDS};
use crate::store::watched::checked;
use crate::table::read::Table;

pub struct StackDecoder<L: LanguageModel, R: FeatureModel = Registered> {
    table: Arc<Table>,
    lm: Arc<L>,
    weights: Arc<Weights>,
    kinds: LinkKinds,
    beam: Beam,
    filter: RuleFilter,
    annotators: Annotators,
    features: R,
    preparers: RulePreparers<L>,
}

impl<L: LanguageModel> StackDecoder<L> {
    pub fn new(
        table: Arc<Table>,
        lm: Arc<L>,
        weights: Weights,
        kinds: LinkKinds,
        beam: Beam,
        filter: RuleFilter,
    ) -> Self {
        StackDecoder {
            table,
            lm,
            weights: Arc::new(weights),
            kinds,
            beam,
            filter,
            annotators: Annotators::from([]),
            features: Registered::default(),
            preparers: RulePreparers::default(),
        }
    }
}

impl<L: LanguageModel, R: FeatureModel> StackDecoder<L, R> {
    /// The same decoder with other hypothesis features; `weights` covers them too.
    pub fn with_features<S: FeatureModel>(&self, features: S, weights: Weights) -> StackDecoder<L, S> {
        StackDecoder {
            features,
            table: self.table.clone(),
            lm: self.lm.clone(),
            weights: Arc::new(weights),
            kinds: self.kinds,
            beam: self.beam,
            filter: self.filter,
            annotators: self.annotators.clone(),
            preparers: RulePreparers::default(),
        }
    }

    fn run<B: NodeSet>(
        &self,
        sentence: &Sentence,
        request: &NBestRequest,
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
        let make = || RulePreparer::new(table.clone(), lm.clone(), weights.clone(), self.filter);
        let soft = self.beam.soft_context;
        let collect =
            |preparer: &mut _| StackOptions::collect(&self.table, &input, &sentence.terms, soft, preparer);
        let mut options = self.preparers.lend(make, collect);
        let added = self.weights.added();
        let columns = annotation(&self.annotators, annotate, &options, None, sentence, added.len())?;
        if let Some((columns, values)) = columns {
            options.annotate(columns, values, added);
        }
        let registered = self.features.on_sentence(sentence, &self.weights, column::REGISTERED);
        add_estimates(&mut options, &registered, &self.weights);
        let reordering = LexicalReordering::new(&options, input.len(), &self.weights);
        let features = (reordering, registered);
        let beam = Beam { keep_arcs: request.n_best > 1 || request.graph, ..self.beam };
        let graph = search(&input, &options, &*self.lm, &features, &self.weights, &beam);
        if graph.goal == NONE {
            return Err(no_finite_score());
        }
        let matched = Matched { input: &input, options: &options, table: &self.table };
        let derive =
            |path: &[u32]| derive(path, &matched, &*self.lm, &features, &self.weights, request.words_only);
        let best = if request.n_best <= 1 {
            vec![derive(&graph.best_path(graph.goal))]
        } else {
            let key = |option| TextKey::of(matched.target_words(option).iter().map(String::as_str));
            let texts: Option<Vec<TextKey>> =
                request.distinct.then(|| (0..options.len() as u32).map(key).collect());
            n_best(&graph, request.n_best, texts.as_deref(), derive)
        };
        let target = |option| matched.target_words(option);
        let graph = request.graph.then(|| super::graph::to_json_lines(&graph, &options, target));
        Ok(Translations { best, graph })
    }
}

impl<L: LanguageModel + Send + 'static, R: FeatureModel> Translator for StackDecoder<L, R> {
    fn max_words(&self) -> usize {
        MAX_WORDS
    }

    fn translate(
        &self,
        sentence: &Sentence,
        request: &NBestRequest,
        annotate: Option<Annotate<'_>>,
    ) -> Result<Translations> {
        let translate = || match sentence.words.len() {
            0 => Ok(Translations::of_empty_sentence(self.weights.len(), request)),
            1..=64 => self.run::<u64>(sentence, request, annotate),
            65..=MAX_WORDS => self.run::<Wide>(sentence, request, annotate),
            _ => pieces::translate(self, sentence, request, annotate),
        };
        checked(|| self.check(), translate)
    }

    fn check(&self) -> Result<()> {
        self.table.check()?;
        self.lm.check()?;
        self.features.check()?;
        self.annotators.iter().try_for_each(|annotator| annotator.check())
    }

    fn with_weights(&self, weights: Weights) -> Box<dyn Translator> {
        self.with_annotators(self.annotators.clone(), weights)
    }

    fn with_pops(&self, pops: usize) -> Box<dyn Translator> {
        let mut decoder = self.with_features(self.features.clone(), (*self.weights).clone());
        decoder.beam.pops = decoder.beam.pops.map(|_| pops);
        Box::new(decoder)
    }

    fn with_annotators(&self, annotators: Annotators, weights: Weights) -> Box<dyn Translator> {
        let decoder = self.with_features(self.features.clone(), weights);
        Box::new(StackDecoder { annotators, ..decoder })
    }

    fn feature_count(&self) -> usize {
        self.weights.len()
    }

    fn table(&self) -> &Arc<Table> {
        &self.table
    }
}

fn n_best<B: NodeSet, S: Copy>(
    graph: &SearchGraph<B, S>,
    limit: usize,
    texts: Option<&[TextKey]>,
    derive: impl Fn(&[u32]) -> Derivation,
) -> Vec<Derivation> {
    let mut best = Vec::new();
    k_best_paths(graph, texts, limit, |_, path| best.push(derive(path)));
    best
}
