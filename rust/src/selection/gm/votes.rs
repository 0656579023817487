//! Which target words are content words, by the links that they have (their texts have no parts of speech).

/// What one-to-one links say of a target word: how often it occurs at all, with such a link to a content word, to an
/// adjective or adverb, to a function word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Votes {
    pub seen: u64,
    pub content: u64,
    pub function: u64,
    pub keeps_form: u64,
}

impl Votes {
    /// Whether the word is a content word. Function words have one-to-one links to function words, or they have few of
    /// them: they hang on the words around them.
    pub fn is_content(&self) -> bool {
        self.content > 2 * self.function && 10 * self.content >= self.seen
    }

    pub fn keeps_form(&self) -> bool {
        2 * self.keeps_form > self.content
    }

    /// Adds what another part of the corpus says of the word.
    pub fn add(&mut self, other: &Votes) {
        self.seen += other.seen;
        self.content += other.content;
        self.function += other.function;
        self.keeps_form += other.keeps_form;
    }
}

#[cfg(test)]
mod tests {
    use super::Votes;

    #[test]
    fn content_words_by_hand() {
        let votes = |seen, content, function| Votes { seen, content, function, keeps_form: 0 };
        // More than twice as many links to content words, and in a tenth of the occurrences.
        assert!(votes(10, 3, 1).is_content() && !votes(10, 2, 1).is_content());
        assert!(votes(30, 3, 0).is_content() && !votes(31, 3, 0).is_content());
        assert!(!Votes { keeps_form: 2, ..votes(9, 4, 0) }.keeps_form());
        assert!(Votes { keeps_form: 3, ..votes(9, 4, 0) }.keeps_form());
        let mut all = votes(10, 3, 1);
        all.add(&Votes { keeps_form: 2, ..votes(5, 1, 2) });
        assert_eq!((all.seen, all.content, all.function, all.keeps_form), (15, 4, 3, 2));
    }
}
