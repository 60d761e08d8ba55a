//! Decodes entries from the parsed contents of a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mcp_runtime::transport::UrlTransport;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::entry::Context;
use crate::source::References;
use crate::{Entry, Input, Program, Remote, Source, Target};

/// The members of an entry, under any of the names that the sources use.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    r#type: Option<String>,
    transport: Option<String>,
    #[serde(alias = "cmd")]
    command: Option<String>,
    args: Option<Vec<Text>>,
    #[serde(alias = "envs")]
    env: Table,
    #[serde(rename = "envFile")]
    env_file: Option<String>,
    cwd: Option<String>,
    #[serde(alias = "uri")]
    url: Option<String>,
    #[serde(rename = "serverUrl")]
    server_url: Option<String>,
    #[serde(rename = "httpUrl")]
    http_url: Option<String>,
    #[serde(alias = "http_headers")]
    headers: Table,
    enabled: Option<bool>,
    disabled: Option<bool>,
    env_keys: Option<Vec<String>>,
    env_vars: Option<Vec<Value>>,
    bearer_token_env_var: Option<String>,
    env_http_headers: Option<BTreeMap<String, String>>,
}

type Table = Option<BTreeMap<String, Option<Text>>>;

/// A string, or a number or boolean as it is written.
#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct Text(String);

impl TryFrom<Value> for Text {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match value {
            Value::String(text) => Ok(Self(text)),
            Value::Number(_) | Value::Bool(_) => Ok(Self(value.to_string())),
            _ => Err("expected made of strings"),
        }
    }
}

/// Decodes an entry. Returns `None` for an entry that is a part of the client, not a separate
/// server.
///
/// # Errors
///
/// Returns a message without values of the file, which may be secret.
pub(crate) fn entry(
    context: &Arc<Context>,
    name: &str,
    value: &Value,
) -> Result<Option<Entry>, String> {
    let members = Members::deserialize(value).map_err(|_| fault(value))?;
    let source = context.source;
    let is_enabled = members.enabled.unwrap_or(true) && !members.disabled.unwrap_or(false);
    let borrowed = borrowed(&members);
    let Some(target) = target(source, members) else {
        let neither = || "it has neither a command nor a URL".to_owned();
        return source.has_parts.then_some(None).ok_or_else(neither);
    };
    let references = match target {
        Target::Program(_) if source.only_in_urls => References::None,
        _ => source.references,
    };
    Ok(Some(Entry {
        name: name.to_owned(),
        source,
        file: context.file.clone(),
        is_of_project: context.is_of_project,
        is_enabled,
        target,
        references,
        borrowed,
        context: Arc::clone(context),
    }))
}

/// Describes the first member of an entry that is wrong on its own.
fn fault(entry: &Value) -> String {
    let members = entry.as_object().into_iter().flatten();
    let mut faults = members.filter_map(|(name, value)| {
        let member = json!({name: value});
        let error = Members::deserialize(member).err()?.to_string();
        // The text before `expected` shows the value.
        let expected = error.rsplit("expected ").next().unwrap_or_default();
        Some(format!("`{name}` must be {expected}"))
    });
    let fault = faults.next();
    fault.unwrap_or_else(|| "it must be a table, with no member under two names".to_owned())
}

fn target(source: &Source, members: Members) -> Option<Target> {
    let transport = members.r#type.or(members.transport);
    let transport = transport.as_deref();
    if let (Some(command), None | Some("stdio")) = (members.command, transport) {
        return Some(Target::Program(Program {
            command,
            args: members.args.into_iter().flatten().map(|it| it.0).collect(),
            env: table(members.env),
            env_file: members.env_file.filter(|_| source.has_env_files),
            cwd: members.cwd,
        }));
    }
    let is_sse = source.url_is_sse && members.http_url.is_none();
    let url = members.http_url.or(members.server_url).or(members.url)?;
    let by_scheme = UrlTransport::of(&url);
    let headers = table(members.headers);
    let remote = Remote { url, headers };
    Some(match (transport, by_scheme) {
        (Some("ws" | "websocket"), _) | (None, Some(UrlTransport::WebSocket)) => {
            Target::WebSocket(remote)
        }
        (Some("sse"), _) => Target::Sse(remote),
        (None, _) if is_sse => Target::Sse(remote),
        _ => Target::Http(remote),
    })
}

fn table(table: Table) -> BTreeMap<String, String> {
    let text = |(name, value): (String, Option<Text>)| Some((name, value?.0));
    table.into_iter().flatten().filter_map(text).collect()
}

/// The variables or headers that an entry of Codex or Goose takes from the environment by name,
/// written as references. References to variables that may be unset have an empty default.
fn borrowed(members: &Members) -> BTreeMap<String, String> {
    let mut borrowed = BTreeMap::new();
    for name in members.env_keys.iter().flatten() {
        borrowed.insert(name.clone(), format!("${{{name}}}"));
    }
    for value in members.env_vars.iter().flatten() {
        let name = value.as_str().or_else(|| value.get("name")?.as_str());
        borrowed.extend(name.map(|it| (it.to_owned(), format!("${{{it}:-}}"))));
    }
    for (header, name) in members.env_http_headers.iter().flatten() {
        borrowed.insert(header.clone(), format!("${{{name}:-}}"));
    }
    if let Some(token) = &members.bearer_token_env_var {
        borrowed.insert("Authorization".to_owned(), format!("Bearer ${{{token}}}"));
    }
    borrowed
}

/// The entries of a file by name, in order of precedence. The entries for folders of the project
/// come first, innermost folder first, as in the file of Claude Code. All others follow.
pub(crate) fn members<'a>(
    root: &'a Value,
    servers: &str,
    folders: &[&Path],
) -> Vec<(&'a String, &'a Value)> {
    let of_folder = |folder: &&Path| root.get("projects")?.get(folder.to_str()?);
    let tables = folders.iter().filter_map(of_folder).chain([root]);
    let members = tables.filter_map(|it| it.get(servers)?.as_object());
    members.flatten().collect()
}

/// The inputs that a file defines. Malformed inputs are ignored.
pub(crate) fn inputs(root: &Value) -> Vec<Input> {
    let inputs = root.get("inputs").and_then(Value::as_array);
    let inputs = inputs.into_iter().flatten();
    inputs
        .filter_map(|it| Input::deserialize(it).ok())
        .collect()
}
