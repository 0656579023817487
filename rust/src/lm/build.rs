//! Writes a binary model: n-grams go directly to their places in the mapped output file.

use std::path::{Path, PathBuf};

use memmap2::MmapMut;

use super::hash;
use super::header::{Header, Layout, Part, SIZE};
use super::record::Key;
use super::table::{entry, extends_right, find, insert, log_prob};
use super::table::{Longest, LongestBucket, Middle, MiddleBucket, Node, Unigram};
use super::vocab::fill_places;
use super::{Sink, MAX_ORDER};
use crate::error::{Error, Result};
use crate::store::blocks;
use crate::store::draft::{reserve, Draft};
use crate::store::hashing;
use crate::store::vocab::Interner;

/// A [`Sink`] that writes the file read by [`super::Model`].
pub struct Builder {
    path: PathBuf,
    open: Option<Open>,
}

struct Open {
    draft: Draft,
    map: MmapMut,
    header: Header,
    layout: Layout,
    added: [usize; MAX_ORDER],
    /// The suffix of the last n-gram: its words and, for each length, its node. Consecutive n-grams share most of it.
    path: (Key, usize, [Node; MAX_ORDER]),
}

impl Builder {
    pub fn new(path: &Path) -> Self {
        Builder { path: path.to_owned(), open: None }
    }

    fn open(&mut self) -> &mut Open {
        self.open.as_mut().expect("begin was called")
    }

    /// The log10 probability and backoff of an n-gram; its order must be complete.
    pub fn entry(&mut self, order: usize, key: &Key) -> Option<(f32, f32)> {
        let open = self.open();
        let node = open.walk(order, key)?;
        let (prob, backoff) = match order {
            1 => open.unigrams().get(node.place as usize).map(|entry| (entry.prob, entry.backoff))?,
            _ => entry(open.middles(order), node.place).map(|entry| (entry.prob, entry.backoff))?,
        };
        Some((log_prob(prob), backoff))
    }

    /// Marks an n-gram of a complete order as the context of another; `false` if it does not exist.
    pub fn mark_context(&mut self, order: usize, key: &Key) -> bool {
        let open = self.open();
        let Some(node) = open.walk(order, key) else { return false };
        let (_, backoff) = open.scores(order, node);
        if !extends_right(*backoff) {
            *backoff = 0.0;
        }
        true
    }
}

impl Open {
    /// A part of the file as a slice.
    fn part<T>(&mut self, part: Part) -> &mut [T] {
        let bytes = &mut self.map[part.start..part.start + part.length];
        assert_eq!(bytes.as_ptr() as usize % std::mem::align_of::<T>(), 0, "parts are aligned");
        let count = part.length / std::mem::size_of::<T>();
        // SAFETY: in bounds and aligned; this private function is called with types of plain numbers only.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), count) }
    }

    fn unigrams(&mut self) -> &mut [Unigram] {
        self.part(self.layout.orders[0])
    }

    fn middles(&mut self, order: usize) -> &mut [MiddleBucket] {
        self.part(self.layout.orders[order - 1])
    }

    /// The stored probability and backoff of an n-gram below the highest order.
    fn scores(&mut self, order: usize, node: Node) -> (&mut f32, &mut f32) {
        if order == 1 {
            let entry = &mut self.unigrams()[node.place as usize];
            return (&mut entry.prob, &mut entry.backoff);
        }
        MiddleBucket::scores_mut(self.middles(order), node.place)
    }

    fn place(&self, order: usize, hash: u32) -> usize {
        hash::place(hash, self.header.ranges[order - 1])
    }

    /// The node of an n-gram of an order below the highest.
    fn walk(&mut self, order: usize, key: &Key) -> Option<Node> {
        let (last, known, mut nodes) = self.path;
        let mut length = key.common(&last, known.min(order));
        if length == 0 {
            nodes[0] = Node::unigram(key.word(0));
            length = 1;
        }
        while length < order {
            let hash = hash::chain(nodes[length - 1].hash, key.word(length));
            let from = self.place(length + 1, hash);
            let (place, _) = find(self.middles(length + 1), from, nodes[length - 1].place, key.word(length))?;
            nodes[length] = Node { place, hash };
            length += 1;
        }
        self.path = (key.prefix(order), order, nodes);
        Some(nodes[order - 1])
    }

