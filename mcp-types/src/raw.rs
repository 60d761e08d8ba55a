//! JSON that is kept as text.

use std::fmt;
use std::sync::LazyLock;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::Serialize;
use serde_json::value::RawValue;

/// A JSON object whose members the protocol does not define.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// A JSON object used as a map from names to values of one type, which keeps the order of the members.
pub type OrderedMap<T> = indexmap::IndexMap<String, T>;

/// Any JSON value, kept as text and parsed on demand.
///
/// Schemas, tool arguments and structured results are raw in the model, because most programs
/// only pass them on: a list of fifty tools decodes three times as fast that way.
///
/// Two values are equal if their texts are equal.
///
/// ```
/// use mcp_types::RawJson;
///
/// let point = RawJson::new(&[1, 2]).unwrap();
/// assert_eq!(point.get(), "[1,2]");
/// assert_eq!(point.parse::<(i32, i32)>().unwrap(), (1, 2));
/// ```
#[derive(Clone, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Serializes `value`.
    ///
    /// # Errors
    ///
    /// When the value can't be serialized to JSON, such as a map whose keys are not strings.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Serializes a value of the model, or another value that can always be serialized.
    ///
    /// ```
    /// use mcp_types::{Implementation, RawJson};
    ///
    /// let json = RawJson::encode(&Implementation::new("a", "1"));
    /// assert_eq!(json.get(), r#"{"name":"a","version":"1"}"#);
    /// ```
    ///
    /// # Panics
    ///
    /// When the value can't be serialized to JSON. All types of the model can be serialized.
    #[must_use]
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Self {
        Self::new(value).expect("the value has a JSON form")
    }

    /// Creates a value from JSON text. White space around the value is removed.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> serde_json::Result<Self> {
        let text = text.into();
        if text.starts_with(is_space) || text.ends_with(is_space) {
            RawJsonRef::from_text(&text).map(Self::from)
        } else {
            RawValue::from_string(text).map(Self)
        }
    }

    /// Returns an empty object, `{}`.
    #[must_use]
    pub fn empty_object() -> Self {
        RawJsonRef::empty_object().into()
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Returns true if the JSON is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }

    /// Returns true if this is the result of a tool that has failed (`isError`).
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.get().contains("\"isError\"") && self.has_member("isError", "true")
    }

    /// Returns true if this is a result that requests input from the client (2026-07-28,
    /// "Multi Round-Trip Requests").
    #[must_use]
    pub fn is_input_required(&self) -> bool {
        let value = "\"input_required\"";
        self.get().contains(value) && self.has_member("resultType", value)
    }

    fn has_member(&self, name: &str, json: &str) -> bool {
        let member = self.as_raw().member(name);
        member.is_some_and(|member| member.get() == json)
    }

    /// Borrows the JSON.
    #[must_use]
    pub fn as_raw(&self) -> RawJsonRef<'_> {
        RawJsonRef(&self.0)
    }

    /// Decodes the value; `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// When the JSON does not match `T`.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> serde_json::Result<T> {
        self.as_raw().parse()
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\r' | '\t')
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
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
        Self(json.0.to_owned())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        Self::encode(&value)
    }
}

impl From<RawJson> for Box<RawValue> {
    fn from(json: RawJson) -> Self {
        json.0
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

/// Reads a field whose value may be `null`. The result is `None` only for an absent field.
///
/// # Errors
///
/// When the value is not valid JSON.
pub(crate) fn some<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}

/// Reads a field that must be an object, and keeps its text.
///
/// # Errors
///
/// When the value is not an object.
pub(crate) fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RawJson, D::Error> {
    let json = RawJson::deserialize(deserializer)?;
    let is_object = json.is_object().then_some(json);
    is_object.ok_or_else(|| D::Error::custom("expected an object"))
}

/// A JSON value kept as text, borrowed from the message that contains it.
///
/// The parameters of a request have this type until the method is known, and so do the parts of the
/// parameters that only some handlers need. [`RawJson`] is the owned counterpart.
///
/// ```
/// use mcp_types::RawJsonRef;
///
/// let point = RawJsonRef::from_text(" [1, 2] ").unwrap();
/// assert_eq!(point.get(), "[1, 2]");
/// assert_eq!(point.parse::<(i32, i32)>().unwrap(), (1, 2));
/// ```
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct RawJsonRef<'a>(#[serde(borrow)] &'a RawValue);

impl<'a> RawJsonRef<'a> {
    /// Creates a value from JSON text. White space around the value is removed.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON value.
    pub fn from_text(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// Returns an empty object, `{}`, which is equivalent to absent parameters.
    #[must_use]
    pub fn empty_object() -> Self {
        static EMPTY: LazyLock<RawJson> = LazyLock::new(|| RawJson::encode(&JsonObject::new()));
        EMPTY.as_raw()
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(self) -> &'a str {
        self.0.get()
    }

    /// Returns true if the JSON is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.get().starts_with('{')
    }

    /// Decodes the value; `T` may borrow from it.
    ///
    /// # Errors
    ///
    /// When the JSON does not match `T`.
    pub fn parse<T: Deserialize<'a>>(self) -> serde_json::Result<T> {
        serde_json::from_str(self.get())
    }

    /// Returns the value of the first member called `name`, if this is an object with such a member.
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
        let members = self.members().ok()?;
        let found = members.into_iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Returns the members of an object in their order. A name that occurs twice is listed twice.
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
    /// When the JSON is not an object.
    pub fn members(self) -> serde_json::Result<Vec<(String, Self)>> {
        self.parse::<Members<'a>>().map(|Members(members)| members)
    }

    /// Returns the elements of an array.
    ///
    /// # Errors
    ///
    /// When the JSON is not an array.
    pub fn elements(self) -> serde_json::Result<Vec<Self>> {
        self.parse()
    }
}

struct Members<'a>(Vec<(String, RawJsonRef<'a>)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Members(members))
    }
}

impl PartialEq for RawJsonRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJsonRef<'_> {}

impl<'a> From<&'a RawValue> for RawJsonRef<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(raw)
    }
}

impl<'a> From<&'a RawJson> for RawJsonRef<'a> {
    fn from(json: &'a RawJson) -> Self {
        json.as_raw()
    }
}

impl fmt::Debug for RawJsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Display for RawJsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
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
        let names: Vec<_> = json
            .members()
            .unwrap()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["a", "b", "a"]);
        let list = json.members().unwrap()[0].1;
        let elements = list.elements().unwrap();
        assert_eq!([elements[0].get(), elements[1].get()], ["1", r#"{"b":2}"#]);
        assert!(list.members().is_err());
        assert!(list.parse::<String>().is_err());
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
    fn only_json_is_taken() {
        assert_eq!(RawJson::from_text(" {}\n").unwrap().get(), "{}");
        assert!(RawJson::from_text("{").is_err());
        assert!(RawJsonRef::from_text("[1").is_err());
        assert!(RawJsonRef::from_text("1 2").is_err());
    }
}
