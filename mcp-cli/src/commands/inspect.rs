//! `mcp inspect`: shows what a server offers.

use clap::Args;
use mcp_extensions::tasks::TASK_SUPPORT;
use mcp_runtime::types::{ServerCapabilities, Tool};
use serde_json::{Value, json};

use crate::arguments::At;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Context;
use crate::signature;
use crate::snapshot::Snapshot;
use crate::tool_arguments::find;

#[derive(Args)]
pub(crate) struct Inspect {
    /// Shows the schemas of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
}

/// Shows the server as text or as a snapshot, or shows one of its tools.
///
/// # Errors
///
/// Fails if the server can't be listed, or has no such tool.
pub(crate) async fn run(inspect: At<Inspect>, context: &Context) -> Result<(), Failure> {
    let connection = &inspect.connection;
    let output = &context.output;
    let session = context.open(connection).await?;
    if let Some(name) = &inspect.command.tool {
        let tools = session.list(session.client.list_tools()).await?;
        return show_tool(find("tool", &tools, |it| &it.name, name)?, output);
    }
    let snapshot = Snapshot::read(&session).await?;
    if output.json {
        return output.document(&snapshot);
    }
    let found = if connection.reach.era.is_some() || connection.revision.is_some() {
        "as set".to_owned()
    } else {
        format!("found by `{}`", snapshot.revision.era().opening_method())
    };
    show(&snapshot, &found, output)
}

fn show_tool(tool: &Tool, output: &Output) -> Result<(), Failure> {
    if output.json {
        return output.document(tool);
    }
    output.heading(&tool_title(tool))?;
    described(&tool.description, output)?;
    output.heading("input")?;
    output.document(&tool.input_schema)?;
    if let Some(schema) = &tool.output_schema {
        output.heading("output")?;
        output.document(schema)?;
    }
    Ok(())
}

/// The signature of a tool, and whether its calls become tasks.
fn tool_title(tool: &Tool) -> String {
    let signature = signature::of_tool(tool);
    let stated = tool.meta.as_ref().and_then(|it| it.get(TASK_SUPPORT));
    let of_revision = tool.execution.as_ref().map(|it| json!(it.task_support));
    match of_revision.as_ref().or(stated).and_then(Value::as_str) {
        Some("required") => format!("{signature} (as a task only)"),
        Some("optional") => format!("{signature} (may be a task)"),
        _ => signature,
    }
}

fn show(snapshot: &Snapshot, found: &str, output: &Output) -> Result<(), Failure> {
    let server = &snapshot.server;
    let revision = snapshot.revision;
    let title = server.title.as_ref().map(|it| format!(" ({it})"));
    let title = title.unwrap_or_default();
    output.heading(&format!("{} {}{title}", server.name, server.version))?;
    let era = revision.era();
    output.line(&format!("  revision {revision}, {era}, {found}"))?;
    if snapshot.revisions.len() > 1 {
        output.line(&format!("  revisions {}", snapshot.revisions.join(", ")))?;
    }
    output.line(&format!("  {}", capabilities(&snapshot.capabilities)))?;
    if snapshot.instructions.is_some() {
        output.heading("instructions")?;
        described(&snapshot.instructions, output)?;
    }
    let tools = snapshot.tools.iter();
    let tools = tools.map(|it| (tool_title(it), &it.description));
    section("tools", tools, output)?;
    let prompts = snapshot.prompts.iter();
    let prompts = prompts.map(|it| (signature::of_prompt(it), &it.description));
    section("prompts", prompts, output)?;
    let resources = snapshot.resources.iter();
    let resources = resources.map(|it| (named(&it.uri, &it.name, &it.mime_type), &it.description));
    section("resources", resources, output)?;
    let templates = snapshot.resource_templates.iter().map(|it| {
        let name = named(&it.uri_template, &it.name, &it.mime_type);
        (name, &it.description)
    });
    section("templates", templates, output)
}

fn named(uri: &str, name: &str, mime_type: &Option<String>) -> String {
    match mime_type {
        Some(mime_type) => format!("{uri} ({name}, {mime_type})"),
        None => format!("{uri} ({name})"),
    }
}

/// Shows the entries of a list, if there are any, with the first line of each description.
fn section<'a>(
    title: &str,
    entries: impl ExactSizeIterator<Item = (String, &'a Option<String>)>,
    output: &Output,
) -> Result<(), Failure> {
    if entries.len() > 0 {
        output.heading(&format!("{title} ({})", entries.len()))?;
    }
    for (name, description) in entries {
        output.line(&format!("  {name}"))?;
        // The first line is enough in a list; `--tool` shows the rest.
        if let Some(first) = description.as_ref().and_then(|it| it.trim().lines().next()) {
            output.line(&format!("      {first}"))?;
        }
    }
    Ok(())
}

fn described(text: &Option<String>, output: &Output) -> Result<(), Failure> {
    let mut lines = text.iter().flat_map(|it| it.trim().lines());
    lines.try_for_each(|line| output.line(&format!("  {line}")))
}

fn capabilities(capabilities: &ServerCapabilities) -> String {
    let json = serde_json::to_value(capabilities).unwrap_or_default();
    let members = json.as_object().into_iter().flatten().map(|(name, value)| {
        let inside = value.as_object().into_iter().flatten();
        let inside = inside.filter(|(_, value)| value.as_bool() != Some(false));
        let inside: Vec<_> = inside.map(|(name, _)| name.as_str()).collect();
        if inside.is_empty() {
            name.clone()
        } else {
            format!("{name} ({})", inside.join(", "))
        }
    });
    let members: Vec<_> = members.collect();
    if members.is_empty() {
        "no capabilities".to_owned()
    } else {
        format!("capabilities {}", members.join(", "))
    }
}
