//! Questions about the one model, all asked before anything is written.
//!
//! [`forms`] asks about what the model cannot hold, and [`identifiers`] about names that cannot be
//! written in their [`scope`]. [`questions`] collects these and those of [`fills`], [`replacements`],
//! [`capabilities`], [`arguments`] and [`aliases`].

pub(super) mod aliases;
pub(super) mod arguments;
pub(super) mod capabilities;
pub(super) mod fills;
pub(super) mod forms;
pub(super) mod identifiers;
pub(super) mod questions;
pub(super) mod replacements;
pub(super) mod scope;
