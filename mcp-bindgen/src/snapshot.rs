//! Snapshots of what a server lists.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::json::Member;
use crate::model::ir::Feature;

/// The parts of a server's lists that bindings use, read from the output of `mcp inspect --json`.
///
/// [`Display`](fmt::Display) writes the canonical form: JSON indented by two spaces, with a newline
/// at the end. Lists are sorted by name or URI template, while members of schemas keep the order in
/// which they were received. Listed resources and everything else that bindings do not use are left
/// out, because they may change at any time. The same server always gives the same bytes.
///
/// ```
/// use mcp_bindgen::Snapshot;
///
/// // The result of `tools/list` is a snapshot of a server without a name.
/// let snapshot = Snapshot::parse(br#"{"tools": [{"name": "b", "inputSchema": {}}, {"name": "a"}]}"#)?;
/// assert!(snapshot.to_string().find("\"a\"") < snapshot.to_string().find("\"b\""));
/// # Ok::<_, mcp_bindgen::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    #[serde(default)]
    pub(crate) server: Server,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<Entry>,
    #[serde(default)]
    pub(crate) prompts: Vec<Entry>,
    #[serde(default)]
    pub(crate) resource_templates: Vec<Entry>,
    /// The Rust names that earlier bindings have chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rust: Option<Names>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Server {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) version: String,
}

/// The members of entries that bindings use.
const KEPT: &str = "arguments description execution inputSchema name outputSchema title \
    uriTemplate";

/// Rust names by their names on the wire. Recorded names never change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Names {
    pub(crate) server: String,
    pub(crate) tools: IndexMap<String, String>,
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) prompts: IndexMap<String, String>,
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) resource_templates: IndexMap<String, String>,
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) types: IndexMap<String, TypeNames>,
}

impl Names {
    pub(crate) fn of(&self, feature: Feature) -> &IndexMap<String, String> {
        match feature {
            Feature::Tool => &self.tools,
            Feature::Prompt => &self.prompts,
            Feature::Template => &self.resource_templates,
        }
    }
}

/// The places of a type, and the names of its fields or variants in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct TypeNames {
    pub(crate) at: Vec<String>,
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) names: IndexMap<String, String>,
}

/// A tool, prompt or resource template.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct Entry(IndexMap<String, Member>);

impl Entry {
    pub(crate) fn get(&self, member: &str) -> Option<&Member> {
        self.0.get(member)
    }

    /// A member, if it could be parsed.
    pub(crate) fn json(&self, member: &str) -> Option<&Value> {
        match self.get(member)? {
            Member::Read(json) => Some(json),
            Member::Unread(_) => None,
        }
    }

    /// A string member, or an empty string if the member is missing or not a string.
    pub(crate) fn text(&self, member: &str) -> &str {
        let text = self.json(member).and_then(Value::as_str);
        text.unwrap_or_default()
    }
}

impl Snapshot {
    /// Parses a snapshot, or the result of `tools/list` (with or without the response around it).
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are neither, if an entry has no name, or if a name is listed
    /// twice.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Response {
            result: Option<Snapshot>,
        }

        let response: Response = serde_json::from_slice(bytes)?;
        let mut snapshot = match response.result {
            Some(result) => result,
            None => serde_json::from_slice(bytes)?,
        };
        let templates = &mut snapshot.resource_templates;
        let lists = [
            ("tools", "name", &mut snapshot.tools),
            ("prompts", "name", &mut snapshot.prompts),
            ("resourceTemplates", "uriTemplate", templates),
        ];
        for (list, member, entries) in lists {
            for entry in &mut *entries {
                entry.0.retain(|name, _| match name.as_str() {
                    "annotations" => list == "tools",
                    name => KEPT.split(' ').any(|it| it == name),
                });
                let name = entry.json(member).and_then(Value::as_str);
                name.ok_or(Error::Unnamed { list, member })?;
            }
            entries.sort_by(|a, b| a.text(member).cmp(b.text(member)));
            let mut pairs = entries.windows(2);
            if let Some(twice) = pairs.find(|it| it[0].text(member) == it[1].text(member)) {
                let name = twice[0].text(member).to_owned();
                return Err(Error::Twice { list, name });
            }
        }
        Ok(snapshot)
    }

    /// Adopts the Rust names recorded in `earlier`, so that bindings keep them.
    #[must_use]
    pub fn with_names_of(mut self, earlier: &Self) -> Self {
        self.rust.clone_from(&earlier.rust);
        self
    }

    /// Returns the name and version that the server reports.
    #[must_use]
    pub fn server(&self) -> (&str, &str) {
        (&self.server.name, &self.server.version)
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string_pretty(self).map_err(|_| fmt::Error)?;
        writeln!(f, "{json}")
    }
}
