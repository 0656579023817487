//! From an aligned corpus to a model: one pass over the pairs, and one over target text once its content words are
//! known.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::model::FORMAT;
use super::pairs::{push_pairs, Pairs, NONE, ONCE};
use super::translations::{Translation, MOST};
use crate::corpus::conllu::{MultiwordTokens, Reader as Trees};
use crate::corpus::text::Lines;
use crate::corpus::tokens::tokens;
use crate::corpus::trees::Column;
use crate::error::{Error, Result};
use crate::extract::corpus::Pair;
use crate::extract::reader::{Files, PairReader};
use crate::extract::runs::{Heap, Run, Runs, ONE};
use crate::hashing::FastMap;
use crate::mapped::Writer;
use crate::selection::classes::Class;
use crate::vocab::Interner;

/// Sentences read at a time: work for every thread, and little memory.
const CHUNK: usize = 16_384;
/// Sentences that one thread takes.
const SHARE: usize = 1024;

#[derive(Clone, Debug)]
pub struct Settings {
    /// d_s: most positions between two related source words.
    pub source_window: usize,
    /// d_t: the same for target words.
    pub target_window: usize,
    /// cf: source words must occur together more often than this.
    pub count: u64,
    /// Source words must have more pointwise mutual information than this.
    pub pmi: f64,
    /// Pairs of target words that were not seen together more often than this are forgotten.
    pub target_count: u64,
    /// Bytes of counted pairs in memory.
    pub budget: usize,
}

/// Further text of one language, in the form that the corpus has.
#[derive(Clone, Debug, Default)]
pub struct Monolingual {
    /// Source text with its trees: words as the model sees them, a line each, and CoNLL-U.
    pub source: Vec<(PathBuf, PathBuf)>,
    pub target: Vec<PathBuf>,
}

/// Which side words belong to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    Source,
    Target,
}

/// Gives the lemmas of words.
pub type Lemmatise<'a> = &'a (dyn Fn(Side, &[&str]) -> Result<Vec<String>> + Sync);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    pub pairs: u64,
    pub source_words: u64,
    /// Pairs of related source words.
    pub source_related: u64,
    pub target_words: u64,
    /// Target words taken for content words.
    pub target_content: u64,
    pub target_pairs: u64,
    pub translations: u64,
}

/// What one-to-one links say of a target word: how often it occurs at all, with such a link to a content word, to an
/// adjective or adverb, to a function word.
#[derive(Clone, Copy, Debug, Default)]
struct Votes {
    seen: u64,
    content: u64,
    function: u64,
    keeps_form: u64,
}

impl Votes {
    /// Whether the word is a content word. Function words have one-to-one links to function words, or they have few of
    /// them: they hang on the words around them.
    fn is_content(&self) -> bool {
        self.content > 2 * self.function && 10 * self.content >= self.seen
    }

    fn keeps_form(&self) -> bool {
        2 * self.keeps_form > self.content
    }
}

/// Numbers of words and of their lemmas in relatedness.
#[derive(Default)]
struct Numbers {
    keys: Interner,
    lemma: Vec<u32>,
    form: Vec<u32>,
}

impl Numbers {
    /// Learns the words that are new.
    fn grow(&mut self, words: &Interner, side: Side, lemmatise: Lemmatise<'_>) -> Result<()> {
        let new: Vec<&str> = (self.lemma.len() as u32..words.len() as u32).map(|id| words.word(id)).collect();
        let lemmas = if new.is_empty() { Vec::new() } else { lemmatise(side, &new)? };
        if lemmas.len() != new.len() {
            return Err(Error::internal(format!("{} lemmas for {} words.", lemmas.len(), new.len())));
        }
        for (word, lemma) in new.iter().zip(&lemmas) {
            self.form.push(self.keys.intern(word)?);
            self.lemma.push(self.keys.intern(lemma)?);
        }
        Ok(())
    }

