//! JSON that keeps the order of members.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Number;

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
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{}", serde_json::Value::from(text.as_str())),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let name = serde_json::Value::from(name.as_str());
                    write!(f, "{comma}{name}: {value}")?;
                }
                f.write_str("}")
            }
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
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Object::new();
        while let Some((name, value)) = members.next_entry()? {
            object.insert(name, value);
        }
        Ok(Json::Object(object))
    }
}

/// Indents JSON by two spaces. Members keep their order, and texts and numbers their spelling; any
/// depth is allowed.
pub(crate) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    let mut characters = json
        .chars()
        .filter(|c| !matches!(c, '\n' | '\r' | '\t'))
        .peekable();
    while let Some(c) = characters.next() {
        if in_text {
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
            out.push(c);
            continue;
        }
        match c {
            ' ' => {}
            '{' | '[' => {
                out.push(c);
                while characters.next_if_eq(&' ').is_some() {}
                if let Some(end) = characters.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => {
                in_text = c == '"';
                out.push(c);
            }
        }
    }
    out.push('\n');
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_spelling_are_kept() {
        let text = r#"{"b":1.0,"a":[ ],"c":{ "d" :"x, \"y\": {" , "e":[1,null] } }"#;
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(
            json.to_string(),
            r#"{"b": 1.0, "a": [], "c": {"d": "x, \"y\": {", "e": [1, null]}}"#
        );
        let indented = indented(text);
        assert_eq!(
            indented,
            "{\n  \"b\": 1.0,\n  \"a\": [],\n  \"c\": {\n    \"d\": \"x, \\\"y\\\": {\",\n    \"e\": [\n      1,\n      null\n    ]\n  }\n}\n"
        );
        assert_eq!(super::indented(&indented), indented);
    }

    #[test]
    fn pointers_lead_into_objects_and_lists() {
        let json: Json = serde_json::from_str(r#"{"a/b":[{"~":true}]}"#).unwrap();
        assert_eq!(json.pointer("/a~1b/0/~0"), Some(&Json::Bool(true)));
        assert_eq!(json.pointer(""), Some(&json));
        assert_eq!(json.pointer("/a"), None);
    }
}
