//! Failing reads of mapped files: another process truncated the file, or the disk could not deliver a page.
//!
//! The system reports such a read with SIGBUS, which kills the process by default. This handler returns zeros to the
//! reader instead and marks the file; users of the file check [`Region::failed`] and report an error. It handles only
//! addresses in registered regions and passes every other SIGBUS to the previous handler.
//!
//! Systems without SIGBUS (Windows) do not allow a mapped file to be truncated.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;

/// The highest number of regions watched at a time.
const MAX_REGIONS: usize = 1024;

/// Plain atomics in a fixed place: a signal handler can neither lock nor allocate.
struct Slot {
    taken: AtomicBool,
    /// 0 while the slot holds no region.
    start: AtomicUsize,
    end: AtomicUsize,
    failed: AtomicBool,
}

static SLOTS: [Slot; MAX_REGIONS] = [const {
    Slot {
        taken: AtomicBool::new(false),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        failed: AtomicBool::new(false),
    }
}; MAX_REGIONS];

/// A mapped range of addresses. As long as this value lives, failing reads in it return zeros.
pub struct Region {
    slot: &'static Slot,
}

impl Region {
    /// Watches a mapping; `None` if too many are watched already. The region must be dropped before it is unmapped.
    pub fn watch(bytes: &[u8]) -> Option<Self> {
        let free = |slot: &&Slot| !slot.taken.swap(true, Ordering::AcqRel);
        let slot = SLOTS.iter().find(free)?;
        slot.failed.store(false, Ordering::Relaxed);
        slot.end.store(bytes.as_ptr() as usize + bytes.len(), Ordering::Relaxed);
        slot.start.store(bytes.as_ptr() as usize, Ordering::Release);
        install();
        Some(Region { slot })
    }

    /// Whether a read failed.
    pub fn failed(&self) -> bool {
        self.slot.failed.load(Ordering::Acquire)
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.slot.start.store(0, Ordering::Release);
        self.slot.taken.store(false, Ordering::Release);
    }
}

/// Serialises installations.
static INSTALLING: Mutex<()> = Mutex::new(());

#[cfg(not(unix))]
fn install() {
    drop(INSTALLING.lock());
}

#[cfg(unix)]
use signals::install;

#[cfg(unix)]
mod signals {
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

    use libc::{c_int, c_void, sigaction, siginfo_t};

    use super::{INSTALLING, SLOTS};

    /// The previous handler.
    static BEFORE: AtomicPtr<sigaction> = AtomicPtr::new(ptr::null_mut());
    static PAGE: AtomicUsize = AtomicUsize::new(4096);

