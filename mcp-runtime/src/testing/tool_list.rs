//! The tools of a server as text.

use crate::Server;

/// The tools that a server offers, as formatted JSON, for snapshots of what models see.
///
/// Includes tools that are shown to some callers only, and those of mounted servers. The tools are
/// in the order of their list, and the members of objects are sorted.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::testing;
///
/// struct Clock;
///
/// #[mcp_server]
/// impl Clock {
///     /// Returns the seconds since 1970.
///     #[tool]
///     fn now(&self) -> String {
///         "0".to_owned()
///     }
/// }
///
/// // With insta: `insta::assert_snapshot!(testing::tool_list(Clock))`.
/// assert_eq!(
///     testing::tool_list(Clock),
///     r#"[
///   {
///     "description": "Returns the seconds since 1970.",
///     "inputSchema": {
///       "additionalProperties": false,
///       "properties": {},
///       "type": "object"
///     },
///     "name": "now"
///   }
/// ]"#,
/// );
/// ```
#[must_use]
pub fn tool_list(server: impl Into<Server>) -> String {
    let tools = serde_json::to_value(server.into().tools());
    let text = tools.and_then(|mut tools| {
        tools.sort_all_objects();
        serde_json::to_string_pretty(&tools)
    });
    // The types of the protocol always have a JSON form.
    text.unwrap_or_else(|error| error.to_string())
}
