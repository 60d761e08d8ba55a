//! Questions about the merged model, which are all asked before any code is written.
//!
//! [`forms`] asks about types that the model cannot represent, and [`identifiers`] about names that are
//! not allowed in their [`scope`]. [`questions`] collects these questions and the questions of
//! [`fills`], [`replacements`], [`capabilities`], [`arguments`] and [`aliases`].

pub(super) mod aliases;
pub(super) mod arguments;
pub(super) mod capabilities;
pub(super) mod fills;
pub(super) mod forms;
pub(super) mod identifiers;
pub(super) mod questions;
pub(super) mod replacements;
pub(super) mod scope;
