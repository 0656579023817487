//! Ending the process for certain some time after a signal asked it to end.
//!
//! Nothing that the process does can hold this up: a thread of its own waits, which needs no lock of an interpreter, and
//! the handler of the signal only writes a byte before it does what the handler before it did. Systems without such
//! signals (Windows) have none of this.

#[cfg(unix)]
pub use signals::{arm, disarm};

#[cfg(not(unix))]
pub fn arm(_after: std::time::Duration, _message: String) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn disarm() {}

#[cfg(unix)]
mod signals {
    use std::io;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use libc::{c_int, c_void, sigaction, siginfo_t};

    const SIGNALS: [c_int; 2] = [libc::SIGTERM, libc::SIGINT];

    /// The handlers before this one.
    static BEFORE: [AtomicPtr<sigaction>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];
    /// Where the handler writes; -1 before the first call of [`arm`].
    static PIPE: AtomicI32 = AtomicI32::new(-1);
    static IS_ARMED: AtomicBool = AtomicBool::new(false);

    /// From now on, ends the process with exit code 1 this long after the first SIGTERM or SIGINT; it writes the message
    /// to standard error before that. Call this after the handlers of the signals were set, and once in a process.
    pub fn arm(after: Duration, message: String) -> io::Result<()> {
        IS_ARMED.store(true, Ordering::Relaxed);
        let mut ends = [0; 2];
        // SAFETY: a plain call with a valid argument.
        if unsafe { libc::pipe(ends.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        for end in ends {
            // SAFETY: as above. Child processes must not hold the pipe open.
            unsafe { libc::fcntl(end, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        PIPE.store(ends[1], Ordering::Release);
        thread::Builder::new().name("ending".into()).spawn(move || wait(ends[0], after, &message))?;
        install();
        Ok(())
    }

    /// The process has ended what it had to end: it may go on.
    pub fn disarm() {
        IS_ARMED.store(false, Ordering::Relaxed);
    }

    fn wait(pipe: c_int, after: Duration, message: &str) {
        let mut byte = 0u8;
        // SAFETY: the buffer has room for the byte.
        while unsafe { libc::read(pipe, (&raw mut byte).cast(), 1) } != 1 {
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return;
            }
        }
        let signalled = Instant::now();
        while signalled.elapsed() < after {
            thread::sleep(Duration::from_millis(20));
        }
        if IS_ARMED.load(Ordering::Relaxed) {
            // SAFETY: the bytes are there. Handlers of a regular exit might wait for what holds up the process.
            unsafe {
                libc::write(2, message.as_ptr().cast(), message.len());
                libc::_exit(1);
            }
        }
    }

    fn install() {
        for (&signal, before) in SIGNALS.iter().zip(&BEFORE) {
            // SAFETY: plain calls with valid arguments; the leaked handler is never freed, so `on_signal` can read it.
            unsafe {
                let mut current: sigaction = std::mem::zeroed();
                if libc::sigaction(signal, ptr::null(), &mut current) != 0
                    || current.sa_sigaction == on_signal as *const () as usize
                {
                    continue;
                }
                before.store(Box::into_raw(Box::new(current)), Ordering::Release);
                let mut ours: sigaction = std::mem::zeroed();
                ours.sa_sigaction = on_signal as *const () as usize;
                ours.sa_flags = (current.sa_flags & libc::SA_RESTART) | libc::SA_SIGINFO | libc::SA_ONSTACK;
                ours.sa_mask = current.sa_mask;
                libc::sigaction(signal, &ours, ptr::null_mut());
            }
        }
    }

    extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: `write` and `sigaction` may be called here, and the stored handlers are never freed.
        unsafe {
            libc::write(PIPE.load(Ordering::Acquire), [1u8].as_ptr().cast(), 1);
            let at = SIGNALS.iter().position(|&one| one == signal).unwrap_or(0);
            let before = BEFORE[at].load(Ordering::Acquire);
            if before.is_null() || (*before).sa_sigaction == libc::SIG_IGN {
                return;
            }
            let address = (*before).sa_sigaction;
            if address == libc::SIG_DFL {
                // It is delivered again when this handler returns.
                libc::sigaction(signal, before, ptr::null_mut());
                libc::raise(signal);
            } else if (*before).sa_flags & libc::SA_SIGINFO != 0 {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(address);
                handler(signal, info, context);
            } else {
                let handler: extern "C" fn(c_int) = std::mem::transmute(address);
                handler(signal);
            }
        }
    }
}
