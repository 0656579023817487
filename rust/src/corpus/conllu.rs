//! CoNLL-U, read in chunks of sentences, with every tree checked.
//!
//! ```no_run
//! use _core::corpus::conllu::{MultiwordTokens, Reader};
//! # fn main() -> _core::error::Result<()> {
//! let mut reader = Reader::open("train.de.conllu.gz".as_ref(), MultiwordTokens::Surface)?;
//! loop {
//!     let trees = reader.read(4096)?;
//!     if trees.is_empty() {
//!         break;
//!     }
//!     for sentence in 0..trees.len() {
//!         println!("{:?}", trees.heads_of(sentence));
//!     }
//! }
//! # Ok(())
//! # }
//! ```

use std::path::Path;

use crate::error::{Error, Result};
use crate::graph;

use super::text::Lines;
use super::trees::{Column, Multiword, Span, Trees, Word};

/// What becomes of a token that stands for several words (`3-4 am`, for `an` and `dem`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiwordTokens {
    /// The token replaces its words: it is one node, attached as the word nearest to the root (the first of
    /// several) was; what hung on any of the words hangs on it. The nodes are then the tokens of the running text.
    Surface,
    /// The words are the nodes; the token is remembered for writing only.
    Words,
}

pub struct Reader {
    lines: Lines,
    multiword: MultiwordTokens,
    lenient: bool,
    /// Whether the end of the file was met.
    ended: bool,
}

impl Reader {
    pub fn open(path: &Path, multiword: MultiwordTokens) -> Result<Self> {
        Ok(Self::new(Lines::open(path)?, multiword))
    }

    pub fn new(lines: Lines, multiword: MultiwordTokens) -> Self {
        Reader { lines, multiword, lenient: false, ended: false }
    }

    /// Keep the place of a sentence with a fault, without words, and note the fault, instead of stopping there.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    /// At most `limit` further sentences; none at the end of the file. Memory is that of one chunk.
    pub fn read(&mut self, limit: usize) -> Result<Trees> {
        let mut trees = Trees {
            starts: vec![0],
            offsets: vec![0],
            comment_offsets: vec![0],
            multiword_offsets: vec![0],
            ..Trees::default()
        };
        while trees.len() < limit && !self.ended {
            self.read_sentence(&mut trees)?;
        }
        Ok(trees)
    }

    fn read_sentence(&mut self, trees: &mut Trees) -> Result<()> {
        let start = trees.raw.len();
        let mut first_line = 0;
        loop {
            let Some(line) = self.lines.next_line()? else {
                self.ended = true;
                break;
            };
            if line.trim().is_empty() {
                if trees.raw.len() > start {
                    break;
                }
                continue;
            }
            trees.raw.push_str(line);
            trees.raw.push('\n');
            if first_line == 0 {
                first_line = self.lines.number();
            }
        }
        if trees.raw.len() == start {
            return Ok(());
        }
        if trees.raw.len() > u32::MAX as usize {
            return Err(self.lines.error("this chunk of sentences is longer than 4 GiB; is this CoNLL-U?"));
        }
        trees.lines.push(first_line);
        trees.starts.push(trees.raw.len() as u32);
        let before = (trees.words.len(), trees.comments.len(), trees.multiwords.len());
        if let Err((line, message)) = parse(trees, start, self.multiword) {
            let error = Error::input(message).at(self.lines.path(), Some(first_line + line));
            if !self.lenient {
                return Err(error);
            }
            trees.words.truncate(before.0);
            trees.heads.truncate(before.0);
            trees.comments.truncate(before.1);
            trees.multiwords.truncate(before.2);
            trees.faults.push((trees.len() - 1, error));
        }
        trees.offsets.push(trees.words.len() as u32);
        trees.comment_offsets.push(trees.comments.len() as u32);
        trees.multiword_offsets.push(trees.multiwords.len() as u32);
        Ok(())
    }
}

/// Whether the content is CoNLL-U: the first line that is neither blank nor a comment has ten columns and an id
/// that can be a sentence's first.
pub fn looks_like(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).is_some_and(|line| {
        let id = line.split(|&byte| byte == b'\t').next().unwrap_or_default();
        let first = id == b"1" || id.starts_with(b"1-") || id.starts_with(b"0.");
        first && line.iter().filter(|&&byte| byte == b'\t').count() == 9
    })
}

/// Whether the name is one of CoNLL-U: `.conllu` or `.conllu.gz`.
pub fn named(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.ends_with(".conllu") || name.ends_with(".conllu.gz")
}

/// Whether the file is CoNLL-U, by its name or else by its content.
pub fn is_conllu(path: &Path) -> Result<bool> {
    if path.as_os_str() == "-" {
        let message = "standard input can be read only once, so what it holds cannot be asked beforehand.";
        return Err(Error::option(message).hint("Name a file."));
    }
    Ok(named(path) || looks_like(Lines::open(path)?.head()))
}

