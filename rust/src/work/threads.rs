//! Thread pools of limited size. They shrink if the system cannot start more threads, and stop with their caller.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::Arc;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::interrupt;
use crate::error::{Error, Result};

/// A higher number of threads is a mistake on any machine.
pub const MAX_THREADS: usize = 1024;

/// Runs `work` on a pool of this many threads; 0 means one per core.
pub fn on<T: Send>(threads: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if threads > MAX_THREADS {
        return Err(Error::option(format!("threads must be at most {MAX_THREADS}, not {threads}.")));
    }
    // A worker of another pool passes on its own flag; any other caller checks for a reason to stop while it waits.
    let inherited = interrupt::stop_flag();
    let stop = inherited.clone().unwrap_or_default();
    let Some(pool) = pool(threads, &stop) else {
        // No thread can be started: run on the current thread.
        let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        return match alone {
            Ok(pool) => pool.install(work),
            Err(error) => Err(Error::input(format!("threads cannot be started: {error}."))),
        };
    };
    if inherited.is_some() {
        return pool.install(work);
    }
    let (done, finished) = channel::<()>();
    let (mut made, mut reason) = (None, None);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                // Dropped when the work ends, even by a panic; this ends the wait below.
                let _done = done;
                made = Some(work());
            });
            while finished.recv_timeout(interrupt::PAUSE) == Err(RecvTimeoutError::Timeout) {
                if reason.is_none() {
                    reason = interrupt::reason();
                    stop.store(reason.is_some(), Ordering::Relaxed);
                }
            }
        });
    }));
    if let Some(reason) = reason {
        resume_unwind(reason);
    }
    match (outcome, made) {
        (Err(panic), _) => resume_unwind(panic),
        (Ok(()), Some(made)) => made,
        (Ok(()), None) => Err(Error::internal("a pool ended before its work.")),
    }
}

/// The results of `of` for all items, in order, on a pool of this many threads; 0 means one per core. One item or one
/// thread needs no pool: starting one takes about as long as translating a short sentence.
pub fn map<I: Sync, T: Send>(
    threads: usize,
    items: &[I],
    of: impl Fn(&I) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    if threads == 1 || (items.len() == 1 && threads <= MAX_THREADS) {
        return items.iter().map(of).collect();
    }
    on(threads, || items.par_iter().map(of).collect())
}

/// The number of threads that are started without checking the limits of the process.
const UNCHECKED: usize = 16;

/// The number of threads that leaves half of the address space to their work, if it is limited (`ulimit -v`): when it
/// is exhausted, the process is killed.
fn affordable() -> usize {
    /// Stack and allocator of a thread.
    const BYTES: u64 = 4 << 20;
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let limit = || -> Option<u64> {
        let limits = read("/proc/self/limits")?;
        limits
            .lines()
            .find_map(|line| line.strip_prefix("Max address space"))?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    };
    let used = || read("/proc/self/status")?.lines().find_map(kilobytes).map(|number| number << 10);
    match (limit(), used()) {
        (Some(limit), Some(used)) => (limit.saturating_sub(used) / 2 / BYTES).max(1) as usize,
        _ => usize::MAX,
    }
}

/// The size in the `VmSize` line of `/proc/self/status`.
fn kilobytes(line: &str) -> Option<u64> {
    line.strip_prefix("VmSize:")?.split_whitespace().next()?.parse().ok()
}

/// A pool of up to this many threads, as many as can be started; `None` if none can.
fn pool(threads: usize, stop: &Arc<AtomicBool>) -> Option<ThreadPool> {
    let mut wanted = if threads > UNCHECKED { threads.min(affordable()) } else { threads };
    loop {
        let stop = stop.clone();
        let build = ThreadPoolBuilder::new()
            .num_threads(wanted)
            .start_handler(move |_| interrupt::set_stop_flag(stop.clone()))
            .build();
        if let Ok(pool) = build {
            return Some(pool);
        }
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        wanted = if wanted == 0 { cores().min(MAX_THREADS) } else { wanted } / 2;
        if wanted == 0 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::interrupt::{point, with_callback, Reason};
    use super::*;

    #[test]
    fn work_is_done_on_as_many_threads_as_wanted() {
        assert_eq!(on(3, || Ok(rayon::current_num_threads())).unwrap(), 3);
        assert!(on(0, || Ok(rayon::current_num_threads())).unwrap() >= 1);
        let error = on(MAX_THREADS + 1, || Ok(())).unwrap_err();
        assert_eq!(error.message, "threads must be at most 1024, not 1025.");
    }

    #[test]
    fn items_are_mapped_in_order_without_a_pool_where_none_is_needed() {
        let here = std::thread::current().id();
        let of = |item: &usize| Ok((2 * item, std::thread::current().id() == here));
        assert_eq!(map(1, &[1, 2, 3], of).unwrap(), [(2, true), (4, true), (6, true)]);
        assert_eq!(map(0, &[1], of).unwrap(), [(2, true)]);
        assert_eq!(map(2, &[1, 2, 3], of).unwrap(), [(2, false), (4, false), (6, false)]);
        assert!(map(MAX_THREADS + 1, &[1], of).is_err());
        let failed = map(1, &[1, 2], |item| if *item == 2 { Err(Error::input("two")) } else { Ok(()) });
        assert_eq!(failed.unwrap_err().message, "two");
    }

    #[test]
    fn a_panic_comes_back_as_it_was() {
        let panic = catch_unwind(|| on::<()>(2, || panic!("as it was"))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"as it was"));
    }

    fn stopped_by(ask: interrupt::Callback, work: impl FnOnce() -> Result<()>) -> Reason {
        catch_unwind(AssertUnwindSafe(|| with_callback(ask, work))).unwrap_err()
    }

    #[test]
    fn all_workers_stop_and_the_reason_of_the_caller_comes_back() {
        static BEGUN: AtomicBool = AtomicBool::new(false);
        let ask: interrupt::Callback = || BEGUN.load(Ordering::Relaxed).then(|| Box::new("enough") as Reason);
        let endless = |_| loop {
            BEGUN.store(true, Ordering::Relaxed);
            point();
        };
        let reason = stopped_by(ask, || {
            on(3, || {
                (0..3).into_par_iter().for_each(endless);
                Ok(())
            })
        });
        assert_eq!(reason.downcast_ref(), Some(&"enough"));
    }

    #[test]
    fn a_pool_within_a_pool_stops_too() {
        static BEGUN: AtomicBool = AtomicBool::new(false);
        let ask: interrupt::Callback = || BEGUN.load(Ordering::Relaxed).then(|| Box::new("enough") as Reason);
        let endless = || loop {
            BEGUN.store(true, Ordering::Relaxed);
            point();
        };
        let reason = stopped_by(ask, || on(2, || on(2, endless)));
        assert_eq!(reason.downcast_ref(), Some(&"enough"));
    }
}
