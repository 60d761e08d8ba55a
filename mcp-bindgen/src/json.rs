//! JSON that keeps the order of members.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;
use serde_json::value::RawValue;

use crate::model::limits;

/// Members of an object, in the order as received.
pub(crate) type Object = IndexMap<String, Json>;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    Object(Object),
}

impl Json {
    pub(crate) fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// A member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The value at a JSON pointer (RFC 6901).
    pub(crate) fn pointer(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value {
                Self::Object(members) => members.get(&step),
                Self::List(items) => items.get(step.parse::<usize>().ok()?),
                _ => None,
            }
        })
    }
}

/// Compact JSON.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => value.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let items = std::iter::from_fn(|| items.next_element().transpose());
        items.collect::<Result<_, _>>().map(Json::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let members = std::iter::from_fn(|| members.next_entry().transpose());
        members.collect::<Result<_, _>>().map(Json::Object)
    }
}

/// What an entry has under a name: JSON, or its text where that is too large or can't be read.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Box<RawValue>")]
pub(crate) enum Member {
    Read(Json),
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
    /// The value, or why it is not read.
    pub(crate) fn json(&self) -> Result<Json, String> {
        match self {
            Self::Read(json) => Ok(json.clone()),
            Self::Unread(text) => parsed(text),
        }
    }
}

fn parsed(text: &RawValue) -> Result<Json, String> {
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
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(json.to_string(), text);
    }

    #[test]
    fn what_is_not_read_is_kept_as_it_is() {
        let text = r#"{"a":1e999}"#;
        let member: Member = serde_json::from_str(text).unwrap();
        assert!(member.json().is_err());
        assert_eq!(serde_json::to_string(&member).unwrap(), text);
    }

    #[test]
    fn pointers_lead_into_objects_and_lists() {
        let json: Json = serde_json::from_str(r#"{"a/b":[{"~":true}]}"#).unwrap();
        assert_eq!(json.pointer("/a~1b/0/~0"), Some(&Json::Bool(true)));
        assert_eq!(json.pointer(""), Some(&json));
        assert_eq!(json.pointer("/a"), None);
    }
}
