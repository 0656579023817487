//! How often each word is linked to each word of the other side: one small hash table per word, all in one array.

/// Marks a free place; no word has this number.
const FREE: u32 = u32::MAX;

/// Multiplicative hashing (Knuth, volume 3, section 6.4): 2^32 divided by the golden ratio.
const GOLDEN: u32 = 0x9E37_79B9;

/// The places of a bucket.
const PLACES: usize = 4;

/// Words and their counts, in the order they came. They are compared all at once: which of them is found, if any, is
/// hard to predict, and a wrongly predicted branch costs more than four comparisons.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Bucket {
    keys: [u32; PLACES],
    counts: [u32; PLACES],
}

const EMPTY: Bucket = Bucket { keys: [FREE; PLACES], counts: [0; PLACES] };

impl Bucket {
    fn is_full(&self) -> bool {
        self.keys[PLACES - 1] != FREE
    }

    /// The count of a word; 0 if it is not here.
    #[inline]
    fn count(&self, key: u32) -> u32 {
        let mut count = 0;
        for place in 0..PLACES {
            // All bits set if the keys are equal.
            count |= self.counts[place] & u32::from(self.keys[place] == key).wrapping_neg();
        }
        count
    }

    /// The place of a word, or the first free one.
    fn place(&self, key: u32) -> Option<usize> {
        self.keys.iter().position(|&other| other == key || other == FREE)
    }
}

/// A hash table of 2^bits buckets. A word that finds its bucket full goes to the next one that is not.
#[derive(Clone, Copy, Debug)]
struct Row {
    start: usize,
    /// Places in use, those with a count of 0 included.
    used: u32,
    bits: u8,
    /// Whether the row has any buckets.
    is_made: bool,
}

impl Row {
    fn buckets(&self) -> usize {
        if self.is_made {
            1 << self.bits
        } else {
            0
        }
    }

    /// The most places in use: a word must find a bucket that is not full, and should find it at once.
    fn most(&self) -> usize {
        match self.buckets() {
            0 => 0,
            1 => PLACES - 1,
            buckets => buckets * PLACES * 3 / 8,
        }
    }
}

/// Counts of links by the number of the choosing word and the number of the given word.
///
/// All lookups for one choosing word fall into one row, and rows of rare words fit into a cache line. Only pairs
/// that have been linked take space: at most one pair per word of the text at any time, with eight bytes a place
/// and about three places a pair. A count that falls to 0 keeps its place until its row is full.
#[derive(Clone, Debug)]
pub struct LinkCounts {
    rows: Vec<Row>,
    buckets: Vec<Bucket>,
    /// Buckets of rows that have moved; the array is rewritten when they are half of it.
    lost: usize,
}

impl LinkCounts {
    /// Counts for choosing words with numbers below `words`.
    pub fn new(words: usize) -> Self {
        let row = Row { start: 0, used: 0, bits: 0, is_made: false };
        LinkCounts { rows: vec![row; words], buckets: Vec::new(), lost: 0 }
    }

