//! A struct that takes all arguments of a tool.

use std::borrow::Cow;

use mcp_types::{RawJson, RawJsonRef};
use serde_json::Value;

use super::argument::ToolArgument;
use super::call::Call;
use super::probe::{self, Probe};
use super::rules::Rules;
use super::spec::{ToolSpec, expected};
use crate::schema::{self, Describe};
use crate::server::handler::decode;
use crate::server::handler::fault::Faults;
use crate::server::handler::run::Rejection;

/// The description of a struct that takes all arguments.
pub struct Spread<T> {
    describe: Describe,
    decode: fn(&str) -> serde_json::Result<T>,
    probe: Probe,
    /// The members that have to be there, and what is expected of each.
    required: Vec<(String, String)>,
    /// What the schema says of values.
    rules: Rules,
}

/// A struct of the type `T` that takes all arguments.
#[must_use]
pub fn spread<T: ToolArgument>() -> Spread<T> {
    Spread {
        describe: schema::describe::<T>,
        decode: |json| serde_json::from_str(json),
        probe: probe::probe::<T>,
        required: Vec::new(),
        rules: Rules::of(schema::describe::<T>, &mut schema::for_input()),
    }
}

impl ToolSpec {
    /// Takes the arguments from one struct, whose schema is that of the tool.
    pub fn spread<T>(&mut self, mut spread: Spread<T>) -> Spread<T> {
        let mut schema = schema::document(spread.describe, schema::for_input());
        spread.required = required(&schema);
        if let Value::Object(members) = &mut schema {
            // What the struct says of itself is said of the tool already, or not meant for it.
            members.remove("description");
            members.entry("type").or_insert_with(|| "object".into());
        }
        self.input_schema = Some(RawJson::from(schema));
        spread
    }
}

/// What the schema of an object requires, each with the type that it has.
fn required(schema: &Value) -> Vec<(String, String)> {
    let mut required = Vec::new();
    if let Some(Value::Array(names)) = schema.get("required") {
        for name in names.iter().filter_map(Value::as_str) {
            required.push((name.to_owned(), expected(&schema["properties"][name])));
        }
    }
    required
}

impl Call<'_> {
    /// Reads all arguments as one struct.
    ///
    /// # Errors
    ///
    /// With every argument that does not fit.
    pub fn spread<T>(&self, spread: &Spread<T>) -> Result<T, Rejection> {
        let text = self.incoming.arguments.map_or("{}", RawJsonRef::get);
        let mut text = Cow::Borrowed(text);
        // A decoder would take a list for a struct as well.
        let mut decoded = match text.starts_with('{') {
            true => (spread.decode)(&text).map_err(Some),
            false => Err(None),
        };
        if decoded.is_err()
            && let Some(plain) = decode::with_plain_integers(&text)
        {
            decoded = (spread.decode)(&plain).map_err(Some);
            text = Cow::Owned(plain);
        }
        let text = &*text;
        let (value, mut faults) = match decoded {
            Ok(value) => (Some(value), Faults::default()),
            Err(error) => {
                let error: Option<serde_json::Error> = error;
                let required = &spread.required;
                let (error, rules) = (error.as_ref(), &spread.rules);
                let faults = probe::faults(text, error, spread.probe, required, rules);
                (None, faults)
            }
        };
        spread.rules.check_all(text, &mut faults);
        value
            .filter(|_| faults.is_empty())
            .ok_or_else(|| Rejection::from(faults))
    }
}