    fn write_words(&mut self, words: &Interner) {
        let Layout { ends, text, word_places, .. } = self.layout;
        let mut end = 0;
        for (id, word) in words.iter().enumerate() {
            self.part::<u8>(text)[end..end + word.len()].copy_from_slice(word.as_bytes());
            end += word.len();
            self.part::<u32>(ends)[id] = end as u32;
        }
        fill_places(words.iter(), self.part::<[u32; 2]>(word_places));
    }

    fn add(&mut self, order: usize, key: &Key, prob: f32, backoff: f32) -> Result<()> {
        self.added[order - 1] += 1;
        if order == 1 {
            self.unigrams()[key.word(0) as usize] = Unigram { prob: prob.abs(), backoff };
            return Ok(());
        }
        let lacking = || Error::internal(format!("an n-gram of order {order} was added before its suffix."));
        let parent = self.walk(order - 1, key).ok_or_else(lacking)?;
        // The suffix now has a left extension.
        let (stored, _) = self.scores(order - 1, parent);
        *stored = log_prob(*stored);
        let word = key.word(order - 1);
        let from = self.place(order, hash::chain(parent.hash, word));
        let (parent, word) = (parent.place, word + 1);
        let added = if order == self.header.order {
            insert(
                self.part::<LongestBucket>(self.layout.orders[order - 1]),
                from,
                Longest { parent, word, prob: prob.abs() },
            )
        } else {
            insert(self.middles(order), from, Middle { parent, word, prob: prob.abs(), backoff })
        };
        if added {
            Ok(())
        } else {
            Err(Error::internal(format!("an n-gram of order {order} was added twice, or its table is full.")))
        }
    }
}

impl Sink for Builder {
    fn begin(&mut self, words: &Interner, counts: &[u64]) -> Result<()> {
        let header = Header::plan(counts, words.iter().map(str::len).sum())?;
        let layout =
            header.layout().ok_or_else(|| Error::internal("the sizes of the model are inconsistent."))?;
        let (draft, file) = Draft::create(&self.path)?;
        let io = |error: std::io::Error| Error::io(&self.path, &error);
        // Writing to a map without disk space kills the process; reserving it first gives a proper error.
        reserve(&file, layout.file as u64).map_err(io)?;
        // SAFETY: the draft has a name that no other process uses.
        let map = unsafe { MmapMut::map_mut(&file) }.map_err(io)?;
        let path = (Key::default(), 0, [Node::default(); MAX_ORDER]);
        let mut open = Open { draft, map, header, layout, added: [0; MAX_ORDER], path };
        open.write_words(words);
        self.open = Some(open);
        Ok(())
    }

    #[inline]
    fn ngram(&mut self, order: usize, key: &Key, prob: f32, backoff: f32) -> Result<()> {
        self.open().add(order, key, prob, backoff)
    }

    fn finish(&mut self) -> Result<()> {
        let Open { draft, mut map, header, layout, added, .. } = self.open.take().expect("begin was called");
        if added != header.counts {
            return Err(Error::internal(format!(
                "{added:?} n-grams were added, {:?} were announced.",
                header.counts
            )));
        }
        let sums = blocks::sums(&map[SIZE..layout.sums.start]);
        let place = map[layout.sums.start..].chunks_exact_mut(8);
        place.zip(&sums).for_each(|(place, sum)| place.copy_from_slice(&sum.to_le_bytes()));
        let content = hashing::checksum(&map[layout.sums.start..]);
        map[..SIZE].copy_from_slice(&header.encode(layout.file, content));
        map.flush().map_err(|error| Error::io(&self.path, &error))?;
        drop(map);
        draft.finish()
    }
}
