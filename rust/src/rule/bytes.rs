//! A rule as bytes in the table.

use super::record::Context;
use super::{ORIENTATIONS, SCORES};
use crate::store::short::Short;

/// The valid range of log probabilities, with a tolerance for rounding. Written ones are at least -100.
const SOUND_SCORES: std::ops::RangeInclusive<f32> = -1e4..=0.01;

/// The target side of a rule. Few have more symbols than are held in place.
pub type Symbols = Short<u32, 7>;

/// A rule without its source side, which is given by its node in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub context: Context,
    pub target: Symbols,
    /// (source position in the pattern, target position) of words. Holes have no points; their symbols determine their
    /// order.
    pub alignment: Short<(u8, u8), 15>,
    /// Joint count of source side, context and target side; fractional if the rules of a phrase pair share one
    /// occurrence.
    pub count: f32,
    pub scores: [f32; SCORES],
    /// All zero if the table has no orientations.
    pub orientations: [u32; ORIENTATIONS],
}

impl Default for Rule {
    fn default() -> Self {
        Rule {
            context: Context::Any,
            target: Short::new(),
            alignment: Short::new(),
            count: 0.0,
            scores: [0.0; SCORES],
            orientations: [0; ORIENTATIONS],
        }
    }
}

impl Rule {
    /// Becomes equal to another rule and reuses its own memory.
    pub fn copy_from(&mut self, other: &Rule) {
        let Rule { context, target, alignment, count, scores, orientations } = self;
        target.set(&other.target);
        alignment.set(&other.alignment);
        (*context, *count) = (other.context, other.count);
        (*scores, *orientations) = (other.scores, other.orientations);
    }

    /// Whether its word numbers are below `words`, its points are in range, and its scores are valid.
    pub fn is_sound(&self, words: u32) -> bool {
        self.target.iter().all(|&word| word < words)
            && self.alignment.iter().all(|&(_, t)| usize::from(t) < self.target.len())
            && self.scores.iter().all(|score| SOUND_SCORES.contains(score))
    }
}

#[inline]
pub fn put_number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A whole count is stored as twice its value, any other as 1 followed by its bytes.
#[inline]
fn put_count(out: &mut Vec<u8>, count: f32) {
    if count.fract() == 0.0 && (0.0..(1u64 << 31) as f32).contains(&count) {
        put_number(out, (count as u32) << 1);
    } else {
        out.push(1);
        out.extend_from_slice(&count.to_le_bytes());
    }
}

pub fn write(out: &mut Vec<u8>, rule: &Rule, oriented: bool) {
    let Rule { context, target, alignment, count, scores, orientations } = rule;
    let points = alignment.iter().map(|&(s, t)| s << 4 | t);
    let orientations = oriented.then_some(orientations);
    write_parts(out, *context, *count, target.iter().copied(), points, scores, orientations);
}

/// Writes a rule from its parts. A point has its source position in the upper four bits.
pub fn write_parts(
    out: &mut Vec<u8>,
    context: Context,
    count: f32,
    target: impl ExactSizeIterator<Item = u32>,
    points: impl ExactSizeIterator<Item = u8>,
    scores: &[f32; SCORES],
    orientations: Option<&[u32; ORIENTATIONS]>,
) {
    put_number(out, context.code());
    put_count(out, count);
    out.push(target.len() as u8);
    target.for_each(|word| put_number(out, word));
    out.push(points.len() as u8);
    out.extend(points);
    scores.iter().for_each(|score| out.extend_from_slice(&score.to_le_bytes()));
    orientations.iter().copied().flatten().for_each(|&n| put_number(out, n));
}

/// Reads bytes of a file that may be damaged: every step fails at the end of the data.
pub struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes }
    }

    /// The number of unread bytes.
    #[inline]
    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.bytes.split_at_checked(n)?;
        self.bytes = rest;
        Some(head)
    }

    #[inline]
    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    #[inline]
    pub fn number(&mut self) -> Option<u32> {
        let (&first, rest) = self.bytes.split_first()?;
        if first < 0x80 {
            self.bytes = rest;
            return Some(u32::from(first));
        }
        self.longer_number()
    }

    /// A number of several bytes.
    fn longer_number(&mut self) -> Option<u32> {
        let mut value = 0u32;
        for shift in (0..32).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn float(&mut self) -> Option<f32> {
        let bytes = self.take(4)?;
        Some(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn count(&mut self) -> Option<f32> {
        match self.number()? {
            1 => self.float(),
            twice => Some((twice >> 1) as f32),
        }
    }

    /// Reads the next rule into `rule` and reuses its buffers.
    pub fn rule(&mut self, rule: &mut Rule, oriented: bool) -> Option<()> {
        rule.context = Context::from_code(self.number()?);
        rule.count = self.count()?;
        let words = self.byte()?;
        rule.target.clear();
        for _ in 0..words {
            rule.target.push(self.number()?);
        }
        let points = self.byte()?;
        rule.alignment.clear();
        self.take(usize::from(points))?.iter().for_each(|&b| rule.alignment.push((b >> 4, b & 15)));
        let scores = self.take(4 * SCORES)?.chunks_exact(4);
        for (score, bytes) in rule.scores.iter_mut().zip(scores) {
            *score = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        rule.orientations = [0; ORIENTATIONS];
        if oriented {
            for n in &mut rule.orientations {
                *n = self.number()?;
            }
        }
        Some(())
    }
}
