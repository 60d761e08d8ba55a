//! Forms of elicitation: makes the schema of a form from a Rust type, and decodes the content of a
//! filled-in form.
//!
//! The protocol's forms are flat (2026-07-28, "Elicitation", section Requested Schema): an object
//! whose fields are strings, numbers, booleans or choices. Schemas of schemars that are equivalent
//! to such a form are rewritten; all others are refused.

use std::cell::Cell;
use std::collections::BTreeSet;

use mcp_types::{ElicitSchema, RawJson, RawJsonRef};
use schemars::JsonSchema;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Value, json};

use super::AskError;
use super::form_fields::{self, ElicitChoice, FormDefinitions};
use crate::server::tools::arguments::with_plain_integers;
use crate::{protocol, schema};

/// The default name of the field in the form of a type that is not a struct.
pub(in crate::server) const ONLY_FIELD: &str = "answer";

/// A type that users can be asked to fill in ([`Context::elicit`](crate::Context::elicit)).
///
/// [`#[derive(Elicit)]`](derive@crate::Elicit) implements it for structs and enums, and checks
/// their fields. It is also implemented for strings, numbers, `bool`, and lists of choices.
#[diagnostic::on_unimplemented(
    message = "users can't be asked for a `{Self}`",
    label = "is not a form",
    note = "add `#[derive(Deserialize, JsonSchema, Elicit)]` to a struct or enum to make it a form; strings, numbers and `bool` are forms",
    note = "if the type can't be inferred, name it: `let sure: bool = cx.elicit(…).await?`",
    note = "a type of another crate, such as a date, can only be a field: put it into such a struct"
)]
pub trait ElicitForm: DeserializeOwned + JsonSchema + Send + 'static {}

macro_rules! forms {
    ($($kind:ty),* $(,)?) => { $(impl ElicitForm for $kind {})* };
}

forms! {
    String, char, bool, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize,
}

impl<T: ElicitChoice + ElicitForm> ElicitForm for Vec<T> {}
impl<T: ElicitChoice + ElicitForm + Ord> ElicitForm for BTreeSet<T> {}

/// Returns the form for a `T`, and whether `T` is not a struct, so that it is the only field and
/// `field` its name.
///
/// # Errors
///
/// When the protocol has no form for the type.
pub(in crate::server) fn schema<T: JsonSchema>(
    field: &str,
) -> Result<(ElicitSchema, bool), AskError> {
    let document = schema::document(schema::describe::<T>, schema::for_input());
    let (form, is_only_field) = form(document, field).map_err(AskError::Question)?;
    let form = serde_json::from_value(form);
    let form = form.map_err(|error| AskError::Question(error.to_string()))?;
    Ok((form, is_only_field))
}

/// Returns the form for a `T`, with its fields in the order of their declaration.
///
/// # Errors
///
/// When the protocol has no form for the type.
pub(super) fn in_order<T: ElicitForm>(field: &str) -> Result<ElicitSchema, AskError> {
    let (mut form, _) = schema::<T>(field)?;
    let declared = declared_fields::<T>();
    let place = |name: &str| declared.iter().position(|field| *field == name);
    form.properties
        .sort_by_cached_key(|name, _| place(name).unwrap_or(usize::MAX));
    Ok(form)
}

fn form(document: Value, only_field: &str) -> Result<(Value, bool), String> {
    let Value::Object(mut document) = document else {
        return Err("the schema of a form must be an object".to_owned());
    };
    let definitions = FormDefinitions::take(&mut document);
    let mut document = definitions.resolve(document)?;
    let is_only_field = !document.contains_key("properties")
        && document.get("type").and_then(Value::as_str) != Some("object");
    if is_only_field {
        let field = form_fields::field(document, &definitions)
            .map_err(|reason| format!("the type is neither a struct nor a field: {reason}"))?;
        let form = json!({
            "type": "object",
            "properties": {only_field: field},
            "required": [only_field],
        });
        return Ok((form, true));
    }
    if document.contains_key("oneOf") || document.contains_key("anyOf") {
        return Err("an enum whose variants hold values is not a form".to_owned());
    }
    if let Some(Value::Object(properties)) = document.get_mut("properties") {
        for (name, property) in properties {
            let Value::Object(schema) = property.take() else {
                return Err(format!(
                    "`{name}` may be anything, which no form can ask for"
                ));
            };
            *property = form_fields::field(schema, &definitions)
                .map_err(|reason| format!("`{name}` can't be a field of a form: {reason}"))?;
        }
    }
    document.entry("properties").or_insert_with(|| json!({}));
    Ok((document.into(), false))
}

