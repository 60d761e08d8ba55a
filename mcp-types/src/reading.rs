//! Lenient reading of values from a peer: a malformed part does not spoil the rest of the value.
//!
//! Most values can be decoded unchanged. A value that can't be decoded, or that may have members of
//! another revision, is first copied without the parts that do not fit, as found with the table of
//! types.

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
    /// Path of the fault, such as `tools[3].inputSchema`; empty for the value itself.
    pub path: String,
    /// Name of the list entry that has the fault; the URI if the entry is a resource.
    pub entry: Option<String>,
    /// Description of the fault.
    pub reason: String,
    /// Path of the part that was left out because of the fault, such as `tools[3]`. Empty if nothing
    /// was left out.
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

/// Reads a value of the type called `name` in the form of `revision`, and returns it with the faults
/// that were found.
///
/// Members that the revision does not define are not decoded. Optional members that do not fit are
/// left out, and so are entries that do not fit in paginated and optional lists. An empty list in
/// place of an object is read as an empty object, because PHP writes empty objects this way. A lone
/// surrogate becomes U+FFFD, except in strings that later messages repeat, such as names, URIs and
/// cursors. The result of a tool may lack `content` if it has `structuredContent`.
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
/// When a required member is missing or does not fit, or when a member that decides the meaning of
/// the value does not fit: `isError`, `resultType`, `inputRequests` or `requestState`.
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
