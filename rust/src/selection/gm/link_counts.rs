//! Decides from alignment links which target words are content words, as target text has no part-of-speech tags.

/// Counts of one-to-one links of a target word: occurrences in total, and with such a link to a content word, to a
/// function word, and to an adjective or adverb.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounts {
    pub seen: u64,
    pub content: u64,
    pub function: u64,
    pub keeps_form: u64,
}

impl LinkCounts {
    /// Whether the word is a content word. Function words have one-to-one links to function words, or few one-to-one
    /// links at all, since they are aligned together with neighbouring words.
    pub fn is_content(&self) -> bool {
        self.content > 2 * self.function && 10 * self.content >= self.seen
    }

    pub fn keeps_form(&self) -> bool {
        2 * self.keeps_form > self.content
    }

    /// Adds the counts from another part of the corpus.
    pub fn add(&mut self, other: &LinkCounts) {
        self.seen += other.seen;
        self.content += other.content;
        self.function += other.function;
        self.keeps_form += other.keeps_form;
    }
}

#[cfg(test)]
mod tests {
    use super::LinkCounts;

    #[test]
    fn content_words_by_hand() {
        let link_counts = |seen, content, function| LinkCounts { seen, content, function, keeps_form: 0 };
        // More than twice as many links to content words, and in a tenth of the occurrences.
        assert!(link_counts(10, 3, 1).is_content() && !link_counts(10, 2, 1).is_content());
        assert!(link_counts(30, 3, 0).is_content() && !link_counts(31, 3, 0).is_content());
        assert!(!LinkCounts { keeps_form: 2, ..link_counts(9, 4, 0) }.keeps_form());
        assert!(LinkCounts { keeps_form: 3, ..link_counts(9, 4, 0) }.keeps_form());
        let mut all = link_counts(10, 3, 1);
        all.add(&LinkCounts { keeps_form: 2, ..link_counts(5, 1, 2) });
        assert_eq!((all.seen, all.content, all.function, all.keeps_form), (15, 4, 3, 2));
    }
}
