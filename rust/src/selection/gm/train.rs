//! Trains a model from an aligned corpus: one pass over the pairs, then one over target text once its content words are
//! known.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::chunk_counts::{count_chunk, ChunkCounts};
use super::link_counts::LinkCounts;
use super::model::FORMAT;
use super::pairs::{Pairs, NO_KEY};
use super::text::{source_text, target_text, CHUNK, SENTENCES_PER_TASK};
use super::word_keys::{Lemmatise, Side, WordKeys};
use super::write;
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::{Error, Result};
use crate::selection::classes::Class;
use crate::store::mapped::Writer;
use crate::store::runs::Runs;
use crate::store::vocab::Interner;

#[derive(Clone, Debug)]
pub struct GmSettings {
    /// d_s: the greatest distance between two related source words, in positions.
    pub source_window: usize,
    /// d_t: the same for target words.
    pub target_window: usize,
    /// cf: related source words occur together more often than this.
    pub count: u64,
    /// Related source words have a pointwise mutual information above this.
    pub pmi: f64,
    /// Pairs of target words with a count up to this are dropped.
    pub target_count: u64,
    /// Bytes of counted pairs in memory.
    pub budget: usize,
}

/// Additional monolingual text, in the same form as the corpus.
#[derive(Clone, Debug, Default)]
pub struct Monolingual {
    /// Source text with its trees: preprocessed words, one sentence a line, and CoNLL-U.
    pub source: Vec<(PathBuf, PathBuf)>,
    pub target: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    pub pairs: u64,
    pub source_words: u64,
    /// Pairs of related source words.
    pub source_related: u64,
    pub target_words: u64,
    /// Target words classified as content words.
    pub target_content: u64,
    pub target_pairs: u64,
    pub translations: u64,
}

/// Collects the statistics of a corpus and writes the model. `progress` gets the number of sentences read so far.
pub fn train(
    files: &Files,
    more: &Monolingual,
    settings: &GmSettings,
    lemmatise: Lemmatise<'_>,
    folder: &Path,
    out: &Path,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<Report> {
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut numbers = WordKeys::default();
    let make = |name: &str| {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, &error)).map(|()| folder)
    };
    let mut source_pairs = Pairs::new(&make("source")?, settings.budget / 3);
    let mut translations = Runs::new(&make("translations")?, settings.budget / 3);
    let (mut sentences_with, mut link_counts): (Vec<u32>, Vec<LinkCounts>) = (Vec::new(), Vec::new());
    let mut report = Report::default();
    if files.trees.is_none() {
        return Err(Error::input("gm needs the parts of speech of the source words.")
            .at(&files.source, None)
            .hint("Pass the source side as CoNLL-U, for example from graphmt corpus parse."));
    }
    let mut reader = PairReader::open(files)?;
    let mut read = 0;
    loop {
        let pairs = reader.read(CHUNK, &mut source, &mut target)?;
        if pairs.is_empty() {
            break;
        }
        numbers.grow(&source, Side::Source, lemmatise)?;
        sentences_with.resize(source.len(), 0);
        link_counts.resize(target.len(), LinkCounts::default());
        let tags: Vec<Class> = reader.tags.iter().map(Class::of).collect();
        let count = |share: &[Pair]| count_chunk(share, &tags, &numbers, settings.source_window);
        let shares: Vec<ChunkCounts> = pairs.par_chunks(SENTENCES_PER_TASK).map(count).collect();
        for share in shares {
            source_pairs.push(share.pairs)?;
            translations.push(share.translations)?;
            share.sentences_with.iter().for_each(|(&word, n)| sentences_with[word as usize] += n);
            share.link_counts.iter().for_each(|(&word, vote)| link_counts[word as usize].add(vote));
        }
        report.pairs += pairs.len() as u64;
        read += pairs.len() as u64;
        progress(read)?;
    }
    if report.pairs == 0 {
        return Err(Error::input("no sentence pairs.").at(&files.source, None).hint("Is the file empty?"));
    }
    for (text, trees) in &more.source {
        source_text(
            text,
            trees,
            &source,
            &numbers,
            settings.source_window,
            &mut source_pairs,
            |sentences| {
                read += sentences;
                progress(read)
            },
        )?;
    }

    // This pass needs the content words of the target side.
    let mut target_numbers = WordKeys::default();
    target_numbers.grow(&target, Side::Target, lemmatise)?;
    let key = |(word, vote): (usize, &LinkCounts)| match (vote.is_content(), vote.keeps_form()) {
        (false, _) => NO_KEY,
        (true, true) => target_numbers.form[word],
        (true, false) => target_numbers.lemma[word],
    };
    let target_keys: Vec<u32> = link_counts.iter().enumerate().map(key).collect();
    let mut target_pairs = Pairs::new(&make("target")?, settings.budget / 3);
    for path in std::iter::once(&files.target).chain(&more.target) {
        target_text(path, &target, &target_keys, settings.target_window, &mut target_pairs, |sentences| {
            read += sentences;
            progress(read)
        })?;
    }

    report.source_words = source.len() as u64;
    report.target_words = target.len() as u64;
    report.target_content = target_keys.iter().filter(|&&key| key != NO_KEY).count() as u64;
    let (sentences, settings) = (report.pairs as f64, settings);
    let idf: Vec<f32> =
        sentences_with.iter().map(|&with| ((sentences + 1.0) / f64::from(with.max(1))).ln() as f32).collect();

    let mut writer = Writer::create(out, FORMAT)?;
    writer.section(format!("{{\"pairs\": {}}}", report.pairs).as_bytes())?;
    writer.section(&[settings.source_window as u32])?;
    write::vocabulary(&mut writer, &source)?;
    writer.section(&numbers.lemma)?;
    writer.section(&numbers.form)?;
    writer.section(&idf)?;
    report.source_related =
        write::related(&mut writer, &mut source_pairs, numbers.keys.len(), settings.count, settings.pmi)?;
    report.translations = write::translations(&mut writer, &mut translations, source.len())?;
    write::vocabulary(&mut writer, &target)?;
    writer.section(&target_keys)?;
    report.target_pairs =
        write::near(&mut writer, &mut target_pairs, target_numbers.keys.len(), settings.target_count)?;
    writer.finish()?;
    Ok(report)
}
