//! Long work: pools of threads and of objects that they use, and stopping work, or the process, from outside.

pub mod ending;
pub mod interrupt;
pub mod pool;
pub mod threads;
