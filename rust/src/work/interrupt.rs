//! Stopping long work from outside, for example by Ctrl-C, or because nobody waits for it any longer.
//!
//! Long loops call [`point`]. If the caller has installed a callback, a point calls it from time to time, and unwinds
//! with the reason it returns, if any. Locals are dropped on the way, so temporary files are removed and drafts are not
//! renamed. Place points where no data that outlives the call is half changed. Without a callback, a point costs a load
//! and does nothing.
//!
//! ```
//! use _core::work::interrupt::{with_callback, point};
//! let work = || with_callback(|| Some(Box::new("enough")), || loop { point() });
//! let reason = std::panic::catch_unwind(work).unwrap_err();
//! assert_eq!(reason.downcast_ref(), Some(&"enough"));
//! ```

use std::any::Any;
use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why work is stopped: the payload that the stack is unwound with.
pub type Reason = Box<dyn Any + Send>;

/// Returns a reason to stop, if there is one. Called on the caller's thread.
pub type Callback = fn() -> Option<Reason>;

/// The shortest time between two calls of the callback.
pub const PAUSE: Duration = Duration::from_millis(50);

/// The payload of workers; their caller unwinds with the actual reason.
pub struct Stopped;

/// How the points of a thread learn that work should stop.
enum Watch {
    Nothing,
    /// The callback, and the time of its last call; also the flag of the worker that makes the call, if one does.
    Caller(Callback, Option<Instant>, Option<Arc<AtomicBool>>),
    /// A flag that is set when this worker should stop.
    Flag(Arc<AtomicBool>),
}

thread_local! {
    static WATCH: RefCell<Watch> = const { RefCell::new(Watch::Nothing) };
}

/// Runs `work` with `ask` as the callback of its points. A call that a worker makes stops with that worker as well.
pub fn with_callback<T>(ask: Callback, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Watch>);
    impl Drop for Restore {
        fn drop(&mut self) {
            if let Some(before) = self.0.take() {
                WATCH.set(before);
            }
        }
    }
    let watch = Watch::Caller(ask, Some(Instant::now()), stop_flag());
    let _restore = Restore(Some(WATCH.replace(watch)));
    work()
}

/// A place where work may stop.
#[inline]
pub fn point() {
    // The callback may run any code, including points of another call, so the watch must not stay borrowed.
    let ask = WATCH.with_borrow_mut(|watch| match watch {
        Watch::Nothing => None,
        Watch::Flag(stop) => stop.load(Ordering::Relaxed).then_some(stopped as Callback),
        Watch::Caller(_, _, Some(stop)) if stop.load(Ordering::Relaxed) => Some(stopped as Callback),
        Watch::Caller(ask, asked, _) => {
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

/// The points of a loop with short rounds, most of which only count.
///
/// ```
/// use _core::work::interrupt::{with_callback, Points};
/// let endless = || {
///     let mut points = Points::default();
///     loop {
///         points.pass()
///     }
/// };
/// let work = || with_callback(|| Some(Box::new("enough")), endless);
/// assert_eq!(std::panic::catch_unwind(work).unwrap_err().downcast_ref(), Some(&"enough"));
/// ```
#[derive(Debug, Default)]
pub struct Points {
    rounds: u32,
}

impl Points {
    /// Rounds from one point to the next.
    const EVERY: u32 = 256;

    /// Called in every round: a [`point`] in the first one, and in each 256th after it.
    #[inline]
    pub fn pass(&mut self) {
        if self.rounds % Points::EVERY == 0 {
            point();
        }
        self.rounds = self.rounds.wrapping_add(1);
    }
}

/// Like [`point`], but calls the callback at once: for a system call that was interrupted by a signal.
pub fn point_now() {
    WATCH.with_borrow_mut(|watch| {
        if let Watch::Caller(_, asked, _) = watch {
            *asked = None;
        }
    });
    point();
}

/// Calls the callback: the reason to stop, if there is one now.
pub fn reason() -> Option<Reason> {
    let ask = WATCH.with_borrow(|watch| match watch {
        Watch::Caller(_, _, Some(stop)) if stop.load(Ordering::Relaxed) => Some(stopped as Callback),
        Watch::Caller(ask, _, _) => Some(*ask),
        _ => None,
    });
    ask.and_then(|ask| ask())
}

/// Makes the points of this worker thread stop when the flag is set.
pub fn set_stop_flag(stop: Arc<AtomicBool>) {
    WATCH.set(Watch::Flag(stop));
}

/// The flag of this thread's points, for workers that it starts.
pub fn stop_flag() -> Option<Arc<AtomicBool>> {
    WATCH.with_borrow(|watch| match watch {
        Watch::Flag(stop) | Watch::Caller(_, _, Some(stop)) => Some(stop.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, AssertUnwindSafe};

    use super::*;

    /// What the code that a worker calls does in the core stops with the worker, although it is a call of its own.
    #[test]
    fn a_call_from_a_worker_stops_with_the_worker() {
        let stop = Arc::new(AtomicBool::new(false));
        let worker = std::thread::spawn({
            let stop = stop.clone();
            move || {
                set_stop_flag(stop.clone());
                let inner = || {
                    point();
                    stop.store(true, Ordering::Relaxed);
                    point();
                };
                catch_unwind(AssertUnwindSafe(|| with_callback(|| None, inner))).unwrap_err().is::<Stopped>()
            }
        });
        assert!(worker.join().unwrap());
    }
}
