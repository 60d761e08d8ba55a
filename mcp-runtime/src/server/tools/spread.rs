//! A struct that takes all arguments of a tool.

use mcp_types::{RawJson, RawJsonRef};
use serde_json::Value;

use super::argument::ToolArgument;
use super::call::Call;
use super::spec::ToolSpec;
use crate::schema::{self, Describe};
use crate::server::handler::decode::decode_prefix;
use crate::server::handler::fault::{Fault, Faults};
use crate::server::handler::run::Rejection;

/// The description of a struct that takes all arguments.
pub struct Spread<T> {
    describe: Describe,
    decode: fn(&str) -> serde_json::Result<(T, usize)>,
}

/// A struct of the type `T` that takes all arguments.
#[must_use]
pub fn spread<T: ToolArgument>() -> Spread<T> {
    Spread {
        describe: schema::describe::<T>,
        decode: |text| decode_prefix(text),
    }
}

impl ToolSpec {
    /// Takes the arguments from one struct, whose schema is that of the tool.
    pub fn spread<T>(&mut self, spread: Spread<T>) -> Spread<T> {
        let mut schema = schema::document(spread.describe, schema::for_input());
        if let Value::Object(members) = &mut schema {
            // What the struct says of itself is said of the tool already, or not meant for it.
            members.remove("description");
            members.entry("type").or_insert_with(|| "object".into());
        }
        self.input_schema = Some(RawJson::from(schema));
        spread
    }
}

impl Call<'_> {
    /// Reads all arguments as one struct.
    ///
    /// # Errors
    ///
    /// With the first thing that does not fit.
    pub fn spread<T>(&self, spread: &Spread<T>) -> Result<T, Rejection> {
        let text = self.incoming.arguments.map_or("{}", RawJsonRef::get);
        (spread.decode)(text)
            .map(|(value, _)| value)
            .map_err(|error| {
                let mut faults = Faults::default();
                faults.push(Fault::in_value("arguments", text, &error));
                Rejection::from(faults)
            })
    }
}
