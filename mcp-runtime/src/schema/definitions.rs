//! Writes definitions out where they are used only once.

use serde_json::{Map, Value};

use super::walk::{members, walk};

const PREFIX: &str = "#/$defs/";

/// Replaces each reference to a definition that nothing else refers to by the definition.
///
/// Shared and recursive definitions stay, unused ones go.
pub(super) fn write_out(schemas: &mut [Value], definitions: &mut Map<String, Value>) {
    while let Some(name) = single(schemas, definitions) {
        let Some(definition) = definitions.remove(&name) else {
            return;
        };
        let reference = format!("{PREFIX}{name}");
        for schema in schemas.iter_mut().chain(definitions.values_mut()) {
            walk(schema, &mut |schema| {
                replace(schema, &reference, &definition);
            });
        }
    }
    let used = uses(schemas, definitions);
    let names: Vec<_> = definitions.keys().cloned().collect();
    for name in names {
        if is_plain(&name) && used.binary_search(&name).is_err() {
            definitions.remove(&name);
        }
    }
}

/// A definition that is referred to once, and not from within itself.
fn single(schemas: &mut [Value], definitions: &mut Map<String, Value>) -> Option<String> {
    let uses = uses(schemas, definitions);
    uses.chunk_by(PartialEq::eq)
        .filter_map(|uses| match uses {
            [name] if is_plain(name) => Some(name),
            _ => None,
        })
        .find(|name| definitions.contains_key(*name) && !reaches(name, name, definitions))
        .cloned()
}

/// Whether the definition `from` leads to `target`, directly or through others.
fn reaches(from: &str, target: &str, definitions: &mut Map<String, Value>) -> bool {
    let mut seen = vec![from.to_owned()];
    let mut at = 0;
    while let Some(name) = seen.get(at).cloned() {
        let found = definitions
            .get_mut(&name)
            .map(references)
            .unwrap_or_default();
        if found.iter().any(|name| name == target) {
            return true;
        }
        for name in found {
            if !seen.contains(&name) {
                seen.push(name);
            }
        }
        at += 1;
    }
    false
}

/// The names of the definitions that are referred to, in order, each as often as it is.
fn uses(schemas: &mut [Value], definitions: &mut Map<String, Value>) -> Vec<String> {
    let mut uses = Vec::new();
    for schema in schemas.iter_mut().chain(definitions.values_mut()) {
        uses.append(&mut references(schema));
    }
    uses.sort_unstable();
    uses
}

/// The names of the definitions that `schema` refers to, as often as it does.
fn references(schema: &mut Value) -> Vec<String> {
    let mut names = Vec::new();
    walk(schema, &mut |schema| {
        let reference = schema.get("$ref").and_then(Value::as_str);
        names.extend(
            reference
                .and_then(|text| text.strip_prefix(PREFIX))
                .map(str::to_owned),
        );
    });
    names
}

/// Puts `definition` in place of the reference. What describes the schema (a title, say) wins where
/// it stands beside the reference; all that limits its values is kept.
fn replace(schema: &mut Value, reference: &str, definition: &Value) {
    if schema.get("$ref").and_then(Value::as_str) != Some(reference) {
        return;
    }
    if let (Some(members), Value::Object(definition)) = (members(schema), definition) {
        members.remove("$ref");
        for (keyword, value) in definition {
            join(members, keyword, value);
        }
    } else {
        *schema = definition.clone();
    }
}

/// Keywords that describe values and limit none.
const ANNOTATIONS: [&str; 7] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Adds a keyword to a schema that may have it already: a tagged enum has its tag as a property
/// beside the reference to what it holds.
fn join(schema: &mut Map<String, Value>, keyword: &str, value: &Value) {
    match (schema.get_mut(keyword), value) {
        (None, _) => {
            schema.insert(keyword.to_owned(), value.clone());
        }
        (Some(known), _) if known == value || ANNOTATIONS.contains(&keyword) => {}
        (Some(Value::Object(known)), Value::Object(more))
            if keyword == "properties" && more.keys().all(|name| !known.contains_key(name)) =>
        {
            known.extend(more.clone());
        }
        (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
            for name in more {
                if !known.contains(name) {
                    known.push(name.clone());
                }
            }
        }
        (Some(_), _) => {
            let all = schema
                .entry("allOf")
                .or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(all) = all {
                all.push(Value::Object(Map::from_iter([(
                    keyword.to_owned(),
                    value.clone(),
                )])));
            }
        }
    }
}

/// Whether references spell the name as it is, without escapes.
fn is_plain(name: &str) -> bool {
    name.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_limits_values_is_kept_on_both_sides() {
        let mut schemas = [json!({
            "description": "Beside.",
            "properties": {"kind": {"const": "book"}},
            "required": ["kind"],
            "anyOf": [{"minProperties": 1}],
            "$ref": "#/$defs/Book",
        })];
        let definition = json!({
            "description": "A book.",
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title", "kind"],
            "anyOf": [{"minProperties": 2}],
        });
        let mut definitions = Map::from_iter([("Book".to_owned(), definition)]);
        write_out(&mut schemas, &mut definitions);
        let expected = json!({
            "description": "Beside.",
            "type": "object",
            "properties": {"kind": {"const": "book"}, "title": {"type": "string"}},
            "required": ["kind", "title"],
            "anyOf": [{"minProperties": 1}],
            "allOf": [{"anyOf": [{"minProperties": 2}]}],
        });
        assert_eq!(schemas, [expected]);
        assert!(definitions.is_empty());
    }
}
