//! Parses ARPA files; errors name the line and the deviation from the format.
//!
//! Accepts the files of KenLM and SRILM: fields separated by tabs or spaces, omitted backoffs, text before `\data\`.

use std::path::Path;

use super::text::words;
use super::MAX_ORDER;
use crate::corpus::text::Lines;
use crate::error::{Error, Result};

/// Reads the file from top to bottom.
pub struct ArpaParser {
    lines: Lines,
    /// The number of n-grams that the file announces for each order.
    pub counts: Vec<u64>,
    /// A line that was read but not used yet.
    pending: Option<String>,
}

/// One line of a section.
pub struct Ngram<'a> {
    pub prob: f32,
    pub words: &'a [&'a str],
    pub backoff: f32,
}

const WHOLE: &str = "The file may be truncated; download or create it again.";

impl ArpaParser {
    /// Reads to the end of the `\data\` section.
    pub fn open(path: &Path) -> Result<Self> {
        let mut parser = ArpaParser { lines: Lines::open(path)?, counts: Vec::new(), pending: None };
        parser.find_data()?;
        parser.read_counts()?;
        Ok(parser)
    }

    pub fn line(&self) -> u64 {
        self.lines.number()
    }

    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// An error at the last line read.
    pub fn error(&self, message: impl Into<String>) -> Error {
        self.lines.error(message)
    }

    fn find_data(&mut self) -> Result<()> {
        let mut first = true;
        while let Some(line) = self.lines.next_line()? {
            let text = line.trim();
            if text == "\\data\\" {
                return Ok(());
            }
            if first && text.starts_with("iARPA") {
                return Err(self.error("this is IRSTLM's iARPA, not ARPA.").hint(
                    "Convert it with IRSTLM's own tool: compile-lm --text=yes MODEL.iarpa MODEL.arpa.",
                ));
            }
            first = first && text.is_empty();
        }
        Err(self
            .error("no line \\data\\ was found; this is not an ARPA file.")
            .hint("ARPA files are written by lmplz, ngram-count and graphmt lm train."))
    }

    fn read_counts(&mut self) -> Result<()> {
        loop {
            let Some(line) = self.lines.next_line()? else {
                return Err(self.error("the file ends within the \\data\\ section.").hint(WHOLE));
            };
            let line = line.trim().to_owned();
            if line.is_empty() && self.counts.is_empty() {
                continue;
            }
            if line.is_empty() || line.starts_with('\\') {
                self.pending = (!line.is_empty()).then_some(line);
                break;
            }
            let expected = self.counts.len() + 1;
            let count = line.strip_prefix("ngram").and_then(|rest| {
                let (order, count) = rest.split_once('=')?;
                (order.trim().parse() == Ok(expected)).then(|| count.trim().parse::<u64>().ok())?
            });
            let Some(count) = count else {
                return Err(self.error(format!("expected 'ngram {expected}=' and a number, saw {line:?}.")));
            };
            self.counts.push(count);
        }
        match self.counts.len() {
            0 => Err(self
                .error("the \\data\\ section lists no orders.")
                .hint("Expected lines like 'ngram 1=1000'.")),
            order if order > MAX_ORDER => Err(self
                .error(format!("the model has order {order}; at most {MAX_ORDER} is supported."))
                .hint("Use a model of a lower order.")),
            _ => Ok(()),
        }
    }

    /// The next line that is not blank.
    fn next_text(&mut self) -> Result<Option<String>> {
        if let Some(line) = self.pending.take() {
            return Ok(Some(line));
        }
        while let Some(line) = self.lines.next_line()? {
            let line = line.trim();
            if !line.is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
        Ok(None)
    }

    /// Reads the n-grams of an order; the orders must be read in ascending order. Returns the line number of the first.
    pub fn section(&mut self, order: usize, mut take: impl FnMut(&Self, Ngram) -> Result<()>) -> Result<u64> {
        let expected = format!("\\{order}-grams:");
        match self.next_text()? {
            Some(line) if line == expected => (),
            Some(line) => return Err(self.error(format!("expected {expected}, saw {line:?}."))),
            None => return Err(self.error(format!("the file ends before {expected}.")).hint(WHOLE)),
        }
        let first = self.line() + 1;
        let promised = self.counts[order - 1];
        let mut count = 0;
        let mut buffer = String::new();
        loop {
            buffer.clear();
            match self.lines.next_line()? {
                Some(line) => buffer.push_str(line),
                None => return Err(self.error(format!("the file ends within {expected}")).hint(WHOLE)),
            }
            let text = buffer.trim();
            if text.is_empty() || text.starts_with('\\') {
                if count != promised {
                    return Err(self.error(format!(
                        "{count} n-grams of order {order} were found, but the \\data\\ section says {promised}."
                    ))
                    .hint("Lines may be missing, or the count is wrong: create the file again or correct the count."));
                }
                self.pending = (!text.is_empty()).then(|| text.to_owned());
                return Ok(first);
            }
            count += 1;
            if count > promised {
                return Err(self
                    .error(format!(
                        "more n-grams of order {order} than the {promised} in the \\data\\ section."
                    ))
                    .hint("Correct the count, or create the file again."));
            }
            let mut fields = [""; MAX_ORDER + 3];
            let mut found = 0;
            for word in words(text).take(fields.len()) {
                fields[found] = word;
                found += 1;
            }
            if found != order + 1 && found != order + 2 {
                return Err(self.error(format!(
                    "expected a log10 probability, {order} word{} and optionally a backoff, saw {text:?}.",
                    if order == 1 { "" } else { "s" }
                )));
            }
            let prob = self.number(fields[0], "log10 probability")?;
            if prob > 0.0 {
                return Err(self
                    .error(format!("the log10 probability {} is above 0.", fields[0]))
                    .hint("The file may contain plain probabilities or another kind of logarithm; create it again with log10."));
            }
            let backoff = if found == order + 2 { self.number(fields[order + 1], "backoff")? } else { 0.0 };
            if order == self.counts.len() && backoff != 0.0 {
                return Err(self.error(format!(
                    "an n-gram of the highest order has a backoff ({}), which is never used.",
                    fields[order + 1]
                )));
            }
            take(self, Ngram { prob, words: &fields[1..=order], backoff })?;
        }
    }

    fn number(&self, text: &str, what: &str) -> Result<f32> {
        match text.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.error(format!("expected a {what}, saw {text:?}."))),
        }
    }

    /// Checks that the file ends correctly.
    pub fn end(&mut self) -> Result<()> {
        match self.next_text()? {
            Some(line) if line == "\\end\\" => Ok(()),
            Some(line) => Err(self.error(format!("expected \\end\\, saw {line:?}."))),
            None => Err(self.error("the line \\end\\ is missing.").hint(WHOLE)),
        }
    }
}
