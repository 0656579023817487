//! Records in the order they were added: in memory, and on disk beyond a limit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::record::Record;
use super::sorter::temporary_error;
use crate::error::Result;

pub struct Spool {
    folder: PathBuf,
    limit: usize,
    file: Option<File>,
    on_disk: u64,
    block: Vec<Record>,
}

impl Spool {
    /// `memory` in bytes, `folder` for the temporary file.
    pub fn new(memory: usize, folder: &Path) -> Self {
        let limit = (memory / std::mem::size_of::<Record>()).max(16);
        Spool { folder: folder.to_owned(), limit, file: None, on_disk: 0, block: Vec::new() }
    }

    #[inline]
    pub fn push(&mut self, record: Record) -> Result<()> {
        if self.block.len() == self.limit {
            self.spill()?;
        }
        self.block.push(record);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let io = |error: std::io::Error| temporary_error(&self.folder, &error);
        let mut file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(&self.folder).map_err(io)?,
        };
        file.write_all(Record::bytes(&self.block)).map_err(io)?;
        self.file = Some(file);
        self.on_disk += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Ends writing; the records are read from the first.
    pub fn replay(mut self) -> Result<Replay> {
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(0)).map_err(|error| temporary_error(&self.folder, &error))?;
        }
        let mut replay = Replay { spool: self, buffer: Vec::new(), at: 0, next: None };
        replay.advance()?;
        Ok(replay)
    }
}

/// Reads a spool with a lookahead of one record.
pub struct Replay {
    spool: Spool,
    buffer: Vec<Record>,
    at: usize,
    next: Option<Record>,
}

impl Replay {
    /// The next record.
    #[inline]
    pub fn next(&self) -> Option<&Record> {
        self.next.as_ref()
    }

    /// Advances to the following record.
    #[inline]
    pub fn advance(&mut self) -> Result<()> {
        if self.at == self.buffer.len() {
            self.refill()?;
        }
        self.next = self.buffer.get(self.at).copied();
        self.at += 1;
        Ok(())
    }

    fn refill(&mut self) -> Result<()> {
        self.at = 0;
        let count = self.spool.on_disk.min(self.spool.limit.min(8192) as u64);
        if count == 0 {
            self.buffer = std::mem::take(&mut self.spool.block);
            return Ok(());
        }
        self.buffer.resize(count as usize, Record::default());
        let file = self.spool.file.as_mut().expect("records are on disk");
        file.read_exact(Record::bytes_mut(&mut self.buffer))
            .map_err(|error| temporary_error(&self.spool.folder, &error))?;
        self.spool.on_disk -= count;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Key;
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        for count in [0u32, 1, 16, 17, 1000] {
            let mut spool = Spool::new(0, &std::env::temp_dir());
            for i in 0..count {
                spool.push(Record { key: Key::new(&[i]), value: u64::from(i) * 3 }).unwrap();
            }
            let mut replay = spool.replay().unwrap();
            for i in 0..count {
                assert_eq!(replay.next(), Some(&Record { key: Key::new(&[i]), value: u64::from(i) * 3 }));
                replay.advance().unwrap();
            }
            assert_eq!(replay.next(), None);
        }
    }
}
