//! Long work: pools of threads, and stopping work from outside.

pub mod interrupt;
pub mod threads;
