//! Layers around requests of a server, and around single entries.

mod builder;
mod entries;
mod fault;
mod route;
mod tool_extension;

pub(super) use crate::layer::Stack;
pub(super) use entries::{Handler, Layered, around_method, fitting, same, unfit};
pub use tool_extension::{ToolExtension, tool_with};
