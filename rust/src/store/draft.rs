//! A file that appears under its name only when it is complete.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Error, Result};

/// Data is written to a hidden file in the same folder; [`Draft::finish`] renames it, and dropping the draft removes
/// it.
pub struct Draft {
    path: PathBuf,
    draft: PathBuf,
    /// Open and locked while the draft is in use. A draft that can be locked was abandoned by a process that ended.
    held: Option<File>,
}

impl Draft {
    /// The draft and its open file, empty, for reading and writing.
    pub fn create(path: &Path) -> Result<(Self, File)> {
        // Keep a symbolic link: write the file it points to.
        let led = path.is_symlink().then(|| fs::canonicalize(path).ok()).flatten();
        let path = led.as_deref().unwrap_or(path);
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(Error::input("this is a folder, the name of a file was expected.").at(path, None));
        };
        if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            return Err(Error::input("a pipe or device, a file was expected.").at(path, None));
        }
        require_path(path)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::io(folder, &error))?;
        }
        remove_abandoned(path, name);
        let failed = |error: io::Error| Error::io(path, &error);
        let (draft, held) = open_new(path, name).map_err(failed)?;
        let draft = Draft { path: path.to_owned(), draft, held: Some(held) };
        #[cfg(unix)]
        keep_rights(path, &draft.draft).map_err(failed)?;
        let file = draft.held.as_ref().expect("just opened").try_clone().map_err(failed)?;
        Ok((draft, file))
    }

    /// The final name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the content to disk and renames the file, replacing an older one. All other handles of the file must be
    /// closed before.
    pub fn finish(mut self) -> Result<()> {
        let failed = |error: io::Error| Error::io(&self.path, &error);
        if let Some(held) = &self.held {
            held.sync_all().map_err(failed)?;
        }
        if cfg!(windows) {
            // Windows cannot rename an open file.
            self.held = None;
        }
        fs::rename(&self.draft, &self.path).map_err(failed)?;
        sync_folder(&self.path);
        self.held = None;
        self.draft = PathBuf::new();
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.draft.as_os_str().is_empty() {
            // A draft that cannot be removed must not hide the original error.
            let _ = fs::remove_file(&self.draft);
        }
    }
}

/// Rejects an address such as `s3a://bucket/file`, as `graphmt.storage.addresses` does: a folder `s3a:` would be made.
fn require_path(path: &Path) -> Result<()> {
    let is_scheme = |name: &str| {
        name.len() > 2
            && name.strip_suffix(':').is_some_and(|word| {
                word.starts_with(|char: char| char.is_ascii_alphabetic())
                    && word.chars().all(|char| char.is_ascii_alphanumeric() || "+.-".contains(char))
            })
    };
    let folders = path.ancestors().skip(1);
    let Some(found) = folders
        .filter_map(|folder| Some((folder, folder.file_name()?.to_str()?)))
        .find(|(folder, name)| is_scheme(name) && !folder.exists())
    else {
        return Ok(());
    };
    let message = format!("this is an address ({}//), and the path of a file was expected.", found.1);
    Err(Error::input(message)
        .hint("Write to a file system that is mounted here, and copy it from there.")
        .at(path, None))
}

/// Sets the length of a file and allocates its blocks, so that writing to a map of it cannot fail later.
pub fn reserve(file: &File, length: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let Ok(size) = libc::off_t::try_from(length) else { return Err(io::ErrorKind::OutOfMemory.into()) };
        loop {
            // SAFETY: the descriptor is that of an open file.
            match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, size) } {
                0 => return Ok(()),
                libc::EINTR => {}
                // Not supported by every file system.
                libc::EINVAL | libc::EOPNOTSUPP | libc::ENOSYS => break,
                code => return Err(io::Error::from_raw_os_error(code)),
            }
        }
    }
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    let zeros = vec![0; 1 << 20];
    let mut rest = length;
    while rest > 0 {
        let part = rest.min(zeros.len() as u64);
        file.write_all(&zeros[..part as usize])?;
        rest -= part;
    }
    Ok(())
}

/// A new hidden file beside `path`, locked.
fn open_new(path: &Path, name: &OsStr) -> io::Result<(PathBuf, File)> {
    static SERIAL: AtomicU32 = AtomicU32::new(0);
    loop {
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let mut hidden = OsStr::new(".").to_owned();
        hidden.push(name);
        hidden.push(format!(".{}-{serial}.part", std::process::id()));
        let draft = path.with_file_name(hidden);
        let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&draft) {
            // Left by a process with the same id, on another machine or ended.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        // Another process may have found and removed it before it was locked.
        if lock(&file) && draft.exists() {
            return Ok((draft, file));
        }
    }
}

