//! Types of the generated cases.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use mcp_types::*;

pub(crate) struct Repair {
    pub(crate) revisions: &'static [&'static str],
    /// JSON pointer to the mistake in the definitions.
    pub(crate) at: &'static str,
    /// The members to set at this place, as JSON.
    pub(crate) set: &'static str,
}

/// The value for each revision, or `None` if the revision can't express it.
type Conformed = serde_json::Result<Vec<Option<Value>>>;

/// A type, and its place in the schema of each revision.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) at: &'static [(Revision, &'static str)],
    /// Decodes a value and makes it conform to each revision of `at`, in that order. The result is
    /// `None` for a revision that has no nearest value.
    pub(crate) conformed: Box<dyn Fn(&Value) -> Conformed>,
    pub(crate) through: fn(&Value) -> serde_json::Result<Value>,
}

impl Case {
    pub(crate) fn new<T: Clone + Serialize + DeserializeOwned + 'static>(
        name: &'static str,
        at: &'static [(Revision, &'static str)],
        conform: fn(&mut T, Revision) -> bool,
    ) -> Self {
        let conformed = move |json: &Value| {
            let value: T = serde_json::from_str(&json.to_string())?;
            let each = at.iter().map(|(revision, _)| {
                let mut value = value.clone();
                let fits = conform(&mut value, *revision);
                fits.then(|| serde_json::to_value(&value)).transpose()
            });
            each.collect()
        };
        Self {
            name,
            at,
            conformed: Box::new(conformed),
            through: |json| {
                let value: T = serde_json::from_str(&json.to_string())?;
                let encoded = serde_json::to_string(&value)?;
                let json: Value = serde_json::from_str(&encoded)?;
                assert_eq!(serde_json::to_value(&value)?, json);
                Ok(json)
            },
        }
    }
}
