//! Fields of forms: their schemas and their possible types.

use std::collections::{BTreeSet, HashSet};
use std::marker::PhantomData;
use std::str::FromStr;

use serde_json::{Map, Value, json};

/// The definitions (`$defs`) that a schema may refer to.
pub(super) struct FormDefinitions(Map<String, Value>);

/// The keywords of JSON Schema that a form can't express.
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

/// The formats of string fields. Other formats, such as `uuid`, are dropped.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

type Schema = Map<String, Value>;

impl FormDefinitions {
    pub(super) fn take(document: &mut Schema) -> Self {
        match document.shift_remove("$defs") {
            Some(Value::Object(definitions)) => Self(definitions),
            _ => Self(Map::new()),
        }
    }

    /// Replaces the reference in `schema` with its definition. Keywords next to the reference win.
    pub(super) fn resolve(&self, mut schema: Schema) -> Result<Schema, String> {
        let mut left = self.0.len();
        while let Some(Value::String(reference)) = schema.shift_remove("$ref") {
            let name = reference.strip_prefix("#/$defs/").unwrap_or(&reference);
            let Some(Value::Object(definition)) = self.0.get(name).filter(|_| left > 0) else {
                return Err(format!("it refers to `{name}`, which is not defined"));
            };
            left -= 1;
            for (keyword, value) in definition {
                schema.entry(keyword).or_insert_with(|| value.clone());
            }
        }
        Ok(schema)
    }
}

/// Makes the schema of a field from the schema of its type. Keywords without a meaning in forms
/// remain; decoding the result as an `ElicitSchema` drops them.
///
/// # Errors
///
/// With the reason why the type can't be a field.
pub(super) fn field(schema: Schema, definitions: &FormDefinitions) -> Result<Value, String> {
    let mut schema = without_null(definitions.resolve(schema)?, definitions)?;
    if let Some(keyword) = RESTRICTIONS.iter().find(|key| schema.contains_key(**key)) {
        return Err(format!("forms have no `{keyword}`"));
    }
    if let Some(choices) = choices(&schema, definitions)? {
        return Ok(single_select(schema, choices));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => {
            let format = schema.get("format").and_then(Value::as_str);
            if format.is_some_and(|format| !FORMATS.contains(&format)) {
                schema.shift_remove("format");
            }
            Ok(schema.into())
        }
        Some("number" | "integer" | "boolean") => Ok(schema.into()),
        Some("array") => multi_select(schema, definitions),
        Some("object") => Err("objects inside of objects are not allowed".to_owned()),
        _ => Err("it is neither text, nor a number, nor yes or no, nor a choice".to_owned()),
    }
}

struct Choice {
    value: Value,
    title: Option<String>,
}

/// Returns the choices of an enum, or `None` for any other schema.
fn choices(schema: &Schema, definitions: &FormDefinitions) -> Result<Option<Vec<Choice>>, String> {
    if let Some(value) = schema.get("const") {
        let title = schema.get("title").or_else(|| schema.get("description"));
        return Ok(Some(vec![Choice {
            value: value.clone(),
            title: title.and_then(Value::as_str).map(str::to_owned),
        }]));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let untitled = |value| Choice { value, title: None };
        return Ok(Some(values.iter().cloned().map(untitled).collect()));
    }
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    let Some(Value::Array(branches)) = branches else {
        return Ok(None);
    };
    let mut all = Vec::new();
    for branch in branches {
        let branch = branch.as_object().cloned().unwrap_or_default();
        let choices = choices(&definitions.resolve(branch)?, definitions)?;
        all.extend(choices.ok_or("an enum whose variants hold values is not a choice")?);
    }
    Ok(Some(all))
}

fn single_select(mut schema: Schema, choices: Vec<Choice>) -> Value {
    schema.retain(|keyword, _| matches!(&**keyword, "title" | "description" | "default"));
    let (keyword, values) = choice_schema(choices, "oneOf");
    schema.insert("type".to_owned(), "string".into());
    schema.insert(keyword.to_owned(), values);
    schema.into()
}

