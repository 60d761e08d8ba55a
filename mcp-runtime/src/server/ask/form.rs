//! Forms: from a Rust type to what the protocol lets a form be, and back.
//!
//! The protocol's forms are flat (2026-07-28, "Elicitation", section Requested Schema): an object
//! whose fields are text, numbers, yes or no, or choices. schemars says more about a type than
//! that; what is merely said otherwise is rewritten here, and what can't be said is refused.

use mcp_types::{ElicitSchema, RawJson, RawJsonRef};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::AskError;
use super::field::{self, Definitions};
use super::order;
use crate::schema;
use crate::server::tools::arguments::with_plain_integers;

/// What the one field of a form is called whose type is no struct.
const ONLY_FIELD: &str = "answer";

/// The form that asks for a `T`.
///
/// # Errors
///
/// When the protocol has no form for the type.
pub(super) fn schema<T: JsonSchema>() -> Result<ElicitSchema, AskError> {
    let document = schema::document(schema::describe::<T>, schema::for_input());
    let form = form(document).map_err(AskError::Question)?;
    let form = RawJson::from(form).parse();
    form.map_err(|fault| AskError::Question(fault.to_string()))
}

/// The form that asks for a `T`, with its fields in the order in which they are declared.
///
/// # Errors
///
/// When the protocol has no form for the type.
pub(super) fn in_order<T: DeserializeOwned + JsonSchema>() -> Result<ElicitSchema, AskError> {
    let mut form = schema::<T>()?;
    let declared = order::fields::<T>();
    let place = |name: &str| declared.iter().position(|field| *field == name);
    form.properties
        .sort_by_cached_key(|name, _| place(name).unwrap_or(usize::MAX));
    Ok(form)
}

fn form(document: Value) -> Result<Value, String> {
    let Value::Object(mut document) = document else {
        return Err("a form has to say what it asks for".to_owned());
    };
    let definitions = Definitions::take(&mut document);
    let document = definitions.resolve(document)?;
    if !is_object(&document) {
        let field = field::field(document, &definitions)
            .map_err(|reason| format!("the type is neither a struct nor a field: {reason}"))?;
        let mut fields = Map::new();
        fields.insert(ONLY_FIELD.to_owned(), field);
        return Ok(form_of(fields, Some(Value::Array(vec![ONLY_FIELD.into()]))));
    }
    object(document, &definitions)
}

fn object(mut document: Map<String, Value>, definitions: &Definitions) -> Result<Value, String> {
    if document.contains_key("oneOf") || document.contains_key("anyOf") {
        return Err("an enum whose variants hold values is no form".to_owned());
    }
    let properties = match document.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    let mut fields = Map::new();
    for (name, property) in properties {
        let Value::Object(property) = property else {
            return Err(format!(
                "`{name}` may be anything, which no form can ask for"
            ));
        };
        let field = field::field(property, definitions)
            .map_err(|reason| format!("`{name}` is no field of a form: {reason}"))?;
        fields.insert(name, field);
    }
    Ok(form_of(fields, document.remove("required")))
}

fn form_of(fields: Map<String, Value>, required: Option<Value>) -> Value {
    let mut form = Map::new();
    form.insert("type".to_owned(), "object".into());
    form.insert("properties".to_owned(), fields.into());
    if let Some(required) = required {
        form.insert("required".to_owned(), required);
    }
    form.into()
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.contains_key("properties")
        || schema.get("type").and_then(Value::as_str) == Some("object")
}

/// What was filled into the form that asks for a `T`.
///
/// # Errors
///
/// When it does not fit.
pub(super) fn read<T: DeserializeOwned + JsonSchema>(
    content: Option<&RawJson>,
) -> Result<T, AskError> {
    #[derive(Deserialize)]
    struct Only<T> {
        answer: T,
    }

    let text = content.map_or("{}", RawJson::get);
    check(text, &schema::<T>()?).map_err(AskError::Answer)?;
    let document = schema::document(schema::describe::<T>, schema::for_input());
    let whole = document.as_object().is_some_and(is_object);
    if whole {
        decode(text)
    } else {
        decode(text).map(|Only { answer }| answer)
    }
}

/// What was filled into a form that no type has made.
///
/// # Errors
///
/// When it does not fit.
pub(super) fn read_as<T: DeserializeOwned>(
    content: Option<&RawJson>,
    schema: &ElicitSchema,
) -> Result<T, AskError> {
    let text = content.map_or("{}", RawJson::get);
    check(text, schema).map_err(AskError::Answer)?;
    decode(text)
}

/// Decodes what was filled in; integers may be spelled with a fraction of zeros or an exponent.
fn decode<T: DeserializeOwned>(text: &str) -> Result<T, AskError> {
    let decoded = serde_json::from_str(text).or_else(|fault| match with_plain_integers(text) {
        Some(plain) => serde_json::from_str(&plain),
        None => Err(fault),
    });
    decoded.map_err(|fault| AskError::Answer(fault.to_string()))
}

fn check(text: &str, schema: &ElicitSchema) -> Result<(), String> {
    let content = RawJsonRef::from_text(text).and_then(RawJsonRef::parse);
    let content = content.map_err(|fault| fault.to_string())?;
    crate::protocol::form::check(&content, schema)
}

#[cfg(test)]
mod tests;
