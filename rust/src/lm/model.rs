//! A binary model, mapped into memory.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::error::{Error, Result};
use crate::hashing;
use crate::lm::header::{Header, Layout, Part, SIZE};
use crate::lm::table::{LongestBucket, MiddleBucket, Unigram};
use crate::lm::vocab::Vocab;
use crate::lm::MAX_ORDER;

/// Files up to this size are checked byte by byte when opened, which takes milliseconds; larger ones on request.
const CHECKED: usize = 128 << 20;

/// A language model for queries. Opening maps the file and copies nothing; a model is shared freely between threads.
pub struct Model {
    path: PathBuf,
    header: Header,
    content: u64,
    // The slices borrow from `map`; they leave this struct only with the lifetime of a borrow of it.
    vocab: Vocab<'static>,
    pub(crate) unigrams: &'static [Unigram],
    /// By order - 1; empty where the order is none between the first and the last.
    pub(crate) middles: [&'static [MiddleBucket]; MAX_ORDER],
    pub(crate) longest: &'static [LongestBucket],
    map: Mmap,
}

/// A part of the file as a slice.
///
/// # Safety
/// `map` must outlive the slice, and any bytes must be a valid `T`.
unsafe fn view<T>(map: &Mmap, part: Part) -> &'static [T] {
    let bytes = &map[part.start..part.start + part.length];
    // Parts start at multiples of 64 in a mapping that starts at a page.
    assert_eq!(bytes.as_ptr() as usize % std::mem::align_of::<T>(), 0, "parts are aligned");
    // SAFETY: in bounds and aligned; the caller vouches for lifetime and validity.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), part.length / std::mem::size_of::<T>()) }
}

impl Model {
    /// Opens a file made by [`crate::lm::build`]. The content of files above 128 MiB is not read for its checksum, see
    /// [`Model::verify`]; a damaged one gives wrong scores but no crash.
    pub fn open(path: &Path) -> Result<Self> {
        let model = Self::open_unchecked(path)?;
        if model.map.len() <= CHECKED {
            model.verify()?;
        }
        Ok(model)
    }

    fn open_unchecked(path: &Path) -> Result<Self> {
        let io = |error: std::io::Error| Error::io(path, &error);
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if metadata.is_dir() {
            return Err(Error::input("this is a folder, a language model was expected.").at(path, None));
        }
        if metadata.len() == 0 {
            return Err(Error::input("the file is empty, a language model was expected.").at(path, None));
        }
        // SAFETY: as with any mapping, another process must not shorten the file while it is in use; models are
        // written under another name and renamed, never changed in place.
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        let (header, layout, content) = Header::decode(&map, path)?;
        let Layout { ends, text, word_places, orders, .. } = layout;
        // SAFETY: the map lives as long as the model, and all these types are made of plain numbers.
        unsafe {
            let vocab =
                Vocab { ends: view(&map, ends), text: view(&map, text), places: view(&map, word_places) };
            let last = header.order - 1;
            let middles = std::array::from_fn(|index| match index {
                _ if (1..last).contains(&index) => view(&map, orders[index]),
                _ => &[] as &[MiddleBucket],
            });
            let longest = if last > 0 { view(&map, orders[last]) } else { &[] };
            let unigrams = view(&map, orders[0]);
            let path = path.to_owned();
            Ok(Model { path, header, content, vocab, unigrams, middles, longest, map })
        }
    }

    /// Reads the whole file and compares it with its checksum.
    pub fn verify(&self) -> Result<()> {
        if hashing::checksum(&self.map[SIZE..]) != self.content {
            return Err(Error::input("the language model is damaged: its checksum does not fit.")
                .at(&self.path, None)
                .hint("Make it again with graphmt lm train or graphmt lm build."));
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
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
        self.map.len()
    }

    pub fn vocab(&self) -> &Vocab<'_> {
        &self.vocab
    }

    /// The buckets that hash values of an order can fall on.
    #[inline]
    pub(crate) fn range(&self, order: usize) -> usize {
        self.header.ranges[order - 1]
    }
}