    /// Installs the handler unless it is the current one. Others may have replaced it since (Python's faulthandler
    /// does), so this is called for every opened file.
    pub fn install() {
        let _one_at_a_time = INSTALLING.lock();
        // SAFETY: plain calls with valid arguments; the leaked handler is never freed, so `on_fault` can read it.
        unsafe {
            let mut current: sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &mut current) != 0
                || current.sa_sigaction == on_fault as *const () as usize
            {
                return;
            }
            let page = libc::sysconf(libc::_SC_PAGESIZE);
            PAGE.store(usize::try_from(page).unwrap_or(4096), Ordering::Relaxed);
            BEFORE.store(Box::into_raw(Box::new(current)), Ordering::Release);
            let mut ours: sigaction = std::mem::zeroed();
            ours.sa_sigaction = on_fault as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut ours.sa_mask);
            libc::sigaction(libc::SIGBUS, &ours, ptr::null_mut());
        }
    }

    extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the system passes a valid `info`. Atomics and the system calls used here do not allocate or lock.
        unsafe {
            // Signals that a process sends (codes up to 0) carry no address.
            if (*info).si_code <= 0 || !filled((*info).si_addr() as usize) {
                pass_on(signal, info, context);
            }
        }
    }

    /// Maps zeros over a region from the page of this address on; `false` if the address is in no region.
    ///
    /// # Safety
    /// Call this only while a read of this address is suspended, so that its region cannot be dropped.
    unsafe fn filled(address: usize) -> bool {
        for slot in &SLOTS {
            let start = slot.start.load(Ordering::Acquire);
            let end = slot.end.load(Ordering::Relaxed);
            if start == 0 || !(start..end).contains(&address) {
                continue;
            }
            slot.failed.store(true, Ordering::Release);
            // After a truncation all following pages are missing too: one call instead of one per page.
            let from = address & !(PAGE.load(Ordering::Relaxed) - 1);
            let (access, kind) = (libc::PROT_READ, libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANON);
            // SAFETY: the range is part of a mapping of ours, whose readers expect plain bytes.
            let made = unsafe { libc::mmap(from as *mut c_void, end - from, access, kind, -1, 0) };
            return made != libc::MAP_FAILED;
        }
        false
    }

    /// Does what would have happened without this handler.
    ///
    /// # Safety
    /// The arguments must be those of a signal handler.
    unsafe fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // A handler installed after this one may call it back; the second call ends the process.
        static PASSING: AtomicBool = AtomicBool::new(false);
        let again = PASSING.swap(true, Ordering::AcqRel);
        // SAFETY: the value stored by `install` is never freed.
        let before = unsafe { BEFORE.load(Ordering::Acquire).as_ref() };
        match before.filter(|_| !again) {
            Some(before) if before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN => {
                // SAFETY: the flag determines the function type, as for the system itself.
                unsafe {
                    if before.sa_flags & libc::SA_SIGINFO != 0 {
                        type Full = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
                        std::mem::transmute::<usize, Full>(before.sa_sigaction)(signal, info, context);
                    } else {
                        std::mem::transmute::<usize, extern "C" fn(c_int)>(before.sa_sigaction)(signal);
                    }
                }
            }
            _ => {
                // SAFETY: the default action ends the process when the read is tried again, or right away.
                unsafe {
                    let mut default: sigaction = std::mem::zeroed();
                    default.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &default, ptr::null_mut());
                    libc::raise(signal);
                }
            }
        }
        PASSING.store(false, Ordering::Release);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn reads_beyond_the_end_of_a_file_give_zeros_and_are_noticed() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        // SAFETY: the region handles the truncation below.
        let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
        let region = Region::watch(&map).unwrap();
        assert_eq!((map[1 << 19], region.failed()), (0, false));
        file.set_len(0).unwrap();
        let readers: Vec<u8> = std::thread::scope(|scope| {
            let read = |place: usize| map[(1 << 20) - 1] + map[place << 12];
            let reading: Vec<_> = (0..4).map(|place| scope.spawn(move || read(place))).collect();
            reading.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!((readers, region.failed()), (vec![0; 4], true));
        drop(region);
    }

    #[test]
    fn slots_are_used_again() {
        let bytes = [0; 8];
        for _ in 0..3 * MAX_REGIONS {
            assert!(!Region::watch(&bytes).unwrap().failed());
        }
    }

    /// The test starts itself with a read outside any region, which must kill the process as before.
    #[test]
    fn a_fault_elsewhere_still_ends_the_process() {
        const INSIDE: &str = "GRAPHMT_TEST_FAULT_ELSEWHERE";
        if std::env::var_os(INSIDE).is_some() {
            let file = tempfile::tempfile().unwrap();
            file.set_len(4096).unwrap();
            // SAFETY: as above.
            let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
            let watched = [0; 8];
            let _region = Region::watch(&watched).unwrap();
            file.set_len(0).unwrap();
            println!("{}", std::hint::black_box(map[0]));
            return;
        }
        let test = std::env::current_exe().unwrap();
        let name = "tests::a_fault_elsewhere_still_ends_the_process";
        let ended = Command::new(test).args([name]).env(INSIDE, "1").output().unwrap();
        assert_eq!(ended.status.signal(), Some(libc::SIGBUS), "{ended:?}");
    }
}
