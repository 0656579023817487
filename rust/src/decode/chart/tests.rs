//! The chart search with a hypothesis feature beside its own, on small random models.

use std::path::Path;
use std::sync::Arc;

use super::cube::CubeLimits;
use super::decoder::{ChartDecoder, ChartSettings};
use super::derivation::derive;
use super::system::System;
use crate::align::lexical::LexicalTable;
use crate::corpus::pair::Pair;
use crate::decode::features::{column, Weights};
use crate::decode::hypothesis_feature::repeats::Repeats;
use crate::decode::preparation::RuleFilter;
use crate::decode::sentence::Sentence;
use crate::decode::stack::tests::{Dice, WORDS};
use crate::decode::translator::{NBestRequest, Translator};
use crate::extract::corpus::Extraction;
use crate::extract::extractor::Extractor;
use crate::extract::hierarchical::{Hierarchical, HoleLimits, Strings};
use crate::extract::score::ScoreSettings;
use crate::extract::smooth::Smoothing;
use crate::lm::{arpa_read, Model};
use crate::store::vocab::Interner;
use crate::table::build::Builder;
use crate::table::read::Table;

/// A bigram model of the target words.
fn language_model(dice: &mut Dice, folder: &Path) -> Model {
    let words = WORDS.map(str::to_uppercase);
    let mut text = "\\data\\\nngram 1=9\nngram 2=6\n\n\\1-grams:\n".to_owned();
    text += "-3\t<unk>\t-0.3\n-2\t<s>\t-0.3\n-1\t</s>\n";
    words.iter().for_each(|word| text += &format!("-{}.5\t{word}\t-0.2\n", dice.below(3)));
    text += "\n\\2-grams:\n";
    words.iter().for_each(|word| text += &format!("-0.3\t{word} {}\n", words[dice.below(6)]));
    let (arpa, path) = (folder.join("arpa"), folder.join("lm"));
    std::fs::write(&arpa, text + "\n\\end\\\n").unwrap();
    arpa_read::build(&arpa, &path, 1, &|_, _, _| Ok(())).unwrap();
    Model::open(&path).unwrap()
}

/// The rules with holes of random sentence pairs.
fn rules(dice: &mut Dice, folder: &Path) -> Table {
    let limits = HoleLimits { max_length: 5, max_symbols: 4, max_holes: 2, min_hole: 1 };
    let extractor = Hierarchical { grammar: Strings, limits };
    let (first_source, first_target) = extractor.symbols();
    let (mut source, mut target) =
        (Interner::with(first_source).unwrap(), Interner::with(first_target).unwrap());
    let sources = WORDS.map(|word| source.intern(word).unwrap());
    let targets = WORDS.map(|word| target.intern(&word.to_uppercase()).unwrap());
    let pairs: Vec<Pair> = (0..12)
        .map(|_| {
            let n = 2 + dice.below(4);
            Pair {
                source: (0..n).map(|_| sources[dice.below(5)]).collect(),
                heads: vec![-1; n],
                target: (0..n).map(|_| targets[dice.below(6)]).collect(),
                points: (0..n).map(|word| (word as u16, dice.below(n) as u16)).collect(),
                ..Pair::default()
            }
        })
        .collect();
    let mut extraction = Extraction::new(&extractor, folder, usize::MAX);
    extraction.add(&pairs).unwrap();
    let path = folder.join("rules");
    let builder = Builder::create(&path, extractor.settings()).unwrap();
    let lexical = LexicalTable::default();
    extraction
        .write_table(builder, &lexical, ScoreSettings::all(Smoothing::None), &source, &target, |_| {
            "{}".to_owned()
        })
        .unwrap();
    Table::open(&path).unwrap()
}

/// Scores of the search are those of its derivations, whose values are those of their texts; a feature without weights
/// changes nothing.
#[test]
fn a_decoder_takes_further_hypothesis_features() {
    type Features = (Repeats, ());
    let folder = tempfile::tempdir().unwrap();
    let request = NBestRequest { n_best: 50, distinct: false, graph: false, words_only: false };
    let mut changed = 0;
    for seed in 0..4 {
        let mut dice = Dice(seed);
        let lm = Arc::new(language_model(&mut dice, folder.path()));
        let table = Arc::new(rules(&mut dice, folder.path()));
        let words: Vec<String> = (0..5).map(|_| WORDS[dice.below(6)].to_owned()).collect();
        let sentence = Sentence { surface: words.clone(), words, ..Sentence::default() };
        let mut plain: Vec<f32> = (0..column::REGISTERED).map(|_| dice.below(1000) as f32 / 1000.0).collect();
        plain[column::REORDERING..].fill(0.0);
        let settings = ChartSettings {
            limits: CubeLimits {
                pops: 10_000,
                cell: 10_000,
                threshold: f32::INFINITY,
                keep_hyperedges: false,
            },
            max_span: 5,
            filter: RuleFilter::basic(5),
        };
        let weights = Weights::new(plain.clone()).unwrap();
        let before = ChartDecoder::new(System::Hierarchical, table, lm, weights, settings).unwrap();
        let with = |own: [f32; 2]| {
            let values = [&plain[..], &own].concat();
            before
                .with_features::<Features>((Repeats, ()), Weights::for_features::<Features>(values).unwrap())
        };
        let plain_list = before.translate(&sentence, &request, None).unwrap().best;
        let off = with([0.0, 0.0]).translate(&sentence, &request, None).unwrap().best;
        assert_eq!(plain_list.len(), off.len());
        for (one, other) in plain_list.iter().zip(&off) {
            assert_eq!((one.target(), one.score), (other.target(), other.score));
        }
        let decoder = with([3.0, 2.0]);
        let features = decoder.features(&sentence);
        let chart = decoder.search(&sentence, &features, true, None).unwrap();
        chart.k_best(false, |derivations| {
            let best = derive(&chart, derivations, 0, false).unwrap();
            changed += usize::from(best.target() != plain_list[0].target());
            for rank in 0..50 {
                let Some(found) = derivations.get(chart.forest.goal, rank) else { break };
                let one = derive(&chart, derivations, rank, false).unwrap();
                assert_eq!(one.features[column::REGISTERED..], Repeats::count(&one.target()));
                assert!((found.score - one.score).abs() < 1e-3, "{} {}", found.score, one.score);
                assert!(one.score <= best.score + 1e-3);
            }
        });
    }
    assert!(changed > 0, "the feature changed a translation");
}
