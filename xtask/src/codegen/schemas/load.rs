//! Reads the stored schemas, oldest revision first.

use crate::codegen::error::{Error, Result};
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::Proposal;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::Path;

pub(crate) struct Schema {
    /// The date that names the revision, taken from the file name.
    pub(crate) revision: String,
    pub(crate) defs: Map<String, Value>,
    /// The names of renamed definitions in the file, by their new names.
    pub(crate) stored_names: BTreeMap<String, String>,
}

impl Schema {
    pub(crate) fn new(revision: &str, defs: Map<String, Value>) -> Self {
        Self {
            revision: revision.to_owned(),
            defs,
            stored_names: BTreeMap::new(),
        }
    }

    /// Returns the JSON pointer to a definition in the stored file.
    pub(crate) fn pointer(&self, name: &str) -> String {
        let stored = self.stored_names.get(name).map_or(name, String::as_str);
        format!("/$defs/{}", escape(stored))
    }

    /// Returns the JSON pointer to `part`, which must be a value inside this schema.
    pub(crate) fn pointer_to(&self, part: &Value) -> String {
        let mut defs = self.defs.iter();
        let found = defs.find_map(|(name, def)| {
            let path = path_between(def, part)?;
            Some(self.pointer(name) + &path)
        });
        found.unwrap_or_else(|| "/$defs".to_owned())
    }

    pub(crate) fn fault(&self, pointer: &str, what: &str) -> Error {
        Error::at(format!("schema/{}.json: at {pointer}", self.revision), what)
    }

    /// Asks for a repair that sets the members `set` at a JSON pointer of this schema.
    pub(crate) fn ask_repair(&self, overlay: &Overlay, pointer: &str, what: &str, set: &Value) {
        let entry = Proposal::of("repair")
            .with("revisions", vec![self.revision.clone()])
            .with("at", pointer.trim_start_matches("/$defs"))
            .with("set", set.to_string());
        self.ask(overlay, pointer, what, entry.reason());
    }

    /// Asks for an entry that settles a question about a JSON pointer of this schema.
    pub(crate) fn ask(&self, overlay: &Overlay, pointer: &str, what: &str, entry: String) {
        let place = format!("{}/{}.json: at {pointer}", overlay.folder, self.revision);
        overlay.decisions.ask(place, what, entry);
    }
}

/// Encodes a key for a JSON pointer.
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the JSON pointer from a value to a value inside of it.
fn path_between(whole: &Value, part: &Value) -> Option<String> {
    if std::ptr::eq(whole, part) {
        return Some(String::new());
    }
    match whole {
        Value::Object(members) => members.iter().find_map(|(key, member)| {
            let inner = path_between(member, part)?;
            Some(format!("/{}{inner}", escape(key)))
        }),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| {
                let inner = path_between(item, part)?;
                Some(format!("/{index}{inner}"))
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Reads all `<revision>.json` in a folder.
pub(crate) fn load(folder: &Path) -> Result<Vec<Schema>> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect);
    let entries: Vec<DirEntry> = entries.map_err(Error::file(folder))?;
    let mut files: Vec<_> = entries.iter().map(DirEntry::path).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == "json"));
    files.sort();
    Error::all(files.iter().map(|file| read(file)))
}

fn read(file: &Path) -> Result<Schema> {
    let text = std::fs::read_to_string(file).map_err(Error::file(file))?;
    let document = serde_json::from_str(&text).map_err(|error| format!("not JSON: {error}"));
    let mut document: Value = document.map_err(Error::file(file))?;
    document.sort_all_objects();
    let stem = file.file_stem().unwrap_or_default();
    let revision = stem.to_string_lossy();
    match document.get_mut("$defs").map(Value::take) {
        Some(Value::Object(defs)) => Ok(Schema::new(&revision, defs)),
        _ => Err(Schema::new(&revision, Map::new()).fault(
            "/",
            "no `$defs`; bring schemas in with `cargo xtask schema import`",
        )),
    }
}
