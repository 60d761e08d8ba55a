use std::collections::BTreeSet;
use std::iter::repeat_n;
use std::sync::Arc;

use super::{PublishedSkill, assemble};
use crate::skills::server::{Finding, LoadError, Skills};
use crate::skills::types::Digest;

/// A fault that a test expects: the file, the line or 0, and a part of the text.
pub(in crate::skills::server) type Expected<'a> = (&'a str, usize, &'a str);

/// Returns a message unless exactly these faults are reported, in this order, with a line for each.
pub(in crate::skills::server) fn difference<T>(
    title: &str,
    loaded: Result<T, LoadError>,
    expected: &[Expected<'_>],
) -> Option<String> {
    let Err(error) = loaded else {
        return Some(format!("{title}: it was loaded\nexpected: {expected:?}"));
    };
    let is_same = |(fault, (file, line, text)): (&Finding, &Expected<'_>)| {
        fault.file == *file && fault.line.unwrap_or(0) == *line && fault.text.contains(text)
    };
    let lines = [error.faults.len(), error.to_string().lines().count()];
    let is_as_expected =
        lines == [expected.len(); 2] && error.faults.iter().zip(expected).all(is_same);
    (!is_as_expected).then(|| format!("{title}: {error}\nexpected: {expected:?}"))
}

#[track_caller]
pub(in crate::skills::server) fn assert_faults<T>(
    title: &str,
    loaded: Result<T, LoadError>,
    expected: &[Expected<'_>],
) {
    if let Some(difference) = difference(title, loaded, expected) {
        panic!("{difference}");
    }
}

/// Returns a valid `SKILL.md`.
pub(in crate::skills::server) fn skill_md(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does something\n---\nDo it.\n")
}

fn load<'a>(
    files: impl IntoIterator<Item = (&'a str, Vec<u8>)>,
) -> Result<Vec<PublishedSkill>, LoadError> {
    let files = files
        .into_iter()
        .map(|(path, bytes)| (path.to_owned(), Arc::from(bytes)));
    assemble(files, &BTreeSet::new())
}

/// Returns files with these paths. Each `SKILL.md` is valid, and all other files are empty.
fn files<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<(&'a str, Vec<u8>)> {
    let file = |path: &'a str| {
        let folder = path.strip_suffix("/SKILL.md");
        let name = folder.map(|it| it.rsplit('/').next().unwrap());
        (path, name.map(skill_md).unwrap_or_default().into())
    };
    paths.into_iter().map(file).collect()
}

#[test]
fn a_skill_has_the_files_of_its_folder_and_of_nested_skills() {
    let skills = load(files([
        "b/SKILL.md",
        "a-c/SKILL.md",
        "a/x/inner/SKILL.md",
        "a/x/inner/data.bin",
        "a/SKILL.md",
        "a/notes.md",
    ]))
    .unwrap();
    let described: Vec<_> = skills
        .iter()
        .map(|skill| {
            let files = skill.files.iter().map(|file| &*file.path);
            (&*skill.path, files.collect::<Vec<_>>().join(" "))
        })
        .collect();
    let expected = [
        ("a", "SKILL.md notes.md x/inner/SKILL.md x/inner/data.bin"),
        ("a-c", "SKILL.md"),
        ("a/x/inner", "SKILL.md data.bin"),
        ("b", "SKILL.md"),
    ];
    assert_eq!(
        described,
        expected.map(|(path, files)| (path, files.to_owned()))
    );
    assert!(Arc::ptr_eq(
        &skills[0].files[2].bytes,
        &skills[2].files[0].bytes
    ));
    for file in skills.iter().flat_map(|skill| skill.files.iter()) {
        assert_eq!(file.digest, Digest::of(&file.bytes));
    }
    assert_eq!(skills[2].fields["name"], "inner");
}

#[test]
fn a_skill_has_the_warnings_about_its_own_front_matter() {
    let warned = "---\nname: b\ndescription: x\nreviewed: yes\n---\n";
    let skills = load([
        ("a/SKILL.md", skill_md("a").into_bytes()),
        ("a/b/SKILL.md", warned.into()),
    ]);
    let skills = skills.unwrap();
    assert!(skills[0].warnings.is_empty());
    let [warning] = &*skills[1].warnings else {
        panic!("{:?}", skills[1].warnings);
    };
    assert_eq!((&*warning.file, warning.line), ("a/b/SKILL.md", Some(4)));
    assert!(warning.text.contains("FastMCP"), "{warning}");
}

#[test]
fn only_the_skills_that_are_named_are_dynamic() {
    let files = ["a/SKILL.md", "a/b/SKILL.md"];
    let files = files.map(|path| {
        let name = path.split('/').rev().nth(1).unwrap();
        (path.to_owned(), Arc::from(skill_md(name).into_bytes()))
    });
    let skills = assemble(files, &BTreeSet::from(["a/b".to_owned()])).unwrap();
    let dynamic: Vec<_> = skills.iter().map(|skill| skill.is_dynamic).collect();
    assert_eq!(dynamic, [false, true]);
}

#[test]
fn the_media_type_is_known_by_the_extension_or_by_the_bytes() {
    let rows: [(&str, &[u8], &str); 6] = [
        ("a/x.PNG", b"text", "image/png"),
        ("a/x.md", b"\xff", "text/markdown"),
        ("a/LICENSE", b"text", "text/plain"),
        ("a/text.unheard", "é\u{feff}\r\n".as_bytes(), "text/plain"),
        ("a/zero", b"text\0", "application/octet-stream"),
        ("a/latin", b"\xe9", "application/octet-stream"),
    ];
    for (path, bytes, expected) in rows {
        let skill_md = ("a/SKILL.md", skill_md("a").into_bytes());
        let skills = load([skill_md, (path, bytes.to_vec())]).unwrap();
        let types = skills[0]
            .files
            .iter()
            .map(|it| (it.path.as_str(), it.media_type));
        let types: Vec<_> = types.collect();
        assert!(types.contains(&(&path[2..], expected)), "{types:?}");
        assert!(types.contains(&("SKILL.md", "text/markdown")), "{types:?}");
    }
}

/// A title, the paths in addition to `a/SKILL.md`, and the expected faults.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static [Expected<'static>],
);

