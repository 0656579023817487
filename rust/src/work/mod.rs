//! Long work: pools of threads and of objects that they use, and stopping work from outside.

pub mod interrupt;
pub mod pool;
pub mod threads;
