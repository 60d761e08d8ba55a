//! What a peer has sent, read by one revision, so that an odd part spoils only itself.
//!
//! A value is decoded as it came, which is all that most values need. One that can't be decoded, or
//! that may have members of another revision, is written again without what does not fit. The table
//! of types guides this second way.

mod surrogates;
mod walk;

use std::fmt;

use serde::de::DeserializeOwned;

use crate::union::without_place;
use crate::{RawJsonRef, Revision};
pub use surrogates::well_formed;
use walk::Walk;

/// A part of a value that does not fit.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Misfit {
    /// Where the fault is, such as `tools[3].inputSchema`; empty for the value itself.
    pub path: String,
    /// The name of the entry of a list in which the fault is; that of a resource is its URI.
    pub entry: Option<String>,
    /// What is wrong there.
    pub reason: String,
    /// The part that was left out because of the fault, such as `tools[3]`; empty if nothing was.
    pub left_out: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.reason)?,
            path => write!(f, "{path}: {}", self.reason)?,
        }
        match &self.entry {
            Some(entry) => write!(f, " (`{entry}`)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Misfit {}

/// Reads a value of the type called `name` as `revision` has it. Returns what was left out as well.
///
/// Members that the revision does not have are the sender's own and not decoded. Optional members
/// that do not fit are left out, and so are the entries of a list that comes in pages, and of an
/// optional list. An empty list in place of an object is an empty object: PHP writes it so. A half of
/// a surrogate pair becomes U+FFFD, except in strings that later messages repeat, such as names,
/// URIs and cursors. A tool's result may lack `content` beside `structuredContent`.
///
/// ```
/// use mcp_types::{ListToolsResult, RawJsonRef, Revision, read};
///
/// let json = r#"{"tools": [{"name": "a"}, {"name": "b", "inputSchema": {}, "title": 5}]}"#;
/// let json = RawJsonRef::from_text(json).unwrap();
/// let (list, misfits) =
///     read::<ListToolsResult>(json, "ListToolsResult", Revision::V2025_06_18).unwrap();
/// assert_eq!(list.tools.len(), 1);
/// assert_eq!(misfits[0].to_string(), "tools[0].inputSchema: missing (`a`)");
/// assert_eq!(misfits[1].to_string(), "tools[1].title: must be a string, not a number (`b`)");
/// ```
///
/// # Errors
///
/// When a required member is missing or does not fit, or one that decides what the value means:
/// `isError`, `resultType`, `inputRequests` and `requestState`.
pub fn read<T: DeserializeOwned>(
    json: RawJsonRef<'_>,
    name: &str,
    revision: Revision,
) -> Result<(T, Vec<Misfit>), Misfit> {
    if let Ok(value) = json.parse()
        && !walk::may_be_foreign(json.get(), revision)
        && !surrogates::may_be_alone(json.get())
    {
        return Ok((value, Vec::new()));
    }
    let mut walk = Walk::new(revision);
    walk.value(json, name)?;
    match serde_json::from_str(&walk.text) {
        Ok(value) => Ok((value, walk.misfits)),
        Err(fault) => Err(walk.misfit(without_place::<serde_json::Error>(fault).to_string())),
    }
}
