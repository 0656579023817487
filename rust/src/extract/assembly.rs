//! Puts a rule table together from the scored rules of its parts.
//!
//! The rules of a part are pieces of bytes: for every source side its number of words (16 bits), its words with their
//! joints (32 and 16 bits each), the number of its rules and of their bytes (32 bits each), and the rules as in the table.

use std::path::Path;

use super::chunks::Vocabularies;
use crate::error::{Error, Result};
use crate::table::build::Builder;
use crate::table::TableSettings;

/// Appends a source side with its encoded rules.
pub fn put_side(piece: &mut Vec<u8>, source: &[(u32, u16)], rules: u32, encoded: &[u8]) {
    piece.extend_from_slice(&(source.len() as u16).to_le_bytes());
    for (word, joint) in source {
        piece.extend_from_slice(&word.to_le_bytes());
        piece.extend_from_slice(&joint.to_le_bytes());
    }
    piece.extend_from_slice(&rules.to_le_bytes());
    piece.extend_from_slice(&(encoded.len() as u32).to_le_bytes());
    piece.extend_from_slice(encoded);
}

/// A source side with its encoded rules.
#[derive(Default)]
struct Side {
    source: Vec<(u32, u16)>,
    rules: u32,
    encoded: Vec<u8>,
}

fn take<'a>(rest: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, after) = rest.split_at_checked(n)?;
    *rest = after;
    Some(head)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?))
}

fn short(rest: &mut &[u8]) -> Option<u16> {
    Some(u16::from_le_bytes(take(rest, 2)?.try_into().ok()?))
}

/// A source side of a piece.
struct NextSide<'a> {
    source: Vec<(u32, u16)>,
    rules: u32,
    encoded: &'a [u8],
}

fn next_side<'a>(rest: &mut &'a [u8]) -> Option<NextSide<'a>> {
    let words = short(rest)?;
    let source = (0..words).map(|_| Some((number(rest)?, short(rest)?))).collect::<Option<_>>()?;
    let rules = number(rest)?;
    let length = number(rest)? as usize;
    Some(NextSide { source, rules, encoded: take(rest, length)? })
}

/// Writes a table from pieces in the order of their parts.
pub struct Assembler {
    builder: Builder,
    /// The last source side, which the next part may continue.
    open: Side,
    pub source_sides: u64,
    pub rules: u64,
}

impl Assembler {
    pub fn create(path: &Path, settings: TableSettings) -> Result<Self> {
        let builder = Builder::create(path, settings)?;
        Ok(Assembler { builder, open: Side::default(), source_sides: 0, rules: 0 })
    }

    pub fn add(&mut self, piece: &[u8]) -> Result<()> {
        let mut rest = piece;
        while !rest.is_empty() {
            let damaged = || Error::internal("a damaged piece of a rule table.");
            let NextSide { source, rules, encoded } = next_side(&mut rest).ok_or_else(damaged)?;
            if source != self.open.source {
                self.close()?;
                self.open.source = source;
            }
            self.open.rules += rules;
            self.open.encoded.extend_from_slice(encoded);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if self.open.rules > 0 {
            self.builder.add_encoded(&self.open.source, self.open.rules, &self.open.encoded)?;
            self.source_sides += 1;
            self.rules += u64::from(self.open.rules);
        }
        self.open.rules = 0;
        self.open.encoded.clear();
        Ok(())
    }

    /// Adds the last source side; all counts are complete after that.
    pub fn end(&mut self) -> Result<()> {
        self.close()
    }

    /// Writes the rest and gives the file its name. `meta` describes the table, as JSON.
    pub fn finish(self, meta: &str, words: &Vocabularies) -> Result<()> {
        self.builder.finish(meta, &words.source, &words.target)
    }
}
