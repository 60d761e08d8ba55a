//! Tools: how they are declared, called and listed.
//!
//! A [`ToolRoute`] is what the router keeps of a tool. `spec` builds one from a description of its
//! arguments; what the function returned becomes a result
//! through [`IntoToolResult`], or through one of the `forms` for types that are plain JSON.

pub(crate) mod argument;
pub(crate) mod call;
#[cfg_attr(
    not(all(debug_assertions, feature = "validation")),
    path = "unchecked.rs"
)]
mod checked;
mod closure;
mod constraint;
mod content;
mod entry;
mod error;
pub(crate) mod forms;
#[cfg(feature = "client")]
mod forwarded;
mod header;
mod missing;
mod parameters;
#[cfg(not(feature = "pattern"))]
#[path = "no_pattern.rs"]
mod pattern;
#[cfg(feature = "pattern")]
mod pattern;
mod probe;
mod result;
mod route;
mod rules;
pub(crate) mod spec;
pub(crate) mod spread;
mod structured;

pub use argument::{Argument, Shown, ToolArgument, argument};
pub use closure::{Arguments, ToolClosure};
pub use constraint::{Measured, Ranged};
pub use content::{Audio, Image, Json};
pub use error::ToolError;
pub use header::HeaderArgument;
#[cfg(feature = "pattern")]
pub use pattern::{InvalidPattern, Texty};
pub use result::IntoToolResult;
pub use route::{ToolCall, ToolRoute};
pub use spec::ToolSpec;
