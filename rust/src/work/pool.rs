//! A pool of objects that threads borrow.

use std::sync::Mutex;

/// Objects that are used again by whichever thread needs one; a thread borrows one at a time.
pub struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { idle: Mutex::new(Vec::new()) }
    }
}

impl<T> Pool<T> {
    /// Lends an object to `work`; `make` makes one if none is idle.
    pub fn lend<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let kept = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut one = kept.unwrap_or_else(make);
        let done = work(&mut one);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(one);
        }
        done
    }
}
