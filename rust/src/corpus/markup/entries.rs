//! Files of entries, a key and a value in each line, which no text of sentences resembles as a whole.
//!
//! Single lines such as `a = b` and `Anna: Hallo!` are text. A file is one of entries if nearly all of its lines are,
//! and their keys differ.

use std::collections::HashSet;

/// The fewest entries that show a format; fewer could be sentences.
const FEWEST: usize = 3;

/// The ending of files with these lines, if that is certain.
pub fn ending(text: &str) -> Option<&'static str> {
    if is_apple_strings(text) {
        Some(".strings")
    } else if is_yaml(text) {
        Some(".yml")
    } else {
        of_assignments(text)
    }
}

/// `"key" = "value";` in every line that is not a comment.
fn is_apple_strings(text: &str) -> bool {
    let mut found = 0;
    let mut in_comment = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.ends_with("*/");
        } else if !line.starts_with("//") {
            let pair = line.strip_prefix('"').and_then(|rest| rest.split_once('='));
            let is_entry = pair.is_some_and(|(key, value)| {
                key.trim_end().ends_with('"') && value.trim_start().starts_with('"') && value.ends_with("\";")
            });
            if !is_entry {
                return false;
            }
            found += 1;
        }
    }
    found >= 2
}

/// A key alone in the first line or after `---`, indented keys below, and nothing but keys at the margin.
fn is_yaml(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.trim_start().starts_with('#'))
        .peekable();
    let mut opened = lines.next_if(|line| *line == "---" || line.starts_with("%YAML")).is_some();
    opened = opened || lines.peek().is_some_and(|line| line.ends_with(':'));
    let (mut keys, mut nested) = (0, 0);
    for line in lines {
        let is_indented = line.starts_with(' ');
        let is_key = line.trim_start().split_once(':').is_some_and(|(key, value)| {
            is_identifier(key.trim_matches(['"', '\'']), "._-")
                && (value.is_empty() || value.starts_with(' '))
        });
        if !is_key && !is_indented && line != "---" {
            return false;
        }
        keys += usize::from(is_key);
        nested += usize::from(is_key && is_indented);
    }
    opened && keys >= 2 && nested >= 1
}

/// Java properties, INI files and Fluent.
fn of_assignments(text: &str) -> Option<&'static str> {
    let (mut entries, mut spaced, mut structured, mut sections, mut others) = (0, 0, 0, 0, 0);
    let (mut is_fluent, mut continues) = (false, false);
    let mut keys = HashSet::new();
    for line in text.lines().map(str::trim_end) {
        let is_continued = std::mem::replace(&mut continues, line.ends_with('\\'));
        let bare = line.trim_start();
        if is_continued || bare.is_empty() || bare.starts_with(['#', '!', ';']) {
            continue;
        }
        if bare.starts_with('[') && bare.ends_with(']') {
            sections += 1;
        } else if bare.len() < line.len() && is_fluent_part(bare) {
            is_fluent = true;
        } else if let Some((key, value)) = assignment(line) {
            entries += 1;
            spaced += usize::from(key.len() + 1 < key_width(line));
            structured += usize::from(is_structured(key));
            is_fluent |= key.starts_with('-') || value.contains("{ $") || value.contains("{ -");
            keys.insert(key);
        } else {
            others += 1;
        }
    }
    // With spaces, `a = b` may be a formula or a line of a dictionary.
    let is_certain = spaced * 2 < entries || structured * 2 > entries || is_fluent || sections > 0;
    if entries < FEWEST || !is_certain || others * 9 > entries || keys.len() * 10 < entries * 9 {
        None
    } else if is_fluent {
        Some(".ftl")
    } else {
        Some(if sections > 0 { ".ini" } else { ".properties" })
    }
}

/// The key and the value of a line.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim();
    is_identifier(key, "._-/[]$").then_some((key, value.trim_start()))
}

/// How far a line's key reaches, with the spaces after it and the equals sign.
fn key_width(line: &str) -> usize {
    line.trim_start().find('=').map_or(0, |at| at + 1)
}

/// An attribute of a message, or a case of a selection.
fn is_fluent_part(bare: &str) -> bool {
    bare.starts_with('.') && assignment(&bare[1..]).is_some() || bare.starts_with("*[")
}

fn is_identifier(key: &str, signs: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || "_-".contains(first))
        && key.chars().all(|one| one.is_ascii_alphanumeric() || signs.contains(one))
}

/// Whether a key has several parts, as words of a text mostly have not.
fn is_structured(key: &str) -> bool {
    key.contains(['.', '_', '-']) || key.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_entries() {
        for (text, expected) in [
            ("open=Open file\nsave = Save\nmenu.quit: a=Quit\nexit=Quit\nclose=C\\\n  and more\n", None),
            ("# c\nopen=Open file\nsave=Save\n\nexit=Quit\n", Some(".properties")),
            ("menu.open = Open file\nmenu.save = Save \\\n  it\nmenu.exit = Quit\n", Some(".properties")),
            ("[menu]\nopen = Open file\nsave = Save\nexit = Quit\n", Some(".ini")),
            ("open-file = Open\n    .title = x\nsave = Save { $name }\nexit-it = Quit\n", Some(".ftl")),
            ("-brand = Zork\nopen = Open { -brand }\nsave = Save\n", Some(".ftl")),
            ("en:\n  open: Open file\n  save: \"Save\"\n", Some(".yml")),
            ("---\n# c\nen:\n  errors:\n    - a\n    long: |\n      Some text\n", Some(".yml")),
            ("/* c\n c */\n\"open\" = \"Open\";\n// d\n\"b c\"=\"d\";\n", Some(".strings")),
        ] {
            assert_eq!(ending(text), expected, "{text}");
        }
    }

    #[test]
    fn text_with_colons_and_equals_signs() {
        for text in [
            "a = b\n",
            "a = b\nc = d\ne = f\n",
            "x=5\n",
            "x=5\ny=7\n",
            "x=5\nx=7\nx=9\nx=11\n",
            "x=5\ny=7\nz=9\nDann gilt x+y<z .\n",
            "Anna: Hallo!\nBen: Guten Tag!\nClara: Wie geht es?\n",
            "anna: hallo!\nben: guten tag!\n",
            "Zutaten:\nMehl\nEier\n",
            "Zutaten:\n  Mehl\n  Eier\n",
            "---\nAnna: Hallo!\n",
            "- Hallo!\n- Guten Tag!\n",
            "\"a\" = \"b\";\nist eine Zuweisung .\n",
            "haus = house\nhund = dog\nkatze = cat\n",
            "[1] Siehe dort.\n[2] Ebenda.\n",
            "# 1\n# 2\n# 3\n",
            "",
        ] {
            assert_eq!(ending(text), None, "{text}");
        }
    }
}
