//! Checks the links between documents, and the files that documents show.

use super::Violation;
use super::circles::reachable;
use super::workspace::{File, Workspace};

const LINK: &str = "links lead somewhere: correct the path or the heading";
const REACHABLE: &str =
    "each document is reachable from docs/README.md: link it there, or from a page that is";

const SHOWN: &str = "the block after `<!-- file: … -->` shows this file: copy the file into it";
const HIDDEN: &str =
    "a forge shows hidden lines of programs: write a complete program, or leave the line out";
const FEATURES: &str =
    "each of the 48 features has a row in order, with links to a heading and to an example";
const BOTH: &str =
    "pages of rustdoc link by labels, which are defined at their end and in links.txt";

/// The pages that are part of the runtime's rustdoc.
const RUSTDOC_PAGES: &str = "mcp-runtime/docs";

/// The page from which all other documents are reachable.
const INDEX: &str = "docs/README.md";

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in documents(workspace) {
        let mut object = |line: usize, found: &str, rule| {
            violations.push(Violation::new(file, line, format!("`{found}`"), rule));
        };
        for (line, target) in links(&file.text) {
            if !leads_somewhere(workspace, file, target) {
                object(line, target, LINK);
            }
        }
        for (line, path, block) in shown(&file.text) {
            let file_shown = workspace.files.get(path);
            if file_shown.is_none_or(|shown| shown.text != block) {
                object(line, path, SHOWN);
            }
        }
        if file.folder().ends_with("docs") {
            for (line, text) in hidden_lines(&file.text) {
                object(line, text, HIDDEN);
            }
        }
        if file.folder() == RUSTDOC_PAGES {
            check_rustdoc_page(workspace, file, violations);
        }
    }
    if let Some(features) = workspace.files.get("docs/features.md") {
        check_features(features, violations);
    }
    // If there is no index, the links to it are reported above.
    if workspace.files.contains_key(INDEX) {
        check_reachable(workspace, violations);
    }
}

fn check_reachable(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let linked = documents(workspace).map(|file| {
        let linked = links(&file.text).filter_map(|(_, target)| document(workspace, file, target));
        (
            file.path.as_str(),
            linked.map(|it| it.path.as_str()).collect(),
        )
    });
    let reachable = reachable(&linked.collect(), INDEX);
    for file in documents(workspace).filter(|file| !is_fixture(file)) {
        if file.path != INDEX && !reachable.contains(file.path.as_str()) {
            let found = format!("`{}` is not reachable", file.path);
            violations.push(Violation::new(file, 1, found, REACHABLE));
        }
    }
}

/// Checks the labels of a page that is shown both on a forge, where links lead to files, and in rustdoc,
/// where they lead to items. Rustdoc includes `links.txt` before the page, and the first definition of a
/// label wins.
fn check_rustdoc_page(workspace: &Workspace, page: &File, violations: &mut Vec<Violation>) {
    let items = workspace.files.get(&format!("{RUSTDOC_PAGES}/links.txt"));
    let items = items.map_or("", |items| &items.text);
    let is_item = |label: &str| definitions(items).any(|(_, other, _)| other == label);
    for (line, label, _) in definitions(&page.text) {
        if !is_item(label) {
            violations.push(Violation::new(page, line, format!("`[{label}]`"), BOTH));
        }
    }
    for (line, target) in inline_links(&page.text) {
        if !target.contains("://") {
            violations.push(Violation::new(page, line, format!("`({target})`"), BOTH));
        }
    }
}

/// Checks the list of features that the audit of official SDKs requires: 48 rows
/// `| 1 | feature | heading | example |`.
fn check_features(file: &File, violations: &mut Vec<Violation>) {
    let mut expected = 1;
    for (line, text) in prose(&file.text) {
        let cells: Vec<_> = text.split('|').map(str::trim).collect();
        let Some(number) = cells.get(1).and_then(|cell| cell.parse::<usize>().ok()) else {
            continue;
        };
        let is_link = |cell: usize| cells.get(cell).is_some_and(|it| it.contains("]("));
        let is_heading = cells.get(3).is_some_and(|it| it.contains('#'));
        if number != expected || !is_link(3) || !is_heading || !is_link(4) {
            violations.push(Violation::new(
                file,
                line,
                format!("row {number}"),
                FEATURES,
            ));
        }
        expected = number + 1;
    }
    if expected != 49 {
        let found = format!("{} rows", expected - 1);
        violations.push(Violation::new(file, 1, found, FEATURES));
    }
}

fn documents(workspace: &Workspace) -> impl Iterator<Item = &File> {
    let files = workspace.files.values();
    files.filter(|file| file.path.ends_with(".md"))
}

/// Returns true for documents that only tests read.
fn is_fixture(file: &File) -> bool {
    file.folder().split('/').any(|folder| folder == "tests")
}

/// Returns the document that a link leads to. A link to a folder leads to its `README.md`.
fn document<'a>(workspace: &'a Workspace, file: &File, target: &str) -> Option<&'a File> {
    let (path, _) = split(file, target)?;
    let path = joined(file.folder(), path)?;
    let paths = [format!("{path}/README.md"), path];
    let mut found = paths.iter().filter_map(|path| workspace.files.get(path));
    found.find(|file| file.path.ends_with(".md"))
}

fn leads_somewhere(workspace: &Workspace, file: &File, target: &str) -> bool {
    let Some((path, heading)) = split(file, target) else {
        return true;
    };
    joined(file.folder(), path).is_some_and(|path| match heading {
        "" => workspace.exists(&path),
        heading => {
            let document = workspace.files.get(&path);
            document.is_some_and(|it| headings(&it.text).any(|it| it == heading))
        }
    })
}

