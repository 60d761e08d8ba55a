//! The links between documents.

use super::Violation;
use super::workspace::{File, Workspace};

const LINK: &str = "links lead somewhere: correct the path or the heading";

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let documents = workspace.files.values();
    for file in documents.filter(|file| file.path.ends_with(".md")) {
        for (line, target) in links(&file.text) {
            if !leads_somewhere(workspace, file, target) {
                violations.push(Violation::new(file, line, format!("`{target}`"), LINK));
            }
        }
    }
}

fn leads_somewhere(workspace: &Workspace, file: &File, target: &str) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { file.name() } else { path };
    joined(file.folder(), path).is_some_and(|path| match heading {
        "" => workspace.exists(&path),
        heading => {
            let document = workspace.files.get(&path);
            document.is_some_and(|it| headings(&it.text).any(|it| it == heading))
        }
    })
}

/// The path from the root; `None` where it leads out of the repository.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
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
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        // Odd parts are between backticks.
        let parts = line.split('`').step_by(2);
        let after = parts.flat_map(|part| part.split("](").skip(1));
        let targets = after.filter_map(|it| it.split_once(')')?.0.split_whitespace().next());
        targets.map(move |target| (number, target))
    })
}

/// Anchors of a document's headings.
fn headings(text: &str) -> impl Iterator<Item = String> {
    prose(text).filter_map(|(_, line)| {
        let title = line.strip_prefix('#')?.trim_start_matches('#').trim();
        let mut anchor = title.to_lowercase().replace(' ', "-");
        anchor.retain(|it| it.is_alphanumeric() || matches!(it, '-' | '_'));
        Some(anchor)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn paths_and_headings_are_followed() {
        let readme = "# A title: `x`\n\n[a](docs/a.md) [b](docs/a.md#how-to) [c](#a-title-x)\n\
            [d](https://example.org/x) [e](docs) [f](docs/a.md \"Title\")\n\
            ```md\n[g](nowhere.md)\n```\n`[h](nowhere.md)`\n";
        let other = "## How to\n[up](../README.md)\n";
        let files = [("README.md", readme), ("docs/a.md", other)];
        assert_eq!(places(check, &files), Vec::<String>::new());
    }

    #[test]
    fn dead_links_are_named() {
        let readme = "[a](docs/b.md)\n[b](docs/a.md#why) and [`c`](../out.md)\n";
        let files = [("README.md", readme), ("docs/a.md", "## How\n")];
        assert_eq!(
            places(check, &files),
            ["README.md:1", "README.md:2", "README.md:2"]
        );
    }
}
