//! Initial phrase pairs of a sentence pair: continuous on both sides, consistent with the alignment (Chiang 2007,
//! section 3.1).

use crate::corpus::pair::Pair;
use crate::source::spans::Span;

/// First and last word of both sides.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Phrase {
    pub target: (u16, u16),
    pub source: (u16, u16),
}

impl Phrase {
    pub fn source_words(&self) -> usize {
        usize::from(self.source.1 - self.source.0) + 1
    }

    pub fn target_words(&self) -> usize {
        usize::from(self.target.1 - self.target.0) + 1
    }

    pub fn source_span(&self) -> Span {
        (usize::from(self.source.0), usize::from(self.source.1) + 1)
    }

    /// Whether another pair lies inside this one, leaving words on the target side.
    #[inline]
    pub fn holds(&self, other: &Phrase) -> bool {
        other.target.0 >= self.target.0
            && other.target.1 <= self.target.1
            && other.target != self.target
            && other.source.0 >= self.source.0
            && other.source.1 <= self.source.1
    }
}

/// The highest numbers of words of a phrase pair.
#[derive(Clone, Copy, Debug)]
pub struct Longest {
    pub source: usize,
    pub target: usize,
}

/// The phrase pairs and the links of a sentence pair; the buffers are reused for the next one.
#[derive(Default)]
pub struct Phrases {
    list: Vec<Phrase>,
    /// The start in `list` of the phrase pairs with each first target word.
    starts: Vec<usize>,
    /// (source, target), ascending.
    links: Vec<(u16, u16)>,
    /// The start in `links` of each source word's links.
    rows: Vec<usize>,
    /// First and last source word of each aligned target word.
    sources: Vec<Option<(u16, u16)>>,
    /// The number of aligned target words before each target word.
    aligned: Vec<u16>,
}

impl Phrases {
    /// Finds all pairs of at most so many words on each side whose source side is allowed.
    pub fn fill(&mut self, pair: &Pair, longest: Longest, allows: impl Fn(Span) -> bool) {
        self.read_links(pair);
        self.list.clear();
        self.starts.clear();
        for first in 0..pair.target.len() {
            self.starts.push(self.list.len());
            self.pairs_from(first, longest, &allows);
        }
        self.starts.push(self.list.len());
    }

    /// Reads only the links, without finding pairs.
    pub fn read_links(&mut self, pair: &Pair) {
        self.links.clear();
        self.links.extend_from_slice(&pair.points);
        self.links.sort_unstable();
        self.links.dedup();
        self.rows.clear();
        self.sources.clear();
        self.sources.resize(pair.target.len(), None);
        for (k, &(s, t)) in self.links.iter().enumerate() {
            self.rows.resize(self.rows.len().max(usize::from(s) + 1), k);
            let (low, high) = self.sources[usize::from(t)].unwrap_or((s, s));
            self.sources[usize::from(t)] = Some((low.min(s), high.max(s)));
        }
        self.rows.resize(pair.source.len() + 1, self.links.len());
        self.aligned.clear();
        self.aligned.push(0);
        for t in 0..pair.target.len() {
            self.aligned.push(self.aligned[t] + u16::from(self.sources[t].is_some()));
        }
    }

    /// The links of a source word, by target word.
    #[inline]
    pub fn links_of(&self, source: usize) -> &[(u16, u16)] {
        &self.links[self.rows[source]..self.rows[source + 1]]
    }

    /// The links of the source words `first..end`, by source and target word.
    #[inline]
    pub fn links_in(&self, (first, end): Span) -> &[(u16, u16)] {
        &self.links[self.rows[first]..self.rows[end]]
    }

    /// The first and last target word aligned to the source words `first..end`, if no target word between them is
    /// aligned to other source words.
    pub fn minimal(&self, (first, end): Span) -> Option<(u16, u16)> {
        let of_span = self.links_in((first, end));
        let low = of_span.iter().map(|&(_, t)| t).min()?;
        let high = of_span.iter().map(|&(_, t)| t).max()?;
        let inside = |&(from, to): &(u16, u16)| first <= usize::from(from) && usize::from(to) < end;
        let between = &self.sources[usize::from(low)..=usize::from(high)];
        between.iter().flatten().all(inside).then_some((low, high))
    }

    /// Calls `found` for a target span and for every span of at most `longest` words that extends it by unaligned
    /// words.
    pub fn with_edges(&self, (low, high): (u16, u16), longest: usize, mut found: impl FnMut((u16, u16))) {
        let free = |t: usize| self.sources.get(t).is_some_and(Option::is_none);
        let (low, high) = (usize::from(low), usize::from(high));
        let from = (0..low).rev().take_while(|&t| free(t)).last().unwrap_or(low);
        let to = (high + 1..self.sources.len()).take_while(|&t| free(t)).last().unwrap_or(high);
        for first in from..=low {
            for last in (high..=to).take_while(|last| last - first < longest) {
                found((first as u16, last as u16));
            }
        }
    }

    /// The number of aligned target words from the first to the last one.
    #[inline]
    pub fn aligned(&self, (first, last): (u16, u16)) -> u16 {
        self.aligned[usize::from(last) + 1] - self.aligned[usize::from(first)]
    }

    pub fn all(&self) -> &[Phrase] {
        &self.list
    }

    /// The pairs whose target sides start inside a span of target words, in order.
    #[inline]
    pub fn beginning_in(&self, (first, last): (u16, u16)) -> &[Phrase] {
        &self.list[self.starts[usize::from(first)]..self.starts[usize::from(last) + 1]]
    }

    fn pairs_from(&mut self, first: usize, longest: Longest, allows: &impl Fn(Span) -> bool) {
        // Source words from the first to the last one aligned to the span, and the target words that these are aligned
        // to.
        let mut source: Option<(usize, usize)> = None;
        let (mut from, mut to) = (usize::MAX, 0);
        for last in first..self.sources.len().min(first + longest.target) {
            if let Some((low, high)) = self.sources[last] {
                let (low, high) = (usize::from(low), usize::from(high));
                let wider = source.map_or((low, high), |(a, b)| (a.min(low), b.max(high)));
                for s in (wider.0..=wider.1).filter(|s| source.is_none_or(|(a, b)| !(a..=b).contains(s))) {
                    if let [(_, lowest), ..] = self.links_of(s) {
                        from = from.min(usize::from(*lowest));
                    }
                    if let [.., (_, highest)] = self.links_of(s) {
                        to = to.max(usize::from(*highest));
                    }
                }
                source = Some(wider);
            }
            let Some((low, high)) = source else { continue };
            if high - low >= longest.source || from < first {
                // A longer span only reaches further.
                return;
            }
            if to <= last {
                self.add_sides((first, last), (low, high), longest.source, allows);
            }
        }
    }

    /// Adds the pair, and those extended by unaligned words on the source side.
    fn add_sides(
        &mut self,
        target: (usize, usize),
        (low, high): (usize, usize),
        longest: usize,
        allows: &impl Fn(Span) -> bool,
    ) {
        let narrow = |(first, last): (usize, usize)| (first as u16, last as u16);
        let words = self.rows.len() - 1;
        let mut start = low;
        loop {
            let mut end = high;
            while end < words && end - start < longest && (end == high || self.links_of(end).is_empty()) {
                if allows((start, end + 1)) {
                    self.list.push(Phrase { target: narrow(target), source: narrow((start, end)) });
                }
                end += 1;
            }
            if start == 0 || high - (start - 1) >= longest || !self.links_of(start - 1).is_empty() {
                return;
            }
            start -= 1;
        }
    }
}