    fn of(&self, word: u32, class: Class) -> u32 {
        match class {
            Class::Other => NONE,
            class if class.keeps_form() => self.form[word as usize],
            _ => self.lemma[word as usize],
        }
    }
}

/// What one thread found in its share of the pairs.
struct Share {
    pairs: Run,
    translations: Run,
    sentences_with: FastMap<u32, u32>,
    votes: FastMap<u32, Votes>,
}

fn look(share: &[Pair], tags: &[Class], numbers: &Numbers, window: usize) -> Share {
    let (mut pairs, mut translations) = (Heap::default(), Heap::default());
    let mut sentences_with: FastMap<u32, u32> = FastMap::default();
    let mut votes: FastMap<u32, Votes> = FastMap::default();
    let mut links: Vec<Vec<u16>> = Vec::new();
    for pair in share {
        let classes: Vec<Class> = pair.tags.iter().map(|&tag| tags[tag as usize]).collect();
        let keys: Vec<u32> =
            pair.source.iter().zip(&classes).map(|(&word, &class)| numbers.of(word, class)).collect();
        push_pairs(&keys, window, &mut pairs);
        let mut distinct = pair.source.clone();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.iter().for_each(|&word| *sentences_with.entry(word).or_default() += 1);

        links.iter_mut().for_each(Vec::clear);
        links.resize_with(links.len().max(pair.source.len()), Vec::new);
        let mut linked_to = vec![0u32; pair.target.len()];
        let mut points = pair.points.clone();
        points.sort_unstable();
        points.dedup();
        for &(s, t) in &points {
            links[s as usize].push(t);
            linked_to[t as usize] += 1;
        }
        for &word in &pair.target {
            votes.entry(word).or_default().seen += 1;
        }
        for (s, &word) in pair.source.iter().enumerate() {
            let made = Translation::of(links[s].iter().map(|&t| pair.target[t as usize]));
            let mut record = [0; 4 + 4 * MOST];
            record[..4].copy_from_slice(&word.to_be_bytes());
            for (k, target) in made.0.iter().enumerate() {
                record[4 + 4 * k..8 + 4 * k].copy_from_slice(&target.to_be_bytes());
            }
            translations.push(&record, ONCE);
            if let [t] = links[s][..] {
                if linked_to[t as usize] == 1 {
                    let vote = votes.entry(pair.target[t as usize]).or_default();
                    vote.content += u64::from(classes[s].is_content());
                    vote.function += u64::from(!classes[s].is_content());
                    vote.keeps_form += u64::from(classes[s].keeps_form());
                }
            }
        }
    }
    Share { pairs: pairs.into_run(), translations: translations.into_run(), sentences_with, votes }
}