/// The line after the sentence's first at which something is wrong, and what.
type Wrong = (u64, String);

/// Reads the sentence that starts at `start` of `trees.raw` into the columns.
fn parse(trees: &mut Trees, start: usize, multiword: MultiwordTokens) -> std::result::Result<(), Wrong> {
    let first_word = trees.words.len();
    let mut word_lines = Vec::new();
    let mut tokens: Vec<(Multiword, u64)> = Vec::new();
    let mut dropped = false;
    let mut at = start;
    for (number, line) in (0_u64..).zip(trees.raw[start..].split_terminator('\n')) {
        let wrong = |message: String| Err((number, message));
        let begin = at;
        at += line.len() + 1;
        if line.starts_with('#') {
            trees.comments.push(Span { start: begin as u32, end: (at - 1) as u32 });
            continue;
        }
        let columns = columns_of(line, begin).map_err(|message| (number, message))?;
        let text = |span: Span| &trees.raw[span.start as usize..span.end as usize];
        let (id, form) = (text(columns[0]), columns[1]);
        let expected = word_lines.len() + 1;
        if text(form).trim().is_empty() {
            return wrong(format!("word {id} has an empty FORM."));
        }
        if let Some((first, last)) = id.split_once('-') {
            let open = tokens.last().map_or(true, |(token, _)| (token.last as usize) < word_lines.len());
            match (first.parse::<usize>(), last.parse::<u32>()) {
                (Ok(first), Ok(last)) if first == expected && last as usize > first && open => {
                    let (first, last) = (first as u32 - 1, last - 1);
                    let token = Multiword {
                        first,
                        last,
                        form,
                        feats: blank(columns[5], text),
                        misc: blank(columns[9], text),
                    };
                    tokens.push((token, number));
                }
                _ => {
                    return wrong(format!(
                        "the multiword token {id} was not expected here; it should start at word {expected}, \
                         end after it and not overlap another."
                    ))
                }
            }
            continue;
        }
        if let Some((word, part)) = id.split_once('.') {
            if word.parse::<usize>().ok() != Some(expected - 1) || part.parse::<u32>().is_err() {
                return wrong(format!("the empty node {id} was not expected here; {}.1 was.", expected - 1));
            }
            dropped = true;
            continue;
        }
        if id.parse::<usize>().ok() != Some(expected) {
            return wrong(format!("word id {id:?} where {expected} was expected."));
        }
        let head = text(columns[6]);
        // A HEAD beyond any sentence is still a number: the tree check says what its range is.
        let Ok(head) = head.parse::<u64>() else {
            return wrong(format!("the HEAD of word {expected} is {head:?}, a number was expected."));
        };
        let mut word = Word::default();
        for (slot, column) in word.iter_mut().zip([1, 2, 3, 4, 5, 7, 8, 9]) {
            *slot = if column == 1 { form } else { blank(columns[column], text) };
        }
        trees.heads.push(head.min(i32::MAX as u64) as i32 - 1);
        trees.words.push(word);
        word_lines.push(number);
    }
    let heads = &trees.heads[first_word..];
    if heads.is_empty() {
        return Err((0, "a sentence without words.".to_owned()));
    }
    if let Some((token, line)) = tokens.last().filter(|(token, _)| token.last as usize >= heads.len()) {
        let message =
            format!("the multiword token ends at word {}, the sentence at {}.", token.last + 1, heads.len());
        return Err((*line, message));
    }
    graph::check(heads).map_err(|fault| (word_lines[fault.word()], fault.in_words(heads.len())))?;
    if multiword == MultiwordTokens::Surface && !tokens.is_empty() {
        collapse(trees, first_word, &tokens);
        dropped = true;
    } else {
        trees.multiwords.extend(tokens.iter().map(|(token, _)| token));
    }
    if dropped {
        // Enhanced dependencies name nodes by ids that are gone.
        for word in &mut trees.words[first_word..] {
            word[Column::Deps as usize] = Span::default();
        }
    }
    Ok(())
}

fn blank<'a>(span: Span, text: impl Fn(Span) -> &'a str) -> Span {
    if text(span) == "_" {
        Span::default()
    } else {
        span
    }
}

