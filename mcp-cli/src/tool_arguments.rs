//! Arguments of a call, from `key=value` on the command line, by the schema of the tool.

use std::path::Path;
use std::{fs, io, iter};

use mcp_runtime::nearest::nearest;
use mcp_runtime::types::{OrderedMap, RawJson, Tool};

use crate::failure::{Failure, Kind};
use crate::schema::{Fault, Schema, below, document};
use crate::signature;

/// Reads the arguments of a call, and checks them. Numbers keep the digits with which they are written.
///
/// # Errors
///
/// Everything that is wrong with them, at once.
pub(crate) fn read(
    tool: &Tool,
    words: &[String],
    input: Option<&Path>,
) -> Result<RawJson, Failure> {
    let document = document(tool.input_schema.as_raw(), 0);
    let schema = Schema::new(&document);
    let mut given = input
        .map(read_object)
        .transpose()?
        .unwrap_or_else(Given::new);
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

/// Reads the file of `--input`.
fn read_object(path: &Path) -> Result<Given, Failure> {
    let fault = |text| Failure::usage(format!("--input {}: {text}", path.display()));
    let text = read_text(path).map_err(fault)?;
    let json = RawJson::from_text(text).and_then(|it| Given::object(&it));
    json.map_err(|it| fault(format!("it is not a JSON object: {it}")))
}

/// Reads a file, or standard input.
fn read_text(path: &Path) -> Result<String, String> {
    let read = if path.as_os_str() == "-" {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(path)
    };
    read.map_err(|error| format!("can't be read from {}: {error}", path.display()))
}

/// A value on the command line.
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
    match RawJson::from_text(text) {
        Ok(value) => Ok((key, Input::Json(value))),
        Err(error) => Err(fault(key, format!("is not JSON: {error}"))),
    }
}

/// The first name of a key, and the rest behind a dot: `place.city` is a member inside another one,
/// unless a schema has it as a name. `None` if the name is not known.
fn split<'k>(schema: &Schema<'_>, key: &'k str) -> Option<(&'k str, Option<&'k str>)> {
    let known = schema.names();
    let ends = iter::once(key.len()).chain(key.rmatch_indices('.').map(|it| it.0));
    let named = ends.into_iter().find(|end| known.contains(&&key[..*end]));
    let kinds = schema.member(key).map_or_else(Vec::new, |it| it.kinds());
    // The key of a map may have a dot in it if no object is below.
    let is_leaf = !kinds.is_empty() && !kinds.contains(&"object");
    let first = key.find('.').filter(|_| !is_leaf).unwrap_or(key.len());
    let end = named.unwrap_or(first);
    let is_known = schema.is_open() || schema.member(&key[..end]).is_some();
    is_known.then(|| (&key[..end], key.get(end + 1..)))
}

/// The input for one value, before the schema decides its type.
pub(crate) enum Given {
    /// JSON of a file or inside a word, which a word may replace.
    Json(RawJson),
    /// The words of a key.
    Words(Vec<Input>),
    Members(Vec<(String, Given)>),
}

impl Given {
    /// An object without members.
    pub(crate) fn new() -> Self {
        Self::Members(Vec::new())
    }

    fn object(json: &RawJson) -> serde_json::Result<Self> {
        let members = json.as_raw().members()?.into_iter();
        let members = members.map(|(name, value)| (name, Self::Json(value.into())));
        Ok(Self::Members(members.collect()))
    }

    /// Adds the value of a key.
    ///
    /// # Errors
    ///
    /// If the key is not known, or its place is taken.
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

    /// The place of a member, which may be new; `None` if this is not an object.
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

    /// The value by a schema; `None` if it does not fit, which `faults` then says.
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

/// The value of one word, or the list of several: the first word, and JSON, may be a list itself.
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

/// The fault of a key with an unknown name in it.
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
mod tests;
