//! What a server demands of its clients.

use std::sync::Arc;

use mcp_types::ClientCapabilities;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Negotiated;
use crate::error::RequestError;

/// The capabilities that each client of a server must declare; none, unless set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirement(Option<Arc<Value>>);

impl Requirement {
    pub(crate) fn new(capabilities: &ClientCapabilities) -> Self {
        Self(Some(Arc::new(json(capabilities))))
    }

    /// What both demand.
    pub(crate) fn and(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Some(ours), Some(theirs)) => {
                let mut both = Value::clone(ours);
                merge(&mut both, theirs);
                Self(Some(Arc::new(both)))
            }
            (ours, theirs) => Self(ours.clone().or_else(|| theirs.clone())),
        }
    }

    /// Whether anything is demanded.
    pub(super) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Checks that the client has everything.
    ///
    /// # Errors
    ///
    /// [`RequestError::MissingCapability`] with what it lacks.
    pub(super) fn check(&self, negotiated: &Negotiated) -> Result<(), RequestError> {
        let Some(required) = &self.0 else {
            return Ok(());
        };
        let declared = json(&negotiated.peer_capabilities);
        match missing(required, Some(&declared)) {
            None => Ok(()),
            Some(missing) => Err(RequestError::MissingCapability {
                missing,
                revision: negotiated.revision,
            }),
        }
    }
}

/// The capabilities as they travel, with what an empty member stands for: a client that can be
/// asked at all can be asked with a form (2025-11-25, "Elicitation", section Capabilities).
fn json(capabilities: &ClientCapabilities) -> Value {
    let mut value = tree(capabilities);
    if let Some(Value::Object(elicitation)) = value.get_mut("elicitation")
        && elicitation.is_empty()
    {
        elicitation.insert("form".to_owned(), Value::Object(Map::new()));
    }
    value
}

/// A value of the model as a tree.
pub(crate) fn tree(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Adds what `more` has to `required`.
fn merge(required: &mut Value, more: &Value) {
    match (required, more) {
        (Value::Object(required), Value::Object(more)) => {
            for (name, member) in more {
                merge(required.entry(name).or_insert(Value::Null), member);
            }
        }
        (_, Value::Null | Value::Bool(false)) => {}
        (required, more) => *required = more.clone(),
    }
}

/// The part of `required` that `declared` does not have.
fn missing(required: &Value, declared: Option<&Value>) -> Option<Value> {
    match (required, declared) {
        (Value::Object(members), Some(Value::Object(declared))) => {
            let mut lacking = Map::new();
            for (name, member) in members {
                if let Some(missing) = missing(member, declared.get(name)) {
                    lacking.insert(name.clone(), missing);
                }
            }
            (!lacking.is_empty()).then_some(Value::Object(lacking))
        }
        (Value::Object(_), Some(_)) | (_, None) => Some(required.clone()),
        (Value::Bool(false) | Value::Null, _) => None,
        (required, Some(declared)) => (required != declared).then(|| required.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::era_errors::names;

    fn lacking(required: Value, declared: Value) -> Option<Value> {
        let capabilities = |value| serde_json::from_value::<ClientCapabilities>(value).unwrap();
        let (required, declared) = (capabilities(required), capabilities(declared));
        missing(&json(&required), Some(&json(&declared)))
    }

    #[test]
    fn what_is_declared_is_not_missing() {
        for (required, declared) in [
            (json!({}), json!({})),
            (
                json!({"sampling": {}}),
                json!({"sampling": {"tools": {}}, "roots": {}}),
            ),
            (
                json!({"elicitation": {}}),
                json!({"elicitation": {"form": {}}}),
            ),
            (
                json!({"elicitation": {"form": {}}}),
                json!({"elicitation": {}}),
            ),
            (
                json!({"roots": {"listChanged": true}}),
                json!({"roots": {"listChanged": true}}),
            ),
        ] {
            assert_eq!(lacking(required, declared), None);
        }
    }

    #[test]
    fn only_what_is_missing_is_named() {
        let required = json!({"sampling": {"tools": {}}, "roots": {}});
        let lacks = lacking(required.clone(), json!({"sampling": {}})).unwrap();
        assert_eq!(lacks, required);
        assert_eq!(names(&lacks), ["roots", "sampling.tools"]);
        let required = json!({"elicitation": {"url": {}, "form": {}}});
        let lacks = lacking(required, json!({"elicitation": {}})).unwrap();
        assert_eq!(lacks, json!({"elicitation": {"url": {}}}));
        assert_eq!(
            names(&json!({"roots": {"listChanged": true}})),
            ["roots.listChanged"]
        );
    }
}
