//! Reads the arguments of a call from `key=value` on the command line, with the schema of the tool.

use std::path::Path;
use std::{fs, io, iter};

use mcp_runtime::nearest::nearest;
use mcp_runtime::types::{OrderedMap, RawJson, Tool};

use crate::failure::{Failure, Kind};
use crate::fields::{self, Detail};
use crate::output::stderr_width;
use crate::schema::{Fault, Schema, below, document};
use crate::screen::Screen;

/// Reads the arguments of a call, and checks them. Numbers keep their digits.
///
/// # Errors
///
/// Returns everything that is wrong with the arguments.
pub(crate) fn read(
    tool: &Tool,
    words: &[String],
    input: Option<&Path>,
) -> Result<RawJson, Failure> {
    let document = document(tool.input_schema.as_raw(), 0);
    let schema = Schema::new(&document);
    let object = match (words, input) {
        (_, Some(path)) => Some(read_object(path)?),
        // The key of a word can't be JSON.
        ([word], None) => RawJson::from_text(word.as_str())
            .and_then(|it| Given::object(&it))
            .ok(),
        _ => None,
    };
    let words = if object.is_some() && input.is_none() {
        &[]
    } else {
        words
    };
    let mut given = object.unwrap_or_else(Given::new);
    let mut faults = Vec::new();
    for word in words {
        let added = parse(word).and_then(|(key, value)| given.add(&schema, key, value));
        faults.extend(added.err());
    }
    let arguments = given.read(&schema, "", &mut faults);
    let arguments = arguments.unwrap_or_else(RawJson::empty_object);
    let mut wrong = schema.check(&arguments, "");
    // An argument that can't be read is not missing, nor is the object that it is in.
    let is_at = |it: &Fault, path: &str| format!("{}.", it.0).starts_with(&format!("{path}."));
    wrong.retain(|(path, _)| !faults.iter().any(|it| is_at(it, path)));
    faults.extend(wrong);
    reject(&faults, &tool.name, |screen| {
        fields::show(&document, Detail::Full, 2, screen)
    })?;
    Ok(arguments)
}

/// Fails with all faults and a list of the arguments, if there are any faults.
pub(crate) fn reject(
    faults: &[Fault],
    name: &str,
    list: impl Fn(&mut Screen) -> bool,
) -> Result<(), Failure> {
    if faults.is_empty() {
        return Ok(());
    }
    let mut message = "the arguments do not fit, and nothing was sent:".to_owned();
    for (path, fault) in faults {
        message += &format!("\n  `{path}` {fault}");
    }
    let mut screen = Screen::new(stderr_width(), false);
    message += &match list(&mut screen) {
        true => format!("\n`{name}` takes:\n{}", screen.as_str().trim_end()),
        false => format!("\n`{name}` takes no arguments"),
    };
    Err(Failure::usage(message))
}

fn fault(key: &str, text: impl Into<String>) -> Fault {
    (key.to_owned(), text.into())
}

/// Reads the file of `--input`.
fn read_object(path: &Path) -> Result<Given, Failure> {
    let fault = |text| Failure::usage(format!("--input {}: {text}", path.display()));
    let text = read_text(path).map_err(fault)?;
    let json = RawJson::from_text(text).and_then(|it| Given::object(&it));
    json.map_err(|it| fault(format!("it is not a JSON object: {it}")))
}

/// Reads a file, or standard input for `-`.
fn read_text(path: &Path) -> Result<String, String> {
    let read = if path.as_os_str() == "-" {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(path)
    };
    read.map_err(|error| format!("can't be read from {}: {error}", path.display()))
}

/// A value from the command line.
#[derive(Clone)]
pub(crate) enum Input {
    /// A string, which the schema turns into a value.
    Text(String),
    Json(RawJson),
}

impl Input {
    fn json(&self) -> Option<RawJson> {
        match self {
            Self::Text(text) => RawJson::from_text(text).ok(),
            Self::Json(json) => Some(json.clone()),
        }
    }
}

/// Parses a word into a key and a value: `key=value`, `key=@FILE`, `key:=JSON` or `key:=@FILE`.
fn parse(word: &str) -> Result<(&str, Input), Fault> {
    let Some((key, value)) = word.split_once('=').filter(|it| !it.0.is_empty()) else {
        let forms = "`key=value`, `key:=JSON`, `key=@FILE` or, alone, a JSON object";
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
    match RawJson::from_text(text) {
        Ok(value) => Ok((key, Input::Json(value))),
        Err(error) => Err(fault(key, format!("is not JSON: {error}"))),
    }
}

/// Splits a key into its first name and the rest after a dot. `place.city` is a member of the
/// object `place`, unless the schema has a member with the whole name.
///
/// Returns `None` if the name is unknown.
fn split<'k>(schema: &Schema<'_>, key: &'k str) -> Option<(&'k str, Option<&'k str>)> {
    let known = schema.names();
    let ends = iter::once(key.len()).chain(key.rmatch_indices('.').map(|it| it.0));
    let named = ends.into_iter().find(|end| known.contains(&&key[..*end]));
    let kinds = schema.member(key).map_or_else(Vec::new, |it| it.kinds());
    // A key of a map may contain a dot if its value can't be an object.
    let is_leaf = !kinds.is_empty() && !kinds.contains(&"object");
    let first = key.find('.').filter(|_| !is_leaf).unwrap_or(key.len());
    let end = named.unwrap_or(first);
    let is_known = schema.is_open() || schema.member(&key[..end]).is_some();
    is_known.then(|| (&key[..end], key.get(end + 1..)))
}

