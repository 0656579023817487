//! What threads take, use and put back.

use std::sync::Mutex;

/// Things that live on from one sentence to the next; each thread takes one and puts it back.
pub struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { idle: Mutex::new(Vec::new()) }
    }
}

impl<T> Pool<T> {
    /// Lends one to `work`; `make` makes one where none is idle.
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
