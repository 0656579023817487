//! Exports all n-grams of a binary model, for ARPA files.

use std::path::Path;

use super::model::Model;
use super::record::{Key, Record};
use super::sorter::{EqualKeys, Sorter};
use super::table::{entry, log_prob, Bucket};
use super::{Sink, MAX_ORDER, SPECIAL_WORDS};
use crate::error::{Error, Result};
use crate::store::vocab::Interner;
use crate::work::interrupt::Points;

/// Memory for sorting, in bytes.
const MEMORY: usize = 256 << 20;

/// Passes all n-grams to `sink`; `folder` is for temporary files.
pub fn export(model: &Model, folder: &Path, sink: &mut dyn Sink) -> Result<()> {
    let damaged = || Error::input("the language model is damaged.").at(model.path(), None);
    let mut words = Interner::with(&SPECIAL_WORDS)?;
    for id in 0..model.vocab().len() as u32 {
        let word = model.vocab().word(id).ok_or_else(damaged)?;
        if words.intern(word)? != id {
            return Err(damaged());
        }
    }
    let counts: Vec<u64> = model.counts().iter().map(|&count| count as u64).collect();
    sink.begin(&words, &counts)?;
    for (word, entry) in model.unigrams.iter().enumerate() {
        sink.ngram(1, &Key::new(&[word as u32]), log_prob(entry.prob), entry.backoff)?;
    }
    for order in 2..=model.order() {
        let mut sorter = Sorter::new(MEMORY, EqualKeys::Never, folder);
        let mut push = |parent: u32, word: u32, prob: f32, backoff: f32| -> Result<()> {
            if word > 0 {
                let key = key(model, order, parent, word).ok_or_else(damaged)?;
                sorter.push(Record::with_floats(key, log_prob(prob), backoff))?;
            }
            Ok(())
        };
        if order == model.order() {
            for entry in model.longest.iter().flat_map(|bucket| bucket.entries()) {
                push(entry.parent, entry.word, entry.prob, 0.0)?;
            }
        } else {
            for entry in model.middles[order - 1].iter().flat_map(|bucket| bucket.entries()) {
                push(entry.parent, entry.word, entry.prob, entry.backoff)?;
            }
        }
        let mut sorted = sorter.finish()?;
        let mut points = Points::default();
        while let Some(record) = sorted.read()? {
            points.pass();
            let (prob, backoff) = record.floats();
            sink.ngram(order, &record.key, prob, backoff)?;
        }
    }
    model.verify()?;
    sink.finish()
}

/// The words of an entry, found through its parents.
fn key(model: &Model, order: usize, parent: u32, word: u32) -> Option<Key> {
    let mut words = [0; MAX_ORDER];
    words[order - 1] = word - 1;
    let mut parent = parent;
    for length in (2..order).rev() {
        let entry = entry(model.middles[length - 1], parent)?;
        words[length - 1] = entry.word.checked_sub(1)?;
        parent = entry.parent;
    }
    words[0] = parent;
    let known = words[..order].iter().all(|&word| (word as usize) < model.vocab().len());
    known.then(|| Key::new(&words[..order]))
}