/// Gives a draft the rights of the file that it replaces, and its owner where this is allowed.
#[cfg(unix)]
fn keep_rights(old: &Path, new: &Path) -> io::Result<()> {
    use std::os::unix::fs::{chown, MetadataExt};
    let Ok(before) = fs::metadata(old) else { return Ok(()) };
    // Only root may give a file away.
    let _ = chown(new, Some(before.uid()), Some(before.gid()));
    // After a change of owner, which takes some rights away.
    fs::set_permissions(new, before.permissions())
}

/// Removes abandoned drafts of this file. Drafts that cannot be removed are ignored.
fn remove_abandoned(path: &Path, name: &OsStr) {
    if cfg!(not(unix)) {
        return;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if is_draft_of(&entry.file_name(), name) {
            if let Ok(file) = OpenOptions::new().read(true).write(true).open(entry.path()) {
                if lock(&file) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }
}

/// Whether a file name is that of a draft of `name`, as named here and in graphmt.storage.files.
fn is_draft_of(file: &OsStr, name: &OsStr) -> bool {
    let (file, name) = (file.as_encoded_bytes(), name.as_encoded_bytes());
    let middle = file
        .strip_prefix(b".")
        .and_then(|rest| rest.strip_prefix(name))
        .and_then(|rest| rest.strip_prefix(b"."))
        .and_then(|rest| rest.strip_suffix(b".part"));
    middle.is_some_and(|mark| {
        let mut parts = mark.split(|&byte| byte == b'-');
        let digits =
            |part: Option<&[u8]>| part.is_some_and(|p| !p.is_empty() && p.iter().all(u8::is_ascii_digit));
        digits(parts.next()) && digits(parts.next()) && parts.next().is_none()
    })
}

/// Locks a file unless it is locked already; the lock ends with the last handle, however the process ends. Without
/// support for locks, returns true.
fn lock(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: the descriptor is that of an open file.
        let taken = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0;
        taken || io::Error::last_os_error().kind() != io::ErrorKind::WouldBlock
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        true
    }
}

/// Makes a rename survive a crash of the machine, if the system supports it.
fn sync_folder(path: &Path) {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::{fs::symlink, net::UnixListener};

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("graphmt-draft-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn addresses_make_no_folders() {
        let folder = folder("addresses");
        for name in ["s3a://bucket/table", "hdfs://host:9000/table", "file:///tmp/table"] {
            let refused = Draft::create(&folder.join(name)).err().unwrap().to_string();
            assert!(refused.contains("this is an address"), "{refused}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        // A file with a colon in its name, and a folder that is there.
        fs::create_dir_all(folder.join("ab:")).unwrap();
        for name in ["a:", "b: c", "ab:/c"] {
            Draft::create(&folder.join(name)).unwrap().0.finish().unwrap();
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_link_stays_one_and_what_is_no_file_is_left_alone() {
        let folder = folder("link");
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

    #[test]
    fn a_file_that_is_replaced_keeps_its_rights() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("rights");
        let path = folder.join("file");
        fs::write(&path, "old").unwrap();
        for mode in [0o600, 0o640, 0o444] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let (draft, mut file) = Draft::create(&path).unwrap();
            file.write_all(b"new").unwrap();
            drop(file);
            draft.finish().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn drafts_of_processes_that_have_ended_are_removed_and_no_others() {
        let folder = folder("abandoned");
        let path = folder.join("file");
        let names =
            [".file.1-0.part", ".file.mine.part", ".file.7-7.old", ".other.1-0.part", ".file.1-.part"];
        for name in names {
            fs::write(folder.join(name), "left").unwrap();
        }
        let (first, _first) = Draft::create(&path).unwrap();
        assert!(!folder.join(names[0]).exists());
        assert!(names[1..].iter().all(|name| folder.join(name).exists()));
        // A draft in use stays, although it is for the same file.
        let (second, mut file) = Draft::create(&path).unwrap();
        assert!(first.draft.exists() && second.draft.exists() && first.draft != second.draft);
        drop(first);
        file.write_all(b"whole").unwrap();
        drop(file);
        second.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn reserved_room_is_zeros() {
        let folder = folder("room");
        for length in [0, 1, 4097, (1 << 20) + 3] {
            let (draft, file) = Draft::create(&folder.join("file")).unwrap();
            reserve(&file, length).unwrap();
            drop(file);
            draft.finish().unwrap();
            assert_eq!(fs::read(folder.join("file")).unwrap(), vec![0; length as usize]);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
