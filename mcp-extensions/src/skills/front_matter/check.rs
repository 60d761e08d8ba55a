//! The rules of the Agent Skills specification (<https://agentskills.io/specification>).

use serde_json::Value;

use super::{FrontMatter, Remark};
use crate::skills::types::is_name;

/// The fields that must be strings, and the smallest and largest number of characters.
const STRINGS: [(&str, usize, usize); 5] = [
    ("name", 0, usize::MAX),
    ("description", 1, 1024),
    ("license", 0, usize::MAX),
    ("compatibility", 1, 500),
    ("allowed-tools", 0, usize::MAX),
];
const NAME: &str = "must have 1 to 64 of a-z, 0-9 and single hyphens: rename the skill";
const STRING: &str = "must be a string: write it in double quotes";
const MAPPING: &str = "must be a mapping: write lines such as `  author: \"…\"` below it";

/// Returns the faults in the fields of the skill in the folder `folder`.
pub(in crate::skills) fn check(front_matter: &FrontMatter, folder: &str) -> Vec<Remark> {
    let mut faults = Vec::new();
    let mut fault = |field: &str, text: &str| {
        let line = front_matter.lines.get(field).copied().unwrap_or(1);
        faults.push(Remark::new(line, format!("`{field}` {text}")));
    };
    for (field, min, max) in STRINGS {
        match front_matter.fields.get(field) {
            Some(Value::String(text)) if text.trim().len() < min || text.chars().count() > max => {
                fault(field, &format!("must have {min} to {max} characters"));
            }
            None if matches!(field, "name" | "description") => {
                fault(field, &format!("is missing: write `{field}: \"…\"`"));
            }
            Some(Value::String(_)) | None => {}
            Some(_) => fault(field, STRING),
        }
    }
    if let Some(Value::String(name)) = front_matter.fields.get("name") {
        if !is_name(name) {
            fault("name", NAME);
        } else if name != folder {
            fault(
                "name",
                &format!("must be the folder's name, `{folder}`: rename one of them"),
            );
        }
    }
    match front_matter.fields.get("metadata") {
        Some(Value::Object(members)) => {
            for (key, _) in members.iter().filter(|(_, value)| !value.is_string()) {
                fault(&format!("metadata.{key}"), STRING);
            }
        }
        Some(_) => fault("metadata", MAPPING),
        None => {}
    }
    faults.sort_by_key(|fault| fault.line);
    faults
}
