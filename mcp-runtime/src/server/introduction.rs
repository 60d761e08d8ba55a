//! Instructions and experimental capabilities of a server, joined with those of its mounts.

use mcp_types::{JsonObject, OrderedMap};

use super::catalog::Registry;

/// The instructions of a server and its experimental capabilities, with those of the servers that
/// it mounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Introduction {
    /// Those without a prefix come first.
    sections: Vec<Section>,
    pub(super) experimental: Option<OrderedMap<JsonObject>>,
}

/// Instructions about what begins with a prefix; about everything, if that is empty.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    prefix: String,
    text: String,
}

impl Introduction {
    /// Sets the instructions of the server itself.
    pub(super) fn instruct(&mut self, text: String) {
        let prefix = String::new();
        self.sections = vec![Section { prefix, text }];
    }

    /// The introduction of a server, joined with those of the servers that it mounts.
    pub(super) fn joined(registry: &Registry) -> Self {
        let mut joined = registry.introduction.clone();
        for mount in &registry.mounts {
            let inner = mount.server.state.current();
            for section in &inner.introduction.sections {
                joined.sections.push(Section {
                    prefix: mount.namespace.name(&section.prefix),
                    text: section.text.clone(),
                });
            }
            for (name, settings) in inner.introduction.experimental.iter().flatten() {
                let experimental = joined.experimental.get_or_insert_default();
                if experimental.get(name).is_none() {
                    experimental.insert(name.clone(), settings.clone());
                }
            }
        }
        joined
            .sections
            .sort_by_key(|section| !section.prefix.is_empty());
        joined
    }

    /// The instructions, as clients get them. What has no prefix needs no heading.
    pub(super) fn instructions(&self) -> Option<String> {
        let mut all = String::new();
        let mut heading = "";
        for Section { prefix, text } in &self.sections {
            if !all.is_empty() {
                all.push_str("\n\n");
            }
            if prefix != heading {
                all.push_str(&format!("About what begins with `{prefix}`:\n"));
                heading = prefix;
            }
            all.push_str(text);
        }
        (!self.sections.is_empty()).then_some(all)
    }
}
