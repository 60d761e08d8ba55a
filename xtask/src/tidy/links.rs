//! The documents that a reader expects, and the links between documents.

use super::violation::{Rule, Violation};
use super::workspace::{File, Workspace};

const LINK: Rule = Rule {
    name: "links lead somewhere",
    mend: "correct the path or the heading",
};

const PRESENT: Rule = Rule {
    name: "the usual documents are there",
    mend: "write it",
};

const DOCUMENTS: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for path in DOCUMENTS
        .iter()
        .filter(|path| workspace.get(path).is_none())
    {
        violations.push(PRESENT.broken_at(path, 1, "missing"));
    }
    let documents = workspace.files().iter();
    for file in documents.filter(|file| file.has_extension("md")) {
        for (line, target) in links(&file.text) {
            if !leads_somewhere(workspace, file, target) {
                violations.push(LINK.broken(file, line, format!("`{target}`")));
            }
        }
    }
}

fn leads_somewhere(workspace: &Workspace, file: &File, target: &str) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let (path, heading) = match target.split_once('#') {
        Some((path, heading)) => (path, Some(heading)),
        None => (target, None),
    };
    let Some(path) = joined(file, path) else {
        return false;
    };
    match heading {
        Some(heading) => workspace
            .get(&path)
            .is_some_and(|document| headings(&document.text).any(|it| it == heading)),
        None => workspace.exists(&path),
    }
}

/// The path from the root; `None` where it leads out of the repository.
pub(super) fn joined(file: &File, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(file.path.clone());
    }
    let mut parts: Vec<&str> = file
        .folder()
        .split('/')
        .filter(|it| !it.is_empty())
        .collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Lines outside code blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        (!in_code && !fence).then_some((index + 1, line))
    })
}

/// Targets of `[text](target)`, outside code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        // Odd parts are between backticks.
        for part in line.split('`').step_by(2).collect::<Vec<_>>() {
            let mut rest = part;
            while let Some((_, after)) = rest.split_once("](") {
                let Some((target, after)) = after.split_once(')') else {
                    break;
                };
                let target = target.split_whitespace().next().unwrap_or_default();
                found.push((number, target));
                rest = after;
            }
        }
    }
    found
}

/// Anchors of a document's headings.
fn headings(text: &str) -> impl Iterator<Item = String> {
    prose(text).filter_map(|(_, line)| {
        let title = line.strip_prefix('#')?.trim_start_matches('#').trim();
        let letters = title.to_lowercase();
        let letters = letters.chars().filter_map(|it| match it {
            ' ' => Some('-'),
            it if it.is_alphanumeric() || matches!(it, '-' | '_') => Some(it),
            _ => None,
        });
        Some(letters.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::{DOCUMENTS, check};

    /// The usual documents without text, and `files`.
    fn documents(files: &[(&'static str, &'static str)]) -> Vec<String> {
        let others = DOCUMENTS.iter().map(|path| (*path, ""));
        let others = others.filter(|(path, _)| files.iter().all(|(it, _)| it != path));
        places(
            check,
            &others.chain(files.iter().copied()).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn each_missing_document_is_named() {
        assert!(documents(&[]).is_empty());
        assert_eq!(places(check, &[]).len(), DOCUMENTS.len());
    }

    #[test]
    fn paths_and_headings_are_followed() {
        let readme = "# A title: `x`\n\n[a](docs/a.md) [b](docs/a.md#how-to) [c](#a-title-x)\n\
            [d](https://example.org/x) [e](docs) [f](docs/a.md \"Title\")\n\
            ```md\n[g](nowhere.md)\n```\n`[h](nowhere.md)`\n";
        let other = "## How to\n[up](../README.md)\n";
        let files = [("README.md", readme), ("docs/a.md", other)];
        assert_eq!(documents(&files), Vec::<String>::new());
    }

    #[test]
    fn dead_links_are_named() {
        let readme = "[a](docs/b.md)\n[b](docs/a.md#why) and [`c`](../out.md)\n";
        let files = [("README.md", readme), ("docs/a.md", "## How\n")];
        assert_eq!(
            documents(&files),
            ["README.md:1", "README.md:2", "README.md:2"]
        );
    }
}
