//! Truecasing: restores the most frequent casing of words, counted away from sentence starts, where casing is
//! informative.

use std::collections::HashMap;

use super::tokens::tokens;

/// Tokens after which a sentence starts. Colons and ellipses are not included: the same sentence continues as often as
/// not.
const SENTENCE_ENDS: [&str; 7] = [".", "!", "?", "。", "！", "？", "।"];

/// The tokens of a line, each with whether it opens a sentence. Quotes, brackets and dashes before the first word do
/// not open it.
fn with_starts(line: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut open = true;
    tokens(line).map(move |token| {
        let start = open;
        if SENTENCE_ENDS.contains(&token) {
            open = true;
        } else if token.contains(char::is_alphanumeric) {
            open = false;
        }
        (token, start)
    })
}

/// Counts of each casing of each word, away from sentence starts.
#[derive(Default)]
pub struct CasingCounts {
    counts: HashMap<String, u64>,
}

impl CasingCounts {
    pub fn add(&mut self, line: &str) {
        for (token, start) in with_starts(line) {
            if !start && token.contains(char::is_alphabetic) {
                match self.counts.get_mut(token) {
                    Some(count) => *count += 1,
                    None => {
                        self.counts.insert(token.to_owned(), 1);
                    }
                }
            }
        }
    }

    /// The casings of each word, sorted by its lower-case form, the most frequent casing first. Among equally frequent
    /// ones the lower-case form is first, then by characters.
    pub fn table(&self) -> Vec<Vec<String>> {
        let mut grouped: HashMap<String, Vec<(&str, u64)>> = HashMap::new();
        for (word, &count) in &self.counts {
            grouped.entry(word.to_lowercase()).or_default().push((word, count));
        }
        let mut table: Vec<(String, Vec<String>)> = grouped
            .into_iter()
            .map(|(lower, mut casings)| {
                casings.sort_by(|a, b| (b.1, a.0 != lower, a.0).cmp(&(a.1, b.0 != lower, b.0)));
                let casings = casings.into_iter().map(|(word, _)| word.to_owned()).collect();
                (lower, casings)
            })
            .collect();
        table.sort();
        table.into_iter().map(|(_, casings)| casings).collect()
    }
}

pub struct Truecaser {
    /// By lower-case form; the best casing first.
    casings: HashMap<String, Vec<String>>,
}

impl Truecaser {
    /// From a table made by [`CasingCounts::table`].
    pub fn new(table: Vec<Vec<String>>) -> Self {
        let filled = table.into_iter().filter(|casings| !casings.is_empty());
        Truecaser { casings: filled.map(|casings| (casings[0].to_lowercase(), casings)).collect() }
    }

    /// A sentence's first word gets its best casing; any other word only if its own casing is unknown.
    pub fn apply(&self, line: &str) -> String {
        rewritten(line, |token, start, text| {
            let best = self.casings.get(&token.to_lowercase()).and_then(|casings| {
                let known = !start && casings.iter().any(|casing| casing == token);
                if known {
                    None
                } else {
                    casings.first()
                }
            });
            text.push_str(best.map_or(token, String::as_str));
        })
    }
}

/// Capitalises the first words of sentences; words with a capital are left unchanged.
pub fn capitalise(line: &str) -> String {
    rewritten(line, |token, start, text| {
        let mut rest = token.chars();
        match rest.next().filter(|_| start && token.to_lowercase() == token).and_then(capital) {
            Some(capital) => {
                text.push(capital);
                text.push_str(rest.as_str());
            }
            None => text.push_str(token),
        }
    })
}

/// The capital of a letter, if it is a single letter whose lower case is this one; `ß` has none.
fn capital(letter: char) -> Option<char> {
    let mut upper = letter.to_uppercase();
    let found = upper.next().filter(|_| upper.next().is_none())?;
    (found != letter && found.to_lowercase().eq([letter])).then_some(found)
}

fn rewritten(line: &str, mut write: impl FnMut(&str, bool, &mut String)) -> String {
    let mut text = String::with_capacity(line.len());
    for (token, start) in with_starts(line) {
        if !text.is_empty() {
            text.push(' ');
        }
        write(token, start, &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truecaser(lines: &[&str]) -> Truecaser {
        let mut counts = CasingCounts::default();
        lines.iter().for_each(|line| counts.add(line));
        Truecaser::new(counts.table())
    }

    #[test]
    fn sentence_starts() {
        let starts: Vec<&str> = with_starts("\" Ja ! \" - Er kommt : So ist es .")
            .filter(|(_, start)| *start)
            .map(|(t, _)| t)
            .collect();
        assert_eq!(starts, ["\"", "Ja", "\"", "-", "Er"]);
    }

    #[test]
    fn the_most_frequent_casing_wins_and_ties_go_to_lower_case() {
        let mut counts = CasingCounts::default();
        ["X the The", "X the Apple apple", "X US us US"].iter().for_each(|line| counts.add(line));
        assert_eq!(counts.table(), [vec!["apple", "Apple"], vec!["the", "The"], vec!["US", "us"]]);
    }

    #[test]
    fn starts_and_unseen_casings_change_and_nothing_else() {
        let caser = truecaser(&["X das Haus", "X das Haus Das"]);
        assert_eq!(caser.apply("Das HAUS und Das Neue . DAS"), "das Haus und Das Neue . das");
        assert_eq!(capitalise("das Haus . das ende ? iPhone"), "Das Haus . Das ende ? iPhone");
        assert_eq!(capitalise("\" ßa"), "\" ßa");
    }
}
