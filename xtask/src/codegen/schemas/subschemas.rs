//! The schemas inside of a schema.

use super::load::escape;
use serde_json::Value;

/// Keywords with a list of schemas, one of which must match.
pub(crate) const ALTERNATIVES: [&str; 2] = ["anyOf", "oneOf"];

/// Calls `visit` with each schema in `schema` and its JSON pointer, innermost first.
pub(crate) fn each(schema: &mut Value, at: &str, visit: &mut dyn FnMut(&mut Value, &str)) {
    for (key, member) in schema.as_object_mut().into_iter().flatten() {
        let at = format!("{at}/{key}");
        match (key.as_str(), member) {
            ("additionalProperties", Value::Bool(false)) => {}
            ("additionalProperties" | "items", member) => each(member, &at, visit),
            ("allOf" | "anyOf" | "oneOf", Value::Array(members)) => {
                for (index, member) in members.iter_mut().enumerate() {
                    each(member, &format!("{at}/{index}"), visit);
                }
            }
            ("properties", Value::Object(members)) => {
                for (name, member) in members {
                    each(member, &format!("{at}/{}", escape(name)), visit);
                }
            }
            _ => {}
        }
    }
    visit(schema, at);
}

/// Returns the alternatives of a schema, one of which must match.
pub(crate) fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    let mut forms = ALTERNATIVES.iter();
    forms.find_map(|form| schema.get(form)?.as_array())
}

/// Returns the definition that `schema` refers to, or `None` if `schema` is not a reference.
pub(crate) fn referred(schema: &Value) -> Option<&str> {
    let target = schema.get("$ref")?.as_str()?;
    target.strip_prefix("#/$defs/")
}
