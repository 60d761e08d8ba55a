//! Tools: declaration, arguments, results and calls.
//!
//! A [`ToolSpec`] describes a tool and makes a [`ToolRoute`] of it, which the catalogue keeps. A
//! call goes through `arguments`, which decodes each value and has it checked by `validation`, into
//! the user's function; the returned value becomes a result by [`IntoToolResult`].

pub(crate) mod arguments;
#[cfg_attr(
    not(all(debug_assertions, feature = "validation")),
    path = "unchecked.rs"
)]
mod checked;
mod constraint;
mod expected;
mod parameter;
#[cfg(not(feature = "pattern"))]
#[path = "no_pattern.rs"]
mod pattern;
#[cfg(feature = "pattern")]
mod pattern;
pub(crate) mod result;
mod route;
pub(crate) mod spec;
pub(super) mod structured;
mod validation;

pub use crate::server::handler::run::Json;
pub use arguments::{Argument, Shown, ToolArgument, argument};
pub use constraint::{HeaderArgument, Measured, Ranged};
pub use pattern::{InvalidPattern, Texty};
pub use result::{Audio, Image, IntoToolResult, ToolError};
pub use route::{ToolCall, ToolRoute};
pub use spec::{Arguments, ToolClosure, ToolSpec};
