//! The translation graph of related source words, and the evidence of their candidates.

use super::translations::Translation;
use super::walk::{Edges, Walk};
use crate::store::hashing::FastMap;

/// A source word of a graph, before inference.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// tf · idf.
    pub importance: f64,
    pub candidates: Vec<Candidate>,
}

/// A candidate translation of a word, from the options of the sentence.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub translation: Translation,
    /// Training count of this translation of the word.
    pub count: u64,
    /// The keys of its content words in relatedness.
    pub content: Vec<u32>,
}

/// The result of the walk for a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CandidateScore {
    /// The weight of the edge from the source word: equation (1).
    pub association: f64,
    pub evidence: f64,
    /// The evidence, normalised over the candidates of the word.
    pub probability: f64,
}

/// Candidates of one word with the same content words. They have the same neighbours, so the walk treats them as one
/// node.
struct Group {
    word: usize,
    content: usize,
    /// The sum of its members' shares of the inflow.
    mass: f64,
}

/// A candidate of a graph: the index of its word, and its index among the word's candidates.
pub type Node = (usize, usize);

/// A directed edge between candidates, with its weight.
pub type Edge = (Node, Node, f64);

/// A graph with the inferred evidence.
pub struct Graph {
    /// By word, then candidate.
    pub scores: Vec<Vec<CandidateScore>>,
    groups: Vec<Group>,
    /// The group of each candidate, by word.
    group_of: Vec<Vec<usize>>,
    /// Between groups, for a candidate with a share of 1: (from, to, weight).
    related: Vec<(u32, u32, f64)>,
    /// By word, then candidate: its share of the inflow of its group.
    shares: Vec<Vec<f64>>,
}

/// Mean relatedness of the content words of two translations.
fn of_phrases(a: &[u32], b: &[u32], relatedness: &impl Fn(u32, u32) -> f64) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let sum: f64 = a.iter().flat_map(|&t| b.iter().map(move |&u| relatedness(t, u))).sum();
    sum / (a.len() * b.len()) as f64
}

/// Extensions of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extensions {
    /// Multiplies the weight of an edge to a candidate by its association with its own word: RS(t, t') · TP(s', t'). In
    /// the paper, rare translations get as much support as frequent ones.
    pub prior: bool,
    /// Candidates without content words, which have no neighbours, keep their association, and the others share the
    /// rest. In the paper, any content word eventually beats them.
    pub keep: bool,
}

impl Graph {
    /// `pairs` are the related words; `relatedness` is RS(t, t') of two content words.
    pub fn infer(
        words: &[Word],
        pairs: &[(usize, usize)],
        relatedness: impl Fn(u32, u32) -> f64,
        extensions: Extensions,
        walk: &Walk,
    ) -> Self {
        let scores = associations(words);
        let share = |one: &CandidateScore| if extensions.prior { one.association } else { 1.0 };
        let shares: Vec<Vec<f64>> = scores.iter().map(|of| of.iter().map(share).collect()).collect();
        let mut contents: Vec<&[u32]> = Vec::new();
        let mut numbers: FastMap<Vec<u32>, usize> = FastMap::default();
        let (mut groups, mut group_of, mut groups_of) = (Vec::new(), Vec::new(), Vec::new());
        for (word, one) in words.iter().enumerate() {
            let first = groups.len();
            let mut own: FastMap<usize, usize> = FastMap::default();
            let mut of = Vec::with_capacity(one.candidates.len());
            for (candidate, share) in one.candidates.iter().zip(&shares[word]) {
                let content = *numbers.entry(candidate.content.clone()).or_insert_with(|| {
                    contents.push(&candidate.content);
                    contents.len() - 1
                });
                let group = *own.entry(content).or_insert_with(|| {
                    groups.push(Group { word, content, mass: 0.0 });
                    groups.len() - 1
                });
                groups[group].mass += share;
                of.push(group);
            }
            group_of.push(of);
            groups_of.push(first..groups.len());
        }
        // RS is computed once for each pair of contents, whichever words have them as candidates.
        let mut known = vec![f64::NAN; contents.len() * contents.len()];
        let mut related: Vec<(u32, u32, f64)> = Vec::new();
        for &(a, b) in pairs {
            for (a, b) in [(a, b), (b, a)] {
                for from in groups_of[a].clone() {
                    for to in groups_of[b].clone() {
                        let (one, other): (&Group, &Group) = (&groups[from], &groups[to]);
                        let value = &mut known[one.content * contents.len() + other.content];
                        if value.is_nan() {
                            *value = of_phrases(contents[one.content], contents[other.content], &relatedness);
                        }
                        if *value > 0.0 && other.mass > 0.0 {
                            related.push((from as u32, to as u32, *value));
                        }
                    }
                }
            }
        }
        // Equation (3): normalised over all neighbours, weighted by the mass of each group.
        let mut sums = vec![0.0; groups.len()];
        for &(from, to, value) in &related {
            sums[from as usize] += value * groups[to as usize].mass;
        }
        related.iter_mut().for_each(|(from, _, value)| *value /= sums[*from as usize]);
        let mut graph = Graph { scores, groups, group_of, related, shares };
        graph.spread(words, walk);
        if extensions.keep {
            words.iter().zip(&mut graph.scores).for_each(|(word, found)| keep(word, found));
        }
        graph
    }

