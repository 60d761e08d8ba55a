//! JSON without ambiguities such as duplicate members. It is used for arguments that HTTP headers
//! repeat, or that a sealed state is bound to.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::value::RawValue;

use super::decode::BorrowedText;
use crate::error::RequestError;
use crate::limits::MAX_STRICT_DEPTH;

/// A JSON value that all readers interpret in the same way.
///
/// Numbers beyond `f64`, strings with a lone surrogate, and duplicate members of an object are
/// refused at any depth. Numbers are kept as their text. Reading takes linear time.
///
/// Serialized by serde, two values have the same text if and only if they are equal: members are
/// sorted by name at every level, white space and escapes are normalized, and numbers are equal if
/// their texts are.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) enum StrictJson<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Self>),
    Object(BTreeMap<Cow<'a, str>, Self>),
}

impl<'a> StrictJson<'a> {
    /// Reads `text`, which is one JSON value at `path`.
    ///
    /// # Errors
    ///
    /// [`RequestError::InvalidParams`] with the path of the first error, such as
    /// `params.arguments.a[0].b`.
    pub(crate) fn read(text: &'a str, path: &str) -> Result<Self, RequestError> {
        let mut reader = Reader {
            rest: text,
            path: path.to_owned(),
        };
        match reader.value(0) {
            Ok(value) => Ok(value),
            Err(reason) => Err(RequestError::InvalidParams {
                path: reader.path,
                reason: reason.to_owned(),
            }),
        }
    }

    /// Returns the value at `path`, a list of member names.
    pub(crate) fn get(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |value, name| match value {
            Self::Object(members) => members.get(name.as_str()),
            _ => None,
        })
    }
}

struct Reader<'a> {
    rest: &'a str,
    path: String,
}

