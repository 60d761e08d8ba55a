//! Directories that are wrong or hostile.

#![cfg(unix)]

mod trees;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{PublishedSkill, Walk, read};
use crate::skills::limits::{MAX_DEPTH, MAX_ENTRIES, MEMORY_LIMIT};
use crate::skills::server::assemble::tests::{Expected, assert_faults, skill_md};
use crate::skills::server::{LoadError, Skills};

/// A directory of skills with the skill `a`, next to a folder `outside` with secrets.
struct Tree(TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Self(TempDir::new().unwrap());
        tree.skill("a");
        tree.file("../outside/secret.md", "secret");
        tree.file("../outside/SKILL.md", &skill_md("outside"));
        tree
    }

    fn root(&self) -> std::path::PathBuf {
        self.0.path().join("root")
    }

    fn at(&self, path: impl AsRef<Path>) -> std::path::PathBuf {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn bytes(&self, path: &str, bytes: &[u8]) {
        fs::write(self.at(path), bytes).unwrap();
    }

    fn file(&self, path: &str, text: &str) {
        self.bytes(path, text.as_bytes());
    }

    fn front_matter(&self, path: &str, fields: &str) {
        self.file(
            &format!("{path}/SKILL.md"),
            &format!("---\n{fields}\n---\n"),
        );
    }

    fn sized(&self, path: &str, bytes: u64) {
        File::create(self.at(path)).unwrap().set_len(bytes).unwrap();
    }

    fn skill(&self, path: &str) {
        let name = path.rsplit('/').next().unwrap();
        self.file(&format!("{path}/SKILL.md"), &skill_md(name));
    }

    /// Makes a link to `target`, which is relative to the root.
    fn link(&self, path: &str, target: &str) {
        symlink(self.root().join(target), self.at(path)).unwrap();
    }

    fn fifo(&self, path: &str) {
        let made = Command::new("mkfifo").arg(self.at(path)).status();
        assert!(made.unwrap().success());
    }

    fn load(&self) -> Result<Vec<PublishedSkill>, LoadError> {
        super::load(&self.root(), MEMORY_LIMIT)
    }

    /// Loads, and calls `exchange` when `path` is about to be opened.
    fn load_during(
        &self,
        path: &str,
        exchange: impl FnOnce(),
    ) -> Result<Vec<PublishedSkill>, LoadError> {
        let mut exchange = Some(exchange);
        let mut before_open = |opened: &str| {
            if opened == path {
                exchange.take().unwrap()();
            }
        };
        Walk::new(MEMORY_LIMIT, &mut before_open).load(&self.root())
    }
}

/// Returns the paths and contents of all files.
fn contents(skills: &[PublishedSkill]) -> Vec<(String, String)> {
    let files = skills
        .iter()
        .flat_map(|skill| skill.files.iter().map(|file| (&skill.path, file)));
    let contents = files.map(|(path, file)| {
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        (format!("{path}/{}", file.path), text)
    });
    contents.collect()
}

fn paths(skills: &[PublishedSkill]) -> Vec<String> {
    contents(skills).into_iter().map(|(path, _)| path).collect()
}

const LINK: &str = "it is a symbolic link: copy the file";
const OTHER: &str = "neither a file nor a folder";
const RENAME: &str = "must be `SKILL.md`";
const ANCHOR: &str = "anchors and aliases are not allowed";
const LARGE: &str = "over 512 files or 16 MiB";

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let tree = Tree::new();
    tree.link("a/link", "../outside");
    tree.fifo("a/x/fifo");
    tree.file("b/SKILL.md", &skill_md("c"));
    tree.file("c/skill.md", "");
    tree.sized("d/SKILL.md", 1 << 40);
    tree.skill("e");
    tree.sized("e/x", 1 << 40);
    tree.file("e/y\\z", "");
    tree.file("SKILL.md", "");
    let expected = [
        ("SKILL.md", 0, "a skill needs a folder"),
        ("a/link", 0, LINK),
        ("a/x/fifo", 0, OTHER),
        ("b/SKILL.md", 2, "`b`"),
        ("c/skill.md", 0, RENAME),
        ("d/SKILL.md", 0, LARGE),
        ("e/x", 0, LARGE),
    ];
    assert_faults("all", Skills::directory(tree.root()), &expected);
}