/// The input for one value, to which the schema has not been applied yet.
pub(crate) enum Given {
    /// JSON from a file or a word. Another word may replace a part of it.
    Json(RawJson),
    Words(Vec<Input>),
    Members(Vec<(String, Given)>),
}

impl Given {
    pub(crate) fn new() -> Self {
        Self::Members(Vec::new())
    }

    fn object(json: &RawJson) -> serde_json::Result<Self> {
        let members = json.as_raw().members()?.into_iter();
        let members = members.map(|(name, value)| (name, Self::Json(value.into())));
        Ok(Self::Members(members.collect()))
    }

    /// Adds a value for a key.
    ///
    /// # Errors
    ///
    /// Fails if the key is unknown, or if there is another value in its place.
    pub(crate) fn add(
        &mut self,
        schema: &Schema<'_>,
        key: &str,
        value: Input,
    ) -> Result<(), Fault> {
        let mut place = self;
        let mut schema = schema.clone();
        let mut rest = Some(key);
        while let Some(inner) = rest {
            let names = split(&schema, inner);
            let (name, after) = names.ok_or_else(|| unknown(key, inner, &schema.names()))?;
            let taken = || fault(key, "is inside a value that is not an object");
            place = place.member(name).ok_or_else(taken)?;
            schema = schema.member(name).unwrap_or_else(|| schema.open());
            rest = after;
        }
        match place {
            Self::Words(words) => words.push(value),
            Self::Members(members) if !members.is_empty() => return Err(fault(key, TWICE)),
            _ => *place = Self::Words(vec![value]),
        }
        Ok(())
    }

    /// The place of a member, which is created if necessary. `None` if this is not an object.
    fn member(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Words(words) if words.len() > 1 => return None,
            Self::Words(words) => *self = Self::object(&words[0].json()?).ok()?,
            Self::Json(json) => *self = Self::object(json).ok()?,
            Self::Members(_) => {}
        }
        let Self::Members(members) = self else {
            return None;
        };
        let found = members.iter().position(|it| it.0 == name);
        let index = found.unwrap_or(members.len());
        if found.is_none() {
            members.push((name.to_owned(), Self::new()));
        }
        Some(&mut members[index].1)
    }

    /// Converts the input with a schema. Returns `None` if that fails, and adds the reason to
    /// `faults`.
    pub(crate) fn read(
        &self,
        schema: &Schema<'_>,
        path: &str,
        faults: &mut Vec<Fault>,
    ) -> Option<RawJson> {
        let members = match self {
            Self::Json(json) => return Some(json.clone()),
            Self::Words(words) => {
                let value = read_words(schema, words);
                return value.map_err(|it| faults.push(fault(path, it))).ok();
            }
            Self::Members(members) => members,
        };
        let fits = |(_, given): &(String, Self), member: &Schema<'_>| {
            let value = given.read(member, "", &mut Vec::new());
            value.is_some_and(|it| member.check(&it, "").is_empty())
        };
        let narrowed = schema.narrowed(members, fits);
        let schema = narrowed.as_ref().unwrap_or(schema);
        let members = members.iter().filter_map(|(name, given)| {
            let member = schema.member(name).unwrap_or_else(|| schema.open());
            let value = given.read(&member, &below(path, name), faults)?;
            Some((name.clone(), value))
        });
        Some(RawJson::encode(&members.collect::<OrderedMap<_>>()))
    }
}

const TWICE: &str = "is given twice, and is not a list";

/// The value of a single word, or the list of several words. The first word, or JSON, may itself be
/// a list.
fn read_words(schema: &Schema<'_>, words: &[Input]) -> Result<RawJson, String> {
    match words {
        [Input::Json(json)] => return Ok(json.clone()),
        [Input::Text(text)] => return schema.read(text),
        _ if !schema.kinds().contains(&"array") => return Err(TWICE.to_owned()),
        _ => {}
    }
    let mut list: Vec<RawJson> = Vec::new();
    for word in words {
        let is_whole = (list.is_empty() || matches!(word, Input::Json(_))) && !schema.has_lists();
        let json = word.json().filter(|_| is_whole);
        match (json.and_then(|it| it.parse::<Vec<RawJson>>().ok()), word) {
            (Some(elements), _) => list.extend(elements),
            (None, Input::Json(json)) => list.push(json.clone()),
            (None, Input::Text(text)) => {
                let item = schema.item(list.len()).unwrap_or_else(|| schema.open());
                list.push(item.read(text)?);
            }
        }
    }
    Ok(RawJson::encode(&list))
}

/// Finds a tool or prompt by its name.
///
/// # Errors
///
/// Fails with the most similar name, and the command that lists all names.
pub(crate) fn find<'a, T>(
    kind: &str,
    list: &'a [T],
    name_of: impl Fn(&'a T) -> &'a str,
    name: &str,
) -> Result<&'a T, Failure> {
    list.iter().find(|it| name_of(it) == name).ok_or_else(|| {
        let meant = meant(name, list.iter().map(name_of));
        let advice = format!("list its {kind}s with: mcp inspect TARGET");
        let message = format!("the server has no {kind} `{name}`{meant}\n{advice}");
        Failure::new(Kind::Refused, message)
    })
}

pub(crate) fn unknown(key: &str, name: &str, known: &[&str]) -> Fault {
    fault(
        key,
        format!("is not known{}", meant(name, known.iter().copied())),
    )
}

/// The question whether a similar name was meant, or an empty string if no known name is similar.
fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let question = |it| format!("; is `{it}` meant?");
    nearest(name, known).map_or_else(String::new, question)
}

#[cfg(test)]
mod tests;
