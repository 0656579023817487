//! Reads CoNLL-U in chunks of sentences and checks every tree.
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

use super::sentence;
pub use super::sentence::MultiwordTokens;
use super::text::Lines;
use super::trees::Trees;
use crate::error::{Error, Result};
use crate::store::compression::plain_name;

/// The highest number of bytes of the sentences in a chunk; positions in the text have 32 bits.
pub const MAX_CHUNK: usize = 1 << 30;
/// The highest number of bytes of one sentence.
const MAX_SENTENCE: usize = 1 << 26;

pub struct Reader {
    lines: Lines,
    multiword: MultiwordTokens,
    lenient: bool,
    /// Whether the end of the file was reached.
    ended: bool,
}

impl Reader {
    pub fn open(path: &Path, multiword: MultiwordTokens) -> Result<Self> {
        Ok(Self::new(Lines::open(path)?, multiword))
    }

    pub fn new(lines: Lines, multiword: MultiwordTokens) -> Self {
        Reader { lines, multiword, lenient: false, ended: false }
    }

    /// If set, a faulty sentence is kept without words and its fault is recorded; otherwise reading stops there.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    /// Reads at most `limit` further sentences; none at the end of the file. Only one chunk is in memory.
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
            if trees.raw.len() - start > MAX_SENTENCE {
                let message = format!("a sentence of more than {} MiB.", MAX_SENTENCE >> 20);
                return Err(self.lines.error(message).hint("Is this CoNLL-U? A blank line ends a sentence."));
            }
            if trees.raw.len() > MAX_CHUNK {
                let message = format!("{} sentences of more than 1 GiB together.", trees.len() + 1);
                return Err(self.lines.error(message).hint("Is this CoNLL-U?"));
            }
            if first_line == 0 {
                first_line = self.lines.number();
            }
        }
        if trees.raw.len() == start {
            return Ok(());
        }
        trees.lines.push(first_line);
        trees.starts.push(trees.raw.len() as u32);
        let before = (trees.words.len(), trees.comments.len(), trees.multiwords.len());
        if let Err((line, message)) = sentence::parse(trees, start, self.multiword) {
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

/// Whether the content is CoNLL-U: the first line that is neither blank nor a comment has ten columns and a valid first
/// id.
pub fn looks_like(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).is_some_and(|line| {
        let id = line.split(|&byte| byte == b'\t').next().unwrap_or_default();
        let first = id == b"1" || id.starts_with(b"1-") || id.starts_with(b"0.");
        first && line.iter().filter(|&&byte| byte == b'\t').count() == 9
    })
}

/// Whether the file name is that of CoNLL-U: `.conllu`, also compressed.
pub fn named(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    plain_name(&name).ends_with(".conllu")
}

/// Whether the file is CoNLL-U, by its name or else by its content.
pub fn is_conllu(path: &Path) -> Result<bool> {
    if path.as_os_str() == "-" {
        let message = "standard input can be read only once, so its format cannot be detected first.";
        return Err(Error::option(message).hint("Pass a file instead."));
    }
    Ok(named(path) || looks_like(Lines::open(path)?.head()))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn reader(text: &str, multiword: MultiwordTokens) -> Reader {
        let stream = Cursor::new(text.as_bytes().to_vec());
        Reader::new(Lines::from_stream(stream, Path::new("test")).unwrap(), multiword)
    }

    #[test]
    fn a_sentence_without_end() {
        let text = format!("# {}\n", "x".repeat(1 << 16)).repeat((MAX_SENTENCE >> 16) + 1);
        let Err(error) = reader(&text, MultiwordTokens::Surface).read(10) else { panic!("it was read") };
        assert!(error.to_string().starts_with("test:1024: a sentence of more than 64 MiB."), "{error}");
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
        // Hand-worked: "gib es im Haus" with im = in + dem; Haus depends on gib, in and dem on Haus.
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
        // dá-me-lo: the verb is the token's top although it is not its first word; quem depends on the pronoun.
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
            let message = fault(rows);
            assert!(message.starts_with(&format!("test:{line}: ")) && message.contains(words), "{message}");
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
