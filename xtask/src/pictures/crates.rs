//! The diagram of the crates and their dependencies on each other.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::process::{Package, packages};

const BEGIN: &str = "<!-- The crates, by `cargo xtask pictures`. -->\n";
const END: &str = "<!-- The end of the crates. -->\n";

/// A crate, and one that it depends on.
type Edge = (String, String);

/// Makes the diagram of the published packages of the workspace at `root`.
pub(super) fn diagram(root: &Path) -> Result<String> {
    let packages = packages(root, "--no-deps")?;
    Ok(mermaid(&direct(&edges(&packages))))
}

fn edges(packages: &[Package]) -> BTreeSet<Edge> {
    let published = packages.iter().filter(|it| it.publish.is_none());
    let edges = published.flat_map(|package| {
        let folder = package.manifest_path.parent().and_then(name);
        let needed = package.dependencies.iter().filter(|it| it.kind.is_none());
        let needed = needed.filter_map(|it| name(it.path.as_deref()?));
        needed.filter_map(move |it| Some((folder.clone()?, it)))
    });
    edges.collect()
}

fn name(folder: &Path) -> Option<String> {
    Some(folder.file_name()?.to_string_lossy().into_owned())
}

/// Leaves out each dependency that another dependency brings along, which would be one more arrow
/// without news.
fn direct(edges: &BTreeSet<Edge>) -> BTreeSet<Edge> {
    let is_direct = |(from, to): &&Edge| {
        let mut others = edges.iter().filter(|(it, next)| it == from && next != to);
        !others.any(|(_, next)| reaches(edges, next, to))
    };
    edges.iter().filter(is_direct).cloned().collect()
}

fn reaches(edges: &BTreeSet<Edge>, from: &str, to: &str) -> bool {
    let mut next = edges.iter().filter(|(it, _)| it == from);
    next.any(|(_, next)| next == to || reaches(edges, next, to))
}

fn mermaid(edges: &BTreeSet<Edge>) -> String {
    let mut diagram = "```mermaid\ngraph TD\n".to_owned();
    for (from, to) in edges {
        let _ = writeln!(diagram, "    {from} --> {to}");
    }
    diagram + "```\n"
}

/// Replaces the diagram in a page.
pub(super) fn insert(page: &str, diagram: &str) -> Result<String> {
    let (before, rest) = page.split_once(BEGIN).context("the page has no diagram")?;
    let (_, after) = rest.split_once(END).context("the diagram has no end")?;
    Ok(format!("{before}{BEGIN}\n{diagram}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_show_what_nothing_else_brings() {
        let edge = |(from, to): (&str, &str)| (from.to_owned(), to.to_owned());
        let all = [
            ("a", "b"),
            ("b", "c"),
            ("a", "c"),
            ("c", "d"),
            ("a", "d"),
            ("e", "d"),
        ];
        assert_eq!(
            mermaid(&direct(&all.map(edge).into())),
            "```mermaid\ngraph TD\n    a --> b\n    b --> c\n    c --> d\n    e --> d\n```\n"
        );
    }

    #[test]
    fn a_diagram_is_replaced_in_its_place() {
        let page = format!("before\n{BEGIN}\nold\n{END}after\n");
        let new = insert(&page, "new\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\nnew\n\n{END}after\n"));
        assert_eq!(insert(&new, "new\n").unwrap(), new);
        assert!(insert("before", "new\n").is_err());
    }
}
