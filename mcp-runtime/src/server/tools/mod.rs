//! Tools: declaration, arguments, results and calls.
//!
//! A [`ToolBuilder`] describes a tool and builds a [`ToolEntry`], which the catalog keeps. When the
//! tool is called, `arguments` decodes each value and lets `validation` check it. Then the user's
//! function runs, and [`IntoToolResult`] converts the returned value into a result.

pub(crate) mod arguments;
pub(crate) mod builder;
mod constraint;
mod content;
pub(crate) mod diagnostics;
mod entry;
mod expected;
mod json_arguments;
mod parameter;
mod pattern;
pub(crate) mod result;
pub(crate) mod returned;
pub(super) mod structured;
mod validation;

pub use crate::server::handler::Json;
pub(in crate::server) use arguments::Unknown;
pub use arguments::{Argument, ToolArgument, argument};
pub use builder::{Arguments, ToolBuilder};
pub use constraint::{HeaderArgument, LengthArgument, RangeArgument};
pub use content::{Audio, Image, IntoContent};
pub(in crate::server) use entry::around_tool;
pub use entry::{ToolCall, ToolEntry};
pub use json_arguments::{InvalidSchema, JsonArguments};
pub use pattern::{InvalidPattern, PatternArgument};
pub(in crate::server) use result::ToolOutcome;
pub use result::{IntoToolResult, ToolError, ToolErrorSource};
pub use structured::Structured;
#[cfg(feature = "client")]
pub(crate) use structured::listed_schemas;