/// Splits a link into path and heading; `None` if the link leads out of the repository.
fn split<'a>(file: &'a File, target: &'a str) -> Option<(&'a str, &'a str)> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    Some((if path.is_empty() { file.name() } else { path }, heading))
}

/// Returns the path from the root; `None` if the path leads out of the repository.
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

/// Returns the lines outside of code blocks, with their numbers from 1.
pub(super) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let outside = lines(text).filter(|(_, language, _)| language.is_none());
    outside.map(|(number, _, line)| (number, line))
}

/// Returns the lines except fences, with their numbers from 1 and the language of the code block.
fn lines(text: &str) -> impl Iterator<Item = (usize, Option<&str>, &str)> {
    let mut language = None;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            language = language.is_none().then_some(fence);
            return None;
        }
        Some((number, language, line))
    })
}

/// Returns the targets of links outside of code.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let definitions = definitions(text).map(|(number, _, target)| (number, target));
    inline_links(text).chain(definitions)
}

/// Returns the targets of `[text](target)` outside of code.
fn inline_links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        // Odd parts are between backticks.
        let parts = line.split('`').step_by(2);
        let after = parts.flat_map(|part| part.split("](").skip(1));
        let targets = after.filter_map(|it| it.split_once(')')?.0.split_whitespace().next());
        targets.map(move |target| (number, target))
    })
}

/// Returns the labels and targets of the lines `[label]: target`.
fn definitions(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    prose(text).filter_map(|(number, line)| {
        let (label, target) = line.strip_prefix('[')?.split_once("]: ")?;
        Some((number, label, target.trim()))
    })
}

/// Returns the lines of Rust programs that rustdoc hides.
fn hidden_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let rust = lines(text).filter(|it| it.1.is_some_and(|language| language.starts_with("rust")));
    rust.filter(|(.., line)| *line == "#" || line.starts_with("# "))
        .map(|(number, _, line)| (number, line))
}

/// Returns the paths of files that a document shows, each with its code block.
fn shown(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let place = |offset: usize| text[..offset].lines().count() + 1;
    text.match_indices("<!-- file: ")
        .filter_map(move |(start, marker)| {
            let (path, rest) = text[start + marker.len()..].split_once(" -->\n```")?;
            let (_, code) = rest.split_once('\n')?;
            let (block, _) = code.split_once("```")?;
            Some((place(start), path, block))
        })
}

/// Returns the anchors of a document's headings.
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

    #[test]
    fn documents_that_no_link_leads_to_are_named() {
        let files = [
            (
                "docs/README.md",
                "[a](a.md) [crate](../lib) [nothing](../src)\n",
            ),
            ("docs/a.md", "[b](b.md#b)\n"),
            ("docs/b.md", "# B\n[back](README.md)\n"),
            ("docs/lost.md", "[a](a.md)\n"),
            ("lib/README.md", ""),
            ("lib/docs/lost.md", "`[c](../../docs/a.md)`\n"),
            ("lib/tests/data.md", ""),
            ("src/main.rs", ""),
        ];
        assert_eq!(
            places(check, &files),
            ["docs/lost.md:1", "lib/docs/lost.md:1"]
        );
    }

    #[test]
    fn pages_of_rustdoc_link_by_labels() {
        let page =
            "[a] and [b](b.md), [c](https://example.org)\n\n[a]: b.md\n[d]: b.md\n[e]: lost.md\n";
        let files = [
            ("mcp-runtime/docs/a.md", page),
            ("mcp-runtime/docs/b.md", ""),
            (
                "mcp-runtime/docs/links.txt",
                "[a]: crate::a\n[e]: crate::e\n",
            ),
        ];
        let expected = ["a.md:5", "a.md:4", "a.md:1"].map(|it| format!("mcp-runtime/docs/{it}"));
        assert_eq!(places(check, &files), expected);
    }

    #[test]
    fn files_are_shown_as_they_are() {
        let page = "# A\n\n<!-- file: a.rs -->\n```rust\nfn a() {}\n```\n\n<!-- file: b.rs -->\n```\nfn a() {}\n```\n\
                    <!-- file: c.rs -->\n```\nfn a() {}\n```\n";
        let files = [
            ("a.md", page),
            ("a.rs", "fn a() {}\n"),
            ("b.rs", "fn b() {}\n"),
        ];
        assert_eq!(places(check, &files), ["a.md:8", "a.md:12"]);
    }

    #[test]
    fn each_feature_has_a_heading_and_an_example() {
        let row = |number: usize| format!("| {number} | x | [a](#a) | [b](b.rs) |\n");
        let mut rows: Vec<String> = (1..=48).map(row).collect();
        let text = |rows: &[String]| format!("# A\n{}", rows.concat());
        let places = |text: &str| places(check, &[("docs/features.md", text), ("docs/b.rs", "")]);
        assert_eq!(places(&text(&rows)), Vec::<String>::new());
        rows[9] = "| 10 | x | [a](b.rs) | [b](b.rs) |\n".to_owned();
        rows[19] = "| 20 | x | [a](#a) | |\n".to_owned();
        rows.truncate(47);
        let expected = [
            "docs/features.md:11",
            "docs/features.md:21",
            "docs/features.md:1",
        ];
        assert_eq!(places(&text(&rows)), expected);
    }

    #[test]
    fn hidden_lines_are_named() {
        let page =
            "# A\n```rust\n# use a;\n#[b]\n```\n```sh\n# c\n```\n```rust,no_run\n#\n```\n# D\n";
        assert_eq!(
            places(check, &[("docs/a.md", page)]),
            ["docs/a.md:3", "docs/a.md:10"]
        );
    }
}
