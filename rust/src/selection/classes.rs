//! Word classes of lexical selection, from universal parts of speech.

use crate::decode::sentence::Sentence;

/// The class of a word. All but `Other` are content words.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Class {
    /// Noun, proper noun or number.
    Noun,
    Verb,
    Adjective,
    Adverb,
    #[default]
    Other,
}

impl Class {
    pub fn of(upos: &str) -> Self {
        match upos {
            "NOUN" | "PROPN" | "NUM" => Class::Noun,
            "VERB" => Class::Verb,
            "ADJ" => Class::Adjective,
            "ADV" => Class::Adverb,
            _ => Class::Other,
        }
    }

    pub fn is_content(self) -> bool {
        self != Class::Other
    }

    /// Whether relatedness counts the form of the word instead of its lemma.
    pub fn keeps_form(self) -> bool {
        matches!(self, Class::Adjective | Class::Adverb)
    }
}

/// The classes of a sentence's words; empty if it has no parts of speech.
pub fn classes(sentence: &Sentence) -> Vec<Class> {
    sentence.tags.iter().map(|tag| Class::of(tag)).collect()
}

/// Whether two content words of a sentence may be related: an adjective only to its head noun and to the adverbs that
/// depend on it, an adverb only to its head verb or head adjective.
pub fn may_be_related(a: usize, b: usize, classes: &[Class], heads: &[i32]) -> bool {
    let hangs_on = |dependent: usize, head: usize| heads[dependent] == head as i32;
    let allows = |one: usize, other: usize| match classes[one] {
        Class::Adjective => {
            (hangs_on(one, other) && classes[other] == Class::Noun)
                || (hangs_on(other, one) && classes[other] == Class::Adverb)
        }
        Class::Adverb => hangs_on(one, other) && matches!(classes[other], Class::Verb | Class::Adjective),
        Class::Noun | Class::Verb => true,
        Class::Other => false,
    };
    allows(a, b) && allows(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "they hold quite (the) same position today": same depends on position, quite on same, today on hold.
    #[test]
    fn adjectives_and_adverbs_keep_to_their_tree() {
        let tags = ["PRON", "VERB", "ADV", "ADJ", "NOUN", "ADV"];
        let classes: Vec<Class> = tags.iter().map(|tag| Class::of(tag)).collect();
        let heads = [1, -1, 3, 4, 1, 1];
        let mut related = Vec::new();
        for a in 0..6 {
            for b in a + 1..6 {
                assert_eq!(may_be_related(a, b, &classes, &heads), may_be_related(b, a, &classes, &heads));
                if may_be_related(a, b, &classes, &heads) {
                    related.push((a, b));
                }
            }
        }
        assert_eq!(related, [(1, 4), (1, 5), (2, 3), (3, 4)]);
    }
}