/// Collects the statistics of a corpus and writes the model. `progress` is told the sentences read so far.
#[allow(clippy::too_many_arguments)] // One call, from the bindings.
pub fn train(
    files: &Files,
    more: &Monolingual,
    settings: &Settings,
    lemmatise: Lemmatise<'_>,
    folder: &Path,
    out: &Path,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<Report> {
    let (mut source, mut target) = (Interner::default(), Interner::default());
    let mut numbers = Numbers::default();
    let make = |name: &str| {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, &error)).map(|()| folder)
    };
    let mut source_pairs = Pairs::new(&make("source")?, settings.budget / 3);
    let mut translations = Runs::new(&make("translations")?, settings.budget / 3);
    let (mut sentences_with, mut votes): (Vec<u32>, Vec<Votes>) = (Vec::new(), Vec::new());
    let mut report = Report::default();
    if files.trees.is_none() {
        return Err(Error::input("gm needs the parts of speech of the source words.")
            .at(&files.source, None)
            .hint("Give the source side as CoNLL-U: graphmt corpus parse makes it."));
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
        votes.resize(target.len(), Votes::default());
        let tags: Vec<Class> = reader.tags.iter().map(Class::of).collect();
        let look = |share: &[Pair]| look(share, &tags, &numbers, settings.source_window);
        let shares: Vec<Share> = pairs.par_chunks(SHARE).map(look).collect();
        for share in shares {
            source_pairs.push(share.pairs)?;
            translations.push(share.translations)?;
            share.sentences_with.iter().for_each(|(&word, n)| sentences_with[word as usize] += n);
            for (&word, vote) in &share.votes {
                let all = &mut votes[word as usize];
                all.seen += vote.seen;
                all.content += vote.content;
                all.function += vote.function;
                all.keeps_form += vote.keeps_form;
            }
        }
        report.pairs += pairs.len() as u64;
        read += pairs.len() as u64;
        progress(read)?;
    }
    if report.pairs == 0 {
        return Err(Error::input("no sentence pairs.").at(&files.source, None).hint("Is the file empty?"));
    }
    for (text, trees) in &more.source {
        more_source(text, trees, &source, &numbers, settings, &mut source_pairs, |sentences| {
            read += sentences;
            progress(read)
        })?;
    }

    // Now that the words of the target side are known.
    let mut target_numbers = Numbers::default();
    target_numbers.grow(&target, Side::Target, lemmatise)?;
    let key = |(word, vote): (usize, &Votes)| match (vote.is_content(), vote.keeps_form()) {
        (false, _) => NONE,
        (true, true) => target_numbers.form[word],
        (true, false) => target_numbers.lemma[word],
    };
    let target_keys: Vec<u32> = votes.iter().enumerate().map(key).collect();
    let mut target_pairs = Pairs::new(&make("target")?, settings.budget / 3);
    for path in std::iter::once(&files.target).chain(&more.target) {
        more_target(path, &target, &target_keys, settings, &mut target_pairs, |sentences| {
            read += sentences;
            progress(read)
        })?;
    }

    report.source_words = source.len() as u64;
    report.target_words = target.len() as u64;
    report.target_content = target_keys.iter().filter(|&&key| key != NONE).count() as u64;
    let (sentences, settings) = (report.pairs as f64, settings);
    let idf: Vec<f32> =
        sentences_with.iter().map(|&with| ((sentences + 1.0) / f64::from(with.max(1))).ln() as f32).collect();

    let mut writer = Writer::create(out, FORMAT)?;
    writer.section(format!("{{\"pairs\": {}}}", report.pairs).as_bytes())?;
    writer.section(&[settings.source_window as u32])?;
    vocabulary(&mut writer, &source)?;
    writer.section(&numbers.lemma)?;
    writer.section(&numbers.form)?;
    writer.section(&idf)?;
    report.source_related = write_related(&mut writer, &mut source_pairs, numbers.keys.len(), settings)?;
    report.translations = write_translations(&mut writer, &mut translations, source.len())?;
    vocabulary(&mut writer, &target)?;
    writer.section(&target_keys)?;
    report.target_pairs =
        write_near(&mut writer, &mut target_pairs, target_numbers.keys.len(), settings.target_count)?;
    writer.finish()?;
    Ok(report)
}

/// Counts the pairs of further source text. Words that the corpus does not have are passed over: no rule has them.
fn more_source(
    text: &Path,
    trees: &Path,
    words: &Interner,
    numbers: &Numbers,
    settings: &Settings,
    pairs: &mut Pairs,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(text)?;
    let mut trees_read = Trees::open(trees, MultiwordTokens::Surface)?;
    loop {
        let chunk = trees_read.read(CHUNK)?;
        if chunk.is_empty() {
            return Ok(());
        }
        let mut sentences: Vec<Vec<u32>> = Vec::with_capacity(chunk.len());
        for k in 0..chunk.len() {
            let Some(line) = lines.next_line()? else {
                return Err(Error::input("fewer lines than there are trees.").at(text, None));
            };
            let classes = chunk.column(k, Column::Upos).map(Class::of);
            let number =
                |(word, class): (&str, Class)| words.get(word).map_or(NONE, |id| numbers.of(id, class));
            sentences.push(tokens(line).zip(classes).map(number).collect());
        }
        count(&sentences, settings.source_window, pairs)?;
        progress(sentences.len() as u64)?;
    }
}