    /// The counts of one choosing word.
    pub fn row(&self, choosing: u32) -> CountRow<'_> {
        let row = self.rows[choosing as usize];
        if row.is_made {
            CountRow { buckets: &self.buckets[row.start..row.start + row.buckets()], bits: row.bits }
        } else {
            CountRow { buckets: &[EMPTY], bits: 0 }
        }
    }

    pub fn add(&mut self, choosing: u32, given: u32) {
        let row = self.rows[choosing as usize];
        if row.is_made {
            let (bucket, place) = self.find(row, given);
            let bucket = &mut self.buckets[bucket];
            if bucket.keys[place] == given {
                bucket.counts[place] += 1;
                return;
            }
            if (row.used as usize) < row.most() {
                bucket.keys[place] = given;
                bucket.counts[place] = 1;
                self.rows[choosing as usize].used += 1;
                return;
            }
        }
        self.rebuild(choosing);
        self.add(choosing, given);
    }

    /// Takes back an [`add`](Self::add).
    pub fn subtract(&mut self, choosing: u32, given: u32) {
        let (bucket, place) = self.find(self.rows[choosing as usize], given);
        self.buckets[bucket].counts[place] -= 1;
    }

    /// The bucket and place of a word, or the free one where it belongs.
    fn find(&self, row: Row, key: u32) -> (usize, usize) {
        let mask = row.buckets() - 1;
        let mut at = hash(key, row.bits);
        loop {
            let bucket = row.start + (at & mask);
            if let Some(place) = self.buckets[bucket].place(key) {
                return (bucket, place);
            }
            at += 1;
        }
    }

    /// Drops counts of 0, and moves a row if there is not enough room for a third more words.
    fn rebuild(&mut self, choosing: u32) {
        let row = self.rows[choosing as usize];
        let old = row.start..row.start + row.buckets();
        let mut live: Vec<(u32, u32)> = Vec::new();
        for bucket in &self.buckets[old.clone()] {
            live.extend(bucket.keys.into_iter().zip(bucket.counts).filter(|&(_, count)| count > 0));
        }
        let mut new = Row { used: live.len() as u32, is_made: true, ..row };
        while live.len() * 4 >= new.most() * 3 {
            new.bits += 1;
        }
        if row.is_made && new.bits == row.bits {
            self.buckets[old].fill(EMPTY);
        } else {
            self.lost += row.buckets();
            self.rows[choosing as usize].is_made = false;
            if self.lost * 2 > self.buckets.len() && self.lost > 1 << 12 {
                self.compact();
            }
            new.start = self.buckets.len();
            self.buckets.resize(new.start + new.buckets(), EMPTY);
        }
        self.rows[choosing as usize] = new;
        for (key, count) in live {
            let (bucket, place) = self.find(new, key);
            self.buckets[bucket].keys[place] = key;
            self.buckets[bucket].counts[place] = count;
        }
    }

    /// Rewrites the array without the buckets of rows that have moved.
    fn compact(&mut self) {
        let mut buckets = Vec::with_capacity(self.buckets.len() - self.lost);
        for row in &mut self.rows {
            let start = buckets.len();
            buckets.extend_from_slice(&self.buckets[row.start..row.start + row.buckets()]);
            row.start = start;
        }
        self.buckets = buckets;
        self.lost = 0;
    }
}

/// The counts of one choosing word.
#[derive(Clone, Copy)]
pub struct CountRow<'a> {
    /// A power of two of them, not all of them full.
    buckets: &'a [Bucket],
    bits: u8,
}

impl CountRow<'_> {
    /// How often the word is linked to this one.
    #[inline]
    pub fn count(&self, given: u32) -> u32 {
        let mask = self.buckets.len() - 1;
        let mut at = hash(given, self.bits) & mask;
        let mut count = 0;
        loop {
            let bucket = &self.buckets[at];
            count |= bucket.count(given);
            if !bucket.is_full() {
                return count;
            }
            at = (at + 1) & mask;
        }
    }
}

/// The first `bits` bits of the product, at most 31.
#[inline]
fn hash(key: u32, bits: u8) -> usize {
    (u64::from(key.wrapping_mul(GOLDEN)) >> (32 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::metric::random::Random;

    #[test]
    fn the_same_counts_as_a_map() {
        let mut random = Random::new(1, 0);
        let mut counts = LinkCounts::new(8);
        let mut naive: HashMap<(u32, u32), u32> = HashMap::new();
        let mut linked: Vec<(u32, u32)> = Vec::new();
        for step in 0..20_000 {
            // Word 0 is linked to many words, word 7 to none; as many links are made as are taken back later.
            if linked.is_empty() || random.below(20_000) > step / 2 {
                let choosing = random.below(7) as u32;
                let pair = (choosing, random.below(if choosing == 0 { 5000 } else { 40 }) as u32);
                counts.add(pair.0, pair.1);
                *naive.entry(pair).or_default() += 1;
                linked.push(pair);
            } else {
                let pair = linked.swap_remove(random.below(linked.len()));
                counts.subtract(pair.0, pair.1);
                *naive.get_mut(&pair).unwrap() -= 1;
            }
        }
        for choosing in 0..8 {
            for given in 0..5000 {
                let expected = naive.get(&(choosing, given)).copied().unwrap_or(0);
                assert_eq!(counts.row(choosing).count(given), expected);
            }
        }
    }

    #[test]
    fn links_that_come_and_go_do_not_take_more_and_more_space() {
        let mut counts = LinkCounts::new(1);
        for given in 0..100_000 {
            counts.add(0, given);
            if given >= 10 {
                counts.subtract(0, given - 10);
            }
        }
        assert!(counts.buckets.len() <= 64, "{}", counts.buckets.len());
        assert_eq!(counts.row(0).count(99_999), 1);
        assert_eq!(counts.row(0).count(99_989), 0);
    }
}
