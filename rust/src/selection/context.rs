//! What the classifiers of several models know of a sentence, and the numbers of their features.

/// A sentence: its words as the rule table numbers them, and its tree if there is one.
pub struct SentenceContext<'a> {
    pub words: &'a [u32],
    /// Numbers of parts of speech; empty without a tree.
    pub tags: &'a [u32],
    /// From 0, -1 for the root word; empty without a tree.
    pub heads: &'a [i32],
}

/// The word beyond the ends of the sentence.
pub const BOUNDARY: u32 = u32::MAX - 1;

const UPOS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
];

/// The number of a part of speech.
pub fn tag(upos: &str) -> u32 {
    UPOS.iter().position(|&other| other == upos).map_or(UPOS.len() as u32, |at| at as u32)
}

/// The bias: a feature of every match.
pub const BIAS: u64 = 0;

/// The number of a feature.
pub fn feature(kind: u64, value: u32) -> u64 {
    (kind + 1) << 32 | u64::from(value)
}
