//! One sampler: links of all words of the choosing side, the counts that go with them, and a sweep over the text.

use super::counts::{CountRow, LinkCounts};
use super::jumps::Jumps;
use super::marginals::{Marginals, LEAST, NONE};
use crate::align::encoded::{Encoded, NULL};
use crate::metric::random::Random;
use crate::work::interrupt;

/// Fertilities are told apart up to this one; higher ones are counted as it.
pub const HIGHEST: usize = 15;
const FERTILITIES: usize = HIGHEST + 1;

/// Sentences between two points where work can be interrupted.
const BETWEEN_POINTS: usize = 64;

/// The concentrations of the Dirichlet priors, and the probability of NULL.
#[derive(Clone, Copy, Debug)]
pub struct Priors {
    /// Of the distribution of words that each given word is linked to.
    pub lexical: f32,
    /// The same for NULL.
    pub null_lexical: f32,
    pub jump: f32,
    pub fertility: f32,
    /// The probability that a word has no link.
    pub null: f32,
    /// The same before the last stage. Before words have found each other, NULL would attract all tokens of some
    /// frequent word, and chains seldom recover from that.
    pub early_null: f32,
}

impl Default for Priors {
    /// The settings of Östling & Tiedemann (2016), but half the probability of NULL, and still less before the last
    /// stage. With theirs, function words have fewer links, which is worse for hierarchical rules
    /// (docs/benchmarks/alignment.md).
    fn default() -> Self {
        Priors { lexical: 0.001, null_lexical: 0.001, jump: 0.5, fertility: 0.5, null: 0.1, early_null: 0.02 }
    }
}

/// The models of the schedule; each has the parts of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// IBM model 1: all positions are equally probable.
    Ibm1,
    /// A hidden Markov model: the distance from the link of the word before counts.
    Hmm,
    /// And the number of words linked to each given word.
    Fertility,
}

/// The text to align, in one direction: each word of `choosing` is linked to a word of `given` or to NULL.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub given: &'a Encoded,
    pub choosing: &'a Encoded,
    /// The numbers of the pairs; neither side is empty.
    pub pairs: &'a [usize],
}

impl Text<'_> {
    /// The number of words that choose.
    pub fn words(&self) -> usize {
        self.pairs.iter().map(|&pair| self.choosing.sentence(pair).len()).sum()
    }

    /// The length of the longest sentence of both sides.
    pub fn longest(&self) -> usize {
        let length = |&pair: &usize| self.given.sentence(pair).len().max(self.choosing.sentence(pair).len());
        self.pairs.iter().map(length).max().unwrap_or(0)
    }
}

/// The state of a Markov chain whose states are the links of the whole text.
pub struct Sampler<'a> {
    text: Text<'a>,
    priors: Priors,
    random: Random,
    stage: Stage,
    /// By word of the text: a position of the given side, or [`NONE`].
    links: Vec<u16>,
    /// Whether words have been linked yet.
    is_started: bool,
    tables: Tables,
    jumps: Jumps,
}

/// The counts that the links imply, by number of the given word.
struct Tables {
    pairs: LinkCounts,
    /// The links of each given word.
    totals: Vec<u32>,
    /// How many tokens of each given word have each fertility; empty before the stage that needs them.
    fertilities: Vec<[u32; FERTILITIES]>,
    /// Prior mass of a lexical distribution: its concentration times the number of choosing words.
    mass: f32,
    null_mass: f32,
    fertility: f32,
}

/// What a sentence needs at hand; reused from one to the next.
#[derive(Default)]
struct Sentence {
    /// By position: the factors of a link that depend only on the given word and its fertility.
    factors: Vec<f32>,
    fertility: Vec<u16>,
    /// By position: whether the same word is at another position, too.
    is_repeated: Vec<bool>,
    /// By word: the next linked position to the right.
    next: Vec<i32>,
    /// Sums of the weights of all positions up to this one; the last is with NULL.
    sums: Vec<f32>,
}

