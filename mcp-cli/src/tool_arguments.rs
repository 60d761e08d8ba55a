//! Arguments of a call, from `key=value` on the command line, by the schema of the tool.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use mcp_runtime::types::Tool;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::schema::Schema;
use crate::signature;

/// Reads the arguments of a call, and checks them.
///
/// # Errors
///
/// Everything that is wrong with them, at once.
pub(crate) fn read(tool: &Tool, words: &[String], input: Option<&Path>) -> Result<Value, Failure> {
    let schema: Value = tool.input_schema.parse().unwrap_or_default();
    let schema = Schema::new(&schema);
    let mut faults = Vec::new();
    let mut arguments = match input.map(read_object).transpose() {
        Ok(object) => object.unwrap_or_default(),
        Err(fault) => {
            faults.push(fault);
            Map::new()
        }
    };
    let mut given = Vec::new();
    for word in words {
        let set = Assignment::parse(word).and_then(|it| it.set(schema, &mut arguments, &mut given));
        if let Err(fault) = set {
            faults.push(fault);
        }
    }
    let arguments = Value::Object(arguments);
    let mut wrong = Vec::new();
    schema.check(&arguments, "", &mut wrong);
    // An argument that could not be read counts as given.
    wrong.retain(|it| !faults.iter().any(|fault| begins_like(fault, it)));
    faults.extend(wrong);
    match faults.is_empty() {
        true => Ok(arguments),
        false => Err(Failure::usage(format!(
            "the arguments do not fit, and nothing was sent:\n  {}\n{}",
            faults.join("\n  "),
            signature::of_tool(tool)
        ))),
    }
}

/// Returns true if two faults are about the same argument.
fn begins_like(fault: &str, other: &str) -> bool {
    let name = |text: &str| text.split('`').nth(1).map(str::to_owned);
    name(fault) == name(other)
}

fn read_object(path: &Path) -> Result<Map<String, Value>, String> {
    let text = read_text(path)?;
    let shown = path.display();
    serde_json::from_str(&text).map_err(|error| format!("{shown}: no JSON object: {error}"))
}

/// Reads a file, or standard input.
fn read_text(path: &Path) -> Result<String, String> {
    let read = match path.as_os_str() == "-" {
        true => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        }
        false => fs::read_to_string(path),
    };
    read.map_err(|error| format!("{}: {error}", path.display()))
}

/// A word such as `key=value`.
struct Assignment<'a> {
    key: &'a str,
    value: Input<'a>,
}

enum Input<'a> {
    /// A text, which the schema turns into a value.
    Text(&'a str),
    /// The text of a file.
    File(&'a str),
    Json(Value),
}

impl<'a> Assignment<'a> {
    fn parse(word: &'a str) -> Result<Self, String> {
        let Some((key, value)) = word.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(format!(
                "`{word}` must be `key=value`, `key:=JSON` or `key=@FILE`"
            ));
        };
        let value = match (key.strip_suffix(':'), value.strip_prefix('@')) {
            (Some(key), file) => {
                let text = match file {
                    Some(path) => &*read_text(path.as_ref())?,
                    None => value,
                };
                let json = serde_json::from_str(text);
                let json = json.map_err(|error| format!("`{key}` is no JSON: {error}"))?;
                return Ok(Self {
                    key,
                    value: Input::Json(json),
                });
            }
            (None, Some(path)) => Input::File(path),
            (None, None) => Input::Text(value),
        };
        Ok(Self { key, value })
    }

    /// Puts the value into its place. `given` has the keys of earlier words.
    fn set(
        self,
        schema: Schema<'_>,
        arguments: &mut Map<String, Value>,
        given: &mut Vec<String>,
    ) -> Result<(), String> {
        let (mut object, mut schema) = (arguments, Some(schema));
        let mut rest = self.key;
        // A name may have a dot in it.
        while let Some((outer, inner)) = rest.split_once('.')
            && schema.is_none_or(|it| it.member(rest).is_none())
        {
            let member = schema.and_then(|it| it.member(outer));
            if schema.is_some_and(|it| !it.is_open()) && member.is_none() {
                break;
            }
            let entry = object.entry(outer).or_insert_with(|| Map::new().into());
            let Value::Object(inside) = entry else {
                return Err(format!(
                    "`{}` is inside `{outer}`, which is no object",
                    self.key
                ));
            };
            (object, schema, rest) = (inside, member, inner);
        }
        let known = schema.and_then(|it| it.member(rest));
        if let (Some(schema), None) = (schema, known)
            && !schema.is_open()
        {
            return Err(unknown(self.key, rest, &schema.names()));
        }
        let is_repeated = given.iter().any(|it| it == self.key);
        given.push(self.key.to_owned());
        let value = self.value.read(self.key, known, is_repeated)?;
        match (object.get_mut(rest), value) {
            (Some(Value::Array(list)), Value::Array(more)) if is_repeated => list.extend(more),
            (Some(_), _) if is_repeated => {
                return Err(format!("`{}` is given twice, and is no list", self.key));
            }
            (_, value) => {
                object.insert(rest.to_owned(), value);
            }
        }
        Ok(())
    }
}

