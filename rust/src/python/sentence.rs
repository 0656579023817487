//! A sentence from Python.

use pyo3::prelude::*;

use super::guard::to_python;
use crate::decode::sentence::Sentence;
use crate::error::Error;

/// A sentence: words to look up, words to copy, heads, parts of speech, and maybe the topics of its document.
#[derive(FromPyObject)]
#[allow(clippy::type_complexity)] // Tuples, as Python has them.
pub enum Given {
    #[pyo3(transparent)]
    Plain((Vec<String>, Vec<String>, Vec<i32>, Vec<String>)),
    #[pyo3(transparent)]
    WithTopics((Vec<String>, Vec<String>, Vec<i32>, Vec<String>, Vec<f32>)),
}

pub fn checked(py: Python<'_>, given: Vec<Given>) -> PyResult<Vec<Sentence>> {
    let sentence = |given: Given| {
        let (words, surface, heads, tags, topics) = match given {
            Given::Plain((words, surface, heads, tags)) => (words, surface, heads, tags, Vec::new()),
            Given::WithTopics(all) => all,
        };
        let fits = |length: usize| length == 0 || length == words.len();
        let agree = surface.len() == words.len() && fits(heads.len()) && fits(tags.len());
        let in_range = heads.iter().all(|&head| head >= -1 && head < words.len() as i32);
        if !agree || !in_range {
            let error = Error::input("words, copies, heads and tags of a sentence do not go together.");
            return Err(to_python(py, &error));
        }
        Ok(Sentence { words, surface, heads, tags, topics })
    };
    given.into_iter().map(sentence).collect()
}
