//! JSON read in full, for what has to mean the same to everybody who reads it: arguments that HTTP
//! headers repeat, and arguments that a sealed state is bound to.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::RequestError;

/// A JSON value without anything that readers take differently.
///
/// Refused are numbers beyond `f64`, strings with a lone surrogate, and members that occur twice in
/// one object, at any depth. Numbers are kept as their text. Reading takes time linear in the
/// length of the text, and no stack, however deep the text nests.
#[derive(Debug)]
pub(crate) struct StrictJson<'a> {
    /// All values, each before those inside it; the first is the outermost one.
    values: Vec<StrictValue<'a>>,
}

/// One value; those inside it are indices into [`StrictJson::values`].
#[derive(Debug, PartialEq)]
pub(crate) enum StrictValue<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(Cow<'a, str>),
    Array(Vec<usize>),
    Object(BTreeMap<Cow<'a, str>, usize>),
}

impl<'a> StrictJson<'a> {
    /// Reads `text`, which is one JSON value and stands at `path`.
    ///
    /// # Errors
    ///
    /// [`RequestError::InvalidParams`] with the path of the first fault, such as
    /// `params.arguments.a[0].b`.
    pub(crate) fn read(text: &'a str, path: &str) -> Result<Self, RequestError> {
        let mut reader = Reader {
            rest: text,
            values: Vec::new(),
            open: Vec::new(),
        };
        match reader.read() {
            Ok(()) => Ok(Self {
                values: reader.values,
            }),
            Err(reason) => Err(RequestError::InvalidParams {
                path: reader.path(path),
                reason: reason.to_owned(),
            }),
        }
    }

    /// The value that the member names `path` lead to.
    pub(crate) fn get(&self, path: &[String]) -> Option<&StrictValue<'a>> {
        let mut value = self.values.first()?;
        for name in path {
            let StrictValue::Object(members) = value else {
                return None;
            };
            value = self.values.get(*members.get(name.as_str())?)?;
        }
        Some(value)
    }

    /// A text that two values share exactly if they are equal: members are sorted by name at every
    /// level, white space and escapes do not count, and numbers are equal if their texts are.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::new();
        let mut parts = vec![Part::Value(0)];
        while let Some(part) = parts.pop() {
            let value = match part {
                Part::Name(name) => {
                    push_string(&mut text, name);
                    continue;
                }
                Part::Value(index) => self.values.get(index),
            };
            // Containers begin with their length, so that no text stands for two values.
            match value {
                None | Some(StrictValue::Null) => text.push('n'),
                Some(StrictValue::Bool(flag)) => text.push(if *flag { 't' } else { 'f' }),
                Some(StrictValue::Number(number)) => {
                    text.push_str(number);
                    text.push(';');
                }
                Some(StrictValue::String(string)) => push_string(&mut text, string),
                Some(StrictValue::Array(elements)) => {
                    _ = write!(text, "[{};", elements.len());
                    parts.extend(elements.iter().rev().map(|index| Part::Value(*index)));
                }
                Some(StrictValue::Object(members)) => {
                    _ = write!(text, "{{{};", members.len());
                    for (name, index) in members.iter().rev() {
                        parts.extend([Part::Value(*index), Part::Name(name)]);
                    }
                }
            }
        }
        text
    }
}

/// What is yet to be written of a value.
enum Part<'v> {
    Value(usize),
    Name(&'v str),
}

/// Appends a string behind its length in bytes.
fn push_string(text: &mut String, string: &str) {
    _ = write!(text, "\"{};{string}", string.len());
}

/// Reads a value and everything inside it, without recursion.
struct Reader<'a> {
    rest: &'a str,
    values: Vec<StrictValue<'a>>,
    /// The containers that have begun and not ended, outermost first.
    open: Vec<Open<'a>>,
}

/// A container that is being read.
struct Open<'a> {
    index: usize,
    place: Place<'a>,
}

/// What is being read of a container.
enum Place<'a> {
    /// Its beginning, its end, or the name of a member.
    Itself,
    Member(Cow<'a, str>),
    Element(usize),
}

/// A string, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

