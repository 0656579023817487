//! A binary model, mapped into memory.

use std::ops::Range;
use std::path::Path;

use super::header::{Header, Layout, Part, SIZE};
use super::table::{LongestBucket, MiddleBucket, Unigram, LONGEST_SEARCH};
use super::vocab::Vocab;
use super::MAX_ORDER;
use crate::error::Result;
use crate::store::blocks;
use crate::store::blocks::Blocks;
use crate::store::hashing;
use crate::store::watched::Watched;

/// A language model for queries. Opening maps the file without copying; a model can be shared between threads.
pub struct Model {
    header: Header,
    orders: [Part; MAX_ORDER],
    blocks: Blocks,
    // The slices borrow from `file`; they leave this struct only with the lifetime of a borrow of it.
    vocab: Vocab<'static>,
    pub(crate) unigrams: &'static [Unigram],
    /// By order - 1; empty for unigrams and for the highest order.
    pub(crate) middles: [&'static [MiddleBucket]; MAX_ORDER],
    pub(crate) longest: &'static [LongestBucket],
    file: Watched,
}

fn range(part: Part) -> Range<usize> {
    part.start..part.start + part.length
}

/// A part of the file as a slice.
///
/// # Safety
/// `map` must outlive the slice, and any bytes must be a valid `T`.
unsafe fn view<T>(map: &[u8], part: Part) -> &'static [T] {
    let bytes = &map[part.start..part.start + part.length];
    // Parts start at multiples of 64 in a mapping that starts at a page.
    assert_eq!(bytes.as_ptr() as usize % std::mem::align_of::<T>(), 0, "parts are aligned");
    // SAFETY: in bounds and aligned; the caller guarantees lifetime and validity.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), part.length / std::mem::size_of::<T>()) }
}

