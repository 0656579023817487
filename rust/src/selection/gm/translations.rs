//! What a source word is translated with: the target words it is linked to, as one candidate.

/// Most target words of a candidate.
pub const MOST: usize = 3;

/// A candidate translation: up to three target words in the order of the text, each number plus one, then zeros. No
/// word at all is the empty translation `null`. Candidates of more words are one, [`Translation::LONG`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Translation(pub [u32; MOST]);

impl Translation {
    pub const NULL: Translation = Translation([0; MOST]);
    /// Any translation of more than three words: they are counted together and are related to nothing.
    pub const LONG: Translation = Translation([u32::MAX; MOST]);

    pub fn of(words: impl IntoIterator<Item = u32>) -> Self {
        let mut made = Translation::NULL;
        for (k, word) in words.into_iter().enumerate() {
            match made.0.get_mut(k) {
                Some(place) => *place = word + 1,
                None => return Translation::LONG,
            }
        }
        made
    }

    /// The target words; none for `null` and for long translations.
    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        let known = *self != Translation::LONG;
        self.0.iter().take_while(move |&&word| known && word != 0).map(|&word| word - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_three_words() {
        let words = |translation: Translation| translation.words().collect::<Vec<_>>();
        assert_eq!(words(Translation::of([0, 7])), [0, 7]);
        assert_eq!(words(Translation::of([5, 6, 7])), [5, 6, 7]);
        assert_eq!(Translation::of([]), Translation::NULL);
        assert_eq!(Translation::of([5, 6, 7, 8]), Translation::LONG);
        assert!(words(Translation::NULL).is_empty() && words(Translation::LONG).is_empty());
    }
}
