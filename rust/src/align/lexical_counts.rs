//! Counts of linked words, collected from sentence pairs in any order, and the table computed from them.

use rayon::prelude::*;

use super::encoded::{Encoded, NULL};
use super::lexical::{rounded, Entry, LexicalTable};
use crate::corpus::links::{Links, Position};
use crate::corpus::pharaoh::check_range;
use crate::error::{Error, Result};
use crate::store::hashing::FastMap;
use crate::work::interrupt;

/// How often each source word was linked to each target word; [`NULL`] is the empty word on either side.
#[derive(Clone, Debug, Default)]
pub struct LexicalCounts {
    pairs: FastMap<(u32, u32), u32>,
}

impl LexicalCounts {
    /// Counts the links of one pair; they must be in range. A pair without links is skipped: aligners return none for a
    /// pair they decline.
    pub fn add(
        &mut self,
        source: &[u32],
        target: &[u32],
        links: impl ExactSizeIterator<Item = (Position, Position)>,
    ) {
        if links.len() == 0 {
            return;
        }
        let mut source_linked = vec![false; source.len()];
        let mut target_linked = vec![false; target.len()];
        for (s, t) in links {
            let (s, t) = (usize::from(s), usize::from(t));
            source_linked[s] = true;
            target_linked[t] = true;
            *self.pairs.entry((source[s], target[t])).or_default() += 1;
        }
        for (&word, _) in source.iter().zip(source_linked).filter(|&(_, linked)| !linked) {
            *self.pairs.entry((word, NULL)).or_default() += 1;
        }
        for (&word, _) in target.iter().zip(target_linked).filter(|&(_, linked)| !linked) {
            *self.pairs.entry((NULL, word)).or_default() += 1;
        }
    }

    /// Pairs of a source and a target word with their counts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = ((u32, u32), u32)> + '_ {
        self.pairs.iter().map(|(&pair, &count)| (pair, count))
    }

    /// Adds to the count of a pair of a source and a target word.
    pub fn add_pair(&mut self, pair: (u32, u32), count: u32) {
        *self.pairs.entry(pair).or_default() += count;
    }

    pub fn merge(&mut self, other: LexicalCounts) {
        for (pair, count) in other.pairs {
            *self.pairs.entry(pair).or_default() += count;
        }
    }

    /// The table of relative frequencies, given the number of words of each side including NULL.
    pub fn table(self, source_words: usize, target_words: usize) -> Result<LexicalTable> {
        let mut by_source = vec![0u64; source_words];
        let mut by_target = vec![0u64; target_words];
        for (&(f, e), &count) in &self.pairs {
            by_source[f as usize] += u64::from(count);
            by_target[e as usize] += u64::from(count);
        }
        let entries = self.pairs.into_iter().map(|((f, e), count)| Entry {
            source: f,
            target: e,
            count,
            target_given_source: rounded(f64::from(count) / by_source[f as usize] as f64),
            source_given_target: rounded(f64::from(count) / by_target[e as usize] as f64),
        });
        LexicalTable::from_entries(entries, source_words)
    }
}

impl LexicalTable {
    /// Counts the links of a corpus. Sentence pairs without links are skipped: aligners return none for a pair they
    /// decline. A link out of range is an error that names the pair, counted from 1.
    pub fn count(source: &Encoded, target: &Encoded, links: &Links) -> Result<Self> {
        if source.len() != target.len() || source.len() != links.len() {
            return Err(Error::input(format!(
                "source, target and alignment have {}, {} and {} sentences; they must be of the same text.",
                source.len(),
                target.len(),
                links.len()
            )));
        }
        const CHUNK: usize = 4096;
        let starts: Vec<usize> = (0..links.len()).step_by(CHUNK).collect();
        let parts: Vec<LexicalCounts> = starts
            .into_par_iter()
            .map(|start| {
                interrupt::point();
                let mut counts = LexicalCounts::default();
                for number in start..(start + CHUNK).min(links.len()) {
                    count_sentence(
                        source.sentence(number),
                        target.sentence(number),
                        links,
                        number,
                        &mut counts,
                    )?;
                }
                Ok(counts)
            })
            .collect::<Result<_>>()?;
        let mut whole = LexicalCounts::default();
        parts.into_iter().for_each(|part| whole.merge(part));
        whole.table(source.vocabulary().words().len(), target.vocabulary().words().len())
    }
}

fn count_sentence(
    source: &[u32],
    target: &[u32],
    links: &Links,
    number: usize,
    counts: &mut LexicalCounts,
) -> Result<()> {
    let own: Vec<_> = links.sentence(number).collect();
    check_range(&own, source.len() as u32, target.len() as u32).map_err(|mut error| {
        error.message = format!("sentence pair {}: {}", number + 1, error.message);
        error
    })?;
    counts.add(source, target, own.iter().map(|link| (link.source, link.target)));
    Ok(())
}