const RELATIVE: &str = "no empty segment, `.` or `..`";
const HIDDEN: &str = "begin with a dot";
const OUTSIDE: &str = "belongs to no skill";

const PATHS: &[Row] = &[
    ("nothing", &[""], &[("", 0, RELATIVE)]),
    (
        "absolute",
        &["/b/SKILL.md"],
        &[("/b/SKILL.md", 0, RELATIVE)],
    ),
    ("empty segment", &["a//b"], &[("a//b", 0, RELATIVE)]),
    ("a folder", &["a/b/"], &[("a/b/", 0, RELATIVE)]),
    ("a dot", &["./a/b"], &[("./a/b", 0, RELATIVE)]),
    ("two dots", &["a/../b"], &[("a/../b", 0, RELATIVE)]),
    (
        "outside",
        &["../b/SKILL.md"],
        &[("../b/SKILL.md", 0, RELATIVE)],
    ),
    (
        "Windows",
        &["b\\SKILL.md"],
        &[("b\\SKILL.md", 0, "separate folders with `/`")],
    ),
    (
        "a drive",
        &["C:/b/SKILL.md"],
        &[("C:/b/SKILL.md", 0, "no drive")],
    ),
    ("an inner drive", &["a/c:b"], &[("a/c:b", 0, "no drive")]),
    ("NUL", &["a/b\0"], &[("a/b\0", 0, "control characters")]),
    (
        "two lines",
        &["a/b\nc"],
        &[("a/b\nc", 0, "control characters")],
    ),
    ("secrets", &["a/.env"], &[("a/.env", 0, HIDDEN)]),
    (
        "hidden folder",
        &["a/.git/config"],
        &[("a/.git/config", 0, HIDDEN)],
    ),
    (
        "hidden skill",
        &[".b/SKILL.md"],
        &[(".b/SKILL.md", 0, HIDDEN)],
    ),
    ("twice", &["a/b", "a/b"], &[("a/b", 0, "listed twice")]),
    (
        "the same URI",
        &["B/c/SKILL.md", "b/c/SKILL.md"],
        &[(
            "b/c/SKILL.md",
            0,
            "the same URI as `B/c/SKILL.md`: rename one",
        )],
    ),
    (
        "file and folder",
        &["a/b", "a/b/c"],
        &[("a/b", 0, "`a/b/c` needs a folder")],
    ),
    (
        "file and deep folder",
        &["a/b", "a/b/c/d"],
        &[("a/b", 0, "`a/b/c/d` needs a folder")],
    ),
    ("no folder", &["b.md"], &[("b.md", 0, OUTSIDE)]),
    ("neighbors", &["ab/c.md"], &[("ab/c.md", 0, OUTSIDE)]),
    (
        "root",
        &["SKILL.md"],
        &[("SKILL.md", 0, "a skill needs a folder")],
    ),
    (
        "root, lower",
        &["skill.md"],
        &[("skill.md", 0, "a skill needs a folder")],
    ),
    (
        "lower case",
        &["b/skill.md"],
        &[("b/skill.md", 0, "must be `SKILL.md`")],
    ),
    (
        "title case",
        &["b/Skill.md"],
        &[("b/Skill.md", 0, "must be `SKILL.md`")],
    ),
    (
        "nested",
        &["a/b/SKILL.MD"],
        &[("a/b/SKILL.MD", 0, "must be `SKILL.md`")],
    ),
];

