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
        // A link stays one: the file that it leads to is written.
        let led = path.is_symlink().then(|| fs::canonicalize(path).ok()).flatten();
        let path = led.as_deref().unwrap_or(path);
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(Error::input("this is a folder, the name of a file was expected.").at(path, None));
        };
        if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            return Err(Error::input("a pipe or device, a file was expected.").at(path, None));
        }
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

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::os::unix::{fs::symlink, net::UnixListener};

    use super::*;

    #[test]
    fn a_link_stays_one_and_what_is_no_file_is_left_alone() {
        let folder = std::env::temp_dir().join(format!("graphmt-draft-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (real, link, socket) = (folder.join("real"), folder.join("link"), folder.join("socket"));
        fs::write(&real, "old").unwrap();
        symlink(&real, &link).unwrap();
        let (draft, mut file) = Draft::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        draft.finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        let _listening = UnixListener::bind(&socket).unwrap();
        assert!(Draft::create(&socket).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
