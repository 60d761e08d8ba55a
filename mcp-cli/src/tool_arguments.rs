//! Arguments of a call, from `key=value` on the command line, by the schema of the tool.

use std::fs;
use std::io;
use std::path::Path;

use mcp_config::nearest;
use mcp_runtime::types::Tool;
use serde_json::{Map, Value};

use crate::failure::{Failure, Kind};
use crate::schema::{Fault, Schema};
use crate::signature;

/// Reads the arguments of a call, and checks them.
///
/// # Errors
///
/// Everything that is wrong with them, at once.
pub(crate) fn read(tool: &Tool, words: &[String], input: Option<&Path>) -> Result<Value, Failure> {
    let schema: Value = tool.input_schema.parse().unwrap_or_default();
    let schema = Schema::new(&schema);
    let (mut arguments, mut faults) = match input.map(read_object).transpose() {
        Ok(object) => (object.unwrap_or_default(), Vec::new()),
        Err(fault) => (Map::new(), vec![fault]),
    };
    let mut given = Vec::new();
    for word in words {
        let set = |(key, value)| set(schema, key, value, &mut arguments, &mut given);
        faults.extend(parse(word).and_then(set).err());
    }
    let arguments = Value::Object(arguments);
    let mut wrong = schema.check(&arguments, "");
    // An argument that could not be read counts as given, and the object that it is in.
    let is_at = |it: &Fault, path: &str| format!("{}.", it.0).starts_with(&format!("{path}."));
    wrong.retain(|(path, _)| !faults.iter().any(|it| is_at(it, path)));
    faults.extend(wrong);
    reject(&faults, || signature::of_tool(tool))?;
    Ok(arguments)
}

/// Fails if arguments have faults.
///
/// # Errors
///
/// All faults, with the signature.
pub(crate) fn reject(faults: &[Fault], signature: impl Fn() -> String) -> Result<(), Failure> {
    if faults.is_empty() {
        return Ok(());
    }
    let mut message = "the arguments do not fit, and nothing was sent:".to_owned();
    for (path, fault) in faults {
        message += &format!("\n  `{path}` {fault}");
    }
    Err(Failure::usage(format!("{message}\n{}", signature())))
}

/// A fault in what is given for a key.
fn fault(key: &str, text: impl Into<String>) -> Fault {
    (key.to_owned(), text.into())
}

fn read_object(path: &Path) -> Result<Map<String, Value>, Fault> {
    let shown = path.display().to_string();
    let text = read_text(path).map_err(|it| fault(&shown, it))?;
    serde_json::from_str(&text).map_err(|it| fault(&shown, format!("is no JSON object: {it}")))
}

/// Reads a file, or standard input.
fn read_text(path: &Path) -> Result<String, String> {
    let read = match path.as_os_str() == "-" {
        true => io::read_to_string(io::stdin()),
        false => fs::read_to_string(path),
    };
    read.map_err(|error| format!("can't be read from {}: {error}", path.display()))
}

/// A value on the command line.
pub(crate) enum Input {
    /// A text, which the schema turns into a value.
    Text(String),
    Json(Value),
}

/// The key and the value of a word: `key=value`, `key=@FILE`, `key:=JSON` or `key:=@FILE`.
fn parse(word: &str) -> Result<(&str, Input), Fault> {
    let Some((key, value)) = word.split_once('=').filter(|it| !it.0.is_empty()) else {
        let forms = "`key=value`, `key:=JSON` or `key=@FILE`";
        return Err(fault(word, format!("must be {forms}")));
    };
    let json_key = key.strip_suffix(':');
    let key = json_key.unwrap_or(key);
    let text = match value.strip_prefix('@') {
        Some(path) => read_text(path.as_ref()).map_err(|it| fault(key, it))?,
        None => value.to_owned(),
    };
    if json_key.is_none() {
        return Ok((key, Input::Text(text)));
    }
    match serde_json::from_str(&text) {
        Ok(value) => Ok((key, Input::Json(value))),
        Err(error) => Err(fault(key, format!("is no JSON: {error}"))),
    }
}

/// Puts a value into its place in an object. `given` has the keys of earlier values.
///
/// # Errors
///
/// If the key is not known, or the value does not fit.
pub(crate) fn set(
    schema: Schema<'_>,
    key: &str,
    value: Input,
    mut object: &mut Map<String, Value>,
    given: &mut Vec<String>,
) -> Result<(), Fault> {
    let (mut schema, mut rest) = (Some(schema), key);
    // A name may have a dot in it.
    while let Some((outer, inner)) = rest.split_once('.')
        && schema.is_none_or(|it| it.member(rest).is_none())
    {
        let member = schema.and_then(|it| it.member(outer));
        if schema.is_some_and(|it| !it.is_open()) && member.is_none() {
            break;
        }
        let entry = object.entry(outer).or_insert_with(|| Map::new().into());
        let inside = entry.as_object_mut();
        object = inside.ok_or_else(|| fault(key, format!("is inside `{outer}`, no object")))?;
        (schema, rest) = (member, inner);
    }
    let known = schema.and_then(|it| it.member(rest));
    if let (Some(schema), None) = (schema, known)
        && !schema.is_open()
    {
        return Err(unknown(key, rest, &schema.names()));
    }
    let is_repeated = given.iter().any(|it| it == key);
    given.push(key.to_owned());
    let value = match (value, known) {
        (Input::Json(value), _) => Ok(value),
        // A later word of a list is one element.
        (Input::Text(text), Some(schema)) if is_repeated && schema.kinds() == ["array"] => {
            schema.read_item(&text).map(|element| vec![element].into())
        }
        (Input::Text(text), Some(schema)) => schema.read(&text),
        (Input::Text(text), None) => Ok(serde_json::from_str(&text).unwrap_or(text.into())),
    };
    let value = value.map_err(|it| fault(key, it))?;
    match (object.get_mut(rest), value) {
        (Some(Value::Array(list)), Value::Array(more)) if is_repeated => list.extend(more),
        (Some(_), _) if is_repeated => return Err(fault(key, "is given twice, and is no list")),
        (_, value) => drop(object.insert(rest.to_owned(), value)),
    }
    Ok(())
}

/// The tool or the prompt of a name.
///
/// # Errors
///
/// The most similar name, and the command that lists all.
pub(crate) fn find<'a, T>(
    kind: &str,
    list: &'a [T],
    name_of: impl Fn(&'a T) -> &'a str,
    name: &str,
) -> Result<&'a T, Failure> {
    list.iter().find(|it| name_of(it) == name).ok_or_else(|| {
        let meant = meant(name, list.iter().map(name_of));
        let advice = format!("list its {kind}s by: mcp inspect TARGET");
        let message = format!("the server has no {kind} `{name}`{meant}\n{advice}");
        Failure::new(Kind::Refused, message)
    })
}

/// The fault of a key that has a name in it which is not known.
pub(crate) fn unknown(key: &str, name: &str, known: &[&str]) -> Fault {
    fault(
        key,
        format!("is not known{}", meant(name, known.iter().copied())),
    )
}

/// A question after the name that is most like another one; empty if none is.
fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let question = |it| format!("; is `{it}` meant?");
    nearest(name, known).map_or_else(String::new, question)
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
