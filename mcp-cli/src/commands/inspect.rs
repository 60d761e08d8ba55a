//! `mcp inspect`: shows what a server offers.

mod details;

use clap::Args;
use mcp_extensions::tasks::TASK_SUPPORT;
use mcp_runtime::types::{Prompt, Resource, ServerCapabilities, Tool, ToolAnnotations};
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::At;
use crate::failure::Failure;
use crate::fields::{self, Detail, first_sentence, table};
use crate::limits::SHOWN_RESOURCES;
use crate::output::Output;
use crate::schema::document;
use crate::screen::{Look, Screen, part};
use crate::server::command;
use crate::session::{Context, Session};
use crate::snapshot::Snapshot;
use crate::tool_arguments::find;

#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct Inspect {
    /// Shows this tool in full, with its result and an example
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Shows this prompt in full, with an example
    #[arg(long, value_name = "PROMPT")]
    prompt: Option<String>,
    /// Shows this resource in full
    #[arg(long, value_name = "URI")]
    resource: Option<String>,
    /// Shows this template of resources in full, with an example
    #[arg(long, value_name = "URI")]
    template: Option<String>,
    /// Shows all resources
    #[arg(long)]
    resources: bool,
}

/// Shows the server as text or as a snapshot, or shows a part of it.
///
/// # Errors
///
/// Fails if the server can't be listed, or has no such part.
pub(crate) async fn run(inspect: At<Inspect>, context: &Context) -> Result<(), Failure> {
    let At {
        connection,
        command,
    } = &inspect;
    let output = &context.output;
    let session = context.open(connection).await?;
    let target = &*connection.target;
    if command.names_part() {
        return show_part(command, target, &session, output).await;
    }
    let snapshot = Snapshot::read(&session).await?;
    if output.json {
        return output.document(&snapshot.sorted());
    }
    let found = if connection.reach.era.is_some() || connection.revision.is_some() {
        "as set".to_owned()
    } else {
        format!("found by `{}`", snapshot.revision.era().opening_method())
    };
    let mut screen = output.screen();
    show(&snapshot, &found, target, &mut screen);
    output.write(&screen)
}

impl Inspect {
    fn names_part(&self) -> bool {
        let names = [&self.tool, &self.prompt, &self.resource, &self.template];
        self.resources || names.into_iter().any(Option::is_some)
    }
}

/// Shows the part of the server that an option names.
async fn show_part(
    command: &Inspect,
    target: &str,
    session: &Session,
    output: &Output,
) -> Result<(), Failure> {
    let client = &session.client;
    if let Some(name) = &command.tool {
        let tools = session.list(client.list_tools()).await?;
        let tool = find("tool", &tools, |it| &it.name, name)?;
        return write(tool, output, |screen| details::tool(tool, target, screen));
    }
    if let Some(name) = &command.prompt {
        let prompts = session.list(client.list_prompts()).await?;
        let prompt = find("prompt", &prompts, |it| &it.name, name)?;
        return write(prompt, output, |screen| {
            details::prompt(prompt, target, screen);
        });
    }
    if let Some(uri) = &command.template {
        let templates = session.list(client.list_resource_templates()).await?;
        let template = find("template", &templates, |it| &it.uri_template, uri)?;
        return write(template, output, |screen| {
            details::template(template, target, screen);
        });
    }
    let resources = session.list(client.list_resources()).await?;
    if let Some(uri) = &command.resource {
        let resource = find("resource", &resources, |it| &it.uri, uri)?;
        return write(resource, output, |screen| {
            details::resource(resource, target, screen);
        });
    }
    write(&resources, output, |screen| {
        resources.iter().for_each(|it| resource(it, 0, screen));
    })
}

/// Writes a document with `--json`, else a screen.
fn write(
    document: &impl Serialize,
    output: &Output,
    fill: impl FnOnce(&mut Screen),
) -> Result<(), Failure> {
    if output.json {
        return output.document(document);
    }
    let mut screen = output.screen();
    fill(&mut screen);
    output.write(&screen)
}

/// The effects that a tool states, and whether its calls become tasks.
fn marks(tool: &Tool) -> String {
    let stated = tool.annotations.as_ref();
    let is = |hint: fn(&ToolAnnotations) -> Option<bool>| stated.and_then(hint) == Some(true);
    let is_read_only = is(|it| it.read_only_hint);
    let task = tool.execution.as_ref().map(|it| json!(it.task_support));
    let meta = tool.meta.as_ref().and_then(|it| it.get(TASK_SUPPORT));
    let task = task.as_ref().or(meta).and_then(Value::as_str);
    let marks = [
        (is_read_only, "read-only"),
        // The other effects have a meaning only for tools that change something.
        (!is_read_only && is(|it| it.destructive_hint), "destructive"),
        (!is_read_only && is(|it| it.idempotent_hint), "idempotent"),
        (is(|it| it.open_world_hint), "open world"),
        (task == Some("required"), "as a task only"),
        (task == Some("optional"), "may be a task"),
    ];
    let marks = marks.into_iter().filter(|it| it.0).map(|it| it.1);
    marks.collect::<Vec<_>>().join(", ")
}

