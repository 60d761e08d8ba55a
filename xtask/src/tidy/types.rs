//! Requires unique names of types in the whole runtime, to avoid confusion of types.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::{Attribute, Item};

use super::Violation;
use super::workspace::Workspace;

const RULE: &str = "names of types are unique in the runtime: give this type a more specific name";

/// Files whose types replace the types of another file, depending on platform or feature.
const REPLACEMENTS: &[&str] = &[
    "mcp-runtime/src/server/input/stored.rs",
    "mcp-runtime/src/transport/child_process/windows.rs",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let mut known = HashMap::new();
    for file in workspace.sources() {
        let path = file.path.as_str();
        if !path.starts_with("mcp-runtime/src/") || REPLACEMENTS.contains(&path) {
            continue;
        }
        for name in file.items.iter().filter_map(type_name) {
            if let Some(other) = known.insert(name.to_string(), path) {
                let found = format!("`{name}` is also in {other}");
                let line = name.span().start().line;
                violations.push(Violation::new(file, line, found, RULE));
            }
        }
    }
}

/// Returns the name of a type or trait that every build has.
fn type_name(item: &Item) -> Option<&Ident> {
    let (attributes, name) = match item {
        Item::Struct(item) => (&item.attrs, &item.ident),
        Item::Enum(item) => (&item.attrs, &item.ident),
        Item::Trait(item) => (&item.attrs, &item.ident),
        _ => return None,
    };
    let is_cfg = |it: &Attribute| it.path().is_ident("cfg");
    (!attributes.iter().any(is_cfg)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

    #[test]
    fn a_name_means_one_type() {
        let files = [
            ("mcp-runtime/src/a.rs", "struct State;\nenum Step {}\n"),
            ("mcp-runtime/src/b.rs", "\ntrait State {}\n"),
            (
                "mcp-runtime/src/c.rs",
                "#[cfg(unix)]\nstruct Step;\n#[cfg(not(unix))]\nstruct Step;\n",
            ),
            ("mcp-runtime/src/d/tests.rs", "struct State;\n"),
            ("mcp-auth/src/a.rs", "struct State;\n"),
        ];
        assert_eq!(places(check, &files), ["mcp-runtime/src/b.rs:2"]);
    }
}
