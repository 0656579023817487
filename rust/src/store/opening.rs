//! Opening files for reading, some of which may be pipes: nobody waits for their other end without noticing a reason to
//! stop.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::work::interrupt;

/// Opens a file that is meant to be a regular one, at once. A pipe is opened even if nobody writes to it: check the kind.
#[cfg(unix)]
pub fn without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // It has no effect on regular files.
    File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
pub fn without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A file of any kind, or standard input. Where reading has to wait, as for a pipe, it can be interrupted on every thread.
pub struct Stream {
    file: File,
    waits: bool,
}

impl Stream {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = opened(path)?;
        let waits = !file.metadata()?.is_file();
        Ok(Stream { file, waits })
    }

    #[cfg(unix)]
    pub fn standard_input() -> io::Result<Self> {
        use std::os::fd::AsFd;
        Ok(Stream { file: io::stdin().as_fd().try_clone_to_owned()?.into(), waits: true })
    }

    pub fn is_folder(&self) -> bool {
        self.file.metadata().is_ok_and(|about| about.is_dir())
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.waits {
                wait(&self.file)?;
            }
            match self.file.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => interrupt::point_now(),
                read => return read,
            }
        }
    }
}

/// On Linux a pipe can be opened before somebody writes to it, and then waits to be read.
#[cfg(target_os = "linux")]
fn opened(path: &Path) -> io::Result<File> {
    without_waiting(path)
}

/// Elsewhere such a pipe may seem to be at its end, so opening waits; a signal to this thread ends that.
#[cfg(all(unix, not(target_os = "linux")))]
fn opened(path: &Path) -> io::Result<File> {
    use std::os::fd::FromRawFd;
    use std::os::unix::ffi::OsStrExt;
    let name =
        std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(|_| io::ErrorKind::InvalidInput)?;
    loop {
        // SAFETY: the name ends with a zero byte and lives longer than the call.
        let number = unsafe { libc::open(name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if number >= 0 {
            // SAFETY: the descriptor was just opened, and nothing else owns it.
            return Ok(unsafe { File::from_raw_fd(number) });
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        interrupt::point_now();
    }
}

#[cfg(not(unix))]
fn opened(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Waits until there is something to read, or the end.
#[cfg(unix)]
fn wait(file: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let pause = interrupt::PAUSE.as_millis() as libc::c_int;
    loop {
        let mut asked = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one structure, which lives longer than the call.
        match unsafe { libc::poll(&mut asked, 1, pause) } {
            0 => interrupt::point_now(),
            1.. => return Ok(()),
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
                interrupt::point_now();
            }
        }
    }
}

#[cfg(not(unix))]
fn wait(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use super::*;

    fn pipe(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("graphmt-opening-{name}-{}", std::process::id()));
        let text = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the name ends with a zero byte.
        assert_eq!(unsafe { libc::mkfifo(text.as_ptr(), 0o600) }, 0);
        path
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        let path = pipe("read");
        let writer = std::thread::spawn({
            let path = path.clone();
            move || File::options().write(true).open(path).unwrap().write_all(b"some text").unwrap()
        });
        let mut text = String::new();
        Stream::open(&path).unwrap().read_to_string(&mut text).unwrap();
        writer.join().unwrap();
        assert_eq!(text, "some text");
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn waiting_for_a_pipe_ends_when_work_should_stop() {
        let path = pipe("stop");
        let read = || Stream::open(&path).unwrap().read(&mut [0; 9]);
        let work = || interrupt::with_callback(|| Some(Box::new("enough")), read);
        let reason = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
        assert_eq!(reason.downcast_ref(), Some(&"enough"));
        std::fs::remove_file(&path).unwrap();
    }
}
