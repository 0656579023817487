//! Recognises markup and tables, which must not be treated as plain text.
//!
//! The file name or an unambiguous start decides: plain text may begin with `<` or contain tabs.

use std::path::Path;

use super::conllu;
use crate::error::{Error, Result};

/// A file format other than plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    Catalogue,
    Tmx,
    Xliff,
    Html,
    Xml,
    Json,
    Tsv,
    Csv,
    Archive,
    Pdf,
}

impl Markup {
    fn described(self) -> &'static str {
        match self {
            Markup::Catalogue => "a gettext catalogue",
            Markup::Tmx => "a translation memory (TMX)",
            Markup::Xliff => "an XLIFF file",
            Markup::Html => "an HTML page",
            Markup::Xml => "an XML file",
            Markup::Json => "JSON",
            Markup::Tsv => "a table of tab-separated columns",
            Markup::Csv => "a table of comma-separated columns",
            Markup::Archive => "a ZIP archive, perhaps an office document",
            Markup::Pdf => "a PDF document",
        }
    }

    fn ending(self) -> &'static str {
        NAMES.iter().find(|&&(_, markup)| markup == self).map_or("", |&(end, _)| end)
    }

    /// Whether `graphmt corpus convert` can read it.
    fn has_pairs(self) -> bool {
        matches!(self, Markup::Catalogue | Markup::Tmx | Markup::Xliff | Markup::Tsv)
    }
}

const NAMES: [(&str, Markup); 15] = [
    (".po", Markup::Catalogue),
    (".pot", Markup::Catalogue),
    (".mo", Markup::Catalogue),
    (".tmx", Markup::Tmx),
    (".xlf", Markup::Xliff),
    (".xliff", Markup::Xliff),
    (".sdlxliff", Markup::Xliff),
    (".html", Markup::Html),
    (".htm", Markup::Html),
    (".json", Markup::Json),
    (".jsonl", Markup::Json),
    (".tsv", Markup::Tsv),
    (".csv", Markup::Csv),
    (".docx", Markup::Archive),
    (".pdf", Markup::Pdf),
];

/// The format of a file by its name, with or without `.gz`.
pub fn by_name(path: &Path) -> Option<Markup> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    NAMES.iter().find(|(end, _)| name.ends_with(end)).map(|&(_, markup)| markup)
}

/// The format of a file by its start (unpacked, without a byte-order mark).
pub fn by_content(head: &[u8]) -> Option<Markup> {
    let starts: [(&[u8], Markup); 4] = [
        (b"\xde\x12\x04\x95", Markup::Catalogue),
        (b"\x95\x04\x12\xde", Markup::Catalogue),
        (b"PK\x03\x04", Markup::Archive),
        (b"%PDF-", Markup::Pdf),
    ];
    if let Some((_, markup)) = starts.iter().find(|(start, _)| head.starts_with(start)) {
        return Some(*markup);
    }
    let head = String::from_utf8_lossy(&head[..head.len().min(1 << 13)]);
    let text = head.trim_start();
    if is_catalogue(text) {
        return Some(Markup::Catalogue);
    }
    if text.starts_with('<') {
        return element(text);
    }
    is_json(text).then_some(Markup::Json)
}

/// After comments, the first message and its translation.
fn is_catalogue(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let keyword = |line: &str, name: &str| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([' ', '\t']) && rest.trim().starts_with('"'))
    };
    lines.next().is_some_and(|line| keyword(line, "msgid") || keyword(line, "msgctxt"))
        && lines.any(|line| keyword(line, "msgstr") || line.starts_with("msgstr[0]"))
}

fn element(text: &str) -> Option<Markup> {
    let lower = text.to_ascii_lowercase();
    let declared = lower.starts_with("<?xml ") || lower.starts_with("<!doctype ");
    let root = |name: &str| {
        let mut places = lower.match_indices('<').map(|(at, _)| &lower[at + 1..]);
        let starts = |rest: &str| {
            rest.strip_prefix(name).is_some_and(|after| after.starts_with([' ', '>', '\n', '\r', '\t']))
        };
        if declared {
            places.any(starts)
        } else {
            starts(&lower[1..])
        }
    };
    if root("tmx") && (declared || lower.contains("<header")) {
        Some(Markup::Tmx)
    } else if root("xliff") && (declared || lower.contains("<file")) {
        Some(Markup::Xliff)
    } else if lower.starts_with("<!doctype html")
        || root("html") && (declared || lower.contains("<head") || lower.contains("<body"))
    {
        Some(Markup::Html)
    } else {
        declared.then_some(Markup::Xml)
    }
}

