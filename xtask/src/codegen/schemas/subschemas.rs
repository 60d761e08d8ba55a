//! The schemas inside of a schema.

use super::load::escape;
use serde_json::Value;

/// Keywords for several schemas of which a value has to fit one.
pub(crate) const ALTERNATIVES: [&str; 2] = ["anyOf", "oneOf"];

/// Calls `visit` with each schema in `schema`, innermost first, and its JSON pointer.
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

/// The schemas of which a value has to fit one.
pub(crate) fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    let mut forms = ALTERNATIVES.iter();
    forms.find_map(|form| schema.get(form)?.as_array())
}

/// The definition that `schema` refers to, or `None` if it is not a reference.
pub(crate) fn referred(schema: &Value) -> Option<&str> {
    let target = schema.get("$ref")?.as_str()?;
    target.strip_prefix("#/$defs/")
}
