//! Convenience methods of the generated types, to create and to read values.

mod content;
mod contents;
mod display_name;
mod messages;
mod notification;
mod tool_annotations;
mod tool_result;
