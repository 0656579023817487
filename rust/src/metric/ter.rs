//! The edits of translation edit rate (Snover et al. 2006): insertions, deletions, substitutions and block shifts,
//! found by Tercom's greedy search with sacreBLEU's limits, identical edit for edit.

/// The longest block that is shifted, and the longest distance of a shift.
const MAX_SHIFT_LENGTH: usize = 10;
const MAX_SHIFT_DISTANCE: usize = 50;
/// Half the width of the band around the diagonal in which edit distances are computed.
const BEAM: usize = 25;
/// The number of shifts tried for a sentence before the search ends.
const MAX_TRIED: usize = 1000;

const UNREACHABLE: u32 = 1 << 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    /// Keep or substitute.
    Both,
    /// A hypothesis word without a counterpart in the reference.
    Hypothesis,
    /// A reference word without a counterpart in the hypothesis.
    Reference,
}

/// The number of edits that turn the hypothesis into the reference.
pub fn edits(hypothesis: &[u32], reference: &[u32]) -> u32 {
    if reference.is_empty() {
        return hypothesis.len() as u32;
    }
    let mut distance = Distance::new(reference, hypothesis.len());
    let mut words = hypothesis.to_vec();
    let mut shifted = Vec::new();
    let (mut shifts, mut tried) = (0, 0);
    loop {
        let before = distance.of(&words);
        if before == 0 {
            return shifts;
        }
        let found = best_shift(&words, reference, &mut distance, before, &mut tried);
        match found {
            Some(shift) if tried < MAX_TRIED && shift.gain > 0 => {
                shift.apply(&words, &mut shifted);
                std::mem::swap(&mut words, &mut shifted);
                shifts += 1;
            }
            _ => return shifts + before,
        }
    }
}

/// Translation edit rate in per cent, from all edits and the mean length of the references, as in sacreBLEU.
pub fn ter(edits: i64, length: f64) -> f64 {
    match (length > 0.0, edits > 0) {
        (true, _) => 100.0 * (edits as f64 / length),
        (false, true) => 100.0,
        (false, false) => 0.0,
    }
}

/// A block of the hypothesis and its new position. Order of preference: gain, length, earliest block, earliest
/// position.
#[derive(Clone, Copy, Debug)]
struct Shift {
    gain: i64,
    length: usize,
    start: usize,
    target: usize,
}

impl Shift {
    fn rank(&self) -> (i64, usize, std::cmp::Reverse<usize>, std::cmp::Reverse<usize>) {
        (self.gain, self.length, std::cmp::Reverse(self.start), std::cmp::Reverse(self.target))
    }

    fn apply(&self, words: &[u32], out: &mut Vec<u32>) {
        let (start, end) = (self.start, self.start + self.length);
        let block = &words[start..end];
        out.clear();
        if self.target < start {
            for part in [&words[..self.target], block, &words[self.target..start], &words[end..]] {
                out.extend_from_slice(part);
            }
        } else {
            // A target position inside the block counts from the block's end.
            let place = if self.target > end { self.target } else { self.target + self.length };
            let place = place.clamp(end, words.len());
            for part in [&words[..start], &words[end..place], block, &words[place..]] {
                out.extend_from_slice(part);
            }
        }
    }
}

/// The best shift of a misplaced block to its position in the reference, with its gain, which may be 0.
fn best_shift(
    words: &[u32],
    reference: &[u32],
    distance: &mut Distance<'_>,
    before: u32,
    tried: &mut usize,
) -> Option<Shift> {
    let path = distance.path(words);
    let mut shifted = Vec::new();
    let mut best: Option<Shift> = None;
    for start in 0..words.len() {
        for from in
            start.saturating_sub(MAX_SHIFT_DISTANCE)..reference.len().min(start + MAX_SHIFT_DISTANCE + 1)
        {
            let same = words[start..].iter().zip(&reference[from..]).take(MAX_SHIFT_LENGTH);
            let longest = same.take_while(|(word, other)| word == other).count();
            for length in 1..=longest {
                let wrong = path.hypothesis_wrong[start..start + length].contains(&true)
                    && path.reference_wrong[from..from + length].contains(&true);
                let opposite = path.opposite[from];
                let inside = opposite > start && opposite <= start + length;
                if !wrong || inside {
                    continue;
                }
                let mut last = None;
                // Before the block's position in the reference, then after each of its words.
                for place in from..=from + length {
                    let target = if place == 0 { 0 } else { path.opposite[place - 1] };
                    if last == Some(target) {
                        continue;
                    }
                    last = Some(target);
                    let mut shift = Shift { gain: 0, length, start, target };
                    shift.apply(words, &mut shifted);
                    shift.gain = i64::from(before) - i64::from(distance.of(&shifted));
                    *tried += 1;
                    if best.is_none_or(|known| shift.rank() > known.rank()) {
                        best = Some(shift);
                    }
                }
                if *tried >= MAX_TRIED {
                    return best;
                }
            }
        }
    }
    best
}

/// The correspondence of hypothesis and reference in one cheapest sequence of edits.
#[derive(Debug, Default)]
struct Path {
    /// For each reference word, the number of hypothesis words up to and including its counterpart.
    opposite: Vec<usize>,
    hypothesis_wrong: Vec<bool>,
    reference_wrong: Vec<bool>,
}

