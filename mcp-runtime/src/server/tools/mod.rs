//! Tools: how they are declared, called and listed.

mod route;
mod table;

pub use route::{ToolCall, ToolRoute};
pub(super) use table::Tools;