impl Input<'_> {
    fn read(
        self,
        key: &str,
        schema: Option<Schema<'_>>,
        is_repeated: bool,
    ) -> Result<Value, String> {
        let text = match self {
            Self::Json(value) => return Ok(value),
            Self::Text(text) => text.to_owned(),
            Self::File(path) => read_text(path.as_ref())?,
        };
        let read = match schema {
            // A later word of a list is one element.
            Some(schema) if is_repeated && schema.kinds().contains(&"array") => schema
                .read_item(&text)
                .map(|element| Value::Array(vec![element])),
            Some(schema) => schema.read(&text),
            None => Ok(serde_json::from_str(&text).unwrap_or(Value::from(text))),
        };
        read.map_err(|fault| format!("`{key}` {fault}"))
    }
}

fn unknown(key: &str, name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("`{key}` is not known; is `{near}` meant?"),
        None => format!("`{key}` is not known; `--input` sends what the schema does not name"),
    }
}

/// The name that is most like another one, if one is.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |it: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &it.to_lowercase());
    let near = known.map(|it| (distance(it), it)).min()?;
    (near.0 <= 1 + name.chars().count() / 3).then_some(near.1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool() -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "place": {"type": "object", "properties": {"city": {"type": "string"}, "at": {"type": "object"}}},
                "a.b": {"type": "boolean"},
                "any": {},
            },
            "required": ["city"],
        });
        Tool::new("forecast", schema)
    }

    fn arguments(words: &[&str]) -> Result<Value, String> {
        let words: Vec<_> = words.iter().map(|it| (*it).to_owned()).collect();
        read(&tool(), &words, None).map_err(|failure| failure.message)
    }

    #[test]
    fn words_become_arguments_by_the_schema() {
        let words = [
            "city=5",
            "days=3",
            "tags=a",
            "tags=b=c",
            "place.city=Oslo",
            "place.at.x=1",
            "a.b=true",
            "any:={\"b\":1}",
        ];
        let expected = json!({
            "city": "5", "days": 3, "tags": ["a", "b=c"], "place": {"city": "Oslo", "at": {"x": 1}},
            "a.b": true, "any": {"b": 1},
        });
        assert_eq!(arguments(&words), Ok(expected));
    }

    #[test]
    fn a_file_is_a_text_or_json() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "[\"x\"]").unwrap();
        let path = path.display();
        let given = arguments(&[&format!("city=@{path}"), &format!("tags:=@{path}")]);
        assert_eq!(given, Ok(json!({"city": "[\"x\"]", "tags": ["x"]})));
        fs::write(
            folder.path().join("file"),
            "{\"city\": \"a\", \"days\": 1, \"more\": 2}",
        )
        .unwrap();
        let input = folder.path().join("file");
        let given = read(&tool(), &["days=2".to_owned()], Some(&input)).unwrap();
        assert_eq!(given, json!({"city": "a", "days": 2, "more": 2}));
    }

    #[test]
    fn all_mistakes_are_told_at_once_with_the_signature() {
        let message =
            arguments(&["dais=3", "days=x", "place.town=y", "tags", "a.b=1"]).unwrap_err();
        for part in [
            "`dais` is not known; is `days` meant?",
            "`days` must be a whole number, not `x`",
            "`place.town` is not known",
            "`tags` must be `key=value`",
            "`a.b` must be a boolean, not `1`",
            "`city` is missing",
            "forecast(city: string, ",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
        let twice = arguments(&["city=a", "city=b"]).unwrap_err();
        assert!(twice.contains("`city` is given twice"), "{twice}");
    }
}