fn more_target(
    path: &Path,
    words: &Interner,
    keys: &[u32],
    settings: &Settings,
    pairs: &mut Pairs,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    loop {
        let mut sentences: Vec<Vec<u32>> = Vec::new();
        while sentences.len() < CHUNK {
            let Some(line) = lines.next_line()? else { break };
            let number = |word: &str| words.get(word).map_or(NONE, |id| keys[id as usize]);
            sentences.push(tokens(line).map(number).collect());
        }
        if sentences.is_empty() {
            return Ok(());
        }
        count(&sentences, settings.target_window, pairs)?;
        progress(sentences.len() as u64)?;
    }
}

fn count(sentences: &[Vec<u32>], window: usize, pairs: &mut Pairs) -> Result<()> {
    let run = |share: &[Vec<u32>]| {
        let mut heap = Heap::default();
        share.iter().for_each(|sentence| push_pairs(sentence, window, &mut heap));
        heap.into_run()
    };
    let runs: Vec<Run> = sentences.par_chunks(SHARE).map(run).collect();
    runs.into_iter().try_for_each(|run| pairs.push(run))
}

fn vocabulary(writer: &mut Writer, words: &Interner) -> Result<()> {
    let (text, offsets, slots) = words.layout()?;
    writer.section(text)?;
    writer.section(&offsets)?;
    writer.section(&slots)
}

/// Rows of a section, one for each number, written as they come.
struct Rows {
    offsets: Vec<u64>,
    written: u64,
}

impl Rows {
    fn begin(writer: &mut Writer) -> Result<Self> {
        writer.begin()?;
        Ok(Rows { offsets: Vec::new(), written: 0 })
    }

    fn add(&mut self, writer: &mut Writer, number: u32, entry: &[u32]) -> Result<()> {
        while self.offsets.len() <= number as usize {
            self.offsets.push(self.written);
        }
        self.written += 1;
        entry.iter().try_for_each(|value| writer.write(&value.to_le_bytes()))
    }

    fn end(mut self, writer: &mut Writer, numbers: usize) -> Result<u64> {
        self.offsets.resize(numbers + 1, self.written);
        writer.section(&self.offsets)?;
        Ok(self.written)
    }
}

fn write_related(writer: &mut Writer, pairs: &mut Pairs, numbers: usize, settings: &Settings) -> Result<u64> {
    let mut rows = Rows::begin(writer)?;
    let (of_word, total) = (pairs.of_word.clone(), pairs.total);
    pairs.each(|a, b, count| {
        let pmi = super::pairs::pmi(count, of_word[a as usize], of_word[b as usize], total);
        if count > settings.count && pmi > settings.pmi {
            rows.add(writer, a, &[b])?;
        }
        Ok(())
    })?;
    Ok(rows.end(writer, numbers)? / 2)
}

fn write_translations(writer: &mut Writer, runs: &mut Runs, words: usize) -> Result<u64> {
    let mut rows = Rows::begin(writer)?;
    let mut merge = runs.merge()?;
    while let Some((record, counts)) = merge.next()? {
        let number = |k: usize| {
            u32::from_be_bytes([record[4 * k], record[4 * k + 1], record[4 * k + 2], record[4 * k + 3]])
        };
        let count = u32::try_from(counts.occurrences / ONE).unwrap_or(u32::MAX);
        let word = number(0);
        let entry = [number(1), number(2), number(3), count];
        rows.add(writer, word, &entry)?;
    }
    rows.end(writer, words)
}

fn write_near(writer: &mut Writer, pairs: &mut Pairs, numbers: usize, least: u64) -> Result<u64> {
    let mut rows = Rows::begin(writer)?;
    pairs.each(|a, b, count| {
        if count > least {
            rows.add(writer, a, &[b, u32::try_from(count).unwrap_or(u32::MAX)])?;
        }
        Ok(())
    })?;
    Ok(rows.end(writer, numbers)? / 2)
}
