//! A table of wrong and hostile directories.

use std::os::unix::net::UnixListener;

use super::{ANCHOR, Expected, LARGE, LINK, OTHER, RENAME, Tree, skill_md};
use crate::skills::server::Skills;
use crate::skills::server::assemble::tests::difference;

/// A title, what is done to a tree with the skill `a`, and what must be reported.
type Row = (&'static str, fn(&Tree), &'static [Expected<'static>]);

const TREES: &[Row] = &[
    (
        "link to a file",
        |tree| tree.link("a/x", "../outside/secret.md"),
        &[("a/x", 0, LINK)],
    ),
    (
        "link within the skill",
        |tree| tree.link("a/x", "a/SKILL.md"),
        &[("a/x", 0, LINK)],
    ),
    (
        "link to a folder",
        |tree| tree.link("a/x", "../outside"),
        &[("a/x", 0, LINK)],
    ),
    (
        "link in a loop",
        |tree| tree.link("a/x/y", "a"),
        &[("a/x/y", 0, LINK)],
    ),
    (
        "link to nothing",
        |tree| tree.link("a/x", "nothing"),
        &[("a/x", 0, LINK)],
    ),
    (
        "link to itself",
        |tree| tree.link("a/x", "a/x"),
        &[("a/x", 0, LINK)],
    ),
    (
        "link as SKILL.md",
        |tree| tree.link("b/SKILL.md", "../outside/SKILL.md"),
        &[("b/SKILL.md", 0, LINK)],
    ),
    (
        "link in a nested skill",
        |tree| {
            tree.skill("a/b");
            tree.link("a/b/x", "../outside");
        },
        &[("a/b/x", 0, LINK)],
    ),
    ("FIFO", |tree| tree.fifo("a/x"), &[("a/x", 0, OTHER)]),
    (
        "FIFO as SKILL.md",
        |tree| tree.fifo("b/SKILL.md"),
        &[("b/SKILL.md", 0, OTHER)],
    ),
    (
        "socket",
        |tree| drop(UnixListener::bind(tree.at("a/x")).unwrap()),
        &[("a/x", 0, OTHER)],
    ),
    (
        "lower case",
        |tree| tree.file("b/skill.md", ""),
        &[("b/skill.md", 0, RENAME)],
    ),
    (
        "title case",
        |tree| tree.file("b/Skill.md", ""),
        &[("b/Skill.md", 0, RENAME)],
    ),
    (
        "nested lower case",
        |tree| tree.file("a/b/skill.md", ""),
        &[("a/b/skill.md", 0, RENAME)],
    ),
    (
        "SKILL.md in the root",
        |tree| tree.file("SKILL.md", &skill_md("root")),
        &[("SKILL.md", 0, "move the file into a folder")],
    ),
    (
        "skill.md in the root",
        |tree| tree.file("skill.md", ""),
        &[("skill.md", 0, "move the file into a folder")],
    ),
    (
        "a folder SKILL.md",
        |tree| tree.file("b/SKILL.md/x", ""),
        &[("b/SKILL.md", 0, "it must be a file")],
    ),
    (
        "backslash",
        |tree| tree.file("a/x\\y", ""),
        &[("a/x\\y", 0, "separate folders with `/`")],
    ),
    (
        "two lines",
        |tree| tree.file("a/x\ny", ""),
        &[("a/x\ny", 0, "control characters")],
    ),
    (
        "a drive",
        |tree| tree.file("a/c:", ""),
        &[("a/c:", 0, "no drive")],
    ),
    (
        "16 MiB and a byte",
        |tree| tree.sized("a/x", (16 << 20) + 1),
        &[("a/x", 0, LARGE)],
    ),
    (
        "16 MiB besides SKILL.md",
        |tree| tree.sized("a/x", 16 << 20),
        &[("a/x", 0, LARGE)],
    ),
    (
        "16 MiB in nested skills",
        |tree| {
            tree.skill("a/b");
            tree.sized("a/b/x", 8 << 20);
            tree.sized("a/c/y", 8 << 20);
        },
        &[("a/c/y", 0, LARGE)],
    ),
    (
        "1 TiB",
        |tree| tree.sized("a/x", 1 << 40),
        &[("a/x", 0, LARGE)],
    ),
    (
        "1 TiB as SKILL.md",
        |tree| tree.sized("b/SKILL.md", 1 << 40),
        &[("b/SKILL.md", 0, LARGE)],
    ),
    (
        "513 files",
        |tree| {
            (1..=512).for_each(|it| tree.file(&format!("a/x{it:03}"), ""));
        },
        &[("a/x512", 0, LARGE)],
    ),
    (
        "513 files in nested skills",
        |tree| {
            tree.skill("a/b");
            (1..=511).for_each(|it| tree.file(&format!("a/b/x{it:03}"), ""));
        },
        &[("a/b/x511", 0, LARGE)],
    ),
    (
        "no front matter",
        |tree| tree.file("b/SKILL.md", "# B"),
        &[("b/SKILL.md", 1, "must begin with a line `---`")],
    ),
    (
        "empty",
        |tree| tree.file("b/SKILL.md", ""),
        &[("b/SKILL.md", 1, "must begin with a line `---`")],
    ),
    (
        "another name",
        |tree| tree.file("b/SKILL.md", &skill_md("c")),
        &[("b/SKILL.md", 2, "`b`")],
    ),
    (
        "another name of a nested skill",
        |tree| tree.file("a/b/SKILL.md", &skill_md("a")),
        &[("a/b/SKILL.md", 2, "`b`")],
    ),
    (
        "no end",
        |tree| tree.file("b/SKILL.md", "---\nname: b\n"),
        &[("b/SKILL.md", 2, "has no end")],
    ),
    (
        "not UTF-8",
        |tree| tree.bytes("b/SKILL.md", b"---\nname: b\xff\n---\n"),
        &[("b/SKILL.md", 2, "not UTF-8")],
    ),
    (
        "no fields",
        |tree| tree.front_matter("b", ""),
        &[("b/SKILL.md", 2, "has no fields")],
    ),
    (
        "no description",
        |tree| tree.front_matter("b", "name: b"),
        &[("b/SKILL.md", 1, "`description` is missing")],
    ),
    (
        "no name",
        |tree| tree.front_matter("b", "description: x"),
        &[("b/SKILL.md", 1, "`name` is missing")],
    ),
    (
        "a long description",
        |tree| {
            tree.front_matter("b", &format!("name: b\ndescription: {}", "x".repeat(1025)));
        },
        &[("b/SKILL.md", 3, "1024 characters")],
    ),
    (
        "a number as a name",
        |tree| tree.front_matter("1", "name: 1\ndescription: x"),
        &[("1/SKILL.md", 2, "`name` must be a string")],
    ),
    (
        "an upper-case name",
        |tree| tree.front_matter("B", "name: B\ndescription: x"),
        &[("B/SKILL.md", 2, "a-z, 0-9 and single hyphens")],
    ),
    (
        "metadata that is a list",
        |tree| {
            tree.front_matter("b", "name: b\ndescription: x\nmetadata:\n  version: 1\n");
        },
        &[("b/SKILL.md", 5, "`metadata.version` must be a string")],
    ),
    (
        "a repeated key",
        |tree| {
            tree.front_matter("b", "name: b\ndescription: x\nname: b");
        },
        &[("b/SKILL.md", 4, "this key is repeated")],
    ),
    (
        "a tag",
        |tree| tree.front_matter("b", "name: !!str b\ndescription: x"),
        &[("b/SKILL.md", 2, "tags, anchors")],
    ),
    (
        "an anchor and an alias",
        |tree| tree.front_matter("b", "name: &x b\ndescription: *x"),
        &[("b/SKILL.md", 2, ANCHOR), ("b/SKILL.md", 3, ANCHOR)],
    ),
    (
        "20,000 lists in each other",
        |tree| {
            tree.front_matter(
                "b",
                &format!("name: b\ndescription: {}", "[".repeat(20_000)),
            );
        },
        &[("b/SKILL.md", 3, "more than 32 levels")],
    ),
];

#[test]
fn wrong_trees_are_refused_with_the_file_and_the_line() {
    let differences = TREES.iter().filter_map(|(title, prepare, expected)| {
        let tree = Tree::new();
        prepare(&tree);
        difference(title, Skills::directory(tree.root()), expected)
    });
    let differences: Vec<_> = differences.collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
