//! Conveniences on the generated types: short ways to make values, and to look into them.

mod content;
mod contents;
mod display_name;
mod messages;
mod notification;
mod tool_annotations;
mod tool_result;