impl<'a> Sampler<'a> {
    pub fn new(text: Text<'a>, priors: Priors, random: Random) -> Self {
        let (given, choosing) =
            (text.given.vocabulary().words().len(), text.choosing.vocabulary().words().len());
        // Number 0 is not a word.
        let words = (choosing - 1) as f32;
        let tables = Tables {
            pairs: LinkCounts::new(choosing),
            totals: vec![0; given],
            fertilities: Vec::new(),
            mass: priors.lexical * words,
            null_mass: priors.null_lexical * words,
            fertility: priors.fertility,
        };
        Sampler {
            text,
            priors,
            random,
            stage: Stage::Ibm1,
            links: vec![NONE; text.words()],
            is_started: false,
            tables,
            jumps: Jumps::new(text.longest(), priors.jump.into()),
        }
    }

    /// With these links, by word of the text, and with random numbers that are not used.
    pub fn with_links(text: Text<'a>, priors: Priors, links: Vec<u16>) -> Self {
        let mut sampler = Sampler::new(text, priors, Random::new(0, 0));
        let mut at = 0;
        for &pair in text.pairs {
            let given = text.given.sentence(pair);
            for &choosing in text.choosing.sentence(pair) {
                let word = given_word(given, links[at]);
                sampler.tables.pairs.add(choosing, word);
                sampler.tables.totals[word as usize] += 1;
                at += 1;
            }
        }
        Sampler { links, is_started: true, ..sampler }
    }

    pub fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// Continues with the next model: estimates what it adds from the present links.
    pub fn set_stage(&mut self, stage: Stage) {
        if stage >= Stage::Hmm {
            self.count_jumps();
        }
        if stage == Stage::Fertility {
            self.count_fertilities();
        }
        self.stage = stage;
    }

    fn count_jumps(&mut self) {
        let mut start = 0;
        for &pair in self.text.pairs {
            let end = start + self.text.choosing.sentence(pair).len();
            self.jumps.count(positions(&self.links[start..end]), self.text.given.sentence(pair).len());
            start = end;
        }
        self.jumps.estimate();
    }

    fn count_fertilities(&mut self) {
        self.tables.fertilities = vec![[0; FERTILITIES]; self.tables.totals.len()];
        let (mut start, mut fertility) = (0, Vec::new());
        for &pair in self.text.pairs {
            let given = self.text.given.sentence(pair);
            let end = start + self.text.choosing.sentence(pair).len();
            fertilities(&self.links[start..end], given.len(), &mut fertility);
            for (&word, &fertility) in given.iter().zip(&fertility) {
                self.tables.fertilities[word as usize][usize::from(fertility).min(HIGHEST)] += 1;
            }
            start = end;
        }
    }

    /// Draws a new link for every word, given all other links; adds the distributions to `marginals`.
    ///
    /// The first sweep links word after word, each given the links made so far.
    pub fn sweep(&mut self, mut marginals: Option<&mut Marginals>) {
        let mut sentence = Sentence::default();
        let mut start = 0;
        for (number, &pair) in self.text.pairs.iter().enumerate() {
            if number % BETWEEN_POINTS == 0 {
                interrupt::point();
            }
            let given = self.text.given.sentence(pair);
            let choosing = self.text.choosing.sentence(pair);
            let end = start + choosing.len();
            self.begin(&mut sentence, given, start..end);
            let mut before = -1;
            for (word, &choosing) in choosing.iter().enumerate() {
                let at = start + word;
                let old = self.links[at];
                self.unlink(&mut sentence, given, old);
                let after = sentence.next[word];
                self.weigh(&mut sentence, given, choosing, old, (before, after));
                if let Some(marginals) = marginals.as_deref_mut() {
                    add_marginals(marginals, at, &sentence.sums);
                }
                let new = self.draw(&sentence.sums).unwrap_or(old);
                self.link(&mut sentence, given, choosing, old, new);
                self.links[at] = new;
                if new != NONE {
                    before = i32::from(new);
                }
            }
            if self.stage >= Stage::Hmm {
                self.jumps.count(positions(&self.links[start..end]), given.len());
            }
            start = end;
        }
        if self.stage >= Stage::Hmm {
            self.jumps.estimate();
        }
        self.is_started = true;
    }

