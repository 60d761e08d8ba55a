//! Errors, and notes about what is bound without a type or not at all.

use std::fmt;

/// The reason why no bindings are generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is neither a snapshot nor the result of `tools/list`.
    #[error("the snapshot can't be read: {0}; create it with `mcp inspect --json`")]
    Snapshot(#[from] serde_json::Error),
    /// An entry lacks its name or URI, or the value is not a string.
    #[error("the snapshot can't be read: an entry of `{list}` has no string `{member}`")]
    Unnamed {
        /// The name of the list.
        list: &'static str,
        /// The member that identifies an entry.
        member: &'static str,
    },
    /// The server lists a name or URI twice, so calls would be ambiguous.
    #[error("the server lists `{name}` twice in `{list}`; ask its author to name them differently")]
    Twice {
        /// The name of the list.
        list: &'static str,
        /// The repeated name or URI.
        name: String,
    },
    /// An option names a tool that the server does not list.
    #[error("the server lists no tool `{0}`; check the spelling, or list the tools again")]
    UnknownTool(String),
    /// An option contains a string that is not the path of a Rust type.
    #[error("`{0}` is not the path of a Rust type")]
    Path(String),
    /// Values stay untyped although [`strict`](crate::Bindings::strict) bindings were requested.
    #[error("{}", lines(.0))]
    Untyped(Vec<Note>),
    /// The generated code does not parse, which is a bug in this crate.
    #[error("the generated code does not parse: {0}; this is a bug in mcp-bindgen")]
    Syntax(#[from] syn::Error),
}

fn lines(notes: &[Note]) -> String {
    let lines: Vec<_> = notes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// A part of a server that is bound without a type, or not at all.
///
/// [`Display`](fmt::Display) writes one line: the tool, the place in its schemas, and the effect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The name of the tool, prompt or template.
    pub entry: String,
    /// The place in its schemas, such as `inputSchema/properties/city`. Empty if the note is about
    /// the whole entry.
    pub path: String,
    /// The reason, and the effect.
    pub text: String,
    /// True for a value that stays JSON; false for something that is left out.
    pub untyped: bool,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names come from the server. Escaping keeps control characters visible, and on this line.
        let entry = self.entry.escape_debug();
        match self.path.as_str() {
            "" => write!(f, "`{entry}`: {}", self.text),
            path => write!(f, "`{entry}`, {}: {}", path.escape_debug(), self.text),
        }
    }
}