#[test]
fn an_alias_bomb_is_not_expanded() {
    let tree = Tree::new();
    let mut bomb = "name: b\ndescription: x\na0: &a0 [x, x]".to_owned();
    for level in 1..40 {
        let before = level - 1;
        bomb += &format!("\na{level}: &a{level} [*a{before}, *a{before}]");
    }
    tree.front_matter("b", &bomb);
    let expected: Vec<_> = (4..44).map(|line| ("b/SKILL.md", line, ANCHOR)).collect();
    assert_faults("bomb", tree.load(), &expected);
}

// The file systems of macOS refuse such names.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_named() {
    for (name, path) in [(&b"x\xff"[..], "a/x\u{fffd}"), (b"b\xff/y", "a/b\u{fffd}")] {
        let tree = Tree::new();
        fs::write(tree.at(Path::new("a").join(OsStr::from_bytes(name))), "").unwrap();
        let name = path.replace("a/", "").replace('\u{fffd}', "\\xFF");
        let text = format!("\"{name}\" is not UTF-8: rename it");
        assert_faults(path, tree.load(), &[(path, 0, &text)]);
    }
}

#[test]
fn a_directory_that_is_missing_or_a_file_is_named() {
    let tree = Tree::new();
    for path in ["missing", "a/SKILL.md"] {
        let path = tree.root().join(path);
        let loaded = super::load(&path, MEMORY_LIMIT);
        let file = path.to_str().unwrap();
        assert_faults(file, loaded, &[(file, 0, "os error")]);
    }
    tree.fifo("fifo");
    let path = tree.root().join("fifo");
    let loaded = super::load(&path, MEMORY_LIMIT);
    let file = path.to_str().unwrap();
    assert_faults(file, loaded, &[(file, 0, "Not a directory")]);
}

#[test]
fn outside_of_skills_links_and_special_files_are_ignored() {
    let tree = Tree::new();
    tree.link("link", "../outside");
    tree.link("b/link", "../outside");
    tree.link("b/loop", "b");
    tree.fifo("b/fifo");
    tree.file("b/README", "");
    tree.sized("b/large", 1 << 40);
    tree.skill("b/c");
    assert_eq!(paths(&tree.load().unwrap()), ["a/SKILL.md", "b/c/SKILL.md"]);
}

#[test]
fn hidden_files_and_folders_are_not_read() {
    let tree = Tree::new();
    tree.file("a/.env", "SECRET=1");
    tree.file("a/.git/config", "");
    tree.skill("a/.b/c");
    tree.skill(".d");
    tree.link("a/.link", "../outside");
    tree.fifo("a/.fifo");
    tree.sized("a/x/.large", 1 << 40);
    let mut opened = Vec::new();
    let mut note = |path: &str| opened.push(path.to_owned());
    let skills = Walk::new(MEMORY_LIMIT, &mut note).load(&tree.root());
    let skills = skills.unwrap();
    assert_eq!(paths(&skills), ["a/SKILL.md"]);
    assert_eq!(opened, ["a", "a/SKILL.md", "a/x"]);
}

#[test]
fn the_directory_itself_may_be_a_link() {
    let tree = Tree::new();
    let link = tree.0.path().join("link");
    symlink(tree.root(), &link).unwrap();
    let skills = super::load(&link, MEMORY_LIMIT).unwrap();
    assert_eq!(paths(&skills), ["a/SKILL.md"]);
}

#[test]
fn a_directory_without_skills_is_empty() {
    let directory = TempDir::new().unwrap();
    assert!(super::load(directory.path(), 0).unwrap().is_empty());
}

#[test]
fn a_skill_may_have_512_files_and_16_mib() {
    let tree = Tree::new();
    let skill_md = skill_md("a").len() as u64;
    tree.sized("a/large", (16 << 20) - skill_md);
    (2..512).for_each(|it| tree.file(&format!("a/x/{it}"), ""));
    let skills = tree.load().unwrap();
    assert_eq!(skills[0].files.len(), 512);
    let bytes = skills[0].files.iter().map(|file| file.bytes.len());
    assert_eq!(bytes.sum::<usize>(), 16 << 20);
}

#[test]
fn all_skills_together_stay_within_the_memory_limit() {
    let tree = Tree::new();
    tree.skill("b");
    tree.sized("b/x", 1000);
    tree.fifo("c/SKILL.md");
    let limit = skill_md("a").len() + skill_md("b").len() + 1000;
    let expected = [("c/SKILL.md", 0, OTHER)];
    assert_faults("enough", super::load(&tree.root(), limit), &expected);
    // Nothing else is read.
    let loaded = super::load(&tree.root(), limit - 1);
    let expected = [("b/x", 0, "the skills exceed the memory limit")];
    assert_faults("a byte less", loaded, &expected);
}

