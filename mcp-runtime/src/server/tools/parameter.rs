//! Descriptions of arguments without their Rust types, and the input schema made from them.

use std::sync::OnceLock;

use mcp_types::{OrderedMap, RawJson};
use schemars::JsonSchema;
use schemars::generate::SchemaGenerator;
use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::expected::integers;
use super::validation::Validation;
use crate::schema::{self, Describe};
use crate::server::handler::ArgumentError;

/// The largest absolute value of an integer in a header. Larger integers are not exact in programs
/// that use floating-point numbers (2026-07-28, "Tools", section "x-mcp-header").
const MAX_SAFE_INTEGER: i128 = (1 << 53) - 1;

/// The description of one argument, without its Rust type.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name. It is empty for a struct that takes all arguments.
    pub(super) name: &'static str,
    describe: Describe,
    /// Keywords that are added to the schema of the type.
    pub(super) keywords: Map<String, Value>,
    pub(super) is_required: bool,
    /// True if JSON inside a string is also accepted.
    pub(super) is_lenient: bool,
    validation: OnceLock<Validation>,
}

impl Parameter {
    pub(super) fn new<T: JsonSchema>(name: &'static str, is_required: bool) -> Self {
        Self {
            name,
            describe: schema::describe::<T>,
            keywords: Map::new(),
            is_required,
            is_lenient: false,
            validation: OnceLock::new(),
        }
    }

    /// Returns the validation of the argument's values, which is created on first use.
    pub(super) fn validation(&self) -> &Validation {
        self.validation.get_or_init(|| {
            let mut generator = schema::for_input();
            let schema = self.schema(&mut generator);
            Validation::new(schema, generator.take_definitions(true))
        })
    }

    pub(super) fn check_default(&self, errors: &mut Vec<ArgumentError>) {
        if let Some(default) = self.keywords.get("default") {
            let validation = self.validation();
            errors.extend(validation.errors(self.name, &default.to_string(), Ok(())));
        }
    }

    /// Returns the schema of the type with the keywords of the argument.
    fn schema(&self, generator: &mut SchemaGenerator) -> Value {
        let mut schema = (self.describe)(generator);
        let schema = schema.ensure_object();
        schema.extend(self.keywords.clone());
        if self.keywords.contains_key("x-mcp-header") {
            narrow_type(schema);
            narrow_range(schema);
        }
        Value::Object(std::mem::take(schema))
    }

    /// Returns the schema of the type as an input schema, for a struct that takes all arguments.
    pub(super) fn whole_input_schema(&self) -> Value {
        let mut schema = schema::document(self.describe, schema::for_input());
        if let Value::Object(members) = &mut schema {
            // The description of the struct is not meant for the callers of the tool.
            members.shift_remove("description");
            members.entry("type").or_insert_with(|| "object".into());
        }
        schema
    }
}

/// Removes `null` from the types of a schema, because a header needs exactly one primitive type.
/// The argument can still be left out.
fn narrow_type(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [name] = types.as_mut_slice() {
            let name = name.take();
            schema.insert("type".to_owned(), name);
        }
    }
}

/// Limits integers to the range that is allowed in a header.
fn narrow_range(schema: &mut Map<String, Value>) {
    let Some((least, most)) = integers(schema).filter(|(_, most)| *most > MAX_SAFE_INTEGER) else {
        return;
    };
    let bound = |keyword| schema.get(keyword)?.as_number()?.as_i128();
    let least = bound("minimum").unwrap_or(least).max(-MAX_SAFE_INTEGER);
    let most = bound("maximum").unwrap_or(most).min(MAX_SAFE_INTEGER);
    schema.insert("minimum".to_owned(), Number::from_i128(least).into());
    schema.insert("maximum".to_owned(), Number::from_i128(most).into());
}

#[derive(Serialize)]
struct InputSchema<'a> {
    r#type: &'static str,
    properties: OrderedMap<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'a str>,
    #[serde(
        rename = "additionalProperties",
        skip_serializing_if = "Option::is_none"
    )]
    additional_properties: Option<bool>,
    #[serde(rename = "$defs", skip_serializing_if = "Map::is_empty")]
    definitions: Map<String, Value>,
}

pub(super) fn input_schema(parameters: &[Parameter], strict: bool) -> RawJson {
    let mut generator = schema::for_input();
    let schemas = parameters.iter().map(|it| it.schema(&mut generator));
    let mut schemas: Vec<_> = schemas.collect();
    let definitions = schema::finish(&mut generator, &mut schemas);
    let names = parameters.iter().map(|it| it.name.to_owned());
    let required = parameters.iter().filter(|it| it.is_required);
    RawJson::encode(&InputSchema {
        r#type: "object",
        properties: names.zip(schemas).collect(),
        required: required.map(|it| it.name).collect(),
        additional_properties: (strict || parameters.is_empty()).then_some(false),
        definitions,
    })
}
