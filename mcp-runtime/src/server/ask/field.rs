//! The fields of a form.

use serde_json::{Map, Value};

/// The definitions that a schema refers to.
pub(super) struct Definitions(Map<String, Value>);

/// What the protocol's forms say of text, beside its title, description and default.
const TEXT: [&str; 3] = ["minLength", "maxLength", "format"];

/// What they say of numbers.
const NUMBER: [&str; 2] = ["minimum", "maximum"];

/// What they say of several choices.
const CHOICES: [&str; 2] = ["minItems", "maxItems"];

/// What they say of any field.
const ALL: [&str; 3] = ["title", "description", "default"];

/// What restricts values in a way that no form can show.
const RESTRICTIONS: [&str; 9] = [
    "pattern",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "contentEncoding",
    "contentMediaType",
    "allOf",
    "not",
    "if",
];

/// The formats of text that a form knows.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

type Schema = Map<String, Value>;

impl Definitions {
    pub(super) fn take(document: &mut Schema) -> Self {
        match document.remove("$defs") {
            Some(Value::Object(definitions)) => Self(definitions),
            _ => Self(Map::new()),
        }
    }

    /// `schema` with what it refers to written out; what stands beside the reference wins.
    pub(super) fn resolve(&self, mut schema: Schema) -> Result<Schema, String> {
        let mut left = self.0.len();
        while let Some(Value::String(reference)) = schema.remove("$ref") {
            let name = reference.strip_prefix("#/$defs/").unwrap_or(&reference);
            let Some(Value::Object(definition)) = self.0.get(name).filter(|_| left > 0) else {
                return Err(format!("it refers to `{name}`, which leads nowhere"));
            };
            left -= 1;
            for (keyword, value) in definition {
                schema.entry(keyword).or_insert_with(|| value.clone());
            }
        }
        Ok(schema)
    }
}

/// What a form says of a field with this schema.
///
/// # Errors
///
/// Why there can't be such a field.
pub(super) fn field(schema: Schema, definitions: &Definitions) -> Result<Value, String> {
    let schema = without_null(definitions.resolve(schema)?, definitions)?;
    if let Some(keyword) = RESTRICTIONS.iter().find(|key| schema.contains_key(**key)) {
        return Err(format!("forms have no `{keyword}`"));
    }
    if let Some(choices) = choices(&schema, definitions)? {
        return Ok(single(&schema, choices));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => text(&schema),
        Some(kind @ ("number" | "integer")) => Ok(kept(kind, &schema, &NUMBER)),
        Some("boolean") => Ok(kept("boolean", &schema, &[])),
        Some("array") => several(&schema, definitions),
        Some("object") => Err("objects inside of objects are not allowed".to_owned()),
        _ => Err("it is neither text, nor a number, nor yes or no, nor a choice".to_owned()),
    }
}

fn text(schema: &Schema) -> Result<Value, String> {
    if let Some(format) = schema.get("format").and_then(Value::as_str)
        && !FORMATS.contains(&format)
    {
        return Err(format!("forms have no format `{format}`"));
    }
    Ok(kept("string", schema, &TEXT))
}

/// A field of which only what a form says is kept.
fn kept(kind: &str, schema: &Schema, keywords: &[&str]) -> Value {
    let mut field = Map::new();
    field.insert("type".to_owned(), kind.into());
    let known = schema
        .iter()
        .filter(|(keyword, value)| {
            let keyword = keyword.as_str();
            (ALL.contains(&keyword) || keywords.contains(&keyword)) && !value.is_null()
        })
        .map(|(keyword, value)| (keyword.clone(), value.clone()));
    field.extend(known);
    field.into()
}

/// One value of a choice, with what it is called.
struct Choice {
    value: Value,
    title: Option<String>,
}

/// The choices that `schema` offers, if that is what it does.
fn choices(schema: &Schema, definitions: &Definitions) -> Result<Option<Vec<Choice>>, String> {
    if let Some(value) = schema.get("const") {
        let title = called(schema);
        return Ok(Some(vec![Choice {
            value: value.clone(),
            title,
        }]));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let mut all = Vec::new();
        for value in values.iter().cloned() {
            all.push(Choice { value, title: None });
        }
        return Ok(Some(all));
    }
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    let Some(Value::Array(branches)) = branches else {
        return Ok(None);
    };
    let mut all = Vec::new();
    for branch in branches {
        let branch = branch.as_object().cloned().unwrap_or_default();
        let branch = definitions.resolve(branch)?;
        let choices = choices(&branch, definitions)?;
        all.extend(choices.ok_or("an enum whose variants hold values is no choice")?);
    }
    Ok(Some(all))
}

/// What a choice is called: its title, else what is written about it.
fn called(schema: &Schema) -> Option<String> {
    let said = schema.get("title").or_else(|| schema.get("description"))?;
    said.as_str().map(str::to_owned)
}

fn single(schema: &Schema, choices: Vec<Choice>) -> Value {
    let mut field = kept("string", schema, &[]);
    let (keyword, values) = listed(choices, "oneOf");
    field[keyword] = values;
    field
}

fn several(schema: &Schema, definitions: &Definitions) -> Result<Value, String> {
    let refused = "lists are only allowed of choices, such as an enum without values";
    let items = schema.get("items").and_then(Value::as_object);
    let items = definitions.resolve(items.ok_or(refused)?.clone())?;
    let choices = choices(&items, definitions)?.ok_or(refused)?;
    let mut field = kept("array", schema, &CHOICES);
    let (keyword, values) = listed(choices, "anyOf");
    field["items"] = Value::Object(Map::new());
    // A choice with titles needs no type (2026-07-28, "Elicitation").
    if keyword == "enum" {
        field["items"]["type"] = "string".into();
    }
    field["items"][keyword] = values;
    Ok(field)
}

/// The choices as a list of values; where one has a title, each with its own under `keyword`.
fn listed(choices: Vec<Choice>, keyword: &'static str) -> (&'static str, Value) {
    if choices.iter().all(|choice| choice.title.is_none()) {
        let mut values = Vec::new();
        for choice in choices {
            values.push(choice.value);
        }
        return ("enum", Value::Array(values));
    }
    let mut all = Vec::new();
    for Choice { value, title } in choices {
        let title = title.unwrap_or_else(|| value.as_str().unwrap_or_default().to_owned());
        let mut titled = Map::new();
        titled.insert("const".to_owned(), value);
        titled.insert("title".to_owned(), title.into());
        all.push(Value::Object(titled));
    }
    (keyword, Value::Array(all))
}

/// A field that may be left out is one that nobody has to fill in, not one that may be null.
fn without_null(mut schema: Schema, definitions: &Definitions) -> Result<Schema, String> {
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type") != Some(&Value::from("null")));
        if let [Value::Object(branch)] = branches.as_slice() {
            let branch = definitions.resolve(branch.clone())?;
            schema.remove("anyOf");
            for (keyword, value) in branch {
                schema.entry(keyword).or_insert(value);
            }
        }
    }
    Ok(schema)
}
