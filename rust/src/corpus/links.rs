//! The links of a corpus, in three flat columns.

use crate::error::{Error, Result};

/// A word's position in its sentence, counted from 0. Sentences of more than 65,536 words are rejected.
pub type Position = u16;

/// One link: source position, target position, and whether it is only possible (not sure) in a gold alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    pub source: Position,
    pub target: Position,
    pub possible: bool,
}

impl Link {
    pub fn sure(source: Position, target: Position) -> Self {
        Link { source, target, possible: false }
    }
}

/// The links of a corpus. Within a sentence they are sorted by (source, target) and each pair occurs once.
///
/// Four bytes per link and eight per sentence; marks of possible links are stored only if there are any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    offsets: Vec<usize>,
    source: Vec<Position>,
    target: Vec<Position>,
    /// Empty when every link is sure.
    possible: Vec<bool>,
}

impl Default for Links {
    fn default() -> Self {
        Links { offsets: vec![0], source: Vec::new(), target: Vec::new(), possible: Vec::new() }
    }
}

impl Links {
    /// Adds a sentence. `links` may come in any order and with repetitions; a pair that is both sure and possible
    /// is sure. The buffer is emptied.
    pub fn push(&mut self, links: &mut Vec<Link>) {
        links.sort_unstable();
        // After sorting, the sure link of a pair precedes the possible one, so keep the first of equal ones.
        links.dedup_by_key(|link| (link.source, link.target));
        for link in links.drain(..) {
            if link.possible && self.possible.is_empty() {
                self.possible.resize(self.source.len(), false);
            }
            self.source.push(link.source);
            self.target.push(link.target);
            if link.possible || !self.possible.is_empty() {
                self.possible.push(link.possible);
            }
        }
        self.offsets.push(self.source.len());
    }

    /// Appends the sentences of `other`.
    pub fn append(&mut self, other: &Links) {
        if !other.possible.is_empty() || !self.possible.is_empty() {
            self.possible.resize(self.source.len(), false);
            self.possible.extend_from_slice(&other.possible);
            self.possible.resize(self.source.len() + other.source.len(), false);
        }
        let before = self.source.len();
        self.source.extend_from_slice(&other.source);
        self.target.extend_from_slice(&other.target);
        self.offsets.extend(other.offsets[1..].iter().map(|end| before + end));
    }

    /// From columns: the links of sentence k are at `offsets[k]..offsets[k + 1]`.
    pub fn from_columns(offsets: &[i64], source: &[Position], target: &[Position]) -> Result<Self> {
        let whole = source.len() as i64;
        let fits = source.len() == target.len()
            && offsets.first() == Some(&0)
            && offsets.last() == Some(&whole)
            && offsets.windows(2).all(|two| two[0] <= two[1]);
        if !fits {
            return Err(Error::input(format!(
                "offsets must increase from 0 to the number of links ({whole}), and both columns must have that length."
            )));
        }
        let mut links = Links::default();
        let mut sentence = Vec::new();
        for two in offsets.windows(2) {
            let range = two[0] as usize..two[1] as usize;
            sentence.extend(range.map(|k| Link::sure(source[k], target[k])));
            links.push(&mut sentence);
        }
        Ok(links)
    }

    /// From one choice for each word of one side: the position of the word it is linked to, or a negative number for
    /// none.
    ///
    /// `choices` holds the sentences one after the other, `lengths` their numbers of words. If `choosing_source`, the
    /// choices are those of the source words, otherwise of the target words.
    pub fn from_choices(choices: &[i32], lengths: &[u32], choosing_source: bool) -> Result<Self> {
        let words: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        if words != choices.len() as u64 {
            return Err(Error::internal(format!("{} choices for {words} words.", choices.len())));
        }
        let mut links = Links::default();
        let mut sentence = Vec::new();
        let mut rest = choices;
        for &length in lengths {
            let (own, after) = rest.split_at(length as usize);
            rest = after;
            for (chooser, &chosen) in own.iter().enumerate() {
                if chosen < 0 {
                    continue;
                }
                let (chooser, chosen) = (position(chooser as u64)?, position(chosen as u64)?);
                sentence.push(if choosing_source {
                    Link::sure(chooser, chosen)
                } else {
                    Link::sure(chosen, chooser)
                });
            }
            links.push(&mut sentence);
        }
        Ok(links)
    }

    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of links of all sentences.
    pub fn total(&self) -> usize {
        self.source.len()
    }

    /// Whether any link is only possible.
    pub fn has_possible(&self) -> bool {
        self.possible.contains(&true)
    }

