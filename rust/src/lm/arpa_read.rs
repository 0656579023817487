//! Converts an ARPA file to a binary model.
//!
//! All n-grams are held in memory, 40 bytes for each, because the file may list them in any order. SRILM omits n-grams
//! that are needed as suffixes of longer ones; they are added with their backed-off score, which changes no score of
//! the model.

use std::path::Path;

use rayon::prelude::*;

use super::arpa_parse::{ArpaParser, Ngram};
use super::build::Builder;
use super::record::{Key, Record};
use super::{Progress, Sink, BOS, EOS, MAX_ORDER, SPECIAL_WORDS, UNK};
use crate::error::{Error, Result};
use crate::store::vocab::Interner;
use crate::work::threads;

/// log10 probability of unknown words if the file has none.
pub const MISSING_UNKNOWN: f32 = -100.0;

/// The result of a conversion.
pub struct Report {
    /// N-grams of each order, including added ones.
    pub counts: Vec<u64>,
    /// N-grams added as suffixes of others.
    pub added: u64,
    /// Whether the file had `<unk>`.
    pub has_unknown: bool,
}

/// The n-grams of one order.
#[derive(Default)]
struct Section {
    /// In suffix order after [`Section::sort`]; the value is the index into `scores`, out of range for added ones.
    ngrams: Vec<Record>,
    scores: Vec<(f32, f32)>,
    /// The line of the first; a blank line ends a section, so the others follow without gaps.
    first_line: u64,
}

impl Section {
    fn sort(&mut self) {
        self.ngrams.par_sort_unstable_by(|a, b| (a.key, a.value).cmp(&(b.key, b.value)));
    }

    fn line(&self, record: &Record) -> u64 {
        self.first_line + record.value
    }
}

/// Converts `arpa` to the binary model `out`. `threads` as in estimation: 0 for one per core.
pub fn build(arpa: &Path, out: &Path, threads: usize, progress: &Progress) -> Result<Report> {
    threads::on(threads, || {
        let (words, mut sections, has_unknown) = read(arpa, progress)?;
        let added = complete(&mut sections);
        let counts: Vec<u64> = sections.iter().map(|section| section.ngrams.len() as u64).collect();
        let mut builder = Builder::new(out);
        builder.begin(&words, &counts)?;
        for (index, section) in sections.iter().enumerate() {
            progress("writing", counts[..index].iter().sum(), counts.iter().sum())?;
            write(index + 1, section, &words, arpa, &mut builder)?;
        }
        builder.finish()?;
        Ok(Report { counts, added, has_unknown })
    })
}

fn read(arpa: &Path, progress: &Progress) -> Result<(Interner, Vec<Section>, bool)> {
    let mut parser = ArpaParser::open(arpa)?;
    let counts = parser.counts.clone();
    let mut words = Interner::with(&SPECIAL_WORDS)?;
    let unigrams = read_unigrams(&mut parser, &mut words)?;
    let has_unknown = unigrams.scores[UNK as usize].0 > f32::NEG_INFINITY;
    let mut sections = vec![unigrams];
    if !has_unknown {
        sections[0].scores[UNK as usize].0 = MISSING_UNKNOWN;
    }
    for order in 2..=counts.len() {
        progress("reading", counts[..order - 1].iter().sum(), counts.iter().sum())?;
        let mut section = Section::default();
        section.first_line = parser.section(order, |parser, ngram| {
            let key = key(parser, &words, &ngram)?;
            section.ngrams.push(Record { key, value: section.scores.len() as u64 });
            section.scores.push((ngram.prob, ngram.backoff));
            Ok(())
        })?;
        section.sort();
        if let Some(pair) = section.ngrams.windows(2).find(|pair| pair[0].key == pair[1].key) {
            return Err(Error::input(format!(
                "the n-gram {:?} occurs twice, first in line {}.",
                spelled(&words, order, &pair[0].key),
                section.line(&pair[0])
            ))
            .at(parser.path(), Some(section.line(&pair[1])))
            .hint("Keep one of the two, and correct the count in the \\data\\ section."));
        }
        sections.push(section);
    }
    parser.end()?;
    Ok((words, sections, has_unknown))
}

/// Some toolkits write `<UNK>`.
fn canonical(word: &str) -> &str {
    if word == "<UNK>" {
        SPECIAL_WORDS[UNK as usize]
    } else {
        word
    }
}

