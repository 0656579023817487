//! Stopping long work from outside, for example by Ctrl-C.
//!
//! Long loops call [`point`]. Where the caller wants to be asked, a point asks it now and then whether to go on, and
//! unwinds with the caller's reason if not; locals are dropped on the way, so temporary files go and drafts are not
//! renamed. A point belongs where nothing that outlives the call is half changed. Without a caller that asks, a point
//! costs a load and does nothing.
//!
//! ```
//! use _core::work::interrupt::{asking, point};
//! let work = || asking(|| Some(Box::new("enough")), || loop { point() });
//! let reason = std::panic::catch_unwind(work).unwrap_err();
//! assert_eq!(reason.downcast_ref(), Some(&"enough"));
//! ```

use std::any::Any;
use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why work is stopped: what the stack is unwound with.
pub type Reason = Box<dyn Any + Send>;

/// Asks the caller whether there is a reason to stop, on the caller's thread.
pub type Ask = fn() -> Option<Reason>;

/// How often the caller is asked at most.
pub const PAUSE: Duration = Duration::from_millis(50);

/// The reason of workers whose caller has the true one.
struct Stopped;

/// What the points of a thread look at.
enum Watch {
    Nothing,
    /// The caller, and when it was asked last.
    Caller(Ask, Option<Instant>),
    /// A flag that is set when this worker has to stop.
    Flag(Arc<AtomicBool>),
}

thread_local! {
    static WATCH: RefCell<Watch> = const { RefCell::new(Watch::Nothing) };
}

/// Runs `work`; its points ask `ask`.
pub fn asking<T>(ask: Ask, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Watch>);
    impl Drop for Restore {
        fn drop(&mut self) {
            if let Some(before) = self.0.take() {
                WATCH.set(before);
            }
        }
    }
    let _restore = Restore(Some(WATCH.replace(Watch::Caller(ask, Some(Instant::now())))));
    work()
}

/// A place where work may stop.
#[inline]
pub fn point() {
    // Asking may run any code, a point of another call among it, so the watch is not borrowed meanwhile.
    let ask = WATCH.with_borrow_mut(|watch| match watch {
        Watch::Nothing => None,
        Watch::Flag(stop) => stop.load(Ordering::Relaxed).then_some(stopped as Ask),
        Watch::Caller(ask, asked) => {
            let now = Instant::now();
            let is_due = asked.is_none_or(|asked| now - asked >= PAUSE);
            is_due.then(|| {
                *asked = Some(now);
                *ask
            })
        }
    });
    if let Some(reason) = ask.and_then(|ask| ask()) {
        resume_unwind(reason);
    }
}

fn stopped() -> Option<Reason> {
    Some(Box::new(Stopped))
}

/// The same without a pause: for a system call that a signal has interrupted.
pub fn point_now() {
    WATCH.with_borrow_mut(|watch| {
        if let Watch::Caller(_, asked) = watch {
            *asked = None;
        }
    });
    point();
}

/// A reason to stop that the caller has at this moment.
pub fn reason() -> Option<Reason> {
    let ask = WATCH.with_borrow(|watch| match watch {
        Watch::Caller(ask, _) => Some(*ask),
        _ => None,
    });
    ask.and_then(|ask| ask())
}

/// The points of this thread, which works for another, stop when this is set.
pub fn obey(stop: Arc<AtomicBool>) {
    WATCH.set(Watch::Flag(stop));
}

/// The flag that the points of this thread look at, for workers that it starts.
pub fn obeyed() -> Option<Arc<AtomicBool>> {
    WATCH.with_borrow(|watch| match watch {
        Watch::Flag(stop) => Some(stop.clone()),
        _ => None,
    })
}
