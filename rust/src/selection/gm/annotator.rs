//! GM as a feature of rules: the log of the product of the normalised evidence of a rule's words (section 3.2.3).

use std::sync::Arc;

use super::graph::{Candidate, CandidateScore, Extensions, Graph, Word};
use super::model::{GmModel, Measure};
use super::translations::Translation;
use super::walk::Walk;
use crate::decode::annotate::Annotator;
use crate::decode::option_rows::{OptionColumns, OptionRow};
use crate::decode::sentence::Sentence;
use crate::error::{Error, Result};
use crate::selection::classes::{classes, may_be_related, Class};
use crate::selection::Selector;
use crate::store::hashing::FastMap;
use crate::table::read::Table;

/// Lower bound on the probability of a candidate, since the feature is a logarithm.
const MIN_PROBABILITY: f64 = 1e-7;

/// A target word unknown to the model; one below the marker of copied words.
const UNKNOWN_WORD: u32 = u32::MAX - 2;

/// A translation graph of a sentence: its source words by position, and the inferred evidence.
pub struct SentenceGraph {
    pub positions: Vec<usize>,
    pub words: Vec<Word>,
    pub pairs: Vec<(usize, usize)>,
    pub graph: Graph,
}

/// The model, prepared for the options of one rule table.
pub struct Gm {
    model: Arc<GmModel>,
    measure: Measure,
    extensions: Extensions,
    walk: Walk,
    /// The model's number for each target word of the table.
    target: Vec<u32>,
}

/// A source word in a graph, and its candidate translations from the options.
struct SourceWord {
    word: u32,
    numbers: FastMap<Translation, u32>,
    candidates: Vec<Translation>,
}

impl Gm {
    pub fn new(
        model: Arc<GmModel>,
        measure: Measure,
        extensions: Extensions,
        walk: Walk,
        table: &Table,
    ) -> Self {
        let (known, words) = (model.target_words(), table.target_words());
        let number = |word: u32| known.get(words.word(word)).unwrap_or(UNKNOWN_WORD);
        let target = (0..words.len() as u32).map(number).collect();
        Gm { model, measure, extensions, walk, target }
    }

    /// The pairs of related words of a sentence, by position: neighbouring content words that occur together more often
    /// than by chance (section 2.1).
    fn related(&self, sentence: &Sentence) -> Result<Vec<(usize, usize)>> {
        let words = sentence.words.len();
        if sentence.tags.len() != words || sentence.heads.len() != words {
            return Err(Error::input(
                "this sentence has no dependency tree with parts of speech; gm needs one.",
            )
            .hint("Pass the sentence as CoNLL-U with UPOS and HEAD."));
        }
        let classes = classes(sentence);
        let known = self.model.source_words();
        let number = |(word, &class): (&String, &Class)| match class {
            Class::Other => None,
            class => known.get(word).map(|word| self.model.source_number(word, class)),
        };
        let numbers: Vec<Option<u32>> = sentence.words.iter().zip(&classes).map(number).collect();
        let mut pairs = Vec::new();
        for (a, one) in numbers.iter().enumerate().filter_map(|(at, number)| Some((at, (*number)?))) {
            for b in (a + 1..words).take(self.model.window()) {
                let Some(other) = numbers[b] else { continue };
                if may_be_related(a, b, &classes, &sentence.heads) && self.model.related(one, other) {
                    pairs.push((a, b));
                }
            }
        }
        Ok(pairs)
    }

    fn translation(&self, row: &OptionRow<'_>, index: usize, links: &mut Vec<u8>) -> Translation {
        links.clear();
        links.extend(row.alignment.iter().filter(|&(s, _)| usize::from(s) == index).map(|(_, t)| t));
        links.sort_unstable();
        links.dedup();
        let word =
            |&t: &u8| self.target.get(row.target[usize::from(t)] as usize).copied().unwrap_or(UNKNOWN_WORD);
        Translation::of(links.iter().map(word))
    }