/// Unigrams are stored by word number, whatever their order in the file.
fn read_unigrams(parser: &mut ArpaParser, words: &mut Interner) -> Result<Section> {
    let mut section = Section::default();
    section.scores.resize(SPECIAL_WORDS.len(), (f32::NEG_INFINITY, 0.0));
    section.first_line = parser.section(1, |parser, ngram| {
        let id = words.intern(canonical(ngram.words[0]))? as usize;
        if id < section.scores.len() && section.scores[id].0 > f32::NEG_INFINITY {
            return Err(parser
                .error(format!("the word {:?} occurs twice.", ngram.words[0]))
                .hint("Keep one of the two, and correct the count in the \\data\\ section."));
        }
        section.scores.resize(words.len(), (f32::NEG_INFINITY, 0.0));
        section.scores[id] = (ngram.prob, ngram.backoff);
        Ok(())
    })?;
    for id in [BOS, EOS] {
        if section.scores[id as usize].0 == f32::NEG_INFINITY {
            return Err(parser
                .error(format!("{} is missing from the unigrams.", SPECIAL_WORDS[id as usize]))
                .hint("It is required: estimate the model with sentence boundaries."));
        }
    }
    section.ngrams =
        (0..words.len() as u32).map(|id| Record { key: Key::new(&[id]), value: u64::from(id) }).collect();
    Ok(section)
}

fn key(parser: &ArpaParser, words: &Interner, ngram: &Ngram) -> Result<Key> {
    let mut ids = [0; MAX_ORDER];
    let order = ngram.words.len();
    for (place, word) in ngram.words.iter().rev().enumerate() {
        ids[place] = match words.get(canonical(word)) {
            Some(id) => id,
            None => {
                return Err(parser
                    .error(format!("the word {word:?} of this n-gram has no unigram."))
                    .hint("Every word needs a unigram; create the file again."))
            }
        };
    }
    Ok(Key::new(&ids[..order]))
}

fn spelled(words: &Interner, order: usize, key: &Key) -> String {
    let spelled: Vec<&str> = (0..order).rev().map(|place| words.word(key.word(place))).collect();
    spelled.join(" ")
}

/// Adds the missing suffixes, from the longest n-grams down. Returns their number.
fn complete(sections: &mut [Section]) -> u64 {
    let mut added = 0;
    for order in (3..=sections.len()).rev() {
        let (shorter, longer) = sections.split_at_mut(order - 1);
        let shorter = &mut shorter[order - 2];
        let mut missing: Vec<Record> = Vec::new();
        let mut at = 0;
        for ngram in &longer[0].ngrams {
            let suffix = ngram.key.prefix(order - 1);
            while shorter.ngrams.get(at).is_some_and(|other| other.key < suffix) {
                at += 1;
            }
            let there = shorter.ngrams.get(at).is_some_and(|other| other.key == suffix);
            if !there && missing.last().map(|last| last.key) != Some(suffix) {
                missing.push(Record { key: suffix, value: u64::MAX });
            }
        }
        added += missing.len() as u64;
        if !missing.is_empty() {
            shorter.ngrams.append(&mut missing);
            shorter.sort();
        }
    }
    added
}

fn write(
    order: usize,
    section: &Section,
    words: &Interner,
    arpa: &Path,
    builder: &mut Builder,
) -> Result<()> {
    for record in &section.ngrams {
        let context = record.key.popped();
        let given = section.scores.get(record.value as usize);
        if order > 1 && !builder.mark_context(order - 1, &context) {
            let ngram = spelled(words, order, &record.key);
            let lacking = spelled(words, order - 1, &context);
            return Err(Error::input(format!("the context {lacking:?} of the n-gram {ngram:?} is missing."))
                .at(arpa, given.map(|_| section.line(record)))
                .hint("Every n-gram needs its context as a shorter n-gram; create the file again."));
        }
        let (prob, backoff) = match given {
            Some(&scores) => scores,
            None => (backed_off(order, &record.key, &context, builder)?, 0.0),
        };
        // Contexts are marked while the next order is read.
        let unmarked = if backoff == 0.0 { -0.0 } else { backoff };
        builder.ngram(order, &record.key, prob, unmarked)?;
    }
    Ok(())
}

/// The score of an n-gram that is not in the file, computed from shorter ones that are.
fn backed_off(order: usize, key: &Key, context: &Key, builder: &mut Builder) -> Result<f32> {
    let suffix = builder.entry(order - 1, &key.prefix(order - 1));
    let context = builder.entry(order - 1, context);
    match (suffix, context) {
        (Some((prob, _)), Some((_, backoff))) => Ok((prob + backoff).min(0.0)),
        _ => Err(Error::internal("a suffix was added without its own parts.")),
    }
}