fn multi_select(mut schema: Schema, definitions: &FormDefinitions) -> Result<Value, String> {
    let error = "a list may only hold choices, such as an enum without values";
    let Some(Value::Object(items)) = schema.shift_remove("items") else {
        return Err(error.to_owned());
    };
    let choices = choices(&definitions.resolve(items)?, definitions)?.ok_or(error)?;
    let items = match choice_schema(choices, "anyOf") {
        ("enum", values) => json!({"type": "string", "enum": values}),
        // The schema of titled choices has no `type` (2026-07-28, "Elicitation").
        (keyword, values) => json!({keyword: values}),
    };
    schema.insert("items".to_owned(), items);
    Ok(schema.into())
}

/// Returns the keyword and the value that list the choices. The keyword is `enum`, or `keyword` if
/// any choice has a title.
fn choice_schema(choices: Vec<Choice>, keyword: &'static str) -> (&'static str, Value) {
    if choices.iter().all(|choice| choice.title.is_none()) {
        let values = choices.into_iter().map(|choice| choice.value);
        return ("enum", values.collect());
    }
    let titled = choices.into_iter().map(|Choice { value, title }| {
        let title = title.unwrap_or_else(|| value.as_str().unwrap_or_default().to_owned());
        json!({"const": value, "title": title})
    });
    (keyword, titled.collect())
}

/// Removes `null` from the schema, since forms express optional fields with `required` alone.
fn without_null(mut schema: Schema, definitions: &FormDefinitions) -> Result<Schema, String> {
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
            schema.shift_remove("anyOf");
            for (keyword, value) in branch {
                schema.entry(keyword).or_insert(value);
            }
        }
    }
    Ok(schema)
}

/// A type that a field of a form can have (2026-07-28, "Elicitation", section Requested Schema).
///
/// These types are strings, numbers, `bool`, enums with
/// [`#[derive(Elicit)]`](derive@crate::Elicit), lists of such enums, and `Option`s of all these.
/// Types that implement `FromStr`, such as dates and URLs of other crates, can be fields without
/// this trait. Implement it for your own types whose schema is a string or a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a form",
    label = "neither text, nor a number, nor `bool`, nor a choice",
    note = "forms are flat: put the fields of a struct into the form itself, and `#[derive(Elicit)]` on an enum to make it a choice"
)]
pub trait ElicitField {}

/// A type whose values are choices: an enum with `#[derive(Elicit)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a choice of a form",
    label = "not an enum under `#[derive(Elicit)]`",
    note = "a form can ask for several values only if they are choices of an enum"
)]
pub trait ElicitChoice {}

macro_rules! fields {
    ($($kind:ty),* $(,)?) => { $(impl ElicitField for $kind {})* };
}

fields! {
    String, char, bool, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize,
}

impl<T: ElicitField> ElicitField for Option<T> {}
impl<T: ElicitField> ElicitField for Box<T> {}
impl<T: ElicitChoice> ElicitField for Vec<T> {}
impl<T: ElicitChoice> ElicitField for BTreeSet<T> {}
impl<T: ElicitChoice, S> ElicitField for HashSet<T, S> {}

/// A stand-in for the type of a field, to check at compile time that a form can ask for it.
///
/// Macro output calls `check` on a reference to it, and method lookup takes the first of the traits
/// below that the type implements.
pub struct FormField<T>(PhantomData<fn() -> T>);

impl<T> FormField<T> {
    /// Creates a stand-in for `T`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only macro output makes one")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// First choice: types that are parsed from a string.
pub trait TextField {
    /// Does nothing.
    fn check(&self) {}
}

impl<T: FromStr> TextField for &&FormField<T> {}

/// Second choice: `Option`s of types that are parsed from a string.
pub trait OptionalTextField {
    /// Does nothing.
    fn check(&self) {}
}

impl<T: FromStr> OptionalTextField for &FormField<Option<T>> {}

/// Last choice: all other types, which must implement [`ElicitField`].
pub trait OwnField<T> {
    /// Does nothing.
    fn check(&self)
    where
        T: ElicitField,
    {
    }
}

impl<T> OwnField<T> for FormField<T> {}
