//! URLs, e-mail addresses, paths and file names.

use std::cell::Cell;

use super::classes::{
    Class, ADDRESS, AT_SIGN, BACKSLASH, BEFORE_ROOT, DASH, DIGIT, DOLLAR, DOT, FILE, LETTER, PLUS, SLASH,
    SPACE, STAR, TILDE, UNDERSCORE, WORD,
};
use super::text::Text;

const SCHEMES: [&str; 16] = [
    "http://", "https://", "www.", "mailto:", "ftp://", "ftps://", "sftp://", "file://", "ssh://", "git://",
    "ws://", "wss://", "irc://", "ircs://", "ldap://", "ldaps://",
];
const TOP_LEVELS: [&str; 23] = [
    "com", "org", "net", "edu", "gov", "info", "io", "dev", "app", "ai", "eu", "de", "at", "ch", "uk", "fr",
    "es", "it", "nl", "pl", "cn", "jp", "kr",
];
const EXTENSIONS: [&str; 82] = [
    "avif", "bash", "bat", "bin", "bmp", "c", "cfg", "conf", "cpp", "cs", "css", "csv", "dll", "doc", "docx",
    "eps", "epub", "exe", "gif", "gz", "htm", "html", "ini", "iso", "jar", "java", "jpg", "jpeg", "js",
    "json", "jsx", "log", "lua", "md", "mkv", "mov", "mp3", "mp4", "mo", "odt", "ods", "ogg", "pdf", "php",
    "png", "po", "pot", "ppt", "pptx", "ps1", "py", "rar", "rb", "rs", "rst", "rtf", "sh", "sql", "svg",
    "tar", "tgz", "tif", "tiff", "toml", "ts", "tsv", "tsx", "ttf", "txt", "wav", "webm", "webp", "woff",
    "woff2", "xlf", "xliff", "xls", "xlsx", "xml", "yml", "yaml", "zip",
];

const DOMAIN: Class = WORD | DOT | DASH;
const LOCAL_PART: Class = LETTER | DIGIT | DOT | UNDERSCORE | PLUS | DASH;
const LABEL: Class = LETTER | DIGIT | DASH;
const PART: Class = WORD | DOT | PLUS | AT_SIGN | DOLLAR | TILDE | DASH;
const SHARE: Class = WORD | DOT | DOLLAR | DASH;
const FILE_NAME: Class = LETTER | DIGIT | UNDERSCORE | DASH;

/// An address with a scheme, or a domain of a well-known kind.
pub fn url(text: &Text<'_>, start: usize) -> Option<usize> {
    with_scheme(text, start).or_else(|| domain(text, start))
}

fn with_scheme(text: &Text<'_>, start: usize) -> Option<usize> {
    if !text.is(start, LETTER) || text.is_in_word(start) {
        return None;
    }
    let scheme = SCHEMES.iter().find(|scheme| text.starts_with_any_case(start, scheme))?;
    let end = text.run(start + scheme.len(), ADDRESS);
    (end > start + scheme.len()).then_some(end)
}

fn domain(text: &Text<'_>, start: usize) -> Option<usize> {
    if !text.is(start, LABEL) || text.follows(start, DOMAIN | AT_SIGN) {
        return None;
    }
    // The top level is the last word of the run, so that `example.de.x` is none.
    let mut end = text.run(start, DOMAIN);
    while !text.is(end - 1, WORD) {
        end -= 1;
        if end == start {
            return None;
        }
    }
    let mut top = end;
    while top > start && text.is(top - 1, LETTER) {
        top -= 1;
    }
    if !TOP_LEVELS.iter().any(|level| text.equals(top, end, level)) {
        return None;
    }
    let mut at = start;
    while at < top {
        let next = text.run(at, LABEL);
        if next == at || text.at(next) != '.' {
            return None;
        }
        at = next + 1;
    }
    if at == start || at != top {
        return None;
    }
    Some(if matches!(text.at(end), '/' | '?' | '#') { text.run(end + 1, ADDRESS) } else { end })
}

pub fn email(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.follows(start, LOCAL_PART) {
        return None;
    }
    let at_sign = text.short_run(start, LOCAL_PART, 64)?;
    if text.at(at_sign) != '@' {
        return None;
    }
    let first = text.run(at_sign + 1, LABEL);
    if first == at_sign + 1 {
        return None;
    }
    let end = groups(text, first, '.', LABEL);
    (end > first).then_some(end)
}

/// Where groups of a character and a run after it end.
fn groups(text: &Text<'_>, start: usize, before: char, class: Class) -> usize {
    let mut end = start;
    while text.at(end) == before && text.is(end + 1, class) {
        end = text.run(end + 1, class);
    }
    end
}

