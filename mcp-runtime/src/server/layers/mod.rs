//! Layers around requests of a server, and around single entries.

mod builder;
mod entries;
mod route;
mod tool_extension;

pub(super) use crate::layer::Stack;
pub use tool_extension::{ToolExtension, tool_with};
