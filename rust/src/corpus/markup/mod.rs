//! Recognises markup and tables, which must not be treated as plain text.
//!
//! The file name or an unmistakable start decides.

mod content;
mod entries;
mod kinds;

use std::path::Path;

use self::kinds::{Advice, Kind};
use super::conllu;
use crate::error::{Error, Result};

/// The format of a file by its name or its start (unpacked, without a byte-order mark).
fn kind_of(path: &Path, head: &[u8]) -> Option<&'static Kind> {
    kinds::by_name(path).or_else(|| kinds::of_ending(content::ending(head)?))
}

/// The way out if a file is text nevertheless.
const AS_TEXT: &str = "If it is text, use graphmt translate --format text.";

/// Rejects a file that is neither plain text nor CoNLL-U, with advice. `path` is `-` for standard input.
pub fn refuse(path: &Path, head: &[u8]) -> Result<()> {
    let Some(kind) = kind_of(path, head) else { return Ok(()) };
    let filled = "PO, XLIFF, TMX, TSV, CSV, JSON, .strings, strings.xml and HTML";
    let hint = match kind.advice {
        Advice::Split => {
            // The command recognises files by name.
            let ending = if kinds::by_name(path).is_some() { "" } else { kind.endings[0] };
            format!("Split it first: graphmt corpus convert {}{ending} SOURCE TARGET", names(path).1)
        }
        Advice::Fill => format!(
            "graphmt translate fills in such a file if its name ends in {}; elsewhere extract its text first, one \
             sentence a line.",
            kind.endings[0]
        ),
        Advice::Toolkit(program) => format!(
            "Convert it first, for example with {program} of the Translate Toolkit; graphmt translate fills in \
             {filled}. {AS_TEXT}"
        ),
        Advice::Xcode => format!("Export it as XLIFF from Xcode; graphmt translate fills in {filled}. {AS_TEXT}"),
        Advice::Extract => "Extract its text first, one sentence a line.".to_owned(),
        Advice::Unpack => "Unpack it first.".to_owned(),
    };
    Err(refusal(path, kind.what).hint(hint))
}

/// Rejects a file that is not plain text.
pub fn require_plain(path: &Path, head: &[u8]) -> Result<()> {
    if conllu::named(path) || conllu::looks_like(head) {
        let hint = format!("Write its words as text first: graphmt corpus convert {} TEXT", names(path).1);
        return Err(refusal(path, "CoNLL-U").hint(hint));
    }
    refuse(path, head)
}

fn refusal(path: &Path, what: &str) -> Error {
    Error::input(format!("this is {what}; plain text, one sentence a line, was expected."))
        .at(Path::new(&names(path).0), None)
}

/// A path as shown in errors and in commands.
fn names(path: &Path) -> (String, String) {
    if path.as_os_str() == "-" {
        ("standard input".to_owned(), "FILE".to_owned())
    } else {
        (path.display().to_string(), path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        let kind = |name: &str| kinds::by_name(name.as_ref()).map(|kind| kind.what);
        assert_eq!(kind("a/todo.PO.gz"), Some("a gettext catalogue"));
        assert_eq!(kind("x.csv"), Some("a table of comma-separated columns"));
        assert_eq!(kind("res/values/strings.xml"), Some("a file of Android's string resources"));
        for plain in [
            "-",
            "train.en",
            "x.txt.gz",
            "po",
            "tmx",
            "x.conllu",
            "train.ts",
            "dev.arb",
            "news.2013",
            "a.tok",
            "a.lc",
            "README.md",
            "a.properties.txt",
            "yml",
            "a.doc",
        ] {
            assert_eq!(kind(plain), None, "{plain}");
        }
    }

    #[test]
    fn what_to_do() {
        let message = |path: &str, head: &[u8]| require_plain(path.as_ref(), head).unwrap_err().to_string();
        assert!(message("a.po", b"").ends_with("graphmt corpus convert a.po SOURCE TARGET"));
        assert!(message("-", b"msgid \"\"\nmsgstr \"\"\n").ends_with("convert FILE.po SOURCE TARGET"));
        assert!(
            message("-", b"<?xml version='1.0'?>").starts_with("standard input: this is an XML file; plain")
        );
        assert!(message("a.conllu", b"").ends_with("graphmt corpus convert a.conllu TEXT"));
        let said = message("a.properties", b"open=Open");
        assert!(said.starts_with("a.properties: this is a file of Java properties; plain text"), "{said}");
        assert!(said.contains("with prop2po of the Translate Toolkit; graphmt translate fills in PO, XLIFF"));
        assert!(said.ends_with("graphmt translate --format text."));
        assert!(refuse("a.conllu".as_ref(), b"").is_ok() && require_plain("a.txt".as_ref(), b"a b").is_ok());
    }
}
