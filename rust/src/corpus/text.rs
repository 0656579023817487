//! Lines of a plain or compressed file, validated as UTF-8, with their numbers.
//!
//! ```no_run
//! use _core::corpus::text::Lines;
//! # fn main() -> _core::error::Result<()> {
//! let mut lines = Lines::open("train.en.gz".as_ref())?;
//! while let Some(line) = lines.next_line()? {
//!     println!("{line}");
//! }
//! # Ok(())
//! # }
//! ```

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use super::markup;
use crate::error::{Error, Result};
use crate::store::compression::{in_words, unpacked};
use crate::store::opening::Stream;
use crate::work::interrupt;

const BUFFER: usize = 1 << 17;
/// The longest line: a few compressed megabytes can unpack to gigabytes without a line end.
const MAX_LINE: u64 = 1 << 26;
/// How much of a file is inspected to detect its format.
const PEEK: usize = 1 << 16;

/// A stream of lines. Only `\n` and `\r\n` end a line; a byte-order mark at the start is dropped.
pub struct Lines {
    stream: Box<dyn BufRead + Send>,
    path: PathBuf,
    head: Vec<u8>,
    buffer: Vec<u8>,
    number: u64,
}

impl Lines {
    /// Opens a file; compression is detected by content, whatever its name. `-` is standard input.
    pub fn open(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            let name = Path::new("standard input");
            #[cfg(unix)]
            return Self::from_stream(
                Stream::standard_input().map_err(|error| Error::io(name, &error))?,
                name,
            );
            #[cfg(not(unix))]
            return Self::from_stream(io::stdin(), name);
        }
        let file = Stream::open(path).map_err(|error| Error::io(path, &error))?;
        if file.is_folder() {
            return Err(Error::input("this is a folder, a file was expected.").at(path, None));
        }
        Self::from_stream(file, path)
    }

    /// Opens a file of plain text; markup, tables and trees are rejected.
    pub fn open_plain(path: &Path) -> Result<Self> {
        let lines = Self::open(path)?;
        markup::require_plain(path, lines.head())?;
        Ok(lines)
    }

    /// Reads from any stream; `path` is its name in errors.
    pub fn from_stream(stream: impl Read + Send + 'static, path: &Path) -> Result<Self> {
        let raw = BufReader::with_capacity(BUFFER, Interruptible(stream));
        let stream = unpacked(raw).map_err(|error| in_words(path, Some(1), &error))?;
        let mut plain: Box<dyn BufRead + Send> = Box::new(BufReader::with_capacity(BUFFER, stream));
        let mut head = Vec::new();
        if let Err(error) = plain.by_ref().take(PEEK as u64).read_to_end(&mut head) {
            // Data before the damage is still read, so that the error can name its line.
            plain = Box::new(Broken(Some(error)));
        }
        let stream = Box::new(Cursor::new(head.clone()).chain(plain));
        Ok(Lines { stream, path: path.to_owned(), head, buffer: Vec::new(), number: 0 })
    }

    /// The start of the unpacked content, for format detection; does not advance the stream.
    pub fn head(&self) -> &[u8] {
        self.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.head)
    }

    /// The next line without its end, or `None` at the end of the file.
    pub fn next_line(&mut self) -> Result<Option<&str>> {
        interrupt::point();
        self.buffer.clear();
        let read = self.stream.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|error| in_words(&self.path, Some(self.number + 1), &error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if read as u64 == MAX_LINE && !self.buffer.ends_with(b"\n") {
            return Err(self
                .error(format!("a line of more than {} MiB.", MAX_LINE >> 20))
                .hint("A text must have one sentence a line; check the format of the file."));
        }
        let mut line = self.buffer.as_slice();
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        match std::str::from_utf8(line) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let start = error.valid_up_to();
                let message = format!("not UTF-8 (byte {:#04x} at position {start}).", line[start]);
                Err(self.error(message).hint("Convert it, for example with iconv -t utf-8."))
            }
        }
    }

    /// The number of the last line read, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error at the last line read.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::input(message).at(&self.path, Some(self.number))
    }
}

/// A stream, for example a terminal, whose blocking reads can be interrupted.
struct Interruptible<R>(R);

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer);
        // Callers retry after a signal, so check for a reason to stop before.
        if read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
            interrupt::point_now();
        }
        read
    }
}

/// The rest of a failed stream.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl BufRead for Broken {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.take().map_or(Ok(&[]), Err)
    }

    fn consume(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;

    use super::*;

    fn lines(bytes: &[u8]) -> Result<Vec<String>> {
        let mut lines = Lines::from_stream(Cursor::new(bytes.to_vec()), Path::new("test"))?;
        let mut found = Vec::new();
        while let Some(line) = lines.next_line()? {
            found.push(line.to_owned());
        }
        Ok(found)
    }

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn line_ends_marks_and_members() {
        assert_eq!(lines(b"").unwrap(), Vec::<String>::new());
        assert_eq!(lines(b"\xef\xbb\xbfa\r\n\nb\xc2\x85c").unwrap(), ["a", "", "b\u{85}c"]);
        let two = [zipped(b"a\nb"), zipped(b"c\n")].concat();
        assert_eq!(lines(&two).unwrap(), ["a", "bc"]);
    }

    #[test]
    fn bad_bytes_are_named_with_their_line() {
        let error = lines(b"fine\nno\xe4\n").unwrap_err();
        assert!(error.to_string().starts_with("test:2: not UTF-8 (byte 0xe4 at position 2)."), "{error}");
    }

    #[test]
    fn a_line_without_end() {
        let zeros = std::io::repeat(0).take(MAX_LINE + 1);
        let mut lines = Lines::from_stream(Cursor::new(b"fine\n").chain(zeros), Path::new("test")).unwrap();
        assert_eq!(lines.next_line().unwrap(), Some("fine"));
        let error = lines.next_line().unwrap_err();
        assert!(error.to_string().starts_with("test:2: a line of more than 64 MiB."), "{error}");
    }

    #[test]
    fn a_truncated_archive_is_refused() {
        let whole = zipped(&b"some words\n".repeat(50_000));
        let error = lines(&whole[..whole.len() - 6]).unwrap_err();
        assert!(error.message.contains("truncated"), "{error}");
        let whole = zipped(b"a few\nwords\nonly\n");
        let error = lines(&whole[..whole.len() - 6]).unwrap_err();
        assert!(error.message.contains("truncated") && error.line == Some(4), "{error}");
    }
}
