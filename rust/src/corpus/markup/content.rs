//! The format of a file by its start, where that is unmistakable: plain text may begin with `<` or contain tabs.

use super::entries;

/// How much of a file is looked at.
const HEAD: usize = 1 << 13;
/// Starts of files, with the ending that such files have.
const MAGIC: [(&[u8], &str); 9] = [
    (b"\xde\x12\x04\x95", ".mo"),
    (b"\x95\x04\x12\xde", ".mo"),
    (b"PK\x03\x04", ".zip"),
    (b"%PDF-", ".pdf"),
    (b"{\\rtf", ".rtf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".doc"),
    (b"\xfd7zXZ\x00", ".xz"),
    (b"\x28\xb5\x2f\xfd", ".zst"),
    (b"7z\xbc\xaf\x27\x1c", ".7z"),
];
/// Elements at the top of XML and SGML files, what follows in them, and the ending that such files have.
const ROOTS: [(&str, &[&str], &str); 11] = [
    ("tmx", &["<header"], ".tmx"),
    ("xliff", &["<file"], ".xlf"),
    ("html", &["<head", "<body"], ".html"),
    ("resources", &["<string", "<plurals", "<item"], "strings.xml"),
    ("root", &["<resheader", "<data "], ".resx"),
    ("ts", &["<context"], ".ts"),
    ("plist", &["<dict", "<array"], ".plist"),
    ("martif", &["<text"], ".tbx"),
    ("srcset", &["<doc"], ".sgm"),
    ("refset", &["<doc"], ".sgm"),
    ("tstset", &["<doc"], ".sgm"),
];

/// The ending of files with this content (unpacked, without a byte-order mark), if that is certain.
pub fn ending(head: &[u8]) -> Option<&'static str> {
    if let Some(&(_, ending)) = MAGIC.iter().find(|(start, _)| head.starts_with(start)) {
        return Some(ending);
    }
    let is_whole = head.len() <= HEAD;
    let head = &head[..head.len().min(HEAD)];
    if is_binary(head) {
        return Some(".bin");
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start();
    // A line that is cut off says nothing.
    let lines = if is_whole { text } else { text.rsplit_once('\n').map_or("", |(whole, _)| whole) };
    if is_catalogue(text) {
        Some(".po")
    } else if text.starts_with('<') {
        element(text, lines)
    } else if is_json(text) {
        Some(".json")
    } else if is_webvtt(text) {
        Some(".vtt")
    } else if is_subtitles(text) {
        Some(".srt")
    } else if is_latex(text) {
        Some(".tex")
    } else {
        entries::ending(lines)
    }
}

/// The least number of control characters that make a file binary: a text may have some stray ones.
const CONTROLS: usize = 8;

/// Many control characters, NUL among them; UTF-16 with its mark is text of another encoding.
fn is_binary(head: &[u8]) -> bool {
    let control = |byte: &&u8| matches!(**byte, 0..=8 | 14..=26 | 28..=31);
    head.contains(&0)
        && !head.starts_with(b"\xff\xfe")
        && !head.starts_with(b"\xfe\xff")
        && head.iter().filter(control).count() >= CONTROLS.max(head.len() / 50)
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

fn element(text: &str, lines: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let mut top = lower.as_str();
    while let Some((_, after)) = top.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        top = after.trim_start();
    }
    if top.starts_with("<?php") {
        return Some(".php");
    }
    let declared = is_declared(top);
    let root = root_of(top);
    let is_root = |name: &str, inside: &[&str]| {
        let named =
            root.strip_prefix(name).is_some_and(|after| after.starts_with([' ', '>', '\n', '\r', '\t']));
        named && (declared || top.starts_with('<') && inside.iter().any(|one| top.contains(one)))
    };
    if let Some((_, _, ending)) = ROOTS.iter().find(|(name, inside, _)| is_root(name, inside)) {
        Some(ending)
    } else if declared && top.starts_with("<!doctype html") {
        Some(".html")
    } else {
        (declared || is_nested(lines)).then_some(".xml")
    }
}

/// What begins with the name of the first element, after declarations and comments.
fn root_of(mut top: &str) -> &str {
    while let Some((_, after)) = top.split_once('<') {
        if let Some(comment) = after.strip_prefix("!--") {
            top = comment.split_once("-->").map_or("", |(_, rest)| rest);
        } else if after.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return after;
        } else {
            top = after;
        }
    }
    ""
}

/// An XML or document type declaration; markup follows, not the rest of a sentence about XML.
fn is_declared(top: &str) -> bool {
    (top.starts_with("<?xml ") || top.starts_with("<!doctype "))
        && top.split_once('>').is_some_and(|(_, after)| {
            let after = after.trim_start();
            after.is_empty() || after.starts_with(['<', ']'])
        })
}

