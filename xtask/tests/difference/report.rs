//! Parses the printed report.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

pub(crate) struct Report {
    pub(crate) text: String,
    /// The entries: title of the section, name, and phrases. An added or removed name has only one phrase,
    /// the whole line.
    pub(crate) entries: Vec<(String, String, Vec<String>)>,
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

pub(crate) fn stored(revision: &str) -> Value {
    let file = root().join(format!("schema/{revision}.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    schema["$defs"].clone()
}

/// Runs `schema diff` with two sets of definitions, and returns its output.
pub(crate) fn print(older: &Value, newer: &Value, options: &[&str]) -> String {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("schema")).unwrap();
    for (revision, definitions) in [("2031-01-01", older), ("2031-02-02", newer)] {
        let file = root.path().join(format!("schema/{revision}.json"));
        std::fs::write(file, json!({ "$defs": definitions }).to_string()).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("--root")
        .arg(root.path())
        .args(["schema", "diff", "2031-01-01", "2031-02-02"])
        .args(options)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

impl Report {
    pub(crate) fn new(older: &Value, newer: &Value) -> Self {
        let text = print(older, newer, &["--markdown"]);
        let mut entries = Vec::new();
        let mut section = String::new();
        let mut names = Vec::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                (section, names) = (title.to_owned(), Vec::new());
            } else if let Some(heading) = line.strip_prefix("### ") {
                names = spans(heading);
                let new = names.iter().cloned();
                entries.extend(new.map(|name| (section.clone(), name, Vec::new())));
            } else if let Some(phrase) = line.strip_prefix("- ") {
                if names.is_empty() {
                    let name = spans(phrase).remove(0);
                    entries.push((section.clone(), name, vec![phrase.to_owned()]));
                }
                let last = entries.len() - names.len();
                for (_, _, phrases) in &mut entries[last..] {
                    phrases.push(phrase.to_owned());
                }
            }
        }
        Self { text, entries }
    }

    pub(crate) fn came_or_went(&self, name: &str) -> bool {
        let mut entries = self.entries.iter().filter(|(_, entry, _)| entry == name);
        entries.any(|(_, _, phrases)| {
            phrases
                .iter()
                .any(|phrase| phrase.starts_with(&format!("`{name}`")))
        })
    }

    /// Returns true if a phrase about `name` contains `note`.
    pub(crate) fn has_note(&self, name: &str, note: &str) -> bool {
        let entries = self.entries.iter().filter(|(_, entry, _)| entry == name);
        let mut phrases = entries.flat_map(|(_, _, phrases)| phrases);
        phrases.any(|phrase| phrase.contains(note))
    }

    /// Returns true if a phrase about `name` mentions the place at `path`, or a whole place that contains
    /// it.
    pub(crate) fn mentions(&self, name: &str, path: &str, keyword: &str) -> bool {
        let entries = self.entries.iter().filter(|(_, entry, _)| entry == name);
        let mut phrases = entries.flat_map(|(_, _, phrases)| phrases);
        phrases.any(|phrase| about(phrase, path, keyword))
    }
}

fn about(phrase: &str, path: &str, keyword: &str) -> bool {
    let spans = spans(phrase);
    if phrase.starts_with("was ") && !both_objects(phrase) {
        return true;
    }
    let whole = ["added ", "removed ", "as ", "from "];
    let whole = whole.iter().any(|start| phrase.starts_with(start));
    if path.is_empty() {
        let field = ["required ", "optional "];
        return phrase.starts_with("was ")
            || whole && !field.iter().any(|need| phrase.contains(need));
    }
    if spans.iter().any(|span| span == path) {
        let need = phrase.contains(" became ");
        return whole || need == (keyword == "required");
    }
    let around = |span: &String| {
        let rest = path.strip_prefix(span.as_str());
        rest.is_some_and(|rest| rest.starts_with(['.', '[', '{', '|']))
    };
    let is_all = whole || phrase.contains(": added ") || phrase.contains(": removed ");
    let replaced = phrase.contains(": was ") && !both_objects(phrase);
    spans.iter().any(around) && (is_all || replaced)
}

/// Returns true for a phrase about the limits of an object, which does not describe its fields.
fn both_objects(phrase: &str) -> bool {
    let (_, change) = phrase.split_once("was ").unwrap();
    let (was, is) = change.split_once(", is ").unwrap();
    let object = |words: &str| ["object", "open object", "closed object"].contains(&words);
    object(was) && object(is)
}

/// Returns the parts of a line between backticks.
fn spans(line: &str) -> Vec<String> {
    line.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}
