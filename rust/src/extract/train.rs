//! Builds a rule table from the files of a corpus.

use std::path::Path;

use super::corpus::{Extraction, RuleCounts, PAIRS_PER_RUN};
use super::extractor::{Extractor, KINDS};
use super::score::{lexical, ScoreSettings};
use crate::align::lexical_counts::LexicalCounts;
use crate::corpus::pair::Pair;
use crate::corpus::pair_reader::{Files, PairReader};
use crate::error::{Error, Result};
use crate::store::vocab::Interner;
use crate::table::build::Builder;

/// The result of extraction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    pub pairs: u64,
    /// Pairs skipped because a side is longer than any search accepts.
    pub too_long: u64,
    pub rules: RuleCounts,
    /// The names of the kinds of rules.
    pub kinds: [&'static str; KINDS],
}

/// Extracts, scores and writes. `budget` is in bytes, for counted rules; the rest goes to `folder`. `progress` gets the
/// number of pairs read so far.
pub fn train<E: Extractor>(
    files: &Files,
    extractor: &E,
    settings: ScoreSettings,
    out: &Path,
    folder: &Path,
    budget: usize,
    mut progress: impl FnMut(u64) -> Result<()>,
) -> Result<Report> {
    let mut reader = PairReader::open(files)?;
    let (mut source, mut target) = vocabularies(extractor)?;
    let mut counts = LexicalCounts::default();
    let mut extraction = Extraction::new(extractor, folder, budget);
    loop {
        // One run of pairs per thread at a time: their output is not part of the budget yet. Symbols are numbered block
        // by block, so that their numbers do not depend on the number of threads.
        let mut pairs = Vec::new();
        for _ in 0..rayon::current_num_threads() {
            let mut block = reader.read(PAIRS_PER_RUN, &mut source, &mut target)?;
            for pair in &mut block {
                extractor.prepare(pair, &reader.tags, &mut source)?;
            }
            pairs.append(&mut block);
        }
        if pairs.is_empty() {
            break;
        }
        pairs.iter().for_each(|pair| count_links(pair, &mut counts));
        extraction.add(&pairs)?;
        progress(extraction.pairs)?;
    }
    if extraction.pairs == 0 {
        return Err(Error::input("no sentence pairs.").at(&files.source, None).hint("Is the file empty?"));
    }
    let lexicon = counts.table(source.len() + 1, target.len() + 1)?;
    let builder = Builder::create(out, extractor.settings())?;
    let (pairs, too_long) = (extraction.pairs, extraction.too_long);
    let rules = extraction.write_table(builder, &lexicon, settings, &source, &target, |rules| {
        describe(pairs, extractor.kinds(), rules)
    })?;
    if rules.source_sides == 0 {
        return Err(Error::input("no rule could be extracted.").at(&files.alignment, None).hint(
            "The alignment may be empty or belong to another corpus, or the minimum count is too high.",
        ));
    }
    Ok(Report { pairs, too_long, rules, kinds: extractor.kinds() })
}

/// Counts the linked words of a pair.
pub fn count_links(pair: &Pair, counts: &mut LexicalCounts) {
    let numbers = |words: &[u32]| words.iter().map(|&word| lexical(word)).collect::<Vec<_>>();
    counts.add(&numbers(&pair.source), &numbers(&pair.target), pair.points.iter().copied());
}

/// Vocabularies whose first numbers are the symbols that are not words.
pub fn vocabularies<E: Extractor>(extractor: &E) -> Result<(Interner, Interner)> {
    let (source, target) = extractor.symbols();
    Ok((Interner::with(source)?, Interner::with(target)?))
}

/// The description of a table in its file, as JSON.
pub fn describe(pairs: u64, kinds: [&str; KINDS], rules: &RuleCounts) -> String {
    let numbers = kinds.iter().zip(rules.kinds).map(|(kind, n)| format!(", \"{kind}\": {n}"));
    format!("{{\"pairs\": {pairs}, \"source_sides\": {}{}}}", rules.source_sides, numbers.collect::<String>())
}