const UNREADABLE: &str = "can't be read";
const LONE_SURROGATE: &str = "a string with a lone surrogate, which is no text";
const LONE_SURROGATE_IN_NAME: &str = "the name of a member has a lone surrogate";
const TOO_LARGE: &str = "a number beyond the range of 64-bit floating point";
const TWICE: &str = "the member occurs twice";

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), &'static str> {
        loop {
            let value = self.value()?;
            let index = self.values.len();
            let is_container = matches!(value, StrictValue::Array(_) | StrictValue::Object(_));
            self.values.push(value);
            self.attach(index)?;
            if is_container {
                self.open.push(Open {
                    index,
                    place: Place::Itself,
                });
            }
            if !self.go_on()? {
                return Ok(());
            }
        }
    }

    /// Reads a value; of a container, only its opening bracket.
    fn value(&mut self) -> Result<StrictValue<'a>, &'static str> {
        if self.eat('{') {
            return Ok(StrictValue::Object(BTreeMap::new()));
        }
        if self.eat('[') {
            return Ok(StrictValue::Array(Vec::new()));
        }
        Ok(match self.scalar().ok_or(UNREADABLE)? {
            "null" => StrictValue::Null,
            "true" => StrictValue::Bool(true),
            "false" => StrictValue::Bool(false),
            string if string.starts_with('"') => {
                StrictValue::String(unquoted(string).ok_or(LONE_SURROGATE)?)
            }
            number => {
                let is_finite = number.parse().is_ok_and(f64::is_finite);
                is_finite
                    .then_some(StrictValue::Number(number))
                    .ok_or(TOO_LARGE)?
            }
        })
    }

    /// Makes the value at `index` a part of the container that is being read.
    fn attach(&mut self, index: usize) -> Result<(), &'static str> {
        let Some(open) = self.open.last() else {
            return Ok(());
        };
        match (self.values.get_mut(open.index), &open.place) {
            (Some(StrictValue::Object(members)), Place::Member(name)) => {
                let before = members.insert(name.clone(), index);
                return before.map_or(Ok(()), |_| Err(TWICE));
            }
            (Some(StrictValue::Array(elements)), _) => elements.push(index),
            _ => {}
        }
        Ok(())
    }

    /// Goes on to the next value, which may stand behind the end of some containers; `false` at
    /// the end of all.
    fn go_on(&mut self) -> Result<bool, &'static str> {
        while let Some(open) = self.open.last_mut() {
            open.place = Place::Itself;
            let container = open.index;
            if self.eat('}') || self.eat(']') {
                self.open.pop();
                continue;
            }
            self.eat(',');
            let place = self.place(container)?;
            if let Some(open) = self.open.last_mut() {
                open.place = place;
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// The place in `container` of the value that comes next; reads the name of a member.
    fn place(&mut self, container: usize) -> Result<Place<'a>, &'static str> {
        if let Some(StrictValue::Array(elements)) = self.values.get(container) {
            return Ok(Place::Element(elements.len()));
        }
        let name = self.scalar().ok_or(UNREADABLE)?;
        let name = unquoted(name).ok_or(LONE_SURROGATE_IN_NAME)?;
        self.eat(':');
        Ok(Place::Member(name))
    }

    /// Steps over `bracket`, if it comes next.
    fn eat(&mut self, bracket: char) -> bool {
        self.rest = self.rest.trim_ascii_start();
        let rest = self.rest.strip_prefix(bracket);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Steps over a string, a number or a word.
    fn scalar(&mut self) -> Option<&'a str> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<&RawValue>();
        let value = values.next()?.ok()?;
        self.rest = self.rest.get(values.byte_offset()..)?;
        Some(value.get())
    }

    /// The path of what is being read, behind the path of the outermost value.
    fn path(&self, outermost: &str) -> String {
        let mut path = outermost.to_owned();
        for open in &self.open {
            _ = match &open.place {
                Place::Itself => Ok(()),
                Place::Member(name) => write!(path, ".{name}"),
                Place::Element(index) => write!(path, "[{index}]"),
            };
        }
        path
    }
}

/// The text of a JSON string; `None` if it has a lone surrogate.
fn unquoted(string: &str) -> Option<Cow<'_, str>> {
    let text: Option<Text<'_>> = serde_json::from_str(string).ok();
    text.map(|Text(text)| text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Result<StrictJson<'_>, String> {
        StrictJson::read(text, "a").map_err(|refusal| refusal.to_string())
    }

    fn canonical(text: &str) -> String {
        read(text).unwrap().canonical()
    }

    #[test]
    fn the_first_fault_is_named_by_its_path() {
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
        assert_eq!(get(&["b", "d"]), Some(&StrictValue::Number(long)));
        assert_eq!(get(&["e"]), Some(&StrictValue::Null));
        assert!(matches!(get(&["b", "c\n"]), Some(StrictValue::Array(_))));
        assert!(matches!(get(&[]), Some(StrictValue::Object(_))));
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
    fn deep_nesting_takes_no_stack() {
        let depth = 200_000;
        let text = r#"{"a":["#.repeat(depth) + &"]}".repeat(depth);
        assert!(canonical(&text).len() > depth);
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
            let (ours, theirs) = (canonical(&one.to_string()), canonical(&other.to_string()));
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
