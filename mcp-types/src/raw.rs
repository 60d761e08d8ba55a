//! JSON kept as it was written.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::RawJsonRef;
use crate::json::{self, Decode, Encode, Encoder, RawText, Reader};

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
#[derive(Clone, PartialEq)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// Serialises `value`, on one line.
    ///
    /// # Errors
    ///
    /// When the value has no JSON form, such as a map whose keys are not strings.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        json::to_text(value).map(|text| Self(text.into()))
    }

    /// Writes a value of the model, on one line.
    ///
    /// ```
    /// use mcp_types::{Implementation, RawJson};
    ///
    /// let json = RawJson::encode(&Implementation::new("a", "1"));
    /// assert_eq!(json.get(), r#"{"name":"a","version":"1"}"#);
    /// ```
    #[must_use]
    pub fn encode(value: &dyn Encode) -> Self {
        Self(json::encode(value).into())
    }

    /// Writes an object with these members, in this order.
    ///
    /// ```
    /// use mcp_types::RawJson;
    ///
    /// let json = RawJson::object(&[("uri", &"file:///a"), ("again", &true)]);
    /// assert_eq!(json.get(), r#"{"uri":"file:///a","again":true}"#);
    /// ```
    #[must_use]
    pub fn object(members: &[(&str, &dyn Encode)]) -> Self {
        Self::encode(&MembersOf(members))
    }

    /// Takes text that is already JSON.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> serde_json::Result<Self> {
        let text = text.into();
        let json = RawJsonRef::from_text(&text)?.get();
        // White space around it is rare, and its text need not be copied without.
        Ok(Self(match json.len() == text.len() {
            true => text.into(),
            false => json.into(),
        }))
    }

    /// The empty object, `{}`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self("{}".into())
    }

    /// No JSON at all, which takes no memory either.
    pub(crate) fn of_nothing() -> Self {
        Self(Box::default())
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }

    /// Whether the JSON is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }

    /// The same JSON, borrowed.
    #[must_use]
    pub fn as_raw(&self) -> RawJsonRef<'_> {
        RawJsonRef::of_checked(self.get())
    }

    /// Reads the value as a type of the model, or as JSON; `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// When the JSON does not fit `T`.
    pub fn read<'a, T: Decode<'a>>(&'a self) -> serde_json::Result<T> {
        json::decode(self.get())
    }

    /// Decodes the value; `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// When the JSON does not fit `T`.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> serde_json::Result<T> {
        json::from_valid(self.get())
    }
}

struct MembersOf<'m>(&'m [(&'m str, &'m dyn Encode)]);

impl Encode for MembersOf<'_> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        let mut object = to.object();
        for (name, value) in self.0 {
            object.entry(name, value);
        }
        object.end();
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw.into())
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self(raw.get().into())
    }
}

impl From<RawJsonRef<'_>> for RawJson {
    fn from(json: RawJsonRef<'_>) -> Self {
        Self(json.get().into())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        Self::encode(&value)
    }
}

impl From<RawJson> for Box<RawValue> {
    fn from(json: RawJson) -> Self {
        RawValue::from_string(json.0.into()).expect("raw JSON is JSON")
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
        self.as_raw().serialize(serializer)
    }
}

impl Encode for RawJson {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.raw(self.get());
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawText::deserialize(deserializer).map(|text| Self(text.into_text()))
    }
}

impl<'de> Decode<'de> for RawJson {
    fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
        reader.raw().map(|text| Self(text.into()))
    }
}