/// A start tag alone in the first line, which is not ended there, and almost only tags at the starts of the next ones.
fn is_nested(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("");
    let is_start = first.starts_with('<')
        && first.ends_with('>')
        && first.matches('<').count() == 1
        && first[1..].starts_with(|letter: char| letter.is_ascii_alphabetic())
        && !first.ends_with("/>");
    let (mut tags, mut all) = (0, 0);
    for line in lines {
        all += 1;
        tags += usize::from(line.starts_with('<'));
    }
    is_start && all >= 2 && tags * 10 >= all * 9
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

fn is_webvtt(text: &str) -> bool {
    let first = text.lines().next().unwrap_or("");
    (first.trim_end() == "WEBVTT" || first.starts_with("WEBVTT ")) && text.contains(" --> ")
}

/// A number, and below it a time span.
fn is_subtitles(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let number = lines.next().unwrap_or("");
    let mut times = lines.next().unwrap_or("").split(" --> ");
    let is_time = |time: &str| {
        time.len() >= 8
            && time.contains(':')
            && time.chars().all(|one| one.is_ascii_digit() || ":,.".contains(one))
    };
    !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && times.next().is_some_and(is_time)
        && times.next().is_some_and(|time| is_time(time.split(' ').next().unwrap_or("")))
}

fn is_latex(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('%'));
    first.is_some_and(|line| line.starts_with("\\documentclass{") || line.starts_with("\\documentclass["))
}

#[cfg(test)]
mod tests {
    use super::super::kinds;
    use super::*;

    #[test]
    fn contents() {
        for (text, expected) in [
            ("# a comment\n\nmsgid \"\"\nmsgstr \"\"\n", Some(".po")),
            ("msgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"x\"\n", Some(".po")),
            ("<?xml version=\"1.0\"?>\n<tmx version=\"1.4\">", Some(".tmx")),
            ("<tmx version=\"1.4\"><header/>", Some(".tmx")),
            ("<?xml version=\"1.0\"?>\n<xliff version=\"1.2\">", Some(".xlf")),
            ("<!DOCTYPE html>\n<p>a", Some(".html")),
            ("<html><body>a", Some(".html")),
            ("<!-- <b> --><html><body>a", Some(".html")),
            ("<?xml version=\"1.0\"?><doc/>", Some(".xml")),
            ("<!DOCTYPE x [<!ENTITY a \"b\">]><doc/>", Some(".xml")),
            ("<doc>\n  <a>b</a>\n  <a>c</a>\n</doc>\n", Some(".xml")),
            ("<resources>\n<string name=\"a\">b</string></resources>", Some("strings.xml")),
            ("<root><data name=\"a\"><value>b</value></data></root>", Some(".resx")),
            ("<!DOCTYPE TS>\n<TS version=\"2.1\">\n<context>", Some(".ts")),
            ("<refset setid=\"a\">\n<doc docid=\"b\">\n<seg id=\"1\">c</seg>", Some(".sgm")),
            ("<?php return ['a' => 'b'];", Some(".php")),
            ("{\"text\": \"a\"}\n", Some(".json")),
            ("[\n  {\n    \"a\": 1\n", Some(".json")),
            ("{\n  \"a\": 1\n", Some(".json")),
            ("%PDF-1.4\n", Some(".pdf")),
            ("{\\rtf1\\ansi Haus}", Some(".rtf")),
            ("\\documentclass{article}\n", Some(".tex")),
            ("WEBVTT\n\n00:01.000 --> 00:02.000\nHaus\n", Some(".vtt")),
            ("1\n00:00:01,000 --> 00:00:02,000 X1:1\nHaus\n", Some(".srt")),
            ("a\0\0\x01\0\0\0\0\x02\0", Some(".bin")),
            ("das\0Haus\x07\n", None),
            ("", None),
        ] {
            assert_eq!(ending(text.as_bytes()), expected, "{text}");
            assert!(expected.is_none_or(|ending| kinds::of_ending(ending).is_some()), "{expected:?}");
        }
        for name in MAGIC.iter().map(|row| row.1).chain(ROOTS.iter().map(|row| row.2)) {
            assert!(kinds::of_ending(name).is_some(), "{name}");
        }
    }

    #[test]
    fn text_that_only_begins_like_markup() {
        for text in [
            "<b>Wichtig</b> ist das .\nEs regnet .\n",
            "<b>Wichtig</b>\n<i>Auch das</i>\n<b>Und das</b>\n",
            "<n translation=\"House\">Haus</n>\n<n translation=\"a\">b</n> c\n",
            "<html>\nEs regnet .\n",
            "<s>\nHaus\n</s>\n<s>\nHund\n</s>\n",
            "<br/>\n<b>a</b>\n<i>b</i>\n",
            "<!DOCTYPE html> steht am Anfang .\n",
            "<?xml ist eine Deklaration .\n",
            "<\n",
            "< 5 %\n",
            "a\tb\nc\td\n",
            "msgid is a keyword\n",
            "msgid \"a\"\nEs regnet .\n",
            "# 1\nmsgstr \"a\"\n",
            "{ a }\n",
            "[1] Siehe dort .\n",
            "[\"a\", \"b\"] are words\n",
            "{\nb\n",
            "PK 3\n",
            "PAR1 ist ein Rezeptor .\n",
            "WEBVTT ist ein Format .\n",
            "1\n2\n3\n",
            "Ein Zeichen \0 zu viel, sonst ist alles Text und lang genug, um es zu zeigen.\n",
            "# Titel\n\n- eins\n- zwei: drei\n",
        ] {
            assert_eq!(ending(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn lines_that_are_cut_off() {
        let text = "menu.a = Haus\n".repeat(HEAD);
        assert_eq!(ending(text.as_bytes()), None);
        let text: String = (0..HEAD).map(|number| format!("menu.a{number} = Haus\n")).collect();
        assert_eq!(ending(text.as_bytes()), Some(".properties"));
    }
}
