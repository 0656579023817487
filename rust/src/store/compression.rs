//! Compressed files: recognised by their first bytes when they are read, by the ends of their names when they are
//! written. Several streams one after the other, as `cat` joins them, are read as one.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{Stream, CONCATENATED};
use liblzma::write::XzEncoder;

use crate::error::Error;

/// The most memory for a dictionary: `xz -9` needs 65 MiB, a damaged file may ask for gigabytes.
const MAX_DICTIONARY: u64 = 1 << 30;
/// How many first bytes tell the format.
pub const MAGIC: usize = 10;
/// The first block of a bzip2 file, or its end if it is empty.
const BZIP2_BLOCKS: [&[u8]; 2] = [b"1AY&SY", b"\x17rE8P\x90"];
/// The default levels of the programs of that name.
const GZIP_LEVEL: u32 = 6;
const XZ_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

/// Each with its name and the end of the names of its files.
pub const KINDS: [(Compression, &str, &str); 4] = [
    (Compression::Gzip, "gzip", "gz"),
    (Compression::Bzip2, "bzip2", "bz2"),
    (Compression::Xz, "xz", "xz"),
    (Compression::Zstd, "zstd", "zst"),
];

impl Compression {
    /// The compression of a file that starts so.
    pub fn of_content(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] if is_bzip2_block(block) => Some(Self::Bzip2),
            _ => None,
        }
    }

    /// The compression of a file to be written under this name.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        KINDS.iter().find(|(_, _, known)| ending.eq_ignore_ascii_case(known)).map(|&(kind, ..)| kind)
    }

    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }
}

/// A text may start with `BZh9` too, so the block must follow, as far as it has arrived.
fn is_bzip2_block(start: &[u8]) -> bool {
    !start.is_empty()
        && BZIP2_BLOCKS.iter().any(|block| start.iter().zip(*block).all(|(one, other)| one == other))
}

/// A name without the end that says how the file is compressed.
pub fn plain_name(name: &str) -> &str {
    let ended = |&&(_, _, ending): &&(Compression, &str, &str)| {
        name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(ending))
    };
    KINDS.iter().find(ended).map_or(name, |(_, _, ending)| &name[..name.len() - ending.len() - 1])
}

/// The content of a stream, unpacked if it is compressed. Damage is [`io::ErrorKind::InvalidData`], a missing end
/// [`io::ErrorKind::UnexpectedEof`].
pub fn unpacked(mut raw: impl BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let Some(kind) = Compression::of_content(raw.fill_buf()?) else { return Ok(Box::new(raw)) };
    let stream: Box<dyn Read + Send> = match kind {
        Compression::Gzip => Box::new(MultiGzDecoder::new(raw)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
        Compression::Xz => {
            let decoder = Stream::new_stream_decoder(MAX_DICTIONARY, CONCATENATED)?;
            Box::new(XzDecoder::new_stream(raw, decoder))
        }
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(raw)?),
    };
    Ok(Box::new(Unpacked { stream, kind }))
}

struct Unpacked {
    stream: Box<dyn Read + Send>,
    kind: Compression,
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer).map_err(|error| {
            let passed = [io::ErrorKind::UnexpectedEof, io::ErrorKind::Interrupted].contains(&error.kind());
            if passed || error.raw_os_error().is_some() {
                return error;
            }
            let message = format!("damaged {} data ({error}).", self.kind.name());
            io::Error::new(io::ErrorKind::InvalidData, message)
        })
    }
}

/// What went wrong while a file that may be compressed was read, at its line where that is known.
pub fn in_words(path: &Path, line: Option<u64>, error: &io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed file ends too early; it may be truncated.".to_owned(),
        io::ErrorKind::InvalidData => error.to_string(),
        _ => return Error::io(path, error),
    };
    Error::input(message).at(path, line).hint("Copy or download the file again.")
}

