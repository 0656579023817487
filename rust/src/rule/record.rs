//! A rule occurrence as bytes that sort in the order of the rule table: by source side, context, target side,
//! alignment. Sorting, merging and counting then need not parse them.

use crate::store::bits::NodeSet;
use crate::store::hashing;

/// The context of a rule: any (`*`), or the set of pattern positions that link to the rest of the input.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Context {
    /// A basic rule: applies in any context.
    Any,
    /// A segmenting rule, or a selecting rule when the set is empty.
    Nodes(u16),
}

impl Context {
    pub const CODES: u32 = 1 << 16;

    pub fn code(self) -> u32 {
        match self {
            Context::Any => 0,
            Context::Nodes(set) => u32::from(set) + 1,
        }
    }

    pub fn from_code(code: u32) -> Self {
        match code {
            0 => Context::Any,
            set => Context::Nodes((set - 1) as u16),
        }
    }
}

/// The longest source side and target side that any option allows: positions fit into four bits.
pub const MAX_SIDE: usize = 16;

/// What distinguishes source sides.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Identity {
    /// Words and the links among them (as in the paper).
    Links,
    /// Words and the positions of gaps: less sparse.
    Gaps,
}

impl Identity {
    /// The part of the identity of each word of the pattern besides the word itself: its links to earlier positions of
    /// the pattern as a bit set, or whether a gap precedes it.
    pub fn joints<B: NodeSet>(self, positions: &[usize], links: &[B], joints: &mut Vec<u16>) {
        joints.clear();
        for (k, &p) in positions.iter().enumerate() {
            joints.push(match self {
                Identity::Links => {
                    let linked = links[p];
                    let bit = |(i, &q): (usize, &usize)| u16::from(linked.contains(q)) << i;
                    positions[..k].iter().enumerate().map(bit).sum()
                }
                Identity::Gaps => u16::from(k > 0 && positions[k - 1] + 1 != p),
            });
        }
    }
}

/// Writes a record. Words are numbered from 0; zero bytes end a side, so that a side sorts before its continuations.
pub fn write(
    out: &mut Vec<u8>,
    words: impl Iterator<Item = u32>,
    joints: &[u16],
    context: Context,
    target: &[u32],
    points: &[(u8, u8)],
) {
    out.reserve(6 * joints.len() + 4 * target.len() + points.len() + 11);
    words.zip(joints).for_each(|(word, &joint)| push_source(out, word, joint));
    end_source(out, context);
    target.iter().for_each(|&word| push_target(out, word));
    end_target(out);
    out.extend(points.iter().map(|&(s, t)| s << 4 | t));
}

/// Appends a word of a source side.
#[inline]
pub fn push_source(out: &mut Vec<u8>, word: u32, joint: u16) {
    let ([a, b, c, d], [e, f]) = ((word + 1).to_be_bytes(), joint.to_be_bytes());
    out.extend_from_slice(&[a, b, c, d, e, f]);
}

/// Appends the end of a source side and the context, which has three bytes: a set of 16 positions and "any".
#[inline]
pub fn end_source(out: &mut Vec<u8>, context: Context) {
    let [_, a, b, c] = context.code().to_be_bytes();
    out.extend_from_slice(&[0, 0, 0, 0, a, b, c]);
}

/// Appends a word of a target side.
#[inline]
pub fn push_target(out: &mut Vec<u8>, word: u32) {
    out.extend_from_slice(&(word + 1).to_be_bytes());
}

#[inline]
pub fn end_target(out: &mut Vec<u8>) {
    out.extend_from_slice(&[0; 4]);
}

/// Keys under which target sides are counted: one key whatever the numbers of the holes, as in Moses, but separate keys
/// for basic and for contextual rules, and for rules with labelled holes beside others over any span.
#[derive(Clone, Copy, Debug, Default)]
pub struct TargetKeys {
    /// The number of target symbols that are holes; they come first.
    pub holes: u32,
    /// Whether source symbol 0 is a hole over any span, beside other holes that have labels.
    pub any_span: bool,
}

impl TargetKeys {
    #[inline]
    pub fn of(self, record: &Record<'_>) -> u64 {
        let basic = u64::from(record.context != Context::Any);
        if self.holes == 0 || record.target_words().all(|word| word >= self.holes) {
            return hashing::word(record.target) ^ basic;
        }
        let labelled = self.any_span && record.source_words().all(|(symbol, _)| symbol != 0);
        let mut erased = [0; 4 * MAX_SIDE];
        let erased = &mut erased[..record.target.len()];
        for (symbol, word) in erased.chunks_exact_mut(4).zip(record.target_words()) {
            let number = if word < self.holes { 1 } else { word + 1 };
            symbol.copy_from_slice(&number.to_be_bytes());
        }
        hashing::word(erased) ^ basic ^ u64::from(labelled) << 1
    }
}

/// The lengths of a record's sides in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    source: u8,
    target: u8,
}

impl Lengths {
    #[inline]
    pub fn of(bytes: &[u8]) -> Self {
        let is_end = |at: usize| bytes[at..at + 4] == [0; 4];
        let source = (0..).step_by(6).find(|&at| is_end(at)).unwrap_or(0);
        let target = (0..).step_by(4).find(|&at| is_end(source + 7 + at)).unwrap_or(0);
        Lengths { source: source as u8, target: target as u8 }
    }
}

/// A parsed record; borrows its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Six bytes for each word: the word plus one, and its joint.
    pub source: &'a [u8],
    pub context: Context,
    /// Four bytes for each word: the word plus one.
    pub target: &'a [u8],
    /// A byte for each alignment point: source position, target position, four bits each.
    pub points: &'a [u8],
}

impl<'a> Record<'a> {
    pub fn read(bytes: &'a [u8]) -> Self {
        Self::with_lengths(bytes, Lengths::of(bytes))
    }

    /// The same, where the lengths of its parts are known.
    #[inline]
    pub fn with_lengths(bytes: &'a [u8], lengths: Lengths) -> Self {
        let (source, rest) = bytes.split_at(lengths.source.into());
        let (context, rest) = rest.split_at(7);
        let (target, rest) = rest.split_at(lengths.target.into());
        let code = u32::from_be_bytes([0, context[4], context[5], context[6]]);
        Record { source, context: Context::from_code(code), target, points: &rest[4..] }
    }

    #[inline]
    pub fn source_words(&self) -> impl Iterator<Item = (u32, u16)> + 'a {
        self.source
            .chunks_exact(6)
            .map(|c| (u32::from_be_bytes([c[0], c[1], c[2], c[3]]) - 1, u16::from_be_bytes([c[4], c[5]])))
    }

    #[inline]
    pub fn target_words(&self) -> impl ExactSizeIterator<Item = u32> + 'a {
        self.target.chunks_exact(4).map(|c| u32::from_be_bytes([c[0], c[1], c[2], c[3]]) - 1)
    }

    #[inline]
    pub fn alignment(&self) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.points.iter().map(|&b| (usize::from(b >> 4), usize::from(b & 15)))
    }
}
