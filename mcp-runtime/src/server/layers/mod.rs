//! Layers around all requests of a server, and around single entries.

mod entries;
mod route;
mod tool_extension;

pub(super) use crate::layer::Stack;
pub(super) use entries::{
    InnermostHandler, Layered, around_method, check_same, typed_result, unfit_result,
};
pub(super) use route::method_of_service;
pub use tool_extension::{ToolExtension, tool_with};
