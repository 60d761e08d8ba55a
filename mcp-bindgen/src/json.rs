//! The members of entries. Members that are too large or malformed are kept as text.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::model::limits;

/// The members of an object, in the order received.
pub(crate) type Object = serde_json::Map<String, Value>;

/// A member of an entry: JSON, or its text if it is too large or malformed.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Box<RawValue>")]
pub(crate) enum Member {
    Read(Value),
    Unread(Box<RawValue>),
}

impl From<Box<RawValue>> for Member {
    fn from(text: Box<RawValue>) -> Self {
        parsed(&text).map_or(Self::Unread(text), Self::Read)
    }
}

impl Serialize for Member {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Read(json) => json.serialize(serializer),
            Self::Unread(text) => text.serialize(serializer),
        }
    }
}

impl Member {
    /// The value, or the reason why it can't be used.
    pub(crate) fn json(&self) -> Result<Value, String> {
        match self {
            Self::Read(json) => Ok(json.clone()),
            Self::Unread(text) => parsed(text),
        }
    }
}

fn parsed(text: &RawValue) -> Result<Value, String> {
    if text.get().len() > limits::BYTES {
        let limit = limits::BYTES >> 20;
        return Err(format!("a schema of more than {limit} MiB is not read"));
    }
    serde_json::from_str(text.get()).map_err(|error| format!("the schema can't be read ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept() {
        let text = r#"{"b":1.0,"a":[],"c":{"d":"x, \"y\": {","e":[1,null]}}"#;
        let json: Value = serde_json::from_str(text).unwrap();
        assert_eq!(json.to_string(), text);
    }

    #[test]
    fn what_is_not_read_is_kept_as_it_is() {
        let text = r#"{"a":1e999}"#;
        let member: Member = serde_json::from_str(text).unwrap();
        assert!(member.json().is_err());
        assert_eq!(serde_json::to_string(&member).unwrap(), text);
    }
}
