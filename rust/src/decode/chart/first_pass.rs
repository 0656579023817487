//! Charts of a first pass, kept for a second one that only scores their translations anew.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use super::edge::Edge;
use super::forest::Forest;
use crate::decode::sentence::Sentence;

/// A filled chart, reduced to the derivations of the whole sentence.
#[derive(Clone)]
pub struct KeptChart<S> {
    pub edges: Arc<Vec<Edge>>,
    pub forest: Arc<Forest<S>>,
}

impl<S: Copy> KeptChart<S> {
    pub fn new(edges: &[Edge], forest: &Forest<S>) -> Self {
        let (forest, used) = forest.useful();
        let edges = edges.iter().zip(used).filter(|(_, used)| *used).map(|(edge, _)| edge.clone()).collect();
        KeptChart { edges: Arc::new(edges), forest: Arc::new(forest) }
    }
}

/// Identifies a search: equal for decoders that differ in nothing but weights and span scorers.
#[derive(Clone, Default)]
pub struct SearchIdentity(Arc<()>);

impl PartialEq for SearchIdentity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What a kept chart depends on, and the chart, whose type depends on the features of the decoder.
pub struct FirstPassChart {
    pub sentence: Sentence,
    pub search: SearchIdentity,
    /// The weights without those of a span scorer.
    pub weights: Vec<f32>,
    pub chart: Box<dyn Any + Send + Sync>,
}

/// The charts of some sentences.
#[derive(Default)]
pub struct FirstPassCharts(HashMap<Vec<String>, Vec<FirstPassChart>>);

impl FromIterator<FirstPassChart> for FirstPassCharts {
    fn from_iter<I: IntoIterator<Item = FirstPassChart>>(all: I) -> Self {
        let mut charts = FirstPassCharts::default();
        for one in all {
            charts.0.entry(one.sentence.words.clone()).or_default().push(one);
        }
        charts
    }
}

impl FirstPassCharts {
    /// The chart that this search would fill with these weights, if it is kept.
    pub fn get<S: Clone + 'static>(
        &self,
        sentence: &Sentence,
        search: &SearchIdentity,
        weights: &[f32],
    ) -> Option<&KeptChart<S>> {
        let fits = |one: &&FirstPassChart| {
            one.search == *search && one.weights == weights && one.sentence == *sentence
        };
        self.0.get(&sentence.words)?.iter().find(fits)?.chart.downcast_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_found_only_for_its_sentence_search_and_weights() {
        let sentence = |word: &str| Sentence { words: vec![word.to_owned()], ..Sentence::default() };
        let search = SearchIdentity::default();
        let chart = Box::new(KeptChart::new(&[], &Forest::<u8>::new(1)));
        let kept =
            FirstPassChart { sentence: sentence("a"), search: search.clone(), weights: vec![1.0], chart };
        let charts: FirstPassCharts = [kept].into_iter().collect();
        assert!(charts.get::<u8>(&sentence("a"), &search, &[1.0]).is_some());
        assert!(charts.get::<u16>(&sentence("a"), &search, &[1.0]).is_none());
        assert!(charts.get::<u8>(&sentence("b"), &search, &[1.0]).is_none());
        assert!(charts.get::<u8>(&sentence("a"), &SearchIdentity::default(), &[1.0]).is_none());
        assert!(charts.get::<u8>(&sentence("a"), &search, &[2.0]).is_none());
        let other_surface = Sentence { surface: vec!["A".to_owned()], ..sentence("a") };
        assert!(charts.get::<u8>(&other_surface, &search, &[1.0]).is_none());
    }
}