    /// For each word, the distribution that a sweep would draw its link from if no other link changed: over the
    /// positions and NULL, the last.
    pub fn conditionals(&mut self) -> Vec<Vec<f32>> {
        let (mut sentence, mut found) = (Sentence::default(), Vec::new());
        for &pair in self.text.pairs {
            let (given, choosing) = (self.text.given.sentence(pair), self.text.choosing.sentence(pair));
            let start = found.len();
            self.begin(&mut sentence, given, start..start + choosing.len());
            let mut before = -1;
            for (word, &choosing) in choosing.iter().enumerate() {
                let (old, after) = (self.links[start + word], sentence.next[word]);
                self.unlink(&mut sentence, given, old);
                self.weigh(&mut sentence, given, choosing, old, (before, after));
                found.push(shares(&sentence.sums).collect());
                self.link(&mut sentence, given, choosing, old, old);
                if old != NONE {
                    before = i32::from(old);
                }
            }
        }
        found
    }

    /// Prepares a sentence.
    fn begin(&self, sentence: &mut Sentence, given: &[u32], words: std::ops::Range<usize>) {
        let links = &self.links[words];
        fertilities(links, given.len(), &mut sentence.fertility);
        sentence.factors.clear();
        for (&word, &fertility) in given.iter().zip(&sentence.fertility) {
            sentence.factors.push(self.tables.factor(word, fertility));
        }
        sentence.is_repeated.clear();
        sentence.is_repeated.resize(given.len(), false);
        for (position, &word) in given.iter().enumerate() {
            if let Some(other) = given[position + 1..].iter().position(|&other| other == word) {
                sentence.is_repeated[position] = true;
                sentence.is_repeated[position + 1 + other] = true;
            }
        }
        sentence.next.resize(links.len(), 0);
        let mut next = given.len() as i32;
        for (slot, &link) in sentence.next.iter_mut().zip(links).rev() {
            *slot = next;
            if link != NONE {
                next = i32::from(link);
            }
        }
    }

    /// Takes a link out of the counts of its given word. Those of the pair of words are left as they are, since most
    /// words are linked again as before.
    fn unlink(&mut self, sentence: &mut Sentence, given: &[u32], old: u16) {
        if old == NONE {
            if self.is_started {
                self.tables.totals[NULL as usize] -= 1;
            }
            return;
        }
        let position = usize::from(old);
        self.tables.totals[given[position] as usize] -= 1;
        self.tables.change_fertility(given[position], &mut sentence.fertility[position], false);
        self.refresh(sentence, given, position);
    }

    fn link(&mut self, sentence: &mut Sentence, given: &[u32], choosing: u32, old: u16, new: u16) {
        if new == NONE {
            self.tables.totals[NULL as usize] += 1;
        } else {
            let position = usize::from(new);
            self.tables.totals[given[position] as usize] += 1;
            self.tables.change_fertility(given[position], &mut sentence.fertility[position], true);
            self.refresh(sentence, given, position);
        }
        let (from, to) = (given_word(given, old), given_word(given, new));
        if !self.is_started {
            self.tables.pairs.add(choosing, to);
        } else if from != to {
            self.tables.pairs.subtract(choosing, from);
            self.tables.pairs.add(choosing, to);
        }
    }

    /// Computes the factors of all tokens of the word at this position again.
    fn refresh(&self, sentence: &mut Sentence, given: &[u32], position: usize) {
        let word = given[position];
        if !sentence.is_repeated[position] {
            sentence.factors[position] = self.tables.factor(word, sentence.fertility[position]);
            return;
        }
        for (position, &other) in given.iter().enumerate() {
            if other == word {
                sentence.factors[position] = self.tables.factor(word, sentence.fertility[position]);
            }
        }
    }