#[test]
fn paths_that_can_not_be_served_are_refused() {
    let differences = PATHS.iter().filter_map(|(title, paths, expected)| {
        let all = ["a/SKILL.md"].into_iter().chain(paths.iter().copied());
        difference(title, Skills::embedded(&files(all)), expected)
    });
    let differences: Vec<_> = differences.collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn unusual_paths_are_served() {
    let paths = [
        "B/a/SKILL.md",
        "B/a/skill.md",
        "B/a/..a",
        "B/a/10:30 é%2e%2e?#[].md",
        "b/a/SKILL.md.txt",
    ];
    let loaded = load(files(paths.into_iter().filter(|it| !it.contains("..a"))));
    assert_faults("neighbors", loaded, &[("b/a/SKILL.md.txt", 0, OUTSIDE)]);
    assert_faults(
        "a dot",
        load(files(paths[..3].to_vec())),
        &[("B/a/..a", 0, HIDDEN)],
    );
    assert_eq!(
        load(files([paths[0], paths[1], paths[3]])).unwrap().len(),
        1
    );
}

#[test]
fn a_skill_has_at_most_512_files() {
    let load = |count: usize| {
        let paths: Vec<_> = (1..count).map(|it| format!("a/b/{it:03}")).collect();
        let paths = paths.iter().map(String::as_str);
        load(files(["a/SKILL.md"].into_iter().chain(paths)))
    };
    assert_eq!(load(512).unwrap()[0].files.len(), 512);
    let expected = [("a/b/512", 0, "over 512 files or 16 MiB")];
    assert_faults("513", load(513), &expected);
    // Only the first file that exceeds the limit is named.
    assert_faults("520", load(520), &expected);
}

#[test]
fn a_skill_has_at_most_16_mib() {
    let skill_md = skill_md("a").into_bytes();
    let load = |size: usize| {
        let half = (size - skill_md.len()) / 2;
        let rest = size - skill_md.len() - half;
        let zeros = |size| repeat_n(0, size).collect::<Vec<u8>>();
        load([
            ("a/SKILL.md", skill_md.clone()),
            ("a/x", zeros(half)),
            ("a/y", zeros(rest)),
        ])
    };
    assert_eq!(load(16 << 20).unwrap()[0].files.len(), 3);
    let expected = [("a/y", 0, "over 512 files or 16 MiB")];
    assert_faults("a byte more", load((16 << 20) + 1), &expected);
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let loaded = load([
        (
            "b/SKILL.md",
            b"---\nname: c\ndescription: x\n---\n".to_vec(),
        ),
        ("a/SKILL.md", b"no front matter".to_vec()),
        ("a/../x", Vec::new()),
        ("outside", Vec::new()),
    ]);
    let expected = [
        ("a/../x", 0, RELATIVE),
        ("a/SKILL.md", 1, "must begin with a line `---`"),
        ("b/SKILL.md", 2, "`b`"),
        ("outside", 0, OUTSIDE),
    ];
    assert_faults("all", loaded, &expected);
}

#[test]
fn a_fault_is_shown_with_its_place_on_one_line() {
    let loaded = load([
        ("a/SKILL.md", b"no front matter".to_vec()),
        ("b\n/c", Vec::new()),
    ]);
    let shown = loaded.unwrap_err().to_string();
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines[0].starts_with("a/SKILL.md:1: "), "{shown}");
    assert!(lines[1].starts_with(r"b\n/c: a path has no"), "{shown}");
}