const UNREADABLE: &str = "can't be read";

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<StrictJson<'a>, &'static str> {
        if depth > MAX_STRICT_DEPTH {
            return Err("nested too deeply");
        }
        if self.eat('{') {
            return self.object(depth);
        }
        if self.eat('[') {
            return self.array(depth);
        }
        Ok(match self.scalar().ok_or(UNREADABLE)? {
            "null" => StrictJson::Null,
            "true" => StrictJson::Bool(true),
            "false" => StrictJson::Bool(false),
            string if string.starts_with('"') => StrictJson::String(
                unquoted(string)
                    .ok_or("a string with a lone surrogate, which is not valid text")?,
            ),
            number => {
                if number.parse().is_ok_and(f64::is_finite) {
                    StrictJson::Number(number)
                } else {
                    return Err("a number beyond the range of 64-bit floating point");
                }
            }
        })
    }

    fn object(&mut self, depth: usize) -> Result<StrictJson<'a>, &'static str> {
        let mut members = BTreeMap::new();
        while !self.eat('}') {
            let name = self.scalar().ok_or(UNREADABLE)?;
            let name = unquoted(name).ok_or("the name of a member has a lone surrogate")?;
            self.eat(':');
            let outer = self.path.len();
            _ = write!(self.path, ".{name}");
            let value = self.value(depth + 1)?;
            if members.insert(name, value).is_some() {
                return Err("the member occurs twice");
            }
            self.path.truncate(outer);
            self.eat(',');
        }
        Ok(StrictJson::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<StrictJson<'a>, &'static str> {
        let mut elements = Vec::new();
        while !self.eat(']') {
            let outer = self.path.len();
            _ = write!(self.path, "[{}]", elements.len());
            elements.push(self.value(depth + 1)?);
            self.path.truncate(outer);
            self.eat(',');
        }
        Ok(StrictJson::Array(elements))
    }

    /// Consumes `mark` if it is next.
    fn eat(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_ascii_start();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes a string, a number or a literal.
    fn scalar(&mut self) -> Option<&'a str> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<&RawValue>();
        let value = values.next()?.ok()?;
        self.rest = self.rest.get(values.byte_offset()..)?;
        Some(value.get())
    }
}

/// Returns the text of a JSON string, or `None` if it has a lone surrogate.
fn unquoted(string: &str) -> Option<Cow<'_, str>> {
    let text: Option<BorrowedText<'_>> = serde_json::from_str(string).ok();
    text.map(|BorrowedText(text)| text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Result<StrictJson<'_>, String> {
        StrictJson::read(text, "a").map_err(|error| error.to_string())
    }

    fn canonical(text: &str) -> String {
        serde_json::to_string(&read(text).unwrap()).unwrap()
    }

    #[test]
    fn the_first_error_is_named_by_its_path() {
        for (text, path, word) in [
            (r#"{"b":[{"c":1e400}]}"#, "a.b[0].c", "beyond"),
            (r#"{"b":[[],{"c":-1e400}]}"#, "a.b[1].c", "beyond"),
            (r#"{"b":["x", "\ud800"]}"#, "a.b[1]", "surrogate"),
            (r#"{"b":{"\udc00":1}}"#, "a.b", "surrogate"),
            (r#"{"b":{"c":1,"c":2}}"#, "a.b.c", "twice"),
            (r#"{"b":1,"\u0062":{}}"#, "a.b", "twice"),
            (r#"{"b":{},"c":[{}],"d":{"e":1,"e":[]}}"#, "a.d.e", "twice"),
            ("1e400", "a", "beyond"),
        ] {
            let error = read(text).unwrap_err();
            let expected = format!("Invalid params: {path}: ");
            assert!(error.starts_with(&expected), "{text}: {error}");
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn values_are_found_by_their_path() {
        let long = "123456789012345678901234567890";
        let text = format!(r#" {{ "b" : {{"c\n": [1, true], "d": {long}}} , "e": null }} "#);
        let json = read(&text).unwrap();
        let get = |path: &[&str]| {
            let path: Vec<_> = path.iter().map(|name| (*name).to_owned()).collect();
            json.get(&path)
        };
        assert_eq!(get(&["b", "d"]), Some(&StrictJson::Number(long)));
        assert_eq!(get(&["e"]), Some(&StrictJson::Null));
        assert!(matches!(get(&["b", "c\n"]), Some(StrictJson::Array(_))));
        assert!(matches!(get(&[]), Some(StrictJson::Object(_))));
        for path in [&["x"][..], &["e", "x"], &["b", "c\n", "0"]] {
            assert_eq!(get(path), None, "{path:?}");
        }
    }

    #[test]
    fn order_white_space_and_escapes_do_not_count() {
        let one = canonical(r#"{"a":{"x":[1,2],"y":"é"},"b":null}"#);
        let other = canonical(r#" { "b" : null, "a" : {"\u0079": "\u00e9", "x": [ 1, 2 ] } } "#);
        assert_eq!(one, other);
    }

    #[test]
    fn different_values_have_different_texts() {
        let texts = [
            "{}",
            "[]",
            "[[]]",
            "[{}]",
            "[[],[]]",
            "[[[]]]",
            "null",
            "true",
            "false",
            "\"\"",
            "0",
            "-0",
            "0.0",
            "1",
            "1.0",
            "[1]",
            "[11]",
            "[1,1]",
            "[\"1\"]",
            "[null]",
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"["a",1]"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":1,"b":1}"#,
            r#"{"a":[1,2]}"#,
            r#"{"a":[1],"b":2}"#,
            "9007199254740993",
            "9007199254740993.0",
            "9007199254740992.0",
            "18446744073709551616",
            "18446744073709551617",
            r#"["a\",1;b"]"#,
        ];
        let mut canonical: Vec<_> = texts.iter().map(|text| canonical(text)).collect();
        canonical.sort();
        canonical.dedup();
        assert_eq!(canonical.len(), texts.len());
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |depth| r#"["#.repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(MAX_STRICT_DEPTH)).is_ok());
        let error = read(&nested(200_000)).unwrap_err();
        assert!(error.ends_with("nested too deeply"), "{error}");
    }

    fn some_json() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,4}".prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c]", inner, 0..3)
                    .prop_map(|members| json!(members)),
            ]
        })
    }

    proptest! {
        #[test]
        fn texts_are_equal_where_values_are(one in some_json(), other in some_json()) {
            let ours = canonical(&one.to_string());
            let theirs = canonical(&other.to_string());
            prop_assert_eq!(one == other, ours == theirs);
            let pretty = serde_json::to_string_pretty(&one).unwrap();
            prop_assert_eq!(canonical(&pretty), ours);
        }

        #[test]
        fn no_text_leads_to_a_panic(text in r#"[\[\]{},:"a1e\\ .-]{0,24}"#) {
            _ = read(&text);
        }
    }
}
