//! Lines of plain or gzip text as a stream, and the words of a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, Result};

const BUFFER: usize = 256 << 10;

/// The lines of a file (`-`: standard input) without their ends. Whether it is gzip is seen from its first bytes.
pub struct Lines {
    reader: Box<dyn BufRead>,
    path: PathBuf,
    number: u64,
    line: Vec<u8>,
}

impl Lines {
    pub fn open(path: &Path) -> Result<Self> {
        let standard_input = path == Path::new("-");
        let raw: Box<dyn Read> = if standard_input {
            Box::new(io::stdin())
        } else {
            if path.is_dir() {
                return Err(Error::input("this is a folder, a file was expected.").at(path, None));
            }
            Box::new(File::open(path).map_err(|error| Error::io(path, &error))?)
        };
        let mut plain = BufReader::with_capacity(BUFFER, raw);
        let start = plain.fill_buf().map_err(|error| Error::io(path, &error))?;
        let reader: Box<dyn BufRead> = if start.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(plain)))
        } else {
            Box::new(plain)
        };
        let path = if standard_input { PathBuf::from("standard input") } else { path.to_owned() };
        Ok(Lines { reader, path, number: 0, line: Vec::new() })
    }

    /// The number of the line last read, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// An error at the line last read.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::input(message).at(&self.path, Some(self.number))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next line; `None` after the last.
    pub fn read(&mut self) -> Result<Option<&str>> {
        self.line.clear();
        self.number += 1;
        let length = self.reader.read_until(b'\n', &mut self.line).map_err(|error| {
            Error::input(format!("cannot be read on: {error}.")).at(&self.path, Some(self.number))
        })?;
        if length == 0 {
            self.number -= 1;
            return Ok(None);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        let mark = if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        match std::str::from_utf8(&self.line[mark..]) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let position = mark + error.valid_up_to();
                let message =
                    format!("not UTF-8 (byte {:#04x} at position {position}).", self.line[position]);
                Err(self.error(message).hint("Convert it, for example with iconv -t utf-8."))
            }
        }
    }
}

/// What separates words: ASCII white space and NUL. Other spaces of Unicode belong to words, as in other toolkits.
#[inline]
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == 0 || (9..=13).contains(&byte)
}

/// The words of a line.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && is_space(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && !is_space(bytes[at]) {
            at += 1;
        }
        // Cut at ASCII bytes only, so both ends are character boundaries.
        (start < at).then(|| &line[start..at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_at_ascii_space_only() {
        let found: Vec<&str> = words("  a\tb\u{a0}c \r d\u{2003}e\0f ").collect();
        assert_eq!(found, ["a", "b\u{a0}c", "d\u{2003}e", "f"]);
        assert_eq!(words(" \t ").count(), 0);
    }
}
