//! A file that appears under its name only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Error, Result};

/// Writing goes to a hidden neighbour; [`Draft::finish`] gives it the name, dropping the draft removes it.
pub struct Draft {
    path: PathBuf,
    draft: PathBuf,
    renamed: bool,
}

impl Draft {
    /// The draft and its open file, empty, for reading and writing.
    pub fn create(path: &Path) -> Result<(Self, File)> {
        static SERIAL: AtomicU32 = AtomicU32::new(0);
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(Error::input("this is a folder, the name of a file was expected.").at(path, None));
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::io(folder, &error))?;
        }
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let hidden = format!(".{}.{}-{serial}.part", name.to_string_lossy(), std::process::id());
        let draft = path.with_file_name(hidden);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&draft)
            .map_err(|error| Error::io(path, &error))?;
        Ok((Draft { path: path.to_owned(), draft, renamed: false }, file))
    }

    /// The name that the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, replacing an older one. Whoever holds the file open closes it first.
    pub fn finish(mut self) -> Result<()> {
        fs::rename(&self.draft, &self.path).map_err(|error| Error::io(&self.path, &error))?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.renamed {
            // A draft that cannot be removed is no reason to hide the error that brought us here.
            let _ = fs::remove_file(&self.draft);
        }
    }
}