fn columns_of(line: &str, begin: usize) -> std::result::Result<[Span; 10], String> {
    let mut columns = [Span::default(); 10];
    let mut start = begin;
    let mut count = 0;
    for part in line.split('\t') {
        if count < columns.len() {
            columns[count] = Span { start: start as u32, end: (start + part.len()) as u32 };
        }
        start += part.len() + 1;
        count += 1;
    }
    if count == columns.len() {
        return Ok(columns);
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
        // Taking the word nearest to the root keeps the result a tree: no ancestor of it is in the same token.
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn reader(text: &str, multiword: MultiwordTokens) -> Reader {
        let stream = Cursor::new(text.as_bytes().to_vec());
        Reader::new(Lines::from_stream(stream, Path::new("test")).unwrap(), multiword)
    }

    /// One word a row: id, form, head.
    fn sentence(rows: &[&str]) -> String {
        let mut text = String::new();
        for row in rows {
            match row.split(' ').collect::<Vec<_>>()[..] {
                [id, form, "_"] => {
                    text += &format!(
                        "{id}	{form}	_	_	_	_	_	_	_	_
"
                    )
                }
                [id, form, head] => {
                    text += &format!(
                        "{id}	{form}	_	X	_	_	{head}	dep	_	_
"
                    )
                }
                _ => text += &format!("{row}\n"),
            }
        }
        text + "\n"
    }

    fn fault(rows: &[&str]) -> String {
        let text = sentence(&["1 ok 0"]) + &sentence(rows);
        reader(&text, MultiwordTokens::Surface).read(9).err().expect("a fault").to_string()
    }

    #[test]
    fn multiword_tokens_as_one_node_or_as_words() {
        // Hand-worked: "gib es im Haus" with im = in + dem; Haus hangs on gib, in and dem on Haus.
        let text = sentence(&["# c", "1 gib 0", "2 es 1", "3-4 im _", "3 in 5", "4 dem 5", "5 Haus 1"]);
        let trees = reader(&text, MultiwordTokens::Surface).read(9).unwrap();
        let mut tokens = String::new();
        trees.push_tokens(0, &mut tokens);
        assert_eq!((tokens.as_str(), trees.heads_of(0)), ("gib es im Haus", &[-1, 0, 3, 0][..]));
        let trees = reader(&text, MultiwordTokens::Words).read(9).unwrap();
        assert_eq!(trees.heads_of(0), [-1, 0, 4, 4, 0]);
        let mut written = String::new();
        trees.push_conllu(0, &mut written);
        assert_eq!(written, text);
    }

    #[test]
    fn the_word_nearest_to_the_root_attaches_the_token() {
        // dá-me-lo: the verb is the token's top although it is not its first word; quem hangs on the pronoun.
        let text = sentence(&["1-3 lodame _", "1 lo 2", "2 da 0", "3 me 2", "4 quem 3"]);
        let trees = reader(&text, MultiwordTokens::Surface).read(9).unwrap();
        assert_eq!(trees.heads_of(0), [-1, 0]);
    }

    #[test]
    fn faults_name_the_line() {
        for (rows, line, words) in [
            (&["1 a 2", "2 b 1"][..], 3, "no root"),
            (&["1 a 0", "2 b 3", "3 c 2"], 4, "2 → 3 → 2"),
            (&["1 a 0", "2 b 1", "3 c 0"], 5, "a second root"),
            (&["1 a 0", "3 b 1"], 4, "word id \"3\" where 2 was expected"),
            (&["1 a 0", "2 b 7"], 4, "HEAD 7, but the sentence has words 1 to 2"),
            (&["1 a 0", "2 b 99999999999"], 4, "words 1 to 2"),
            (&["1 a 0", "2 b _"], 4, "a number was expected"),
            (&["1 a 0", "2 b"], 4, "1 column, 10 were expected. Columns are separated by tabs."),
            (&["1  0"], 3, "empty FORM"),
            (&["# only a comment"], 3, "without words"),
            (&["1-4 ab _", "1 a 0", "2 b 1"], 3, "ends at word 4, the sentence at 2"),
            (&["1 a 0", "1-2 ab _", "2 b 1"], 4, "multiword token 1-2 was not expected here"),
            (&["1 a 0", "3.1 b _", "2 b 1"], 4, "empty node 3.1"),
        ] {
            let told = fault(rows);
            assert!(told.starts_with(&format!("test:{line}: ")) && told.contains(words), "{told}");
        }
    }

    #[test]
    fn lenient_reading_keeps_the_place_of_a_bad_tree() {
        let text = sentence(&["1 a 0"]) + &sentence(&["1 b 1"]) + &sentence(&["1 c 0"]);
        let trees = reader(&text, MultiwordTokens::Surface).lenient(true).read(9).unwrap();
        assert_eq!((trees.len(), trees.offsets.clone()), (3, vec![0, 1, 1, 2]));
        assert_eq!(trees.faults[0].0, 1);
        let mut raw = String::new();
        (0..3).for_each(|sentence| trees.push_raw(sentence, &mut raw));
        assert_eq!(raw, text);
    }

    #[test]
    fn content_is_recognised() {
        assert!(looks_like(b"# text = a\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"));
        assert!(!looks_like(b"1\ta\n"));
        assert!(!looks_like(b"# a text that starts with a hash sign\nand goes on"));
        assert!(!looks_like(b""));
    }
}
