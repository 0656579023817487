//! Combines the alignments of two directions (Och & Ney 2003; Koehn, Axelrod et al. 2005).
//!
//! `forward` links every target word to at most one source word, `reverse` every source word to at most one target
//! word. This module does not rely on it, so any two alignments can be combined.
//!
//! Growing depends on the order in which points are visited. This module uses the order of fast_align's `atools`: the
//! points of the union that are not yet taken, by source and then target position, repeatedly until none is added; an
//! added point takes effect immediately. The final step visits `forward` and then `reverse` in the same order. Moses'
//! `symal` instead walks from the taken points to their neighbours, by target before source, which gives different
//! links in a few per cent of the sentences.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::work::interrupt;

use crate::corpus::links::{Link, Links, Position};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    Forward,
    Reverse,
    Union,
    Intersection,
    Grow,
    GrowDiag,
    GrowDiagFinal,
    GrowDiagFinalAnd,
}

impl Heuristic {
    pub const ALL: [(&'static str, Heuristic); 8] = [
        ("grow-diag-final-and", Heuristic::GrowDiagFinalAnd),
        ("grow-diag-final", Heuristic::GrowDiagFinal),
        ("grow-diag", Heuristic::GrowDiag),
        ("grow", Heuristic::Grow),
        ("intersection", Heuristic::Intersection),
        ("union", Heuristic::Union),
        ("source-to-target", Heuristic::Forward),
        ("target-to-source", Heuristic::Reverse),
    ];

    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, heuristic)| *heuristic).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(known, _)| *known).collect();
            Error::option(format!("unknown heuristic {name:?}."))
                .hint(format!("Choose one of {}.", names.join(", ")))
        })
    }
}

/// A point of the union: which directions have it, and whether it is taken.
#[derive(Clone, Copy)]
struct Point {
    source: Position,
    target: Position,
    forward: bool,
    reverse: bool,
    taken: bool,
}

/// Combines the two directions sentence by sentence, in parallel on rayon's current pool.
pub fn symmetrise(forward: &Links, reverse: &Links, heuristic: Heuristic) -> Result<Links> {
    if forward.len() != reverse.len() {
        return Err(Error::input(format!(
            "the two directions have {} and {} sentences; they must be of the same text.",
            forward.len(),
            reverse.len()
        )));
    }
    const CHUNK: usize = 1024;
    let starts: Vec<usize> = (0..forward.len()).step_by(CHUNK).collect();
    let parts: Vec<Links> = starts
        .into_par_iter()
        .map(|start| {
            interrupt::point();
            let mut part = Links::default();
            let mut work = Work::default();
            let mut sentence = Vec::new();
            for number in start..(start + CHUNK).min(forward.len()) {
                work.join(forward.sentence(number), reverse.sentence(number), heuristic);
                let taken = work.points.iter().filter(|point| point.taken);
                sentence.extend(taken.map(|point| Link::sure(point.source, point.target)));
                part.push(&mut sentence);
            }
            part
        })
        .collect();
    let mut whole = Links::default();
    for part in &parts {
        whole.append(part);
    }
    Ok(whole)
}

/// Buffers reused for all sentences.
#[derive(Default)]
struct Work {
    /// Sorted by (source, target).
    points: Vec<Point>,
    source_covered: Vec<bool>,
    target_covered: Vec<bool>,
}

impl Work {
    fn join(
        &mut self,
        forward: impl Iterator<Item = Link>,
        reverse: impl Iterator<Item = Link>,
        heuristic: Heuristic,
    ) {
        self.unite(forward, reverse);
        match heuristic {
            Heuristic::Union => self.take_where(|_| true),
            Heuristic::Forward => self.take_where(|point| point.forward),
            Heuristic::Reverse => self.take_where(|point| point.reverse),
            _ => {
                self.take_where(|point| point.forward && point.reverse);
                self.grow_and_finish(heuristic);
            }
        }
    }

    fn unite(&mut self, forward: impl Iterator<Item = Link>, reverse: impl Iterator<Item = Link>) {
        self.points.clear();
        let point = |link: Link, forward| Point {
            source: link.source,
            target: link.target,
            forward,
            reverse: !forward,
            taken: false,
        };
        self.points.extend(forward.map(|link| point(link, true)));
        self.points.extend(reverse.map(|link| point(link, false)));
        self.points.sort_by_key(|point| (point.source, point.target));
        self.points.dedup_by(|later, earlier| {
            let same = (later.source, later.target) == (earlier.source, earlier.target);
            if same {
                earlier.forward |= later.forward;
                earlier.reverse |= later.reverse;
            }
            same
        });
    }

    fn take_where(&mut self, wanted: impl Fn(&Point) -> bool) {
        for point in &mut self.points {
            point.taken = wanted(point);
        }
    }

