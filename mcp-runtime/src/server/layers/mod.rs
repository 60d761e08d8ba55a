//! Layers around requests of a server, and around single entries.

mod builder;
mod entries;
mod outcome;
mod route;

pub(super) use crate::layer::Stack;
