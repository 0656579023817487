//! A section of a model that is kept in a temporary file until the sections before it are written.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::mapped::Writer;
use crate::error::{Error, Result};

/// Bytes copied at a time.
const BLOCK: usize = 1 << 18;

pub struct DeferredSection {
    out: BufWriter<File>,
    folder: PathBuf,
}

impl DeferredSection {
    /// Creates an unnamed file in a folder for temporary files; it is removed when it is closed.
    pub fn create(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|error| Error::temporary(folder, &error))?;
        Ok(DeferredSection { out: BufWriter::with_capacity(BLOCK, file), folder: folder.to_owned() })
    }

    /// Adds values, each as its little-endian bytes.
    pub fn add<const N: usize>(&mut self, values: impl IntoIterator<Item = [u8; N]>) -> Result<()> {
        let mut all = values.into_iter();
        all.try_for_each(|value| self.out.write_all(&value))
            .map_err(|error| Error::temporary(&self.folder, &error))
    }

    /// Writes the content as the next section.
    pub fn section(mut self, writer: &mut Writer) -> Result<()> {
        let failed = |error: std::io::Error| Error::temporary(&self.folder, &error);
        self.out.flush().map_err(failed)?;
        let file = self.out.get_mut();
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        writer.begin()?;
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block).map_err(failed)? {
                0 => return Ok(()),
                length => writer.write(&block[..length])?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mapped::{Format, Mapped};
    use super::*;

    #[test]
    fn deferred_values_become_a_section() {
        const FORMAT: Format = Format { kind: b'?', name: "test", version: 1, sections: 2, large: &[] };
        let folder = std::env::temp_dir().join(format!("graphmt-deferred-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut deferred = DeferredSection::create(&folder).unwrap();
        // More than one block.
        let many = BLOCK as u32;
        deferred.add((0..many).map(u32::to_le_bytes)).unwrap();
        deferred.add([7u32.to_le_bytes()]).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        let mut writer = Writer::create(&folder.join("model"), FORMAT).unwrap();
        writer.section(&[1u8]).unwrap();
        deferred.section(&mut writer).unwrap();
        writer.finish().unwrap();
        let model = Mapped::open(&folder.join("model"), &FORMAT).unwrap();
        model.verify().unwrap();
        let found = model.section::<u32>(1);
        assert_eq!(found.len() as u32, many + 1);
        assert!(
            found[..many as usize].iter().enumerate().all(|(at, &n)| at as u32 == n)
                && found[many as usize] == 7
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