    /// The links of one sentence, sorted.
    pub fn sentence(&self, number: usize) -> impl ExactSizeIterator<Item = Link> + Clone + '_ {
        (self.offsets[number]..self.offsets[number + 1]).map(|k| Link {
            source: self.source[k],
            target: self.target[k],
            possible: self.possible.get(k).copied().unwrap_or(false),
        })
    }

    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    pub fn source(&self) -> &[Position] {
        &self.source
    }

    pub fn target(&self) -> &[Position] {
        &self.target
    }

    /// The same links with source and target exchanged.
    pub fn transposed(&self) -> Self {
        let mut turned = Links::default();
        let mut sentence = Vec::new();
        for number in 0..self.len() {
            sentence.extend(self.sentence(number).map(|link| Link {
                source: link.target,
                target: link.source,
                possible: link.possible,
            }));
            turned.push(&mut sentence);
        }
        turned
    }

    /// Places the sentences at the positions where `kept` is true, in order, with empty sentences elsewhere.
    pub fn spread(&self, kept: &[bool]) -> Result<Self> {
        if kept.iter().filter(|&&is| is).count() != self.len() {
            return Err(Error::internal(format!(
                "{} sentences do not match the number of kept positions.",
                self.len()
            )));
        }
        let mut offsets = Vec::with_capacity(kept.len() + 1);
        let mut next = 0;
        offsets.push(0);
        for &is in kept {
            next += usize::from(is);
            offsets.push(self.offsets[next]);
        }
        Ok(Links { offsets, ..self.clone() })
    }

    /// The sentences `start..end`.
    pub fn slice(&self, start: usize, end: usize) -> Self {
        let mut part = Links::default();
        let mut sentence = Vec::new();
        for number in start..end.min(self.len()) {
            sentence.extend(self.sentence(number));
            part.push(&mut sentence);
        }
        part
    }
}

pub(crate) fn position(value: u64) -> Result<Position> {
    Position::try_from(value).map_err(|_| {
        Error::input(format!(
            "position {value} is beyond {}, the last one a sentence may have.",
            Position::MAX
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(pairs: &[(Position, Position, bool)]) -> Links {
        let mut links = Links::default();
        let mut sentence: Vec<Link> =
            pairs.iter().map(|&(source, target, possible)| Link { source, target, possible }).collect();
        links.push(&mut sentence);
        links
    }

    #[test]
    fn links_are_sorted_and_sure_wins() {
        let links = one(&[(2, 1, false), (0, 0, true), (0, 0, false), (2, 1, false), (1, 5, true)]);
        let found: Vec<_> = links.sentence(0).map(|l| (l.source, l.target, l.possible)).collect();
        assert_eq!(found, [(0, 0, false), (1, 5, true), (2, 1, false)]);
        assert!(links.has_possible());
    }

    #[test]
    fn marks_survive_append_in_either_order() {
        let sure = one(&[(0, 0, false), (1, 1, false)]);
        let marked = one(&[(0, 1, true)]);
        for (first, second) in [(&sure, &marked), (&marked, &sure)] {
            let mut both = first.clone();
            both.append(second);
            assert_eq!(both.len(), 2);
            let flat = |links: &Links, n| links.sentence(n).collect::<Vec<_>>();
            assert_eq!(flat(&both, 0), flat(first, 0));
            assert_eq!(flat(&both, 1), flat(second, 0));
        }
    }

    #[test]
    fn choices_of_either_side() {
        let forward = Links::from_choices(&[1, -1, 0], &[2, 0, 1], false).unwrap();
        let found: Vec<Vec<_>> =
            (0..3).map(|n| forward.sentence(n).map(|l| (l.source, l.target)).collect()).collect();
        assert_eq!(found, [vec![(1, 0)], vec![], vec![(0, 0)]]);
        let reverse = Links::from_choices(&[1, -1, 0], &[2, 0, 1], true).unwrap();
        assert_eq!(reverse, forward.transposed());
        assert!(Links::from_choices(&[1], &[2], true).is_err());
        assert!(Links::from_choices(&[70_000], &[1], true).is_err());
    }

    #[test]
    fn spread_puts_empty_sentences_between() {
        let mut two = one(&[(0, 0, false)]);
        two.append(&one(&[(3, 4, false)]));
        let spread = two.spread(&[false, true, false, true]).unwrap();
        let sizes: Vec<_> = (0..4).map(|n| spread.sentence(n).len()).collect();
        assert_eq!(sizes, [0, 1, 0, 1]);
        assert!(two.spread(&[true]).is_err());
    }
}