    /// The source words with their candidates; `chosen` is called with each option, each position it covers, and the
    /// candidate it uses there.
    fn source_words(
        &self,
        options: &dyn OptionColumns,
        sentence: &Sentence,
        pairs: &[(usize, usize)],
        mut chosen: impl FnMut(usize, usize, u32),
    ) -> Vec<Option<SourceWord>> {
        let known = self.model.source_words();
        let mut source_words: Vec<Option<SourceWord>> = Vec::new();
        source_words.resize_with(sentence.words.len(), || None);
        for position in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            let word = known.get(&sentence.words[position]).unwrap_or(0);
            source_words[position].get_or_insert_with(|| SourceWord {
                word,
                numbers: FastMap::default(),
                candidates: Vec::new(),
            });
        }
        let (mut option, mut links) = (0, Vec::new());
        options.each(&mut |row| {
            if !row.copied {
                for (index, &position) in row.positions.iter().enumerate() {
                    let Some(source_word) = &mut source_words[position] else { continue };
                    let translation = self.translation(&row, index, &mut links);
                    let candidates = &mut source_word.candidates;
                    let candidate = *source_word.numbers.entry(translation).or_insert_with(|| {
                        candidates.push(translation);
                        candidates.len() as u32 - 1
                    });
                    chosen(option, position, candidate);
                }
            }
            option += 1;
        });
        source_words
    }

    fn infer(&self, source_words: &[Option<SourceWord>], pairs: &[(usize, usize)]) -> Vec<SentenceGraph> {
        let mut graphs = Vec::new();
        // A word with no candidates but a copy leaves nothing to choose.
        let has_candidates = |&position: &usize| {
            source_words[position].as_ref().is_some_and(|source_word| !source_word.candidates.is_empty())
        };
        for positions in components(source_words.len(), pairs) {
            let positions: Vec<usize> = positions.into_iter().filter(has_candidates).collect();
            if positions.is_empty() {
                continue;
            }
            let words: Vec<Word> = positions
                .iter()
                .filter_map(|&at| Some(self.word(source_words[at].as_ref()?, source_words)))
                .collect();
            let at = |position: usize| positions.binary_search(&position).ok();
            let own: Vec<(usize, usize)> =
                pairs.iter().filter_map(|&(a, b)| Some((at(a)?, at(b)?))).collect();
            let relatedness = |t: u32, u: u32| self.model.relatedness(self.measure, t, u);
            let graph = Graph::infer(&words, &own, relatedness, self.extensions, &self.walk);
            graphs.push(SentenceGraph { positions, words, pairs: own, graph });
        }
        graphs
    }

    fn word(&self, source_word: &SourceWord, source_words: &[Option<SourceWord>]) -> Word {
        let same = |other: &&SourceWord| other.word == source_word.word;
        let tf = source_words.iter().flatten().filter(same).count() as f64;
        let candidate = |&translation: &Translation| Candidate {
            translation,
            count: self.model.count(source_word.word, translation),
            content: translation.words().filter_map(|word| self.model.target_number(word)).collect(),
        };
        Word {
            importance: tf * self.model.idf(source_word.word),
            candidates: source_word.candidates.iter().map(candidate).collect(),
        }
    }

    /// The translation graphs of a sentence, for inspection.
    pub fn graphs(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<SentenceGraph>> {
        let pairs = self.related(sentence)?;
        let source_words = self.source_words(options, sentence, &pairs, |_, _, _| ());
        Ok(self.infer(&source_words, &pairs))
    }

    pub fn model(&self) -> &GmModel {
        &self.model
    }
}

/// GM with its settings, for any rule table.
pub struct GmSelector {
    pub model: Arc<GmModel>,
    pub measure: Measure,
    pub extensions: Extensions,
    pub walk: Walk,
}

impl Selector for GmSelector {
    fn for_table(&self, table: &Arc<Table>) -> Result<Arc<dyn Annotator>> {
        Ok(Arc::new(Gm::new(self.model.clone(), self.measure, self.extensions, self.walk, table)))
    }
}

impl Annotator for Gm {
    fn columns(&self) -> usize {
        1
    }

    fn check(&self) -> Result<()> {
        self.model.check()
    }

    fn annotate(&self, options: &dyn OptionColumns, sentence: &Sentence) -> Result<Vec<f32>> {
        let mut values = vec![0.0; options.number()];
        let pairs = self.related(sentence)?;
        if pairs.is_empty() {
            return Ok(values);
        }
        let mut chosen: Vec<(u32, u32, u32)> = Vec::new();
        let source_words = self.source_words(options, sentence, &pairs, |option, position, candidate| {
            chosen.push((option as u32, position as u32, candidate));
        });
        let mut logs: Vec<Vec<f32>> = vec![Vec::new(); source_words.len()];
        for one in self.infer(&source_words, &pairs) {
            for (&position, found) in one.positions.iter().zip(&one.graph.scores) {
                let log = |found: &CandidateScore| found.probability.max(MIN_PROBABILITY).ln() as f32;
                logs[position] = found.iter().map(log).collect();
            }
        }
        for (option, position, candidate) in chosen {
            values[option as usize] += logs[position as usize][candidate as usize];
        }
        Ok(values)
    }
}

/// The connected components of the positions in pairs, each in ascending order.
fn components(words: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut root: Vec<usize> = (0..words).collect();
    fn find(root: &mut [usize], mut at: usize) -> usize {
        while root[at] != at {
            root[at] = root[root[at]];
            at = root[at];
        }
        at
    }
    for &(a, b) in pairs {
        let (a, b) = (find(&mut root, a), find(&mut root, b));
        root[a.max(b)] = a.min(b);
    }
    let mut paired = vec![false; words];
    pairs.iter().for_each(|&(a, b)| (paired[a], paired[b]) = (true, true));
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); words];
    for word in (0..words).filter(|&word| paired[word]) {
        let of = find(&mut root, word);
        all[of].push(word);
    }
    all.retain(|one| !one.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_by_hand() {
        assert_eq!(components(7, &[(1, 2), (4, 6), (2, 5)]), [vec![1, 2, 5], vec![4, 6]]);
        assert!(components(3, &[]).is_empty());
    }
}
