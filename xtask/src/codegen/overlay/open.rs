//! Decisions that the schemas leave open. All steps add theirs, and they are reported together.

use crate::codegen::error::{Error, Result};
use itertools::Itertools;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

/// A question that neither a rule nor an entry of `overlay.toml` answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// `Type.field`, a type, a method, or `schema/<revision>.json` with a JSON pointer.
    pub(crate) place: String,
    /// The disagreement or gap, with the type in each revision in the terms of JSON Schema.
    pub(crate) what: String,
    /// An entry of `overlay.toml` that settles the question, ready to paste.
    pub(crate) entry: String,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.place, self.what)?;
        self.entry
            .lines()
            .try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// The questions found so far. A step that asks a question continues with the most likely answer.
#[derive(Debug, Default)]
pub(crate) struct Decisions(RefCell<Vec<Decision>>);

impl Decisions {
    /// Asks for a decision, unless the same question was already asked.
    pub(crate) fn ask(
        &self,
        place: impl Into<String>,
        what: impl Into<String>,
        entry: impl Into<String>,
    ) {
        let decision = Decision {
            place: place.into(),
            what: what.into(),
            entry: entry.into(),
        };
        let mut open = self.0.borrow_mut();
        if !open.contains(&decision) {
            open.push(decision);
        }
    }

    /// Returns true if a question was asked about `place`. Questions that depend on it are not asked.
    pub(crate) fn is_open(&self, place: &str) -> bool {
        self.0.borrow().iter().any(|open| open.place == place)
    }

    /// Takes the open decisions about the schemas in `folder`.
    pub(crate) fn take(&self, folder: &str) -> Open {
        Open {
            folder: folder.to_owned(),
            decisions: self.0.take(),
            ..Open::default()
        }
    }
}

/// Questions about the stored schemas that `overlay.toml` and `docs.toml` leave open.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// The folder of the schemas, relative to the workspace.
    pub(crate) folder: String,
    pub(crate) decisions: Vec<Decision>,
    /// Keys that `docs.toml` lacks, each with a description of its revisions.
    pub(crate) docs: BTreeMap<String, String>,
    /// Unknown keys of `docs.toml`.
    pub(crate) stale_docs: Vec<String>,
    /// Unused entries of `overlay.toml`.
    pub(crate) unused: Vec<String>,
    /// Changes that need no entry: new names, and removed names.
    pub(crate) notes: Vec<String>,
    /// The questions about each extension.
    pub(crate) extensions: Vec<Self>,
}

impl Open {
    /// Returns true if code can be generated.
    pub(crate) fn is_settled(&self) -> bool {
        let fits = self.stale_docs.is_empty() && self.unused.is_empty();
        let fits = fits && self.extensions.iter().all(Self::is_settled);
        self.decisions.is_empty() && self.docs.is_empty() && fits
    }

    /// Fails with all questions, if there are any.
    pub(crate) fn settled(self) -> Result<Self> {
        if self.is_settled() {
            Ok(self)
        } else {
            Err(Error::Open(Box::new(self)))
        }
    }

    /// Groups the decisions by the kind of entry that settles them.
    fn by_kind(&self) -> BTreeMap<&str, Vec<&Decision>> {
        let mut kinds = BTreeMap::<_, Vec<_>>::new();
        for decision in &self.decisions {
            let entry = decision.entry.trim_start_matches('[');
            let kind = entry.split([']', ' ', '=']).next().unwrap_or(entry);
            kinds.entry(kind).or_default().push(decision);
        }
        kinds
    }
}

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = &self.folder;
        if !self.decisions.is_empty() {
            let count = match self.decisions.len() {
                1 => "one decision is".to_owned(),
                count => format!("{count} decisions are"),
            };
            let text = "to be made; add an entry for each";
            writeln!(f, "{folder}/overlay.toml: {count} {text}")?;
        }
        for (kind, decisions) in self.by_kind() {
            let count = decisions.len();
            writeln!(f, "\n{kind} ({count}), see docs/regenerate.md#{kind}\n")?;
            write!(f, "{}", decisions.iter().join("\n"))?;
        }
        let docs = self.docs.iter();
        let docs = docs.map(|(key, revisions)| format!("{key:?} = \"\" # {revisions}"));
        let lists = [
            (
                format!(
                    "{folder}/docs.toml: these entries are missing or empty, write a line for each, see docs/regenerate.md#docs:"
                ),
                &docs.collect(),
            ),
            (
                format!("{folder}/docs.toml: these entries document nothing, remove them:"),
                &self.stale_docs,
            ),
            (
                format!(
                    "{folder}/overlay.toml: these entries match nothing, correct or remove them:"
                ),
                &self.unused,
            ),
            ("for information:".to_owned(), &self.notes),
        ];
        for (head, lines) in lists.iter().filter(|(_, lines)| !lines.is_empty()) {
            writeln!(f, "\n{head}\n{}", lines.join("\n"))?;
        }
        self.extensions
            .iter()
            .try_for_each(|open| write!(f, "{open}"))
    }
}
