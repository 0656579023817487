//! Counts from one chunk of an aligned corpus.

use super::link_counts::LinkCounts;
use super::pairs::{push_pairs, ONCE};
use super::translations::{Translation, MAX_TARGET_WORDS};
use super::word_keys::WordKeys;
use crate::corpus::pair::Pair;
use crate::selection::classes::Class;
use crate::store::hashing::FastMap;
use crate::store::runs::{Heap, Run};

/// The counts from one chunk of pairs.
pub struct ChunkCounts {
    pub pairs: Run,
    pub translations: Run,
    pub sentences_with: FastMap<u32, u32>,
    pub link_counts: FastMap<u32, LinkCounts>,
}

/// Counts a chunk of the corpus; `tags` are the classes of its parts of speech.
pub fn count_chunk(chunk: &[Pair], tags: &[Class], numbers: &WordKeys, window: usize) -> ChunkCounts {
    let (mut pairs, mut translations) = (Heap::default(), Heap::default());
    let mut sentences_with: FastMap<u32, u32> = FastMap::default();
    let mut link_counts: FastMap<u32, LinkCounts> = FastMap::default();
    let mut links: Vec<Vec<u16>> = Vec::new();
    for pair in chunk {
        let classes: Vec<Class> = pair.tags.iter().map(|&tag| tags[tag as usize]).collect();
        let keys: Vec<u32> =
            pair.source.iter().zip(&classes).map(|(&word, &class)| numbers.of(word, class)).collect();
        push_pairs(&keys, window, &mut pairs);
        let mut distinct = pair.source.clone();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.iter().for_each(|&word| *sentences_with.entry(word).or_default() += 1);

        links.iter_mut().for_each(Vec::clear);
        links.resize_with(links.len().max(pair.source.len()), Vec::new);
        let mut linked_to = vec![0u32; pair.target.len()];
        let mut points = pair.points.clone();
        points.sort_unstable();
        points.dedup();
        for &(s, t) in &points {
            links[s as usize].push(t);
            linked_to[t as usize] += 1;
        }
        for &word in &pair.target {
            link_counts.entry(word).or_default().seen += 1;
        }
        for (s, &word) in pair.source.iter().enumerate() {
            let made = Translation::of(links[s].iter().map(|&t| pair.target[t as usize]));
            let mut record = [0; 4 + 4 * MAX_TARGET_WORDS];
            record[..4].copy_from_slice(&word.to_be_bytes());
            for (k, target) in made.0.iter().enumerate() {
                record[4 + 4 * k..8 + 4 * k].copy_from_slice(&target.to_be_bytes());
            }
            translations.push(&record, ONCE);
            if let [t] = links[s][..] {
                if linked_to[t as usize] == 1 {
                    let vote = link_counts.entry(pair.target[t as usize]).or_default();
                    vote.content += u64::from(classes[s].is_content());
                    vote.function += u64::from(!classes[s].is_content());
                    vote.keeps_form += u64::from(classes[s].keeps_form());
                }
            }
        }
    }
    ChunkCounts {
        pairs: pairs.take_run(),
        translations: translations.take_run(),
        sentences_with,
        link_counts,
    }
}
