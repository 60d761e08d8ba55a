//! The model as Rust: the only place that writes code.

mod arguments;
mod call;
mod function;
mod server;
mod setter;
mod single;

pub(crate) use server::server;
pub(crate) use single::{around, main, quiet};