fn show(snapshot: &Snapshot, found: &str, target: &str, screen: &mut Screen) {
    show_server(snapshot, found, screen);
    section("tools", snapshot.tools.len(), screen);
    for tool in &snapshot.tools {
        entry(&tool.name, &marks(tool), &tool.description, screen);
        let input = document(tool.input_schema.as_raw(), 0);
        fields::show(&input, Detail::Short, 6, screen);
    }
    section("prompts", snapshot.prompts.len(), screen);
    for prompt in &snapshot.prompts {
        entry(&prompt.name, "", &prompt.description, screen);
        arguments(prompt, Detail::Short, 6, screen);
    }
    let count = snapshot.resources.len();
    section("resources", count, screen);
    let shown = snapshot.resources.iter().take(SHOWN_RESOURCES);
    shown.for_each(|it| resource(it, 2, screen));
    if let Some(more @ 1..) = count.checked_sub(SHOWN_RESOURCES) {
        let all = command("inspect", target, &["--resources".to_owned()]).unwrap_or_default();
        screen.unwrapped(2, Look::Quiet, &format!("… and {more} more: {all}"));
    }
    section("templates", snapshot.resource_templates.len(), screen);
    for it in &snapshot.resource_templates {
        at_uri(
            &it.uri_template,
            &it.name,
            &it.mime_type,
            &it.description,
            2,
            screen,
        );
    }
}

fn show_server(snapshot: &Snapshot, found: &str, screen: &mut Screen) {
    let server = &snapshot.server;
    let title = server.title.as_ref().map(|it| format!(" ({it})"));
    let title = title.unwrap_or_default();
    screen.heading(&format!("{} {}{title}", server.name, server.version));
    let revision = snapshot.revision;
    let era = revision.era();
    let line = format!("revision {revision}, {era}, {found}");
    screen.text(2, Look::Plain, &line);
    if snapshot.revisions.len() > 1 {
        let line = format!("revisions {}", snapshot.revisions.join(", "));
        screen.text(2, Look::Plain, &line);
    }
    screen.text(2, Look::Plain, &capabilities(&snapshot.capabilities));
    if snapshot.instructions.is_some() {
        screen.heading("\ninstructions");
        described(snapshot.instructions.as_ref(), screen);
    }
}

/// Shows the heading of a list, if the list has entries.
fn section(title: &str, count: usize, screen: &mut Screen) {
    if count > 0 {
        screen.heading(&format!("\n{title} ({count})"));
    }
}

/// Shows the name of a tool or prompt, and the first sentence of its description.
fn entry(name: &str, marks: &str, description: &Option<String>, screen: &mut Screen) {
    name_line(name, marks, 2, screen);
    let description = description.as_deref().unwrap_or_default();
    screen.text(4, Look::Plain, &first_sentence(description));
}

fn name_line(name: &str, marks: &str, indent: usize, screen: &mut Screen) {
    let marks = format!("  {marks}");
    let parts = [part(Look::Strong, name), part(Look::Quiet, marks)];
    screen.line(indent, indent + 2, &parts);
}

/// Shows the arguments of a prompt. All of them are strings.
pub(super) fn arguments(prompt: &Prompt, detail: Detail, indent: usize, screen: &mut Screen) {
    let arguments = prompt.arguments.iter().flatten();
    let rows = arguments.map(|it| {
        let is_required = it.required == Some(true);
        let state = if is_required { "required" } else { "optional" };
        let text = it.description.as_deref().unwrap_or_default();
        let notes = detail.of(text);
        vec![
            part(Look::Plain, &*it.name),
            part(Look::Quiet, state),
            part(Look::Plain, notes),
        ]
    });
    table(&rows.collect::<Vec<_>>(), indent, screen);
}

fn resource(it: &Resource, indent: usize, screen: &mut Screen) {
    at_uri(
        &it.uri,
        &it.name,
        &it.mime_type,
        &it.description,
        indent,
        screen,
    );
}

fn at_uri(
    uri: &str,
    name: &str,
    mime_type: &Option<String>,
    description: &Option<String>,
    indent: usize,
    screen: &mut Screen,
) {
    let kind = mime_type.as_ref().map(|it| format!(", {it}"));
    let stated = format!(" ({name}{})", kind.unwrap_or_default());
    let parts = [part(Look::Plain, uri), part(Look::Quiet, stated)];
    screen.line(indent, indent + 4, &parts);
    let description = description.as_deref().unwrap_or_default();
    screen.text(indent + 2, Look::Plain, &first_sentence(description));
}

fn described(text: Option<&String>, screen: &mut Screen) {
    screen.text(2, Look::Plain, text.map_or("", |it| it.trim()));
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

#[cfg(test)]
mod tests;