impl Model {
    /// Opens a file written by [`super::build`]. In files above 512 MiB the n-grams are compared with their checksums
    /// on first use.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_comparing(path, blocks::WHOLE)
    }

    /// Like [`Model::open`]; files larger than `whole` are not verified completely on opening.
    pub fn open_comparing(path: &Path, whole: usize) -> Result<Self> {
        let file = Watched::open(path, "language model")?;
        let (header, layout, content) = Header::decode(&file, path)?;
        let Layout { ends, text, word_places, orders, sums, .. } = layout;
        if hashing::checksum(&file[sums.start..]) != content {
            return Err(file.damage("its checksums do not add up"));
        }
        let unigrams = orders[0];
        let always = [ends, text, word_places, unigrams].map(range);
        let blocks = Blocks::open(&file, SIZE..sums.start, &always, whole)?;
        // SAFETY: the map lives as long as the model, and all these types are made of plain numbers.
        unsafe {
            let vocab =
                Vocab { ends: view(&file, ends), text: view(&file, text), places: view(&file, word_places) };
            let last = header.order - 1;
            let middles = std::array::from_fn(|index| match index {
                _ if (1..last).contains(&index) => view(&file, orders[index]),
                _ => &[] as &[MiddleBucket],
            });
            let longest = if last > 0 { view(&file, orders[last]) } else { &[] };
            let unigrams = view(&file, unigrams);
            Ok(Model { header, orders, blocks, vocab, unigrams, middles, longest, file })
        }
    }

    /// Reads the whole file and compares it with its checksums.
    pub fn verify(&self) -> Result<()> {
        self.blocks.verify(&self.file)
    }

    /// Fails if the file was changed since it was opened, or if a part that was used is damaged. Call it before
    /// returning results.
    pub fn check(&self) -> Result<()> {
        self.file.check()
    }

    /// Call this before reading the bucket of an order.
    #[inline]
    pub(crate) fn touch(&self, order: usize, bucket: usize) {
        if self.blocks.are_left() {
            self.touch_bucket(order, bucket);
        }
    }

    fn touch_bucket(&self, order: usize, bucket: usize) {
        let part = self.orders[order - 1];
        let size = std::mem::size_of::<MiddleBucket>();
        let start = part.start + bucket * size;
        self.blocks.touch(&self.file, start..start + LONGEST_SEARCH * size);
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The length of the longest n-grams.
    pub fn order(&self) -> usize {
        self.header.order
    }

    /// The number of n-grams of each order.
    pub fn counts(&self) -> &[usize] {
        &self.header.counts[..self.header.order]
    }

    /// Bytes on disk.
    pub fn size(&self) -> usize {
        self.file.len()
    }

    pub fn vocab(&self) -> &Vocab<'_> {
        &self.vocab
    }

    /// The number of buckets that hash values of an order can select.
    #[inline]
    pub(crate) fn range(&self, order: usize) -> usize {
        self.header.ranges[order - 1]
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::{arpa_read, batch};
    use super::*;

    #[test]
    fn n_grams_of_a_large_model_are_compared_when_they_are_used() {
        let folder = std::env::temp_dir().join(format!("graphmt-lm-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (arpa, path) = (folder.join("arpa"), folder.join("lm"));
        let mut text = "\\data\\\nngram 1=203\nngram 2=40000\n\n\\1-grams:\n".to_owned();
        ["<unk>", "<s>", "</s>"].iter().for_each(|word| writeln!(text, "-2\t{word}\t-0.5").unwrap());
        (0..200).for_each(|n| writeln!(text, "-2\tw{n}\t-0.5").unwrap());
        text += "\n\\2-grams:\n";
        (0..40_000).for_each(|n| writeln!(text, "-1\tw{} w{}", n / 200, n % 200).unwrap());
        std::fs::write(&arpa, text + "\n\\end\\\n").unwrap();
        arpa_read::build(&arpa, &path, 1, &|_, _, _| Ok(())).unwrap();
        let score = |model: &Model, words: usize| -> f64 {
            let pair = |n: usize| format!("w{} w{}", n / 200, n % 200);
            (0..words).map(|n| batch::sentence(model, &pair(n), false, false, |_, _, _| ()).total).sum()
        };
        let model = Model::open(&path).unwrap();
        let lazily = Model::open_comparing(&path, 0).unwrap();
        assert_eq!(score(&model, 40_000), score(&lazily, 40_000));
        lazily.check().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[500_000] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(Model::open(&path).is_err());
        let lazily = Model::open_comparing(&path, 0).unwrap();
        lazily.check().unwrap();
        score(&lazily, 40_000);
        let error = lazily.check().unwrap_err().to_string();
        assert!(error.contains("this language model is damaged"), "{error}");
        assert!(lazily.verify().is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// p(a) p(b|a) without left context is p(a) p(b) times the gain of b by a.
    #[test]
    fn the_gain_is_what_a_pair_has_beyond_its_words() {
        let folder = std::env::temp_dir().join(format!("graphmt-lm-gain-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (arpa, path) = (folder.join("arpa"), folder.join("lm"));
        let unigrams = "-2\t<unk>\t0\n-99\t<s>\t-0.3\n-1.5\t</s>\n-0.9\ta\t-0.4\n-1.1\tb\t-0.2\n-1.3\tc\t0\n";
        let bigrams = "-0.2\ta b\t-0.1\n-0.8\tb b\n-0.5\tb </s>\n-1.9\t<s> b\n";
        let text = format!(
            "\\data\\\nngram 1=6\nngram 2=4\nngram 3=1\n\n\\1-grams:\n{unigrams}\n\\2-grams:\n{bigrams}\n\
             \\3-grams:\n-0.1\ta b b\n\n\\end\\\n"
        );
        std::fs::write(&arpa, text).unwrap();
        arpa_read::build(&arpa, &path, 1, &|_, _, _| Ok(())).unwrap();
        let model = Model::open(&path).unwrap();
        let words: Vec<u32> = ["a", "b", "c", "nowhere"].iter().map(|word| model.vocab().id(word)).collect();
        for &last in &words {
            for &word in &words {
                let expected = model.phrase(&[last, word]) - model.phrase(&[last]) - model.phrase(&[word]);
                assert!((model.gain(last, word) - expected).abs() < 1e-6, "{last} {word}");
            }
        }
        assert!((model.gain(words[0], words[1]) - (-0.2 + 1.1)).abs() < 1e-6);
        assert!((model.gain(words[0], words[2]) + 0.4).abs() < 1e-6, "backed off");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