    /// Sums up the weights of all positions and of NULL, in this order: the conditional distribution of a link, but
    /// for a constant. `old` is the link that is taken out, `neighbours` the linked positions to the left and right.
    fn weigh(
        &self,
        sentence: &mut Sentence,
        given: &[u32],
        choosing: u32,
        old: u16,
        (before, after): (i32, i32),
    ) {
        let row = self.tables.pairs.row(choosing);
        let out = if self.is_started { given_word(given, old) } else { u32::MAX };
        let prior = self.priors.lexical;
        let Sentence { factors, sums, .. } = sentence;
        let length = given.len();
        sums.resize(length + 1, 0.0);
        for (place, &word) in sums.iter_mut().zip(given) {
            *place = count(&row, word, out) + prior;
        }
        let weights = &mut sums[..length];
        // The probability of NULL in relation to that of a position.
        let null = if self.stage == Stage::Fertility { self.priors.null } else { self.priors.early_null };
        let mut null = null / (1.0 - null);
        if self.stage == Stage::Ibm1 {
            null *= length as f32;
            for (weight, &factor) in weights.iter_mut().zip(&*factors) {
                *weight *= factor;
            }
        } else {
            null *= self.jumps.probability(after - before);
            let (from, to) = (self.jumps.from(before, length), self.jumps.to(after, length));
            for (((weight, &factor), &from), &to) in weights.iter_mut().zip(&*factors).zip(from).zip(to) {
                *weight *= factor * (from * to);
            }
        }
        let mut sum = 0.0;
        for weight in weights {
            sum += *weight;
            *weight = sum;
        }
        let lexical = (count(&row, NULL, out) + self.priors.null_lexical)
            / (self.tables.totals[NULL as usize] as f32 + self.tables.null_mass);
        sums[length] = sum + lexical * null;
    }

    /// A position, drawn with these sums of weights; nothing if no weight is above 0.
    fn draw(&mut self, sums: &[f32]) -> Option<u16> {
        let total = sums[sums.len() - 1];
        let uniform = (self.random.draw() >> 40) as f32 / (1u32 << 24) as f32;
        let point = uniform * total;
        if point >= total || point.is_nan() {
            return None;
        }
        let position = sums.iter().filter(|&&sum| sum <= point).count();
        Some(if position == sums.len() - 1 { NONE } else { position as u16 })
    }
}

impl Tables {
    /// The factors of a link to a token of a given word that do not depend on the other word: the ratio of the
    /// posterior means of its fertilities with and without the link, and the denominator of its lexical distribution.
    #[inline]
    fn factor(&self, word: u32, fertility: u16) -> f32 {
        let denominator = self.totals[word as usize] as f32 + self.mass;
        match self.fertilities.get(word as usize) {
            Some(counts) if usize::from(fertility) < HIGHEST => {
                let fertility = usize::from(fertility);
                // The token itself is counted among those without the link.
                let without = counts[fertility] as f32 - 1.0 + self.fertility;
                let with = counts[fertility + 1] as f32 + self.fertility;
                with / (without * denominator)
            }
            _ => 1.0 / denominator,
        }
    }

    fn change_fertility(&mut self, word: u32, fertility: &mut u16, up: bool) {
        let old = *fertility;
        *fertility = if up { old + 1 } else { old - 1 };
        if let Some(counts) = self.fertilities.get_mut(word as usize) {
            counts[usize::from(old).min(HIGHEST)] -= 1;
            counts[usize::from(*fertility).min(HIGHEST)] += 1;
        }
    }
}

/// The links of a pair of words, without the one that is taken out.
#[inline]
fn count(row: &CountRow<'_>, given: u32, out: u32) -> f32 {
    // From i32: the instruction for that is twice as fast.
    (row.count(given) - u32::from(given == out)) as i32 as f32
}

fn given_word(given: &[u32], link: u16) -> u32 {
    if link == NONE {
        NULL
    } else {
        given[usize::from(link)]
    }
}

fn positions(links: &[u16]) -> impl Iterator<Item = i32> + '_ {
    links.iter().filter(|&&link| link != NONE).map(|&link| i32::from(link))
}

/// The number of words linked to each position.
fn fertilities(links: &[u16], length: usize, fertility: &mut Vec<u16>) {
    fertility.clear();
    fertility.resize(length, 0);
    for &link in links.iter().filter(|&&link| link != NONE) {
        fertility[usize::from(link)] += 1;
    }
}

fn add_marginals(marginals: &mut Marginals, word: usize, sums: &[f32]) {
    for (position, share) in shares(sums).enumerate() {
        if share > LEAST {
            let position = if position == sums.len() - 1 { NONE } else { position as u16 };
            marginals.add(word, position, share);
        }
    }
}

/// The distribution with these sums of weights.
fn shares(sums: &[f32]) -> impl Iterator<Item = f32> + '_ {
    let scale = 1.0 / sums[sums.len() - 1];
    let before = std::iter::once(0.0).chain(sums.iter().copied());
    sums.iter().zip(before).map(move |(sum, before)| (sum - before) * scale)
}
