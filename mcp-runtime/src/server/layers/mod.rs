//! Layers around requests of a server, and around single entries.

mod builder;
mod entries;
mod route;
mod tool_extension;

pub(super) use crate::layer::Stack;
pub(super) use entries::{around_method, around_prompt, around_resource, around_tool};
pub use tool_extension::{ToolExtension, tool_with};
