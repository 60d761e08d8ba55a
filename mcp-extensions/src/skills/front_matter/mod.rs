//! The front matter of a `SKILL.md` (Frontmatter): one mapping in YAML 1.2 with its core schema.
//!
//! serde-saphyr reads `yes` and `1_000` as YAML 1.1 does. So this module reads the events of its
//! parser, which also have the lines and the styles of values. An anchor, a tag or a number that
//! JSON readers would round is refused, because two hosts could read it differently.

mod check;
mod fields;
mod file;
mod hosts;
mod plain;
#[cfg(test)]
mod tests;
mod yaml;

use std::collections::HashMap;

use mcp_runtime::types::JsonObject;

pub(super) use check::check;
pub(super) use fields::{differences, write};
pub(super) use file::parse;

/// The front matter of a `SKILL.md`.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    /// The fields in the order of the file.
    pub fields: JsonObject,
    /// Values that a known host reads differently.
    pub warnings: Vec<Remark>,
    /// The line of each field, such as `name` or `metadata.author`.
    lines: HashMap<String, usize>,
}

/// A fault or a warning, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remark {
    /// The line of the file, from 1.
    pub line: usize,
    /// The fault or the difference, and what to write instead.
    pub text: String,
}

impl Remark {
    fn new(line: usize, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { line, text }
    }
}