/// Writes a file, compressed as its name says.
pub enum Packed<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
    Bzip2(Box<BzEncoder<W>>),
    Xz(Box<XzEncoder<W>>),
    Zstd(Box<zstd::stream::write::Encoder<'static, W>>),
}

impl<W: Write> Packed<W> {
    pub fn named(path: &Path, out: W) -> io::Result<Self> {
        Ok(match Compression::of_name(path) {
            None => Self::Plain(out),
            Some(Compression::Gzip) => {
                Self::Gzip(Box::new(GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL))))
            }
            Some(Compression::Bzip2) => {
                Self::Bzip2(Box::new(BzEncoder::new(out, bzip2::Compression::best())))
            }
            Some(Compression::Xz) => Self::Xz(Box::new(XzEncoder::new(out, XZ_LEVEL))),
            Some(Compression::Zstd) => {
                let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Self::Zstd(Box::new(encoder))
            }
        })
    }

    /// What is written to; some of the content may still be in the encoder.
    pub fn get_mut(&mut self) -> &mut W {
        match self {
            Self::Plain(out) => out,
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Bzip2(encoder) => encoder.get_mut(),
            Self::Xz(encoder) => encoder.get_mut(),
            Self::Zstd(encoder) => encoder.get_mut(),
        }
    }

    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(out) => Ok(out),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Bzip2(encoder) => encoder.finish(),
            Self::Xz(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Bzip2(encoder) => encoder.write(bytes),
            Self::Xz(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Bzip2(encoder) => encoder.flush(),
            Self::Xz(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const NAMES: [&str; 5] = ["a.txt", "a.gz", "a.bz2", "a.XZ", "a.zst"];

    fn packed(name: &str, content: &[u8]) -> Vec<u8> {
        let mut out = Packed::named(Path::new(name), Vec::new()).unwrap();
        out.write_all(content).unwrap();
        out.finish().unwrap()
    }

    fn content(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut found = Vec::new();
        unpacked(Cursor::new(bytes))?.read_to_end(&mut found)?;
        Ok(found)
    }

    #[test]
    fn all_kinds_are_read_as_they_were_written() {
        for name in NAMES {
            for text in [&b""[..], b"a\n", &b"some words\n".repeat(9000)] {
                assert_eq!(content(packed(name, text)).unwrap(), text, "{name}");
            }
            assert_eq!(content([packed(name, b"a\nb"), packed(name, b"c\n")].concat()).unwrap(), b"a\nbc\n");
        }
    }

    #[test]
    fn kinds_are_told_by_content_and_name() {
        for (kind, name, ending) in KINDS {
            let file = format!("text.{ending}");
            assert_eq!(Compression::of_content(&packed(&file, b"a")), Some(kind));
            assert_eq!((kind.name(), plain_name(&file)), (name, "text"));
        }
        for text in [&b"BZh9 is how such a file starts"[..], b"BZh9", b"(a", b"", b"\xfd7zXY"] {
            assert_eq!(Compression::of_content(text), None);
        }
        assert_eq!(plain_name("gz"), "gz");
    }

    #[test]
    fn no_part_of_a_compressed_file_is_taken_for_the_whole() {
        for name in &NAMES[1..] {
            let whole = packed(name, &b"some words, many of them\n".repeat(3000));
            for end in [whole.len() / 2, whole.len() - 6, whole.len() - 1, 12] {
                let error = content(whole[..end].to_vec()).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{name} {end} {error}");
            }
        }
    }

    #[test]
    fn damage_is_found_and_named() {
        for (name, (_, kind, _)) in NAMES[1..].iter().zip(KINDS) {
            let mut bytes = packed(name, &b"some words, many of them\n".repeat(3000));
            let middle = bytes.len() / 2;
            bytes[middle..middle + 4].fill(0x5a);
            let error = content(bytes).unwrap_err();
            let named = error.to_string().starts_with(&format!("damaged {kind} data"));
            assert!(named && error.kind() == io::ErrorKind::InvalidData, "{name} {error}");
        }
    }
}