/// Edit distances between one reference and hypotheses of one length; the rows of a common prefix are reused.
struct Distance<'a> {
    reference: &'a [u32],
    width: usize,
    costs: Vec<u32>,
    edits: Vec<Edit>,
    /// The hypothesis of the current rows.
    rows: Vec<u32>,
    ratio: f64,
    beam: usize,
}

impl<'a> Distance<'a> {
    fn new(reference: &'a [u32], hypothesis: usize) -> Self {
        let width = reference.len() + 1;
        let ratio = if hypothesis == 0 { 1.0 } else { reference.len() as f64 / hypothesis as f64 };
        // Ensures that the bands of consecutive rows overlap, however different the lengths are.
        let beam =
            if (BEAM as f64) < ratio / 2.0 { (ratio / 2.0 + BEAM as f64).ceil() as usize } else { BEAM };
        let mut costs = vec![UNREACHABLE; width * (hypothesis + 1)];
        (0..width).for_each(|j| costs[j] = j as u32);
        let edits = vec![Edit::Reference; costs.len()];
        Distance { reference, width, costs, edits, rows: Vec::new(), ratio, beam }
    }

    fn of(&mut self, words: &[u32]) -> u32 {
        let known = self.rows.iter().zip(words).take_while(|(a, b)| a == b).count();
        for row in known + 1..=words.len() {
            self.fill(row, words[row - 1], row == words.len());
        }
        self.rows.clear();
        self.rows.extend_from_slice(words);
        self.costs[(words.len() + 1) * self.width - 1]
    }

    fn fill(&mut self, row: usize, word: u32, last: bool) {
        let diagonal = (row as f64 * self.ratio).floor() as usize;
        let low = diagonal.saturating_sub(self.beam);
        let high = if last { self.width } else { self.width.min(diagonal + self.beam) };
        let (above, own) =
            self.costs[(row - 1) * self.width..(row + 1) * self.width].split_at_mut(self.width);
        let edits = &mut self.edits[row * self.width..(row + 1) * self.width];
        own.fill(UNREACHABLE);
        for j in low..high {
            // Of equal costs, take the first.
            let mut best = (UNREACHABLE, Edit::Both);
            if j > 0 {
                best = best.min_first((above[j - 1] + u32::from(word != self.reference[j - 1]), Edit::Both));
            }
            best = best.min_first((above[j] + 1, Edit::Hypothesis));
            if j > 0 {
                best = best.min_first((own[j - 1] + 1, Edit::Reference));
            }
            (own[j], edits[j]) = best;
        }
    }

    fn path(&mut self, words: &[u32]) -> Path {
        self.of(words);
        let (mut i, mut j) = (words.len(), self.reference.len());
        let mut path =
            Path { opposite: vec![0; j], hypothesis_wrong: vec![true; i], reference_wrong: vec![true; j] };
        while i > 0 || j > 0 {
            match self.edits[i * self.width + j] {
                Edit::Both if i > 0 && j > 0 => {
                    path.opposite[j - 1] = i;
                    let wrong = words[i - 1] != self.reference[j - 1];
                    path.hypothesis_wrong[i - 1] = wrong;
                    path.reference_wrong[j - 1] = wrong;
                    (i, j) = (i - 1, j - 1);
                }
                Edit::Hypothesis if i > 0 => i -= 1,
                _ if j > 0 => {
                    path.opposite[j - 1] = i;
                    j -= 1;
                }
                _ => i -= 1,
            }
        }
        path
    }
}

trait First {
    fn min_first(self, other: Self) -> Self;
}

impl First for (u32, Edit) {
    fn min_first(self, other: Self) -> Self {
        if self.0 > other.0 {
            other
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_letters(hypothesis: &str, reference: &str) -> u32 {
        let words = |text: &str| text.bytes().map(u32::from).collect::<Vec<_>>();
        edits(&words(hypothesis), &words(reference))
    }

    #[test]
    fn edits_by_hand() {
        assert_eq!(by_letters("", ""), 0);
        assert_eq!(by_letters("abc", ""), 3);
        assert_eq!(by_letters("", "abc"), 3);
        assert_eq!(by_letters("axcd", "abcde"), 2);
        // A block of three moves to the end in one shift; the plain edit distance is 6.
        assert_eq!(by_letters("xyzabcdefg", "abcdefgxyz"), 1);
        // The example of Snover et al. 2006: "this week the saudis denied information published in the new york times" for
        // "saudi arabia denied this week information published in the american new york times" takes a shift (this week),
        // two substitutions and an insertion.
        let reference = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
        let hypothesis = [4, 5, 9, 20, 3, 6, 7, 8, 9, 11, 12, 13];
        assert_eq!(edits(&hypothesis, &reference), 4);
    }

    #[test]
    fn a_shift_within_its_own_place_counts_from_the_end_of_the_block() {
        let mut out = Vec::new();
        let shift = |target| Shift { gain: 0, length: 2, start: 1, target };
        let words = [0, 1, 2, 3, 4, 5];
        shift(0).apply(&words, &mut out);
        assert_eq!(out, [1, 2, 0, 3, 4, 5]);
        shift(2).apply(&words, &mut out);
        assert_eq!(out, [0, 3, 1, 2, 4, 5]);
        shift(5).apply(&words, &mut out);
        assert_eq!(out, [0, 3, 4, 1, 2, 5]);
    }
}
