//! Parses the lines of one CoNLL-U sentence into columns.

use crate::source::tree as graph;

use super::trees::{Column, Multiword, Span, Trees, Word};

/// Treatment of a token that stands for several words (`3-4 am`, for `an` and `dem`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiwordTokens {
    /// The token replaces its words as a single node. It takes the head of its word nearest to the root (the first of
    /// several), and the dependents of all its words. The nodes are then the tokens of the running text.
    Surface,
    /// The words are the nodes; the token is kept only for writing.
    Words,
}

/// The line of a fault, relative to the sentence's first, and a message.
pub type ParseFault = (u64, String);

/// The kind of a row.
enum Row {
    Word(Word, i32),
    Multiword(Multiword),
    EmptyNode,
}

/// Parses the sentence that starts at `start` of `trees.raw` into the columns, and checks its tree.
pub fn parse(trees: &mut Trees, start: usize, multiword: MultiwordTokens) -> Result<(), ParseFault> {
    let first_word = trees.words.len();
    let mut word_lines: Vec<u64> = Vec::with_capacity(32);
    let mut tokens: Vec<(Multiword, u64)> = Vec::new();
    let mut dropped = false;
    let mut begin = start;
    for (number, line) in (0_u64..).zip(trees.raw[start..].split_terminator('\n')) {
        let end = begin + line.len();
        if line.starts_with('#') {
            trees.comments.push(Span { start: begin as u32, end: end as u32 });
        } else {
            let free = tokens.last().map_or(0, |(token, _)| token.last as usize + 1);
            match read_row(line, begin, word_lines.len(), free).map_err(|message| (number, message))? {
                Row::Word(word, head) => {
                    trees.words.push(word);
                    trees.heads.push(head);
                    word_lines.push(number);
                }
                Row::Multiword(token) => tokens.push((token, number)),
                Row::EmptyNode => dropped = true,
            }
        }
        begin = end + 1;
    }
    let heads = &trees.heads[first_word..];
    if heads.is_empty() {
        return Err((0, "a sentence without words.".to_owned()));
    }
    if let Some((token, line)) = tokens.last().filter(|(token, _)| token.last as usize >= heads.len()) {
        let (last, all) = (token.last + 1, heads.len());
        return Err((*line, format!("the multiword token ends at word {last}, the sentence at {all}.")));
    }
    graph::check(heads).map_err(|fault| (word_lines[fault.word()], fault.message(heads.len())))?;
    if multiword == MultiwordTokens::Surface && !tokens.is_empty() {
        collapse(trees, first_word, &tokens);
        dropped = true;
    } else {
        trees.multiwords.extend(tokens.iter().map(|(token, _)| token));
    }
    if dropped {
        // Enhanced dependencies refer to nodes by ids that no longer exist.
        for word in &mut trees.words[first_word..] {
            word[Column::Deps as usize] = Span::default();
        }
    }
    Ok(())
}

/// Parses one row after `words` words. A multiword token may start only after the first `free` words, which
/// the previous one covers.
fn read_row(line: &str, begin: usize, words: usize, free: usize) -> Result<Row, String> {
    let cuts = cuts_of(line)?;
    let text = |column: usize| &line[cuts[column]..cuts[column + 1] - 1];
    let span = |column: usize| {
        if text(column) == "_" && column != 1 {
            return Span::default();
        }
        Span { start: (begin + cuts[column]) as u32, end: (begin + cuts[column + 1] - 1) as u32 }
    };
    let (id, expected) = (text(0), words + 1);
    if text(1).trim().is_empty() {
        return Err(format!("word {id} has an empty FORM."));
    }
    if number(id) == Some(expected as u64) {
        // A HEAD out of range is still a number: the tree check reports the valid range.
        let head = number(text(6))
            .ok_or_else(|| format!("the HEAD of word {expected} is {:?}, a number was expected.", text(6)))?;
        let head = head.min(i32::MAX as u64) as i32 - 1;
        return Ok(Row::Word([1, 2, 3, 4, 5, 7, 8, 9].map(span), head));
    }
    if let Some((first, last)) = id.split_once('-') {
        return match (number(first), number(last)) {
            (Some(first), Some(last)) if first == expected as u64 && last > first && free <= words => {
                let last = last.min(u64::from(u32::MAX)) as u32 - 1;
                let (form, feats, misc) = (span(1), span(5), span(9));
                Ok(Row::Multiword(Multiword { first: words as u32, last, form, feats, misc }))
            }
            _ => Err(format!(
                "the multiword token {id} was not expected here; it should start at word {expected}, end after it \
                 and not overlap another."
            )),
        };
    }
    if let Some((word, part)) = id.split_once('.') {
        if number(word) == Some(words as u64) && number(part).is_some() {
            return Ok(Row::EmptyNode);
        }
        return Err(format!("the empty node {id} was not expected here; {words}.1 was."));
    }
    Err(format!("word id {id:?} where {expected} was expected."))
}

/// A number of digits only, as CoNLL-U has it; saturates at the largest value.
fn number(text: &str) -> Option<u64> {
    let mut value = 0_u64;
    for byte in text.bytes() {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
    }
    (!text.is_empty()).then_some(value)
}

/// The starts of the ten columns, and one past the end of the last.
fn cuts_of(line: &str) -> Result<[usize; 11], String> {
    let mut cuts = [0; 11];
    let mut count = 1;
    // Byte by byte: the columns are too short for a search with set-up costs.
    for (at, &byte) in line.as_bytes().iter().enumerate() {
        if byte == b'\t' {
            if count < 10 {
                cuts[count] = at + 1;
            }
            count += 1;
        }
    }
    cuts[10] = line.len() + 1;
    if count == 10 {
        return Ok(cuts);
    }
    let tabs = if count == 1 { " Columns are separated by tabs." } else { "" };
    Err(format!("{count} column{}, 10 were expected.{tabs}", if count == 1 { "" } else { "s" }))
}

/// Replaces the words of each multiword token by one node.
fn collapse(trees: &mut Trees, first_word: usize, tokens: &[(Multiword, u64)]) {
    let heads = &trees.heads[first_word..];
    let depth = |mut word: usize| {
        let mut steps = 0;
        while heads[word] >= 0 {
            word = heads[word] as usize;
            steps += 1;
        }
        steps
    };
    let mut node_of = Vec::with_capacity(heads.len());
    let mut tops = Vec::with_capacity(heads.len());
    let mut pending = tokens.iter().peekable();
    let mut word = 0;
    while word < heads.len() {
        let token = pending.next_if(|(token, _)| token.first as usize == word).map(|(token, _)| *token);
        let end = token.map_or(word + 1, |token| token.last as usize + 1);
        // Taking the word nearest to the root keeps the result a tree: none of its ancestors is in the same token.
        tops.push(((word..end).min_by_key(|&inner| depth(inner)).unwrap_or(word), token));
        node_of.resize(end, tops.len() - 1);
        word = end;
    }
    let mut new_words = Vec::with_capacity(tops.len());
    let mut new_heads = Vec::with_capacity(tops.len());
    for (top, token) in tops {
        let mut word = trees.words[first_word + top];
        if let Some(token) = token {
            word[Column::Form as usize] = token.form;
            word[Column::Misc as usize] = token.misc;
        }
        new_words.push(word);
        new_heads.push(if heads[top] < 0 { -1 } else { node_of[heads[top] as usize] as i32 });
    }
    trees.words.truncate(first_word);
    trees.words.extend(new_words);
    trees.heads.truncate(first_word);
    trees.heads.extend(new_heads);
}
