//! JSON that stays where it was found.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::value::RawValue;

use crate::RawJson;
use crate::json::{
    self, BORROWED, Decode, Encode, Encoder, RawText, Reader, Scanner, entries, raw_value_name,
};

/// A JSON value kept as the text it came in, borrowed from the message that it is a part of.
///
/// The parameters of a request are one until the method is known, and so are their parts that
/// only some handlers look at. [`RawJson`] is the same with a text of its own.
///
/// ```
/// use mcp_types::RawJsonRef;
///
/// let point = RawJsonRef::from_text(" [1, 2] ").unwrap();
/// assert_eq!(point.get(), "[1, 2]");
/// assert_eq!(point.parse::<(i32, i32)>().unwrap(), (1, 2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RawJsonRef<'a>(&'a str);

impl<'a> RawJsonRef<'a> {
    /// The empty object, `{}`: what absent parameters count as.
    pub const EMPTY_OBJECT: RawJsonRef<'static> = RawJsonRef("{}");

    /// Takes text that is already JSON; white space around it is left out.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON value.
    pub fn from_text(text: &'a str) -> serde_json::Result<Self> {
        let mut scanner = Scanner::new(text);
        match scanner.value(usize::MAX) {
            Some(json) if scanner.is_at_end() => Ok(Self(json)),
            _ => Err(json::no_json(text).unwrap_or_else(|| Error::custom("invalid JSON"))),
        }
    }

    /// Takes text that was found to be one JSON value, without white space around it.
    pub(crate) fn of_checked(text: &'a str) -> Self {
        Self(text)
    }

    /// The JSON text.
    #[must_use]
    pub fn get(self) -> &'a str {
        self.0
    }

    /// Whether the JSON is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// The value of the first member called `name`, if this is an object that has one.
    ///
    /// ```
    /// use mcp_types::RawJsonRef;
    ///
    /// let params = RawJsonRef::from_text(r#"{"name": "add", "_meta": {}}"#).unwrap();
    /// assert_eq!(params.member("_meta").unwrap().get(), "{}");
    /// assert!(params.member("arguments").is_none());
    /// ```
    #[must_use]
    pub fn member(self, name: &str) -> Option<Self> {
        let mut scanner = Scanner::of_valid(self.0);
        let found = scanner.find(name);
        scanner.value(usize::MAX).filter(|_| found).map(Self)
    }

    /// Reads the value as a type of the model, or as JSON; `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// When the JSON does not fit `T`.
    pub fn read<T: Decode<'a>>(self) -> serde_json::Result<T> {
        json::decode(self.0)
    }

    /// [`RawJsonRef::parse`] with what knows how to decode a value, as [`MapAccess`] has to.
    ///
    /// # Errors
    ///
    /// When the JSON does not fit.
    ///
    /// [`MapAccess`]: serde::de::MapAccess
    pub fn parse_with<S: DeserializeSeed<'a>>(self, seed: S) -> serde_json::Result<S::Value> {
        json::from_valid_with(self.0, seed)
    }

    /// Decodes the value; `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// When the JSON does not fit `T`.
    pub fn parse<T: Deserialize<'a>>(self) -> serde_json::Result<T> {
        json::from_valid(self.0)
    }

    /// The members of an object, in the order in which they stand there. A name that is there twice
    /// is told twice.
    ///
    /// ```
    /// use mcp_types::RawJsonRef;
    ///
    /// let object = RawJsonRef::from_text(r#"{"b": 1, "a": [2]}"#).unwrap();
    /// let members = object.members().unwrap();
    /// assert_eq!(members[1].0, "a");
    /// assert_eq!(members[1].1.get(), "[2]");
    /// ```
    ///
    /// # Errors
    ///
    /// When the JSON is no object.
    pub fn members(self) -> serde_json::Result<Vec<(String, Self)>> {
        json::decode::<Members<'a>>(self.0).map(|members| members.0)
    }

    /// The elements of an array.
    ///
    /// # Errors
    ///
    /// When the JSON is no array.
    pub fn elements(self) -> serde_json::Result<Vec<Self>> {
        json::decode(self.0)
    }
}

struct Members<'a>(Vec<(String, RawJsonRef<'a>)>);

impl<'de> Decode<'de> for Members<'de> {
    fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
        let mut members = Vec::new();
        entries(reader, |name, reader| {
            members.push((name, RawJsonRef::decode(reader)?));
            Ok(())
        })?;
        Ok(Self(members))
    }
}

impl<'a> From<&'a RawValue> for RawJsonRef<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(raw.get())
    }
}

impl<'a> From<&'a RawJson> for RawJsonRef<'a> {
    fn from(json: &'a RawJson) -> Self {
        json.as_raw()
    }
}

impl fmt::Debug for RawJsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for RawJsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for RawJsonRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // What a `RawValue` asks for, which has to own its text or to be found in another.
        let mut raw = serializer.serialize_struct(raw_value_name(), 1)?;
        raw.serialize_field(raw_value_name(), self.0)?;
        raw.end()
    }
}

impl Encode for RawJsonRef<'_> {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        to.raw(self.0);
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawJsonRef<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = RawText::deserialize(deserializer)?.borrowed();
        text.map(Self).ok_or_else(|| Error::custom(BORROWED))
    }
}

impl<'de: 'a, 'a> Decode<'de> for RawJsonRef<'a> {
    fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
        reader.raw().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_borrowed_where_it_stands() {
        let text = r#"{"a": [1.0, "\u00e9"]}"#;
        let members: std::collections::BTreeMap<&str, RawJsonRef<'_>> =
            serde_json::from_str(text).unwrap();
        assert_eq!(members["a"].get(), r#"[1.0, "\u00e9"]"#);
        assert!(
            text.as_bytes()
                .as_ptr_range()
                .contains(&members["a"].get().as_ptr())
        );
    }

    #[test]
    fn parts_are_found_where_they_stand() {
        let json = RawJsonRef::from_text(r#"{"a" : [1, {"b":2}] ,"\u0062": "x","a":3}"#).unwrap();
        assert_eq!(json.member("b").unwrap().get(), r#""x""#);
        assert!(json.member("c").is_none());
        let list = json.member("a").unwrap();
        let elements = list.elements().unwrap();
        assert_eq!(elements, [RawJsonRef("1"), RawJsonRef(r#"{"b":2}"#)]);
        assert!(list.member("b").is_none());
        assert_eq!(list.read::<Vec<serde_json::Value>>().unwrap().len(), 2);
        assert!(list.read::<String>().is_err());
        let seed = std::marker::PhantomData::<(u8, RawJsonRef<'_>)>;
        assert_eq!(list.parse_with(seed).unwrap().0, 1);
    }

    #[test]
    fn text_is_written_as_it_is() {
        let text = r#"{"a": [1.0, "\u00e9"]}"#;
        let json = RawJsonRef::from_text(text).unwrap();
        assert_eq!(serde_json::to_string(&json).unwrap(), text);
        let parsed: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_value(json).unwrap(), parsed);
        assert_eq!(RawJson::from(json).get(), text);
    }

    #[test]
    fn what_is_read_from_a_stream_is_refused() {
        let mut reader = serde_json::Deserializer::from_reader(&b"[1]"[..]);
        assert!(RawJsonRef::deserialize(&mut reader).is_err());
        assert!(RawJsonRef::from_text("[1").is_err());
        assert!(RawJsonRef::from_text("1 2").is_err());
    }
}
