//! Shows one tool, prompt, resource or template in full.

use iri_string::template::UriTemplateStr;
use mcp_runtime::client::escape_template;
use mcp_runtime::types::{Prompt, Resource, ResourceTemplate, Tool};
use serde::Serialize;
use serde_json::Value;

use super::{arguments, described, marks, name_line};
use crate::example::of_tool;
use crate::fields::{self, Detail, table};
use crate::schema::{Schema, document, text};
use crate::screen::{Look, Part, Screen, part};
use crate::server::command;

pub(super) fn tool(tool: &Tool, target: &str, screen: &mut Screen) {
    name_line(&tool.name, &marks(tool), 0, screen);
    let annotated = tool.annotations.as_ref().and_then(|it| it.title.as_ref());
    described(tool.title.as_ref().or(annotated), screen);
    described(tool.description.as_ref(), screen);
    heading("arguments", screen);
    let input = document(tool.input_schema.as_raw(), 0);
    if !fields::show(&input, Detail::Full, 2, screen) {
        screen.text(2, Look::Quiet, "none");
    }
    if let Some(schema) = &tool.output_schema {
        heading("result", screen);
        let output = document(schema.as_raw(), 0);
        if !fields::show(&output, Detail::Full, 2, screen) {
            screen.text(2, Look::Quiet, &fields::kind(&Schema::new(&output), 0));
        }
    }
    if let Some(words) = of_tool(tool) {
        example("call", target, &tool.name, words, screen);
    }
}

pub(super) fn prompt(prompt: &Prompt, target: &str, screen: &mut Screen) {
    screen.heading(&prompt.name);
    described(prompt.title.as_ref(), screen);
    described(prompt.description.as_ref(), screen);
    let known = prompt.arguments.iter().flatten();
    if known.clone().next().is_some() {
        heading("arguments", screen);
        arguments(prompt, Detail::Full, 2, screen);
    }
    let required = known.filter(|it| it.required == Some(true));
    let words = required.map(|it| placeholder(&it.name));
    example("prompt", target, &prompt.name, words, screen);
}

pub(super) fn resource(resource: &Resource, target: &str, screen: &mut Screen) {
    screen.heading(&resource.uri);
    stated(resource, resource.description.as_ref(), screen);
    example("read", target, &resource.uri, [], screen);
}

pub(super) fn template(template: &ResourceTemplate, target: &str, screen: &mut Screen) {
    let uri = &template.uri_template;
    screen.heading(uri);
    stated(template, template.description.as_ref(), screen);
    let escaped = escape_template(uri);
    let Ok(parsed) = UriTemplateStr::new(&escaped) else {
        return;
    };
    let names: Vec<_> = parsed.variables().map(|it| it.as_str()).collect();
    heading("variables", screen);
    screen.text(2, Look::Plain, &names.join("\n"));
    let words = names.into_iter().map(placeholder);
    example("read", target, uri, words, screen);
}

/// Shows what the server states about a resource.
fn stated(item: &impl Serialize, description: Option<&String>, screen: &mut Screen) {
    let item = serde_json::to_value(item).unwrap_or_default();
    let annotations = item["annotations"].as_object().into_iter().flatten();
    let members = item.as_object().into_iter().flatten().chain(annotations);
    let others = ["uri", "uriTemplate", "description", "icons", "annotations"];
    let members = members.filter(|it| !others.contains(&it.0.as_str()));
    let row = |(name, value): (&String, &Value)| {
        vec![
            part(Look::Quiet, name.clone()),
            part(Look::Plain, text(value)),
        ]
    };
    let rows: Vec<Vec<Part<'_>>> = members.map(row).collect();
    table(&rows, 2, screen);
    if let Some(text) = description {
        screen.text(2, Look::Plain, &format!("\n{}", text.trim()));
    }
}

/// Shows a command with its first word, and with arguments.
fn example(
    name: &str,
    target: &str,
    word: &str,
    arguments: impl IntoIterator<Item = String>,
    screen: &mut Screen,
) {
    let words: Vec<_> = [word.to_owned()].into_iter().chain(arguments).collect();
    if let Some(command) = command(name, target, &words) {
        heading("example", screen);
        screen.unwrapped(2, Look::Plain, &command);
    }
}

fn placeholder(name: &str) -> String {
    format!("{name}={}", name.to_uppercase())
}

fn heading(text: &str, screen: &mut Screen) {
    screen.heading(&format!("\n{text}"));
}
