//! Entries from the values of a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::entry::{Borrowed, FileContext, Local};
use crate::node::{Fault, Node, Value};
use crate::source::References;
use crate::{Entry, Input, Program, Remote, Source, Target};

/// An entry by its name, or what is wrong with it.
type Decoded = Result<Entry, (String, Fault)>;

/// Reads the entries of a file, in order of precedence.
///
/// `folders` are the folders of the project, the innermost first, of which Claude Code keeps servers.
///
/// # Errors
///
/// If no entry of the file can be told from the others.
pub(crate) fn entries(
    source: Source,
    root: &Node,
    file: &Arc<FileContext>,
    folders: &[&Path],
) -> Result<Vec<Decoded>, Fault> {
    let mut members = Vec::new();
    if source == Source::ClaudeCode {
        let projects = root.map("projects")?;
        for folder in folders {
            let project = projects.iter().find(|(path, _)| Path::new(path) == *folder);
            if let Some((_, project)) = project {
                members.extend(project.map(source.member())?);
            }
        }
    }
    members.extend(root.map(source.member())?);
    let entry = |(name, node): &(String, Node)| {
        let entry = entry(source, name, node, file).transpose()?;
        Some(entry.map_err(|fault| (name.clone(), fault)))
    };
    Ok(members.into_iter().filter_map(entry).collect())
}

/// The inputs that a file defines.
pub(crate) fn inputs(source: Source, root: &Node) -> Result<Vec<Input>, Fault> {
    if source != Source::VsCode {
        return Ok(Vec::new());
    }
    let input = |node: &Node| {
        let option = |node: &Node| node.as_text().or_else(|| node.text("value").ok()?);
        Ok(Input {
            id: node.text("id")?.unwrap_or_default(),
            description: node.text("description")?,
            password: node.bool("password")?.unwrap_or(false),
            default: node.text("default")?,
            options: node.list("options")?.iter().filter_map(option).collect(),
        })
    };
    root.list("inputs")?.iter().map(input).collect()
}

/// Reads an entry; `None` for those that lead to no server of their own, but to a part of the client.
fn entry(
    source: Source,
    name: &str,
    node: &Node,
    file: &Arc<FileContext>,
) -> Result<Option<Entry>, Fault> {
    let fault = |text: &str| Fault {
        at: Some(node.at),
        text: text.to_owned(),
    };
    if !matches!(node.value, Value::Map(_)) {
        return Err(fault("it must be a table of settings"));
    }
    let Some(target) = target(source, node)? else {
        let is_part = matches!(source, Source::Zed | Source::Goose);
        let none = || fault("it has neither a command nor a URL");
        return is_part.then_some(None).ok_or_else(none);
    };
    let is_program = matches!(target, Target::Program(_));
    let is_goose = source == Source::Goose;
    let local = if is_goose && !is_program {
        node.table("envs")?
    } else {
        BTreeMap::new()
    };
    Ok(Some(Entry {
        name: name.to_owned(),
        source,
        file: Arc::clone(file),
        is_enabled: node.bool("enabled")?.unwrap_or(true)
            && !node.bool("disabled")?.unwrap_or(false),
        references: if is_goose && is_program {
            References::None
        } else {
            source.references()
        },
        borrowed: borrowed(source, node, is_program)?,
        target,
        local: Local(local),
    }))
}

/// A member with a URL, and the transport that it means where the entry names none.
type UrlMember = (&'static str, fn(Remote) -> Target);

fn target(source: Source, node: &Node) -> Result<Option<Target>, Fault> {
    let transport = node.text("type")?;
    let transport = match transport {
        None if source == Source::Project => node.text("transport")?,
        other => other,
    };
    let is_goose = source == Source::Goose;
    let command = node.text(if is_goose { "cmd" } else { "command" })?;
    let is_remote = transport.as_deref().is_some_and(|it| it != "stdio");
    if let Some(command) = command.filter(|_| !is_remote) {
        return Ok(Some(Target::Program(Program {
            command,
            args: node.texts("args")?,
            env: node.table(if is_goose { "envs" } else { "env" })?,
            cwd: node.text("cwd")?.map(Into::into),
        })));
    }
    let urls: &[UrlMember] = match source {
        Source::GeminiCli => &[("httpUrl", Target::Http), ("url", Target::Sse)],
        Source::Windsurf => &[("serverUrl", Target::Http), ("url", Target::Http)],
        Source::Goose => &[("uri", Target::Http)],
        _ => &[("url", Target::Http)],
    };
    let headers = match source {
        Source::Codex => "http_headers",
        _ => "headers",
    };
    for (member, usual) in urls {
        if let Some(url) = node.text(member)? {
            let make = match transport.as_deref() {
                Some("sse") => Target::Sse,
                Some("ws" | "websocket") => Target::WebSocket,
                Some(_) => Target::Http,
                None if url.starts_with("ws://") || url.starts_with("wss://") => Target::WebSocket,
                None => *usual,
            };
            let headers = node.table(headers)?;
            return Ok(Some(make(Remote { url, headers })));
        }
    }
    Ok(None)
}

/// What the entry takes of the environment without a reference.
fn borrowed(source: Source, node: &Node, is_program: bool) -> Result<Vec<Borrowed>, Fault> {
    let variable = |name: &str, variable: &str, is_required| Borrowed {
        name: name.to_owned(),
        prefix: "",
        variable: variable.to_owned(),
        is_required,
    };
    match source {
        Source::Goose if is_program => {
            let names = node.texts("env_keys")?;
            Ok(names.iter().map(|it| variable(it, it, true)).collect())
        }
        Source::Codex if is_program => {
            let name = |it: &Node| it.as_text().or_else(|| it.text("name").ok()?);
            let names = node.list("env_vars")?.iter().filter_map(name);
            Ok(names.map(|it| variable(&it, &it, false)).collect())
        }
        Source::Codex => {
            let token = node.text("bearer_token_env_var")?.map(|token| Borrowed {
                prefix: "Bearer ",
                ..variable("Authorization", &token, true)
            });
            let headers = node.table("env_http_headers")?;
            let headers = headers.iter().map(|(name, it)| variable(name, it, false));
            Ok(token.into_iter().chain(headers).collect())
        }
        _ => Ok(Vec::new()),
    }
}
