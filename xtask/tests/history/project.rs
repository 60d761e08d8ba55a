//! This project with only its first revisions.

use crate::entries::{self, Entry};
use crate::later::{LATER, REPLACED, Source};
use crate::workspace::{Workspace, root};
use std::collections::BTreeMap;
use std::process::Command;

/// A workspace with some revisions, and the overlay and docs that they need.
pub(crate) struct Project(pub(crate) Workspace);

pub(crate) struct Output {
    is_success: bool,
    text: String,
}

impl Output {
    pub(crate) fn success(self) -> String {
        assert!(self.is_success, "{}", self.text);
        self.text
    }

    pub(crate) fn failure(self) -> String {
        assert!(!self.is_success, "{}", self.text);
        self.text
    }
}

impl Project {
    /// Creates the project with all revisions up to `newest`.
    pub(crate) fn of(newest: &str, name: &str) -> Self {
        let project = Self(Workspace::fixed(name));
        for file in project.0.schemas() {
            if file.file_stem().unwrap().to_str().unwrap() > newest {
                std::fs::remove_file(file).unwrap();
            }
        }
        let record = project.read("schema/sources.toml");
        let mut record: toml::Table = record.parse().unwrap();
        record.retain(|revision, _| *revision <= *newest);
        project.write("schema/sources.toml", &record.to_string());
        project.set_entries(&entries_until(newest));
        project.add_docs();
        project
    }

    pub(crate) fn set_entries(&self, entries: &[Entry]) {
        self.write("schema/overlay.toml", &entries::write(entries));
    }

    /// Keeps the docs of existing items, and adds placeholders for all other items.
    pub(crate) fn add_docs(&self) {
        let keys = self.xtask(&["codegen", "--list-doc-keys"]);
        assert!(keys.is_success, "{}", keys.text);
        let keys: Vec<_> = keys
            .text
            .lines()
            .filter_map(|line| line.split('\t').next())
            .collect();
        let all = std::fs::read_to_string(root().join("schema/docs.toml")).unwrap();
        let all: BTreeMap<String, String> = toml::from_str(&all).unwrap();
        let mut docs = BTreeMap::new();
        for key in keys {
            let general = key.split_once('.').map(|(_, field)| format!("*.{field}"));
            let general = general.filter(|general| all.contains_key(general));
            let (key, text) = match (all.get(key), general) {
                (None, Some(general)) => (general.clone(), all[&general].as_str()),
                (text, _) => (key.to_owned(), text.map_or("Words.", |text| text)),
            };
            docs.insert(key, text.to_owned());
        }
        self.write("schema/docs.toml", &toml::to_string(&docs).unwrap());
    }

    pub(crate) fn xtask(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(arguments).arg("--root").arg(self.0.path());
        let output = command.envs(crate::package::variables()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        Output {
            is_success: output.status.success(),
            text: String::from_utf8(text).unwrap(),
        }
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.path().join(file)).unwrap()
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.path().join(file), text).unwrap();
    }
}

pub(crate) fn entries_until(newest: &str) -> Vec<Entry> {
    let full = full().into_iter();
    let needed = full.filter(|entry| later(entry).is_none_or(|(since, _)| since <= newest));
    let replaced = entries::read(include_str!("overlay.toml")).into_iter();
    let replaced = replaced.filter(|entry| {
        let (since, until) = replaced_in(entry);
        since <= newest && newest < until
    });
    needed.chain(replaced).collect()
}

/// Returns the revision that made an entry of the full overlay necessary, unless it is one of the first.
pub(crate) fn later(entry: &Entry) -> Option<(&'static str, Source)> {
    let mut later = LATER.iter();
    let later = later.find(|(_, _, kind, place)| entry.is(kind, place));
    later.map(|(since, source, ..)| (*since, *source))
}

/// Returns the revision that made an entry necessary, and the revision that replaced it.
fn replaced_in(entry: &Entry) -> (&'static str, &'static str) {
    let mut replaced = REPLACED.iter();
    let replaced = replaced.find(|(_, _, kind, place)| entry.is(kind, place));
    let (since, until, ..) = replaced.unwrap_or_else(|| panic!("{entry}: not in later.rs"));
    (since, until)
}

/// Returns the entries of the current overlay.
pub(crate) fn full() -> Vec<Entry> {
    let file = root().join("schema/overlay.toml");
    entries::read(&std::fs::read_to_string(file).unwrap())
}
