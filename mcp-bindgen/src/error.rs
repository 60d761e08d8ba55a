//! Errors, and notes about what is not bound as well as it could be.

use std::fmt;

/// A reason why no bindings are made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is neither a snapshot nor the result of `tools/list`.
    #[error("the snapshot can't be read: {0}; it is what `mcp inspect --json` prints")]
    Snapshot(#[from] serde_json::Error),
    /// An entry without a name or URI that is text.
    #[error("the snapshot can't be read: an entry of `{list}` has no text `{member}`")]
    Unnamed {
        /// The list.
        list: &'static str,
        /// The member that names an entry.
        member: &'static str,
    },
    /// A server that lists a name or URI twice: it is not known which one a call would reach.
    #[error("the server lists `{name}` twice in `{list}`; ask its author to name them differently")]
    Twice {
        /// The list.
        list: &'static str,
        /// The name or URI.
        name: String,
    },
    /// A tool that was named in an option, and that the server does not list.
    #[error("the server lists no tool `{0}`; check the spelling, or list the tools again")]
    UnknownTool(String),
    /// A path of a type that is none.
    #[error("`{0}` is no path of a Rust type")]
    Path(String),
    /// Values that stay untyped although [`strict`](crate::Bindings::strict) bindings were asked for.
    #[error("{}", lines(.0))]
    Untyped(Vec<Note>),
    /// A bug of this crate: the generated code does not parse.
    #[error("the generated code does not parse: {0}; this is a bug of mcp-bindgen")]
    Syntax(#[from] syn::Error),
}

fn lines(notes: &[Note]) -> String {
    let lines: Vec<_> = notes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Something that is bound without a type, or not at all.
///
/// It prints as one line: the tool, the place in its schema, and what that means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The name of the tool, prompt or template.
    pub entry: String,
    /// The place in its schemas, such as `inputSchema/properties/city`; empty where it is about all.
    pub path: String,
    /// The reason, and the effect.
    pub text: String,
    /// True for a value that stays JSON; false for something that is left out.
    pub untyped: bool,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names come from the server: control characters stay on this line, and visible.
        let entry = self.entry.escape_debug();
        match self.path.as_str() {
            "" => write!(f, "`{entry}`: {}", self.text),
            path => write!(f, "`{entry}`, {}: {}", path.escape_debug(), self.text),
        }
    }
}
