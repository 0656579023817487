//! The formats that are not plain text, by the endings of their files.
//!
//! Markdown is not among them: it has no words with a meaning of their own, so any text is Markdown, also a translated
//! one. Neither are endings that say nothing, such as `.de`, `.tok` and `.2013`.

use std::path::Path;

/// What to do with a file that is not plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// `graphmt corpus convert` splits it into its sides.
    Split,
    /// `graphmt translate` fills it in.
    Fill,
    /// This program of the Translate Toolkit converts it to a format that `graphmt translate` fills in.
    Toolkit(&'static str),
    /// Apple's Xcode exports and imports it as XLIFF.
    Xcode,
    Extract,
    Unpack,
}

/// A file format other than plain text.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    pub what: &'static str,
    pub endings: &'static [&'static str],
    pub advice: Advice,
}

const fn kind(what: &'static str, endings: &'static [&'static str], advice: Advice) -> Kind {
    Kind { what, endings, advice }
}

const KINDS: [Kind; 39] = [
    kind("a gettext catalogue", &[".po", ".pot", ".mo"], Advice::Split),
    kind("a translation memory (TMX)", &[".tmx"], Advice::Split),
    kind("an XLIFF file", &[".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff", ".txlf"], Advice::Split),
    kind("a table of tab-separated columns", &[".tsv"], Advice::Split),
    kind("a table of comma-separated columns", &[".csv"], Advice::Split),
    kind("a Parquet file", &[".parquet"], Advice::Split),
    kind("an HTML page", &[".html", ".htm"], Advice::Fill),
    kind("JSON", &[".json"], Advice::Fill),
    kind("a file of Apple's strings", &[".strings"], Advice::Fill),
    kind("a file of Android's string resources", &["strings.xml"], Advice::Fill),
    kind("an XML file", &[".xml", ".xhtml", ".svg", ".dita"], Advice::Extract),
    kind("a termbase", &[".tbx"], Advice::Extract),
    kind("SGML", &[".sgm", ".sgml"], Advice::Extract),
    kind("JSON lines", &[".jsonl", ".ndjson"], Advice::Extract),
    kind("a file of Java properties", &[".properties"], Advice::Toolkit("prop2po")),
    kind("YAML", &[".yml", ".yaml"], Advice::Toolkit("yaml2po")),
    kind("a Fluent file", &[".ftl"], Advice::Toolkit("fluent2po")),
    kind("a .NET resource file", &[".resx", ".resw"], Advice::Toolkit("resx2po")),
    kind("a Qt translation file", &[".ts"], Advice::Toolkit("ts2po")),
    kind("an INI file", &[".ini"], Advice::Toolkit("ini2po")),
    kind("TOML", &[".toml"], Advice::Toolkit("toml2po")),
    kind("PHP", &[".php"], Advice::Toolkit("php2po")),
    kind("a document type definition", &[".dtd"], Advice::Toolkit("dtd2po")),
    kind("a calendar", &[".ics"], Advice::Toolkit("ical2po")),
    kind("a file of subtitles", &[".srt", ".vtt", ".ass", ".ssa", ".sbv"], Advice::Toolkit("sub2po")),
    kind("an InDesign document", &[".idml"], Advice::Toolkit("idml2po")),
    kind("an OpenDocument file", &[".odt", ".ods", ".odp", ".odg"], Advice::Toolkit("odf2xliff")),
    kind("a string catalogue of Xcode", &[".xcstrings"], Advice::Xcode),
    kind("a property list of Apple's systems", &[".stringsdict", ".plist"], Advice::Xcode),
    kind("JavaScript", &[".js", ".mjs", ".jsx", ".tsx", ".vue"], Advice::Extract),
    kind("LaTeX", &[".tex", ".latex"], Advice::Extract),
    kind("reStructuredText", &[".rst"], Advice::Extract),
    kind("AsciiDoc", &[".adoc", ".asciidoc"], Advice::Extract),
    kind("rich text (RTF)", &[".rtf"], Advice::Extract),
    kind("an office document", &[".docx", ".pptx", ".xlsx", ".epub", ".doc"], Advice::Extract),
    kind("a PDF document", &[".pdf"], Advice::Extract),
    kind("a ZIP archive, perhaps an office document", &[".zip"], Advice::Extract),
    kind("an archive", &[".bz2", ".xz", ".zst", ".lz4", ".7z", ".rar", ".tar", ".tgz"], Advice::Unpack),
    kind("a binary file", &[".bin"], Advice::Extract),
];

/// Endings that are also codes of languages (Tsonga) or any kind of data: the content decides.
const AMBIGUOUS: [&str; 3] = [".ts", ".doc", ".bin"];

/// The format of files with an ending.
pub fn of_ending(ending: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.endings.contains(&ending))
}

/// The format of a file by its name, with or without `.gz`.
pub fn by_name(path: &Path) -> Option<&'static Kind> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let named = |ending: &&str| name.ends_with(ending) && !AMBIGUOUS.contains(ending);
    KINDS.iter().find(|kind| kind.endings.iter().any(named))
}