    fn grow_and_finish(&mut self, heuristic: Heuristic) {
        let sources = self.points.iter().map(|point| usize::from(point.source) + 1).max().unwrap_or(0);
        let targets = self.points.iter().map(|point| usize::from(point.target) + 1).max().unwrap_or(0);
        self.source_covered.clear();
        self.source_covered.resize(sources, false);
        self.target_covered.clear();
        self.target_covered.resize(targets, false);
        for k in 0..self.points.len() {
            if self.points[k].taken {
                self.take(k);
            }
        }
        match heuristic {
            Heuristic::Grow => self.grow(&BLOCK),
            Heuristic::GrowDiag => self.grow(&BLOCK_AND_DIAGONAL),
            Heuristic::GrowDiagFinal => {
                self.grow(&BLOCK_AND_DIAGONAL);
                self.finish(|source_covered, target_covered| !(source_covered && target_covered));
            }
            Heuristic::GrowDiagFinalAnd => {
                self.grow(&BLOCK_AND_DIAGONAL);
                self.finish(|source_covered, target_covered| !source_covered && !target_covered);
            }
            _ => {}
        }
    }

    fn grow(&mut self, neighbours: &[(i32, i32)]) {
        let mut added = true;
        while added {
            added = false;
            for k in 0..self.points.len() {
                let point = self.points[k];
                if point.taken || (self.covers_source(&point) && self.covers_target(&point)) {
                    continue;
                }
                if neighbours.iter().any(|step| self.is_taken(&point, *step)) {
                    self.take(k);
                    added = true;
                }
            }
        }
    }

    fn finish(&mut self, may: impl Fn(bool, bool) -> bool) {
        for direction in [|point: &Point| point.forward, |point: &Point| point.reverse] {
            for k in 0..self.points.len() {
                let point = self.points[k];
                let wanted = direction(&point) && !point.taken;
                if wanted && may(self.covers_source(&point), self.covers_target(&point)) {
                    self.take(k);
                }
            }
        }
    }

    fn take(&mut self, k: usize) {
        let point = &mut self.points[k];
        point.taken = true;
        self.source_covered[usize::from(point.source)] = true;
        self.target_covered[usize::from(point.target)] = true;
    }

    fn covers_source(&self, point: &Point) -> bool {
        self.source_covered[usize::from(point.source)]
    }

    fn covers_target(&self, point: &Point) -> bool {
        self.target_covered[usize::from(point.target)]
    }

    /// Whether the neighbour in this direction is taken. Taken points are in the union, so only the union is searched.
    fn is_taken(&self, point: &Point, (by_source, by_target): (i32, i32)) -> bool {
        let source = Position::try_from(i32::from(point.source) + by_source);
        let target = Position::try_from(i32::from(point.target) + by_target);
        let (Ok(source), Ok(target)) = (source, target) else {
            return false;
        };
        self.points
            .binary_search_by_key(&(source, target), |other| (other.source, other.target))
            .is_ok_and(|at| self.points[at].taken)
    }
}

const BLOCK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BLOCK_AND_DIAGONAL: [(i32, i32); 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(Position, Position)]) -> Links {
        let mut links = Links::default();
        links.push(&mut pairs.iter().map(|&(source, target)| Link::sure(source, target)).collect());
        links
    }

    fn joined(heuristic: Heuristic) -> Vec<(Position, Position)> {
        let forward = links(&[(0, 0), (1, 1), (1, 2), (4, 3), (3, 4)]);
        let reverse = links(&[(0, 0), (1, 1), (2, 1), (3, 5), (4, 6)]);
        let whole = symmetrise(&forward, &reverse, heuristic).unwrap();
        whole.sentence(0).map(|link| (link.source, link.target)).collect()
    }

    /// Worked by hand. Intersection: 0-0 1-1. Growing adds 1-2 (beside 1-1) and 2-1 (below 1-1); 3-4, 3-5, 4-3 and 4-6
    /// touch nothing taken. The final step over forward takes 3-4 and 4-3, after which 3-5 and 4-6 have a covered word.
    #[test]
    fn every_heuristic_by_hand() {
        use Heuristic::*;
        assert_eq!(joined(Intersection), [(0, 0), (1, 1)]);
        assert_eq!(joined(Grow), [(0, 0), (1, 1), (1, 2), (2, 1)]);
        assert_eq!(joined(GrowDiag), [(0, 0), (1, 1), (1, 2), (2, 1)]);
        let both = [(0, 0), (1, 1), (1, 2), (2, 1), (3, 4), (4, 3)];
        assert_eq!(joined(GrowDiagFinalAnd), both);
        let either = [(0, 0), (1, 1), (1, 2), (2, 1), (3, 4), (3, 5), (4, 3), (4, 6)];
        assert_eq!(joined(GrowDiagFinal), either);
        assert_eq!(joined(Union), either);
        assert_eq!(joined(Forward), [(0, 0), (1, 1), (1, 2), (3, 4), (4, 3)]);
        assert_eq!(joined(Reverse), [(0, 0), (1, 1), (2, 1), (3, 5), (4, 6)]);
    }

    #[test]
    fn a_diagonal_neighbour_needs_the_diagonal() {
        let (forward, reverse) = (links(&[(0, 0), (1, 1)]), links(&[(0, 0)]));
        assert_eq!(symmetrise(&forward, &reverse, Heuristic::Grow).unwrap().total(), 1);
        assert_eq!(symmetrise(&forward, &reverse, Heuristic::GrowDiag).unwrap().total(), 2);
    }

    #[test]
    fn sentence_counts_must_agree() {
        assert!(symmetrise(&links(&[]), &Links::default(), Heuristic::Union).is_err());
        assert!(Heuristic::from_name("grow-dig").is_err());
    }
}
