//! Adds servers to the files of clients, and removes them.

mod change;
mod client;
mod shape;
mod text;

pub use change::Change;
pub(crate) use shape::Shape;