#[test]
fn folders_are_searched_to_a_fixed_depth() {
    let tree = Tree::new();
    let deep = "x/".repeat(MAX_DEPTH - 1);
    tree.skill(&format!("{deep}b"));
    assert_eq!(tree.load().unwrap().len(), 2);
    tree.skill(&format!("{deep}x/b"));
    let expected = [(&*format!("{deep}x/b"), 0, "over 32 levels deep")];
    assert_faults("deeper", tree.load(), &expected);
}

#[test]
fn the_number_of_entries_is_bounded_also_outside_of_skills() {
    let tree = Tree::new();
    tree.file("b/one", "");
    tree.file("b/.two", "");
    let load = |left: usize| {
        let mut nothing = |_: &str| ();
        let mut walk = Walk::new(MEMORY_LIMIT, &mut nothing);
        walk.entries = MAX_ENTRIES - left;
        walk.load(&tree.root())
    };
    // Each of the three folders also has `.` and `..`.
    let entries = 5 + 3 * 2;
    assert_eq!(load(entries).unwrap().len(), 1);
    let expected = [("b", 0, "over 100000 files and folders")];
    assert_faults("one more", load(entries - 1), &expected);
}

#[test]
fn a_file_exchanged_for_a_link_is_not_followed() {
    let tree = Tree::new();
    tree.file("a/x", "");
    let loaded = tree.load_during("a/x", || {
        fs::remove_file(tree.at("a/x")).unwrap();
        tree.link("a/x", "../outside/secret.md");
    });
    assert_faults("a link", loaded, &[("a/x", 0, "os error")]);
}

#[test]
fn a_file_exchanged_for_a_fifo_is_not_waited_for() {
    let tree = Tree::new();
    tree.file("a/x", "");
    let loaded = tree.load_during("a/x", || {
        fs::remove_file(tree.at("a/x")).unwrap();
        tree.fifo("a/x");
    });
    assert_faults("a FIFO", loaded, &[("a/x", 0, "it was exchanged")]);
}

#[test]
fn a_folder_exchanged_for_a_link_is_not_followed() {
    for (path, expected) in [("a/x", "a/x"), ("a", "a")] {
        let tree = Tree::new();
        tree.file("a/x/y", "");
        let loaded = tree.load_during(path, || {
            fs::rename(tree.at(path), tree.0.path().join("moved")).unwrap();
            tree.link(path, "../outside");
        });
        assert_faults(path, loaded, &[(expected, 0, "os error")]);
    }
}

#[test]
fn an_open_folder_exchanged_for_a_link_stays_the_same() {
    let tree = Tree::new();
    tree.file("a/x/secret.md", "mine");
    let skills = tree.load_during("a/x/secret.md", || {
        fs::rename(tree.at("a"), tree.0.path().join("moved")).unwrap();
        fs::create_dir(tree.root().join("a")).unwrap();
        tree.link("a/x", "../outside");
    });
    let files = contents(&skills.unwrap());
    let secret = ("a/x/secret.md".to_owned(), "mine".to_owned());
    assert_eq!(files, [("a/SKILL.md".to_owned(), skill_md("a")), secret]);
}

#[test]
fn files_changed_after_loading_change_nothing() {
    let tree = Tree::new();
    tree.file("a/x", "before");
    let skills = tree.load().unwrap();
    fs::remove_dir_all(tree.root().join("a")).unwrap();
    tree.link("a", "../outside");
    assert_eq!(
        contents(&skills)[1],
        ("a/x".to_owned(), "before".to_owned())
    );
}

#[test]
fn a_file_that_is_too_long_is_not_read() {
    struct Unreadable;
    impl io::Read for Unreadable {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("it was read");
        }
    }
    assert_eq!(read(Unreadable, 1 << 40, 16 << 20).unwrap(), None);
}

#[test]
fn a_file_that_grows_is_read_up_to_the_limit() {
    assert_eq!(read(io::repeat(0), 3, 10).unwrap(), None);
    assert_eq!(read(&b"0123456789"[..], 3, 10).unwrap().unwrap().len(), 10);
    assert_eq!(read(&b"0123456789"[..], 3, 9).unwrap(), None);
}