/// Decodes the content of the form of `T`. If the form has only one field, its name is `field`, or
/// any name if `field` is `None`.
///
/// # Errors
///
/// When the content does not fit the form.
pub(super) fn read<T: ElicitForm>(
    content: Option<&RawJson>,
    field: Option<&str>,
) -> Result<T, AskError> {
    let text = content.map_or("{}", RawJson::get);
    let members = RawJsonRef::from_text(text).and_then(RawJsonRef::members);
    let members = members.map_err(AskError::misfit)?;
    let first = || Some(&*members.first()?.0);
    let field = field.or_else(first).unwrap_or(ONLY_FIELD);
    let (schema, is_only_field) = schema::<T>(field)?;
    if !is_only_field {
        return read_as(content, &schema);
    }
    check(text, &schema)?;
    let only = members.iter().rfind(|(name, _)| name == field);
    decode(only.map_or("null", |(_, value)| value.get()))
}

/// Decodes the content of a form that is known only at run time.
///
/// # Errors
///
/// When the content does not fit the form.
pub(super) fn read_as<T: DeserializeOwned>(
    content: Option<&RawJson>,
    schema: &ElicitSchema,
) -> Result<T, AskError> {
    let text = content.map_or("{}", RawJson::get);
    check(text, schema)?;
    decode(text)
}

fn check(text: &str, schema: &ElicitSchema) -> Result<(), AskError> {
    let filled = RawJsonRef::from_text(text).and_then(RawJsonRef::parse);
    let filled = filled.map_err(AskError::misfit)?;
    protocol::form::check(&filled, schema).map_err(AskError::Answer)
}

/// Decodes a value. Integers may be written with a fraction of zeros or an exponent.
///
/// # Errors
///
/// When the value is not a `T`.
pub(super) fn decode<T: DeserializeOwned>(text: &str) -> Result<T, AskError> {
    let decoded = serde_json::from_str(text).or_else(|fault| match with_plain_integers(text) {
        Some(plain) => serde_json::from_str(&plain),
        None => Err(fault),
    });
    decoded.map_err(AskError::misfit)
}

/// Returns the serialized names of the fields of `T` in the order of their declaration. The list is
/// empty if `T` is not a struct with named fields.
///
/// This asks serde, which passes the declared order to a deserializer, because schemars sorts the
/// fields by name.
fn declared_fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let fields = Cell::new(&[] as _);
    // `FieldNames` always fails, after it has recorded the names.
    let _ = T::deserialize(FieldNames(&fields));
    fields.get()
}

