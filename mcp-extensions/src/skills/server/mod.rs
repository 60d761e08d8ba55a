//! The server side: what it loads, and how it serves it.

mod assemble;
mod directory;
mod fault;

pub use fault::{Finding, LoadError};
