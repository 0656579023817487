//! A file mapped into memory for reading, watched for changes.
//!
//! graphmt replaces files by renaming new ones over them, so that open files keep their old content. Other programs may
//! write to the file in place. Then reads return a mix of old and new bytes, or fail; call [`Watched::check`] after a
//! piece of work to find out, and discard its results in that case.

use std::fs::{File, Metadata};
use std::io::Read;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use memmap2::{Mmap, MmapMut};

use super::faults::Region;
use super::opening;
use crate::error::{Error, Result};

pub struct Watched {
    // Must be dropped before the map.
    region: Option<Region>,
    map: Mmap,
    file: File,
    path: PathBuf,
    /// Name of the format in messages.
    name: &'static str,
    stamp: Stamp,
    damaged: AtomicBool,
}

/// Size and modification time, which change when a file is written. The status-change time would also change on
/// renaming.
#[derive(Debug, Eq, PartialEq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        Stamp { length: about.len(), modified: about.modified().ok() }
    }
}

impl Watched {
    pub fn open(path: &Path, name: &'static str) -> Result<Self> {
        let io = |error: std::io::Error| Error::io(path, &error);
        let mut file = opening::without_waiting(path).map_err(io)?;
        let about = file.metadata().map_err(io)?;
        if about.is_dir() {
            return Err(Error::input(format!("this is a folder, a {name} was expected.")).at(path, None));
        }
        if !about.is_file() {
            return Err(Error::input(format!("a pipe or device, a {name} was expected.")).at(path, None));
        }
        if about.len() == 0 {
            return Err(Error::input(format!("the file is empty, a {name} was expected.")).at(path, None));
        }
        // SAFETY: the content may change at any time; readers accept arbitrary bytes.
        let mut map = unsafe { Mmap::map(&file) }.map_err(io)?;
        let region = Region::watch(&map);
        if region.is_none() {
            // Too many files to watch them all: a copy needs no watching.
            let mut copy = MmapMut::map_anon(map.len()).map_err(io)?;
            file.read_exact(&mut copy).map_err(io)?;
            map = copy.make_read_only().map_err(io)?;
        }
        let stamp = Stamp::of(&about);
        Ok(Watched { region, map, file, path: path.to_owned(), name, stamp, damaged: AtomicBool::new(false) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Marks the file as damaged: [`Watched::check`] will fail.
    #[cold]
    pub fn found_damage(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }

    /// Whether the file is marked as damaged.
    #[inline]
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Fails if the file may have changed since it was opened, so that reads may have been wrong.
    pub fn check(&self) -> Result<()> {
        let failed = self.region.as_ref().is_some_and(Region::failed);
        let same = self.file.metadata().is_ok_and(|about| Stamp::of(&about) == self.stamp);
        if failed || !same {
            let message = format!("this {} was changed or cut short while it was in use.", self.name);
            return Err(Error::input(message).at(&self.path, None).hint(
                "Load it again; to replace a file in use, write the new one beside it and rename it.",
            ));
        }
        if self.is_damaged() {
            return Err(self.damage("some of its content is not what was written"));
        }
        Ok(())
    }

    /// The error of a damaged file.
    pub fn damage(&self, what: &str) -> Error {
        Error::input(format!("this {} is damaged: {what}.", self.name))
            .at(&self.path, None)
            .hint("It may have been truncated while copying; copy or create it again.")
    }
}

impl Deref for Watched {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

/// Does work on files and then checks that they did not change: a change explains any other failure.
pub fn checked<T>(check: impl Fn() -> Result<()>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    check()?;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn written(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("graphmt-watched-{name}-{}", std::process::id()));
        std::fs::write(&path, vec![7; 10_000]).unwrap();
        let old = SystemTime::now() - std::time::Duration::from_secs(60);
        File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        path
    }

    fn message(file: &Watched) -> String {
        file.check().unwrap_err().to_string()
    }

    #[test]
    fn a_file_replaced_by_renaming_stays_what_it_was() {
        let path = written("renamed");
        let file = Watched::open(&path, "table").unwrap();
        std::fs::write(path.with_extension("new"), "other").unwrap();
        std::fs::rename(path.with_extension("new"), &path).unwrap();
        assert!(file.iter().all(|&byte| byte == 7));
        file.check().unwrap();
        std::fs::remove_file(&path).unwrap();
        file.check().unwrap();
    }

    #[test]
    fn changes_in_place_are_noticed() {
        let path = written("changed");
        let file = Watched::open(&path, "table").unwrap();
        let mut other = File::options().write(true).open(&path).unwrap();
        other.write_all(b"new bytes").unwrap();
        assert!(
            message(&file).contains("this table was changed or cut short while it was in use. Load it again")
        );
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let path = std::env::temp_dir().join(format!("graphmt-watched-pipe-{}", std::process::id()));
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the name ends with a zero byte.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        for one in [path.as_path(), Path::new("/dev/zero")] {
            let error = Watched::open(one, "table").err().unwrap().to_string();
            assert!(error.ends_with("a pipe or device, a table was expected."), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_cut_short_reads_as_zeros_and_is_noticed() {
        let path = written("cut");
        let file = Watched::open(&path, "table").unwrap();
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
        assert!(file.iter().all(|&byte| byte == 0));
        // Even if its length and time are restored.
        let again = File::options().write(true).open(&path).unwrap();
        again.set_len(10_000).unwrap();
        again.set_modified(file.stamp.modified.unwrap()).unwrap();
        assert!(message(&file).contains("while it was in use"));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_change_explains_an_error_and_a_panic() {
        let path = written("explains");
        let file = Watched::open(&path, "table").unwrap();
        assert_eq!(checked(|| file.check(), || Ok(1)).unwrap(), 1);
        file.found_damage();
        for work in [|| Ok(1), || Err(Error::internal("no translation.")), || panic!("out of range")] {
            let error = checked(|| file.check(), work).unwrap_err().to_string();
            assert!(error.contains("this table is damaged: some of its content"), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