/// A deserializer that has no value, and only records which fields are requested.
struct FieldNames<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.set(fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    fn form_of<T: JsonSchema>() -> Value {
        serde_json::to_value(schema::<T>(ONLY_FIELD).unwrap().0).unwrap()
    }

    fn refusal<T: JsonSchema>() -> String {
        match schema::<T>(ONLY_FIELD) {
            Err(AskError::Question(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq, PartialOrd, Ord, Eq)]
    #[serde(rename_all = "lowercase")]
    enum Plain {
        Red,
        Green,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Titled {
        /// As blood.
        Red,
        #[schemars(title = "Go")]
        Green,
        Blue,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Everything {
        #[schemars(title = "Name", length(min = 1, max = 9))]
        name: String,
        #[schemars(extend("format" = "email"))]
        mail: Option<String>,
        #[serde(default = "seven")]
        count: u32,
        #[schemars(range(min = 0.5))]
        share: f64,
        sure: bool,
        plain: Plain,
        again: Option<Plain>,
        titled: Titled,
        #[schemars(length(max = 2))]
        several: Vec<Plain>,
        set: BTreeSet<Plain>,
        some: Option<Vec<Titled>>,
    }

    impl ElicitForm for Plain {}
    impl ElicitForm for Everything {}

    fn seven() -> u32 {
        7
    }

    #[test]
    fn a_struct_is_a_form() {
        let titled = json!([
            {"const": "blue", "title": "blue"},
            {"const": "red", "title": "As blood."},
            {"const": "green", "title": "Go"},
        ]);
        assert_eq!(
            form_of::<Everything>(),
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 9},
                    "mail": {"type": "string", "format": "email"},
                    "count": {"type": "integer", "default": 7, "minimum": 0},
                    "share": {"type": "number", "minimum": 0.5},
                    "sure": {"type": "boolean"},
                    "plain": {"type": "string", "enum": ["red", "green"]},
                    "again": {"type": "string", "enum": ["red", "green"]},
                    "titled": {"type": "string", "oneOf": titled},
                    "several": {
                        "type": "array",
                        "maxItems": 2,
                        "items": {"type": "string", "enum": ["red", "green"]},
                    },
                    "set": {
                        "type": "array",
                        "items": {"type": "string", "enum": ["red", "green"]},
                    },
                    "some": {"type": "array", "items": {"anyOf": titled}},
                },
                "required": [
                    "name", "share", "sure", "plain", "titled", "several", "set",
                ],
            })
        );
    }

    #[test]
    fn a_field_makes_a_form_of_its_own() {
        let form = form_of::<bool>();
        assert_eq!(
            form,
            json!({
                "type": "object",
                "properties": {"answer": {"type": "boolean"}},
                "required": ["answer"],
            })
        );
        let content = RawJson::from(json!({"answer": "green"}));
        assert_eq!(read::<Plain>(Some(&content), None).unwrap(), Plain::Green);
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Nested {
        inner: Everything,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Listed {
        names: Vec<String>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Patterned {
        #[schemars(regex(pattern = "^a"))]
        code: String,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Formatted {
        #[schemars(extend("format" = "ipv4"))]
        address: String,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    enum Loaded {
        Some(u8),
        None,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Anything {
        value: Value,
    }

    #[test]
    fn what_is_not_a_form_is_refused_by_the_name_of_the_field() {
        assert!(
            refusal::<Nested>().contains("`inner`"),
            "{}",
            refusal::<Nested>()
        );
        assert!(
            refusal::<Listed>().contains("`names`"),
            "{}",
            refusal::<Listed>()
        );
        assert!(
            refusal::<Patterned>().contains("`pattern`"),
            "{}",
            refusal::<Patterned>()
        );
        assert!(
            refusal::<Loaded>().contains("variants"),
            "{}",
            refusal::<Loaded>()
        );
        assert!(
            refusal::<Anything>().contains("`value`"),
            "{}",
            refusal::<Anything>()
        );
        assert!(
            refusal::<Vec<u8>>().contains("list"),
            "{}",
            refusal::<Vec<u8>>()
        );
    }

    #[test]
    fn text_in_a_format_that_forms_do_not_know_is_text() {
        let form = form_of::<Formatted>();
        assert_eq!(form["properties"]["address"], json!({"type": "string"}));
    }

    #[test]
    fn what_was_filled_in_has_to_fit() {
        let fault = |content: Value| {
            let content = RawJson::from(content);
            match read::<Plain>(Some(&content), None) {
                Err(AskError::Answer(reason)) => reason,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(fault(json!({})), "`answer` is missing");
        assert_eq!(
            fault(json!({"answer": "blue"})),
            "`answer` must be one of the choices"
        );
    }

    #[test]
    fn the_fields_stand_in_the_order_in_which_they_are_declared() {
        let form = in_order::<Everything>(ONLY_FIELD).unwrap();
        assert_eq!(
            form.properties.keys().collect::<Vec<_>>(),
            [
                "name", "mail", "count", "share", "sure", "plain", "again", "titled", "several",
                "set", "some",
            ]
        );
    }
}