/// The end of the last path from a root that turned out to have no words. Another one that starts inside it ends where
/// it does, and has no words either.
#[derive(Default)]
pub struct Hopeless(Cell<usize>);

impl Hopeless {
    pub fn note(&self, end: usize) {
        self.0.set(self.0.get().max(end));
    }
}

pub fn path(text: &Text<'_>, start: usize, hopeless: &Hopeless) -> Option<usize> {
    drive(text, start)
        .or_else(|| share(text, start))
        .or_else(|| if start < hopeless.0.get() { None } else { from_folder(text, start) })
        .or_else(|| from_root(text, start))
        .or_else(|| below_folders(text, start))
        .or_else(|| file_name(text, start))
}

/// `C:\…`
fn drive(text: &Text<'_>, start: usize) -> Option<usize> {
    let is_drive = text.is(start, LETTER) && text.starts_with(start + 1, ":\\") && !text.is_in_word(start);
    is_drive.then(|| text.run(start + 3, FILE))
}

/// `\\server\folder`
fn share(text: &Text<'_>, start: usize) -> Option<usize> {
    if !text.starts_with(start, "\\\\") || text.follows(start, WORD | BACKSLASH) {
        return None;
    }
    let server = text.run(start + 2, SHARE);
    let end = groups(text, server, '\\', SHARE);
    (server > start + 2 && end > server).then_some(end)
}

/// `~/…`, `./…`, `../…`
fn from_folder(text: &Text<'_>, start: usize) -> Option<usize> {
    let root = match text.at(start) {
        '~' => start + 1,
        '.' => start + 1 + usize::from(text.at(start + 1) == '.'),
        _ => return None,
    };
    if text.follows(start, BEFORE_ROOT) {
        return None;
    }
    let end = groups(text, root, '/', PART);
    (end > root).then(|| end + usize::from(text.at(end) == '/'))
}

/// `/folder`, with a letter in its first part.
fn from_root(text: &Text<'_>, start: usize) -> Option<usize> {
    if text.at(start) != '/' || text.follows(start, BEFORE_ROOT) {
        return None;
    }
    let mut letter = start + 1;
    while !text.is(letter, LETTER) {
        if letter >= text.len() || text.is(letter, SPACE | SLASH) {
            return None;
        }
        letter += 1;
    }
    let first = text.run(start + 1, PART);
    let is_long =
        first > start + 2 || (first == start + 2 && text.at(first) == '/' && text.is(first + 1, PART));
    is_long.then(|| text.run(first, PART | SLASH))
}

/// `folder/file.ext`, of as many folders as there are.
fn below_folders(text: &Text<'_>, start: usize) -> Option<usize> {
    if !text.is(start, DOMAIN) || text.follows(start, DOMAIN | SLASH | BACKSLASH) {
        return None;
    }
    let mut found = None;
    let mut at = start;
    loop {
        let end = text.run(at, DOMAIN);
        if end == at || text.at(end) != '/' {
            return found;
        }
        at = end + 1;
        found = short_extension(text, at).or(found);
    }
}

/// The end of a name with an extension of one to five letters and digits.
fn short_extension(text: &Text<'_>, start: usize) -> Option<usize> {
    let dot = text.run(start, WORD | DASH);
    if dot == start || text.at(dot) != '.' || !text.is(dot + 1, LETTER) {
        return None;
    }
    let end = text.short_run(dot + 1, LETTER | DIGIT, 5)?;
    (!text.is(end, WORD)).then_some(end)
}

/// `file.ext` or `*.ext`, with a well-known extension.
fn file_name(text: &Text<'_>, start: usize) -> Option<usize> {
    if !text.is(start, FILE_NAME | STAR) || text.follows(start, DOMAIN | SLASH | BACKSLASH | STAR) {
        return None;
    }
    let mut at = if text.is(start, STAR) { start + 1 } else { text.run(start, FILE_NAME) };
    let mut found = None;
    while text.at(at) == '.' {
        found = known_extension(text, at + 1).or(found);
        let next = text.run(at + 1, FILE_NAME);
        if next == at + 1 {
            break;
        }
        at = next;
    }
    found
}

fn known_extension(text: &Text<'_>, start: usize) -> Option<usize> {
    let end = text.short_run(start, WORD, 5)?;
    let is_known =
        EXTENSIONS.iter().any(|one| end - start == one.len() && text.starts_with_any_case(start, one));
    let goes_on = matches!(text.at(end), '/' | '\\') || (text.at(end) == '.' && text.is(end + 1, WORD));
    (is_known && !goes_on).then_some(end)
}