/// An object with a key in its first line, or the first lines of a multi-line object.
fn is_json(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let object = |line: &str| {
        let rest = line.trim_start_matches(['[', ' ']);
        rest.starts_with("{\"") && rest.contains("\":")
    };
    match lines.next() {
        Some("{" | "[") => lines.next().is_some_and(|line| {
            line == "{"
                || object(line)
                || line.starts_with('"') && (line.contains("\":") || line.ends_with("\","))
        }),
        Some(line) => object(line),
        None => false,
    }
}

/// Rejects a file that is neither plain text nor CoNLL-U, with advice. `path` is `-` for standard input.
pub fn refuse(path: &Path, head: &[u8]) -> Result<()> {
    let Some(markup) = by_name(path).or_else(|| by_content(head)) else { return Ok(()) };
    let hint = if markup.has_pairs() {
        // The command recognises files by name.
        let named = names(path).1 + if by_name(path).is_some() { "" } else { markup.ending() };
        format!("Split it first: graphmt corpus convert {named} SOURCE TARGET")
    } else {
        "Extract its text first, one sentence a line.".to_owned()
    };
    Err(refusal(path, markup.described()).hint(hint))
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
    fn names() {
        assert_eq!(by_name("a/todo.PO.gz".as_ref()), Some(Markup::Catalogue));
        assert_eq!(by_name("x.csv".as_ref()), Some(Markup::Csv));
        for plain in ["-", "train.en", "x.txt.gz", "po", "tmx", "x.conllu"] {
            assert_eq!(by_name(plain.as_ref()), None, "{plain}");
        }
    }

    #[test]
    fn contents() {
        let cases: [(&str, Option<Markup>); 14] = [
            ("# a comment\n\nmsgid \"\"\nmsgstr \"\"\n", Some(Markup::Catalogue)),
            ("msgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"x\"\n", Some(Markup::Catalogue)),
            ("<?xml version=\"1.0\"?>\n<tmx version=\"1.4\">", Some(Markup::Tmx)),
            ("<tmx version=\"1.4\"><header/>", Some(Markup::Tmx)),
            ("<?xml version=\"1.0\"?>\n<xliff version=\"1.2\">", Some(Markup::Xliff)),
            ("<!DOCTYPE html>\n<p>a", Some(Markup::Html)),
            ("<html><body>a", Some(Markup::Html)),
            ("<?xml version=\"1.0\"?><doc/>", Some(Markup::Xml)),
            ("{\"text\": \"a\"}\n", Some(Markup::Json)),
            ("[\n  {\n    \"a\": 1\n", Some(Markup::Json)),
            ("{\n  \"a\": 1\n", Some(Markup::Json)),
            ("[\"a\", \"b\"] are words\n", None),
            ("%PDF-1.4\n", Some(Markup::Pdf)),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(by_content(text.as_bytes()), expected, "{text}");
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
        assert!(refuse("a.conllu".as_ref(), b"").is_ok() && require_plain("a.txt".as_ref(), b"a b").is_ok());
    }

    #[test]
    fn text_that_only_begins_like_markup() {
        for text in [
            "<b>Wichtig</b> ist das .\nEs regnet .\n",
            "<html>\nEs regnet .\n",
            "<\n",
            "< 5 %\n",
            "a\tb\nc\td\n",
            "msgid is a keyword\n",
            "msgid \"a\"\nEs regnet .\n",
            "# 1\nmsgstr \"a\"\n",
            "{ a }\n",
            "[1] Siehe dort .\n",
            "{\nb\n",
            "PK 3\n",
        ] {
            assert_eq!(by_content(text.as_bytes()), None, "{text}");
        }
    }
}
