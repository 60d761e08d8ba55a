//! `mcp inspect`: shows what a server offers.

use std::fmt::Display;

use mcp_runtime::types::{DiscoverRequest, RequestParams, ServerCapabilities, Tool};
use mcp_runtime::{CallError, Client, Unavailable};

use crate::arguments::{Global, Inspect};
use crate::failure::{Failure, Kind};
use crate::output::Output;
use crate::questions::Questions;
use crate::session::{Opened, Session};
use crate::signature;
use crate::snapshot::Snapshot;
use crate::tool_arguments::nearest;

/// Shows the server: as text, as a snapshot, or one of its tools.
///
/// # Errors
///
/// Why it can't be connected to, or does not list what it has.
pub(crate) async fn run(command: Inspect, global: &Global, opened: &Opened) -> Result<(), Failure> {
    let questions = Questions::new(Vec::new());
    let session = Session::open(&command.connection, global, &questions, opened).await?;
    let snapshot = snapshot(&session.client)
        .await
        .map_err(|it| session.failure(it))?;
    let output = Output::new(global.json);
    if let Some(name) = &command.tool {
        return tool(&snapshot.tools, name, &output);
    }
    if output.json {
        return output.document(&snapshot);
    }
    let is_set = command.connection.era.is_some() || command.connection.revision.is_some();
    let found = match is_set {
        true => "as set".to_owned(),
        false => format!(
            "found by `{}`",
            session.client.revision().era().opening_method()
        ),
    };
    show(&snapshot, &found, &output)
}

/// Everything that the server lists.
pub(super) async fn snapshot(client: &Client) -> Result<Snapshot, CallError> {
    let discovered = client
        .request::<DiscoverRequest>(RequestParams::new())
        .await;
    let revisions = match discovered {
        Ok(discovered) => discovered.supported_versions,
        // A handshake settles on one, and names no other.
        Err(CallError::Unavailable(_)) => vec![client.revision().as_str().to_owned()],
        Err(error) => return Err(error),
    };
    let negotiated = client.negotiated();
    Ok(Snapshot::new(
        &negotiated,
        revisions,
        offered(client.list_tools().await)?,
        offered(client.list_prompts().await)?,
        offered(client.list_resources().await)?,
        offered(client.list_resource_templates().await)?,
    ))
}

/// A list, which is empty where the server does not offer it.
fn offered<T>(list: Result<Vec<T>, CallError>) -> Result<Vec<T>, CallError> {
    match list {
        Err(CallError::Unavailable(Unavailable::NotOffered { .. })) => Ok(Vec::new()),
        // Servers that declare resources, and have no templates.
        Err(CallError::Rpc(error)) if error.code == METHOD_NOT_FOUND => Ok(Vec::new()),
        list => list,
    }
}

/// The code of an unknown method (JSON-RPC 2.0, section 5.1).
const METHOD_NOT_FOUND: i64 = -32601;

/// Shows the schemas of one tool.
fn tool(tools: &[Tool], name: &str, output: &Output) -> Result<(), Failure> {
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
        let near = nearest(name, tools.iter().map(|tool| tool.name.as_str()));
        let near = near.map_or_else(String::new, |near| format!("; is `{near}` meant?"));
        let message = format!("the server has no tool `{name}`{near}");
        return Err(Failure::new(Kind::Refused, message));
    };
    if output.json {
        return output.document(tool);
    }
    output.heading(&signature::of_tool(tool))?;
    described(tool.description.as_deref(), output)?;
    output.heading("input")?;
    output.document(&tool.input_schema)?;
    if let Some(schema) = &tool.output_schema {
        output.heading("output")?;
        output.document(schema)?;
    }
    Ok(())
}

fn show(snapshot: &Snapshot, found: &str, output: &Output) -> Result<(), Failure> {
    let server = &snapshot.server;
    let title = server
        .title
        .as_ref()
        .map_or_else(String::new, |it| format!(" ({it})"));
    output.heading(&format!("{} {}{title}", server.name, server.version))?;
    let revision = snapshot.revision;
    output.line(&format!(
        "  revision {revision}, {}, {found}",
        revision.era()
    ))?;
    if snapshot.revisions.len() > 1 {
        output.line(&format!("  revisions {}", snapshot.revisions.join(", ")))?;
    }
    output.line(&format!("  {}", capabilities(&snapshot.capabilities)))?;
    if let Some(instructions) = &snapshot.instructions {
        output.heading("instructions")?;
        described(Some(instructions), output)?;
    }
    section("tools", &snapshot.tools, output, |tool| {
        (signature::of_tool(tool), tool.description.as_deref())
    })?;
    section("prompts", &snapshot.prompts, output, |prompt| {
        (signature::of_prompt(prompt), prompt.description.as_deref())
    })?;
    section("resources", &snapshot.resources, output, |resource| {
        let name = named(&resource.uri, &resource.name, resource.mime_type.as_deref());
        (name, resource.description.as_deref())
    })?;
    section(
        "templates",
        &snapshot.resource_templates,
        output,
        |template| {
            let name = named(
                &template.uri_template,
                &template.name,
                template.mime_type.as_deref(),
            );
            (name, template.description.as_deref())
        },
    )
}

fn named(uri: &str, name: impl Display, mime_type: Option<&str>) -> String {
    let mime_type = mime_type.map_or_else(String::new, |it| format!(", {it}"));
    format!("{uri} ({name}{mime_type})")
}

fn section<'a, T>(
    title: &str,
    entries: &'a [T],
    output: &Output,
    shown: impl Fn(&'a T) -> (String, Option<&'a str>),
) -> Result<(), Failure> {
    if entries.is_empty() {
        return Ok(());
    }
    output.heading(&format!("{title} ({})", entries.len()))?;
    for entry in entries {
        let (name, description) = shown(entry);
        output.line(&format!("  {name}"))?;
        // What a list needs; `--tool` shows the rest.
        let first = description.and_then(|it| it.trim().lines().next());
        if let Some(first) = first {
            output.line(&format!("      {first}"))?;
        }
    }
    Ok(())
}

fn described(text: Option<&str>, output: &Output) -> Result<(), Failure> {
    let lines = text.into_iter().flat_map(|it| it.trim().lines());
    lines
        .into_iter()
        .try_for_each(|line| output.line(&format!("  {line}")))
}

/// The names of capabilities, with what they declare.
fn capabilities(capabilities: &ServerCapabilities) -> String {
    let json = serde_json::to_value(capabilities).unwrap_or_default();
    let members = json.as_object().into_iter().flatten();
    let shown: Vec<_> = members
        .map(|(name, value)| {
            let inside = value.as_object().into_iter().flatten();
            let inside: Vec<_> = inside
                .filter(|(_, value)| !value.is_boolean() || value.as_bool() == Some(true))
                .map(|(name, _)| name.as_str())
                .collect();
            match inside.is_empty() {
                true => name.clone(),
                false => format!("{name} ({})", inside.join(", ")),
            }
        })
        .collect();
    match shown.is_empty() {
        true => "no capabilities".to_owned(),
        false => format!("capabilities {}", shown.join(", ")),
    }
}
