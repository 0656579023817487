//! The translation of a source word: the target words it is linked to, as one candidate.

/// The highest number of target words in a candidate.
pub const MAX_TARGET_WORDS: usize = 3;

/// A candidate translation: up to three target words in text order, each number plus one, padded with zeros. The empty
/// translation `null` has no words. All longer translations are one candidate, [`Translation::LONG`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Translation(pub [u32; MAX_TARGET_WORDS]);

impl Translation {
    pub const NULL: Translation = Translation([0; MAX_TARGET_WORDS]);
    /// Any translation of more than three words; they are counted together and have no relatedness.
    pub const LONG: Translation = Translation([u32::MAX; MAX_TARGET_WORDS]);

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