    /// The walk over words and groups, then the evidence of each candidate by its share.
    fn spread(&mut self, words: &[Word], walk: &Walk) {
        let (first, nodes) = (words.len(), words.len() + self.groups.len());
        let whole: f64 = words.iter().map(|word| word.importance).sum();
        let mut initial = vec![0.0; nodes];
        for (value, word) in initial.iter_mut().zip(words) {
            *value = if whole > 0.0 { word.importance / whole } else { 1.0 / words.len() as f64 };
        }
        let mut edges: Vec<(u32, u32, f64)> = Vec::new();
        for (word, found) in self.scores.iter().enumerate() {
            for (one, &group) in found.iter().zip(&self.group_of[word]) {
                edges.push((word as u32, (first + group) as u32, one.association));
            }
        }
        for &(from, to, weight) in &self.related {
            let mass = self.groups[to as usize].mass;
            edges.push((first as u32 + from, first as u32 + to, weight * mass));
        }
        let values = walk.evidence(&initial, &Edges::new(nodes, &edges));
        let between = Edges::new(self.groups.len(), &self.related);
        let keep = 1.0 - walk.reallocation;
        for (word, found) in self.scores.iter_mut().enumerate() {
            let of = &self.group_of[word];
            for ((one, &group), share) in found.iter_mut().zip(of).zip(&self.shares[word]) {
                let flow = share * between.inflow(group, &values[first..]);
                one.evidence = keep * (one.association * values[word] + flow);
            }
            let sum: f64 = found.iter().map(|one| one.evidence).sum();
            let even = 1.0 / found.len() as f64;
            found
                .iter_mut()
                .for_each(|one| one.probability = if sum > 0.0 { one.evidence / sum } else { even });
        }
    }

    /// The edges between candidates.
    pub fn edges(&self) -> Vec<Edge> {
        let mut members = vec![Vec::new(); self.groups.len()];
        for of in &self.group_of {
            of.iter().enumerate().for_each(|(candidate, &group)| members[group].push(candidate));
        }
        let mut edges = Vec::new();
        for &(from, to, weight) in &self.related {
            let (from, to) = (from as usize, to as usize);
            for &a in &members[from] {
                for &b in &members[to] {
                    let (one, other) = (self.groups[from].word, self.groups[to].word);
                    let share = self.shares[other][b];
                    if share > 0.0 {
                        edges.push(((one, a), (other, b), weight * share));
                    }
                }
            }
        }
        edges
    }
}

/// Sets the probability of candidates without content words to their association, and divides the rest by evidence.
fn keep(word: &Word, found: &mut [CandidateScore]) {
    let supported = |candidate: &Candidate| !candidate.content.is_empty();
    let both = || word.candidates.iter().zip(&*found).filter(|(candidate, _)| supported(candidate));
    let (evidence, share) =
        both().fold((0.0, 0.0), |(e, a), (_, one)| (e + one.evidence, a + one.association));
    for (candidate, one) in word.candidates.iter().zip(found) {
        one.probability = match supported(candidate) && evidence > 0.0 {
            true => one.evidence / evidence * share,
            false => one.association,
        };
    }
}

/// TP(s, t) normalised over the candidates of a word; uniform if none of them was seen in training.
fn associations(words: &[Word]) -> Vec<Vec<CandidateScore>> {
    let of = |word: &Word| {
        let sum: u64 = word.candidates.iter().map(|candidate| candidate.count).sum();
        let even = 1.0 / word.candidates.len() as f64;
        let weight = |candidate: &Candidate| match sum {
            0 => even,
            _ => candidate.count as f64 / sum as f64,
        };
        word.candidates
            .iter()
            .map(|candidate| CandidateScore { association: weight(candidate), ..CandidateScore::default() })
            .collect()
    };
    words.iter().map(of).collect()
}
