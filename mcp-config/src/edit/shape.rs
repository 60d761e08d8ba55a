//! Encodes entries in the form that each client reads.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::variables::expanded;
use crate::{ConfigError, Source, Target};

/// The form of the entries that are written to the files of a source.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Shape {
    /// The members for a program, its arguments and its variables.
    program: [String; 3],
    /// The members for a URL and its headers. `None` if the files can't contain URLs.
    pub(super) remote: Option<[String; 2]>,
    /// The values of `type` for programs and URLs.
    types: Option<[String; 2]>,
    /// A reference to the variable `NAME`.
    variable: Option<String>,
    /// The ways to take a value from a variable, for a message.
    pub(super) references: Option<String>,
    /// The member that lists variables of the environment to pass on to the program.
    env_names: Option<String>,
    /// The member with the variables that contain headers.
    header_names: Option<String>,
    /// The member with the variable that contains a bearer token.
    bearer: Option<String>,
    /// Other members of each entry. The value of `name` is replaced by the name.
    also: Map<String, Value>,
    /// Whether names may have only ASCII letters, digits, `-` and `_`.
    has_plain_names: bool,
    /// Whether the files are not changed, because they are in YAML or have no fixed place.
    pub(super) is_only_printed: bool,
    /// The source whose file in a project the client reads, if this is another source.
    pub(super) project: Option<String>,
}

impl Source {
    /// Encodes a server.
    ///
    /// # Errors
    ///
    /// Fails if the client does not support the name, the transport, or a reference to a variable.
    pub(super) fn members(
        &self,
        name: &str,
        target: &Target,
    ) -> Result<Map<String, Value>, ConfigError> {
        let shape = &self.shape;
        let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
        let is_plain = !shape.has_plain_names || name.chars().all(is_plain);
        if name.is_empty() || name.contains(char::is_control) || !is_plain {
            return Err(self.unsupported(&format!("the name `{name}`")));
        }
        let mut members = shape.also.clone();
        members.entry("name").and_modify(|it| *it = json!(name));
        let mut add = |member: &String, value: Value| members.insert(member.clone(), value);
        let kind = |index: usize| shape.types.as_ref().map(|it| json!(it[index]));
        let mut table = Map::new();
        match (target, &shape.remote) {
            (Target::Program(it), _) => {
                let [command, args, env] = &shape.program;
                kind(0).map(|it| add(&"type".to_owned(), it));
                add(command, json!(it.command));
                add(args, json!(it.args));
                let mut names = Vec::new();
                for (key, value) in &it.env {
                    if shape.env_names.is_some() && reference(value) == Some(key) {
                        names.push(key);
                    } else {
                        table.insert(key.clone(), self.translated(value, !self.only_in_urls)?);
                    }
                }
                shape.env_names.as_ref().map(|it| add(it, json!(names)));
                add(env, table.into());
            }
            (Target::Http(it) | Target::Sse(it), Some([url, headers])) => {
                kind(1).map(|it| add(&"type".to_owned(), it));
                add(url, json!(it.url));
                let mut names = Map::new();
                for (key, value) in &it.headers {
                    let token = value.strip_prefix("Bearer ").and_then(reference);
                    match (&shape.bearer, token, reference(value)) {
                        (Some(bearer), Some(it), _)
                            if key.eq_ignore_ascii_case("authorization") =>
                        {
                            add(bearer, json!(it));
                        }
                        (Some(_), _, Some(it)) => drop(names.insert(key.clone(), json!(it))),
                        _ => drop(table.insert(key.clone(), self.translated(value, true)?)),
                    }
                }
                shape.header_names.as_ref().map(|it| add(it, names.into()));
                add(headers, table.into());
            }
            _ => return Err(self.unsupported(&format!("URLs ({})", target.transport()))),
        }
        let args = &shape.program[1];
        let is_empty = |it: &Value| *it == json!([]) || *it == json!({});
        members.retain(|name, it| name == args || !is_empty(it));
        Ok(members)
    }

    /// Replaces `${NAME}` with a reference of the client.
    fn translated(&self, text: &str, has_references: bool) -> Result<Value, ConfigError> {
        let variable = self.shape.variable.as_ref().filter(|_| has_references);
        let translated = expanded(text, false, |name| {
            is_variable(name).then_some(variable.map(|it| it.replace("NAME", name)))
        });
        let translated = translated.map(Value::String);
        translated.map_err(|name| {
            self.unsupported(&format!(
                "the reference `${{{name}}}` here: write the value"
            ))
        })
    }

    pub(super) fn unsupported(&self, what: &str) -> ConfigError {
        ConfigError::Unsupported(format!("`{}` does not support {what}", self.as_str()))
    }
}

/// The variable of a string that is a reference and nothing else.
fn reference(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    is_variable(name).then_some(name)
}

fn is_variable(name: &str) -> bool {
    name.chars()
        .all(|it| it.is_ascii_alphanumeric() || it == '_')
}
