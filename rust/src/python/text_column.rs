//! Columns of text as Arrow lays them out, read where they are.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::{Error, Result};

/// Text k is `data[offsets[k]..offsets[k + 1]]`, in UTF-8.
#[derive(FromPyObject)]
pub struct TextColumn<'py> {
    offsets: PyReadonlyArray1<'py, i32>,
    data: PyReadonlyArray1<'py, u8>,
}

impl TextColumn<'_> {
    pub fn texts(&self) -> Result<Texts<'_>> {
        let bytes = self.data.as_slice().map_err(|_| unfit())?;
        let offsets = self.offsets.as_slice().map_err(|_| unfit())?;
        let text = std::str::from_utf8(bytes).map_err(|_| Error::input("text that is not UTF-8."))?;
        let fits =
            |pair: &[i32]| matches!(pair, &[from, to] if text.get(from as usize..to as usize).is_some());
        if !offsets.windows(2).all(fits) {
            return Err(unfit());
        }
        Ok(Texts { offsets, text })
    }
}

fn unfit() -> Error {
    Error::internal("a column of text whose offsets do not fit its data.")
}

/// The texts of a column.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    offsets: &'a [i32],
    text: &'a str,
}

impl<'a> Texts<'a> {
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn get(&self, k: usize) -> &'a str {
        &self.text[self.offsets[k] as usize..self.offsets[k + 1] as usize]
    }

    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(move |k| self.get(k))
    }
}
