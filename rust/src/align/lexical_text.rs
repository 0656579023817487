//! Lexical tables as Moses' two text files: `lex.f2e` has lines `e f w(e|f)`, `lex.e2f` lines `f e w(f|e)`.

use std::collections::HashMap;
use std::fmt::Write;

use crate::error::{Error, Result};

use super::encoded::{Vocabulary, NULL};
use super::lexical::{Entry, LexicalTable};

/// The written form of the empty word. A word of the text with this spelling is not written, as it would be ambiguous.
const NULL_TEXT: &str = "NULL";

/// Direction of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `lex.f2e`: w(e|f)
    TargetGivenSource,
    /// `lex.e2f`: w(f|e)
    SourceGivenTarget,
}

/// Appends the lines of the source words `start..end`, with 7 decimals.
pub fn write_lines(
    table: &LexicalTable,
    source: &Vocabulary,
    target: &Vocabulary,
    which: Direction,
    (start, end): (usize, usize),
    text: &mut String,
) {
    for f in start..end.min(source.words().len()) {
        for entry in table.row(f as u32) {
            let (Some(f), Some(e)) = (written(source, entry.source), written(target, entry.target)) else {
                continue;
            };
            // Writing to a String cannot fail.
            let _ = match which {
                Direction::TargetGivenSource => writeln!(text, "{e} {f} {:.7}", entry.target_given_source),
                Direction::SourceGivenTarget => writeln!(text, "{f} {e} {:.7}", entry.source_given_target),
            };
        }
    }
}

fn written(vocabulary: &Vocabulary, number: u32) -> Option<&str> {
    let word = vocabulary.words()[number as usize].as_str();
    match number {
        NULL => Some(NULL_TEXT),
        _ => (word != NULL_TEXT).then_some(word),
    }
}

/// A table being read from its two files.
#[derive(Default)]
pub struct Reader {
    source: Vocabulary,
    target: Vocabulary,
    entries: HashMap<(u32, u32), [Option<f32>; 2]>,
}

impl Reader {
    pub fn add(&mut self, line: &str, which: Direction) -> Result<()> {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [of, given, value] = fields[..] else {
            return Err(Error::input(format!("{} fields in {line:?}.", fields.len()))
                .hint("A line of a lexical table has two words and a probability."));
        };
        let value =
            value.parse::<f32>().ok().filter(|value| (0.0..=1.0).contains(value)).ok_or_else(|| {
                Error::input(format!("{value:?} is not a probability."))
                    .hint("A number from 0 to 1 was expected.")
            })?;
        let (f, e, place) = match which {
            Direction::TargetGivenSource => (given, of, 0),
            Direction::SourceGivenTarget => (of, given, 1),
        };
        let number = |vocabulary: &mut Vocabulary, word: &str| match word {
            NULL_TEXT => NULL,
            _ => vocabulary.insert(word),
        };
        let pair = (number(&mut self.source, f), number(&mut self.target, e));
        let cell = &mut self.entries.entry(pair).or_default()[place];
        if cell.replace(value).is_some() {
            return Err(Error::input(format!("the pair {of:?} {given:?} occurs twice.")));
        }
        Ok(())
    }

    pub fn finish(self) -> Result<(LexicalTable, Vocabulary, Vocabulary)> {
        let mut entries = Vec::with_capacity(self.entries.len());
        for ((source, target), values) in self.entries {
            let [Some(target_given_source), Some(source_given_target)] = values else {
                let word = |vocabulary: &Vocabulary, number: u32| match number {
                    NULL => NULL_TEXT.to_owned(),
                    _ => vocabulary.words()[number as usize].clone(),
                };
                let (f, e) = (word(&self.source, source), word(&self.target, target));
                return Err(Error::input(format!(
                    "the words {f:?} and {e:?} are in one of the two files only."
                ))
                .hint("Both files must come from one run."));
            };
            entries.push(Entry { source, target, count: 0, target_given_source, source_given_target });
        }
        let table = LexicalTable::from_entries(entries, self.source.words().len())?;
        Ok((table, self.source, self.target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut reader = Reader::default();
        for (line, which) in [
            ("house haus 0.3333333", Direction::TargetGivenSource),
            ("NULL haus 0.6666667", Direction::TargetGivenSource),
            ("haus house 1.0000000", Direction::SourceGivenTarget),
            ("haus NULL 0.0000001", Direction::SourceGivenTarget),
        ] {
            reader.add(line, which).unwrap();
        }
        let (table, source, target) = reader.finish().unwrap();
        let mut text = String::new();
        write_lines(&table, &source, &target, Direction::SourceGivenTarget, (0, 9), &mut text);
        assert_eq!(text, "haus NULL 0.0000001\nhaus house 1.0000000\n");
        text.clear();
        write_lines(&table, &source, &target, Direction::TargetGivenSource, (0, 9), &mut text);
        assert_eq!(text, "NULL haus 0.6666667\nhouse haus 0.3333333\n");
    }

    #[test]
    fn bad_lines() {
        for bad in ["a b", "a b c d", "a b x", "a b 1.5", "a b -0.1", "a b nan"] {
            assert!(Reader::default().add(bad, Direction::TargetGivenSource).is_err(), "{bad}");
        }
        let mut reader = Reader::default();
        reader.add("a b 0.5", Direction::TargetGivenSource).unwrap();
        assert!(reader.add("a b 0.5", Direction::TargetGivenSource).is_err());
        assert!(reader.finish().unwrap_err().message.contains("one of the two files"));
    }

    #[test]
    fn a_word_spelt_like_the_empty_word_is_left_out() {
        let mut source = Vocabulary::default();
        let number = source.insert(NULL_TEXT);
        let entry = Entry {
            source: number,
            target: NULL,
            count: 1,
            target_given_source: 1.0,
            source_given_target: 1.0,
        };
        let table = LexicalTable::from_entries([entry], 2).unwrap();
        let mut text = String::new();
        write_lines(&table, &source, &Vocabulary::default(), Direction::TargetGivenSource, (0, 2), &mut text);
        assert_eq!(text, "");
    }
}
