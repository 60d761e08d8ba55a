//! Finds the name under which the user's package depends on the runtime.
//!
//! Cargo tells a macro only where the manifest is, so this module reads `Cargo.toml` itself.

use std::path::{Path, PathBuf};
use std::{env, fs};

use quote::format_ident;
use syn::parse_quote;

use crate::toml::{self, Entry};

/// The package that the generated code refers to.
const PACKAGE: &str = "mcp-runtime";

/// The path of the runtime in the package that is being compiled.
///
/// Returns `::mcp_runtime` if the package has no such dependency. A package that reaches the
/// runtime through another crate has to write `crate = …`.
pub(crate) fn runtime() -> syn::Path {
    let name = manifest().and_then(|manifest| name_in(&manifest));
    let name = name.unwrap_or_else(|| PACKAGE.to_owned());
    let name = format_ident!("{}", name.replace('-', "_"));
    parse_quote!(::#name)
}

fn manifest() -> Option<PathBuf> {
    let folder = env::var_os("CARGO_MANIFEST_DIR")?;
    Some(PathBuf::from(folder).join("Cargo.toml"))
}

/// The name of the dependency in `manifest`, or in the manifest of its workspace.
fn name_in(manifest: &Path) -> Option<String> {
    let entries = toml::entries(&fs::read_to_string(manifest).ok()?);
    let own: Vec<Dependency<'_>> = entries.iter().filter_map(Dependency::of).collect();
    let found = own.iter().find(|dependency| dependency.is_runtime());
    if let Some(found) = found {
        return Some(found.name.to_owned());
    }
    let inherited = |name: &str| {
        let mut inherited = own.iter().filter(|dependency| dependency.is_inherited());
        inherited.any(|dependency| dependency.name == name)
    };
    let shared = workspace(manifest, &entries)?;
    let shared = shared.iter().filter_map(Dependency::shared);
    let mut renamed = shared.filter(Dependency::is_runtime);
    let found = renamed.find(|dependency| inherited(dependency.name))?;
    Some(found.name.to_owned())
}

/// The entries of the manifest at the root of the workspace.
fn workspace(manifest: &Path, entries: &[Entry]) -> Option<Vec<Entry>> {
    let named = entries
        .iter()
        .find(|entry| entry.keys == ["package", "workspace"]);
    let folder = manifest.parent()?;
    let folder = named.map_or_else(|| folder.to_owned(), |entry| folder.join(&entry.value));
    folder.ancestors().find_map(|folder| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        let entries = toml::entries(&text);
        let is_root = entries.iter().any(|entry| entry.keys[0] == "workspace");
        is_root.then_some(entries)
    })
}

/// One entry of a manifest that describes a dependency.
struct Dependency<'a> {
    name: &'a str,
    /// The key below the name, such as `package`.
    detail: Option<&'a str>,
    value: &'a str,
}

impl<'a> Dependency<'a> {
    /// The dependency that `entry` describes, in any section of dependencies, also for one
    /// platform.
    fn of(entry: &'a Entry) -> Option<Self> {
        let keys = match entry.keys.as_slice() {
            [target, _, keys @ ..] if target == "target" => keys,
            keys => keys,
        };
        let (section, keys) = keys.split_first()?;
        ["dependencies", "dev-dependencies", "build-dependencies"]
            .contains(&section.as_str())
            .then(|| Self::at(keys, &entry.value))?
    }

    /// The dependency that `entry` describes in `[workspace.dependencies]`.
    fn shared(entry: &'a Entry) -> Option<Self> {
        match entry.keys.as_slice() {
            [workspace, section, keys @ ..]
                if workspace == "workspace" && section == "dependencies" =>
            {
                Self::at(keys, &entry.value)
            }
            _ => None,
        }
    }

    fn at(keys: &'a [String], value: &'a str) -> Option<Self> {
        let (name, rest) = keys.split_first()?;
        Some(Self {
            name,
            detail: rest.first().map(String::as_str),
            value,
        })
    }

    fn is_runtime(&self) -> bool {
        self.name == PACKAGE || (self.detail == Some("package") && self.value == PACKAGE)
    }

    fn is_inherited(&self) -> bool {
        self.detail == Some("workspace") && self.value == "true"
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::name_in;

    /// The name found in a package with the manifest `own` and a workspace with the manifest
    /// `shared`.
    fn name(own: &str, shared: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let member = folder.path().join("crates/member");
        fs::create_dir_all(&member).unwrap();
        fs::write(folder.path().join("Cargo.toml"), shared).unwrap();
        fs::write(member.join("Cargo.toml"), own).unwrap();
        name_in(&member.join("Cargo.toml"))
    }

    #[test]
    fn a_dependency_is_found_in_each_spelling() {
        let own = [
            "[dependencies]\nmcp = { version = \"1\", package = \"mcp-runtime\" }",
            "[dependencies.mcp]\npackage = 'mcp-runtime' # renamed",
            "[dependencies]\nserde = { features = [\n  \"derive\", # } ]\n] }\nmcp.package = \"mcp-runtime\"",
            "[dev-dependencies]\n\"mcp\" = {package=\"mcp-runtime\"}",
            "[target.'cfg(unix)'.dependencies]\nmcp = { package = \"mcp-runtime\" }",
        ];
        for own in own {
            assert_eq!(name(own, "").as_deref(), Some("mcp"), "{own}");
        }
    }

    #[test]
    fn a_dependency_may_keep_its_name() {
        for own in [
            "[dependencies]\nmcp-runtime = \"1\"",
            "[dependencies]\nmcp-runtime.workspace = true",
            "[dev-dependencies.mcp-runtime]\npath = \"..\"",
        ] {
            assert_eq!(name(own, "").as_deref(), Some("mcp-runtime"), "{own}");
        }
    }

    #[test]
    fn a_workspace_may_have_renamed_it_for_its_members() {
        let shared = "[workspace]\nmembers = [\"crates/*\"]\n\
            [workspace.dependencies]\nmcp = { package = \"mcp-runtime\", version = \"1\" }";
        let own = "[dependencies]\nmcp = { workspace = true, features = [] }";
        assert_eq!(name(own, shared).as_deref(), Some("mcp"));
        assert_eq!(name("[dependencies]\nother.workspace = true", shared), None);
    }

    #[test]
    fn a_package_without_it_has_no_name_for_it() {
        let own = "[package]\ndescription = \"\"\"\n[dependencies]\nmcp-runtime = 1\n\"\"\"";
        assert_eq!(name(own, ""), None);
    }
}
