//! Dependency trees in columns: a chunk of sentences in a few flat arrays.

use crate::error::Error;

use super::tokens::push_form;

/// A range of `Trees::raw`. An empty one stands for CoNLL-U's `_`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// The columns that are kept as text; ID is implicit and HEAD is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Form,
    Lemma,
    Upos,
    Xpos,
    Feats,
    Deprel,
    Deps,
    Misc,
}

pub const COLUMNS: [Column; 8] = [
    Column::Form,
    Column::Lemma,
    Column::Upos,
    Column::Xpos,
    Column::Feats,
    Column::Deprel,
    Column::Deps,
    Column::Misc,
];

/// The text columns of one word, in the order of [`COLUMNS`].
pub type Word = [Span; COLUMNS.len()];

/// A multiword token that was kept in addition to its words: positions in the sentence, counted from 0, both inclusive.
#[derive(Clone, Copy, Debug)]
pub struct Multiword {
    pub first: u32,
    pub last: u32,
    pub form: Span,
    pub feats: Span,
    pub misc: Span,
}

/// Sentences with their trees. Sentence `s` has the words `offsets[s]..offsets[s + 1]` of every column.
#[derive(Default)]
pub struct Trees {
    /// The sentences' lines as they were read, without the blank lines between them.
    pub(super) raw: String,
    /// The start of each sentence in `raw`, and the end of the last.
    pub(super) starts: Vec<u32>,
    pub offsets: Vec<u32>,
    /// Positions in the sentence counted from 0; -1 for the root word.
    pub heads: Vec<i32>,
    /// The number of each sentence's first line in its file.
    pub lines: Vec<u64>,
    pub(super) words: Vec<Word>,
    pub(super) comments: Vec<Span>,
    pub(super) comment_offsets: Vec<u32>,
    pub(super) multiwords: Vec<Multiword>,
    pub(super) multiword_offsets: Vec<u32>,
    /// Sentences that could not be read, in order, with the reason; they have no words. Filled only in lenient mode.
    pub faults: Vec<(usize, Error)>,
}

impl Trees {
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn range(&self, sentence: usize) -> std::ops::Range<usize> {
        self.offsets[sentence] as usize..self.offsets[sentence + 1] as usize
    }

    /// The heads of one sentence.
    pub fn heads_of(&self, sentence: usize) -> &[i32] {
        &self.heads[self.range(sentence)]
    }

    pub fn heads_of_mut(&mut self, sentence: usize) -> &mut [i32] {
        let range = self.range(sentence);
        &mut self.heads[range]
    }

    pub fn text(&self, span: Span) -> &str {
        if span.start == span.end {
            "_"
        } else {
            &self.raw[span.start as usize..span.end as usize]
        }
    }

    /// One column of one sentence, word by word.
    pub fn column(&self, sentence: usize, column: Column) -> impl ExactSizeIterator<Item = &str> {
        self.words[self.range(sentence)].iter().map(move |word| self.text(word[column as usize]))
    }

    pub fn comments(&self, sentence: usize) -> impl ExactSizeIterator<Item = &str> {
        let (from, to) = (self.comment_offsets[sentence], self.comment_offsets[sentence + 1]);
        self.comments[from as usize..to as usize].iter().map(|&span| self.text(span))
    }

    pub fn multiwords(&self, sentence: usize) -> &[Multiword] {
        let (from, to) = (self.multiword_offsets[sentence], self.multiword_offsets[sentence + 1]);
        &self.multiwords[from as usize..to as usize]
    }

    /// Appends the sentence's tokens with one space between them.
    pub fn push_tokens(&self, sentence: usize, text: &mut String) {
        for (at, form) in self.column(sentence, Column::Form).enumerate() {
            if at > 0 {
                text.push(' ');
            }
            push_form(text, form);
        }
    }

    /// Appends the sentence's original lines, and the blank line that ends it.
    pub fn push_raw(&self, sentence: usize, text: &mut String) {
        text.push_str(&self.raw[self.starts[sentence] as usize..self.starts[sentence + 1] as usize]);
        text.push('\n');
    }

    /// Appends the sentence as CoNLL-U generated from the columns, and the blank line that ends it.
    pub fn push_conllu(&self, sentence: usize, text: &mut String) {
        for comment in self.comments(sentence) {
            text.push_str(comment);
            text.push('\n');
        }
        let mut multiwords = self.multiwords(sentence).iter().peekable();
        let words = &self.words[self.range(sentence)];
        for (at, (word, &head)) in words.iter().zip(self.heads_of(sentence)).enumerate() {
            if let Some(token) = multiwords.next_if(|token| token.first as usize == at) {
                let (form, feats, misc) =
                    (self.text(token.form), self.text(token.feats), self.text(token.misc));
                let (first, last) = (token.first + 1, token.last + 1);
                text.push_str(&format!("{first}-{last}\t{form}\t_\t_\t_\t{feats}\t_\t_\t_\t{misc}\n"));
            }
            text.push_str(&(at + 1).to_string());
            for column in [Column::Form, Column::Lemma, Column::Upos, Column::Xpos, Column::Feats] {
                text.push('\t');
                text.push_str(self.text(word[column as usize]));
            }
            text.push('\t');
            text.push_str(&(head + 1).to_string());
            for column in [Column::Deprel, Column::Deps, Column::Misc] {
                text.push('\t');
                text.push_str(self.text(word[column as usize]));
            }
            text.push('\n');
        }
        text.push('\n');
    }
}
