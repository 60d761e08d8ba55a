//! From a Rust type to its schema.

use super::{clean, definitions};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// How the schema of one type is made; a function pointer, so that nothing is generic after it.
pub(crate) type Describe = fn(&mut SchemaGenerator) -> Schema;

/// The schema of `T`, or a reference to it.
pub(crate) fn describe<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A generator for values that are read.
pub(crate) fn for_input() -> SchemaGenerator {
    settings().for_deserialize().into_generator()
}

/// A generator for values that are written.
pub(crate) fn for_output() -> SchemaGenerator {
    settings().for_serialize().into_generator()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None)
}

/// Cleans `schemas` and what `generator` defined for them, in place.
///
/// Returns the definitions that remain: those that are used more than once, or by themselves.
pub(crate) fn finish(generator: &mut SchemaGenerator, schemas: &mut [Value]) -> Map<String, Value> {
    let mut definitions = generator.take_definitions(true);
    definitions::write_out(schemas, &mut definitions);
    schemas
        .iter_mut()
        .chain(definitions.values_mut())
        .for_each(clean::clean);
    definitions
}

/// The whole schema of one type, its definitions included.
pub(crate) fn document(describe: Describe, mut generator: SchemaGenerator) -> Value {
    let mut schemas = [describe(&mut generator).to_value()];
    let definitions = finish(&mut generator, &mut schemas);
    let [mut schema] = schemas;
    if !definitions.is_empty()
        && let Value::Object(members) = &mut schema
    {
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}
