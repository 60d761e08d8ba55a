//! Output of the tour: 80 columns, with colors only on a terminal.

use std::io::IsTerminal;

use mcp_runtime::Revision;
use mcp_runtime::types::Tool;
use serde_json::{Map, Value};

const WIDTH: usize = 80;
const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const CYAN: &str = "36";

#[derive(Clone, Copy)]
pub(crate) struct Page {
    coloured: bool,
}

impl Page {
    /// Writes to standard output, with colors if it is a terminal and `NO_COLOR` is not set.
    pub(crate) fn new() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            coloured: wanted && std::io::stdout().is_terminal(),
        }
    }

    fn paint(&self, style: &str, text: &str) -> String {
        if self.coloured {
            format!("\x1b[{style}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    pub(crate) fn title(&self, text: &str) {
        println!("{}", self.paint(BOLD, text));
    }

    pub(crate) fn chapter(&self, text: &str, revision: Revision) {
        let revision = revision.as_str();
        let used = text.chars().count() + revision.len() + 6;
        let line = "─".repeat(WIDTH.saturating_sub(used));
        println!();
        println!(
            "{} {} {} {}",
            self.paint(CYAN, "──"),
            self.paint(BOLD, text),
            self.paint(CYAN, &line),
            self.paint(CYAN, revision),
        );
    }

    pub(crate) fn fact(&self, name: &str, text: &str) {
        println!("  {}{text}", self.paint(DIM, &format!("{name:<12}")));
    }

    pub(crate) fn success(&self, call: &str, result: &str) {
        println!("  {} {call:<14}→ {result}", self.paint(GREEN, "✓"));
    }

    pub(crate) fn failure(&self, call: &str, reason: &str) {
        println!("  {} {call:<14}→ {reason}", self.paint(RED, "✗"));
    }

    /// Writes the tools as a table.
    pub(crate) fn tools(&self, tools: &[Tool]) {
        let rows = tools.iter().map(|tool| {
            let description = tool.description.clone().unwrap_or_default();
            [tool.name.clone(), arguments(tool), description]
        });
        let heading = ["tool", "arguments", "what it does"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(heading).chain(rows).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let first = width(0);
        let second = width(1);
        println!();
        for (i, [name, arguments, description]) in rows.iter().enumerate() {
            let line = format!("  {name:<first$}  {arguments:<second$}  {description}");
            match i {
                0 => println!("{}", self.paint(DIM, &line)),
                _ => println!("{line}"),
            }
        }
        println!();
    }

    pub(crate) fn end(&self, text: &str) {
        println!();
        println!("{}", self.paint(GREEN, text));
    }
}

/// Lists the arguments of a tool with their types, from its schema.
fn arguments(tool: &Tool) -> String {
    let schema: Map<String, Value> = tool.input_schema.parse().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    let arguments = properties.map(|(name, schema)| match schema["type"].as_str() {
        Some(kind) => format!("{name}: {kind}"),
        None => name.clone(),
    });
    arguments.collect::<Vec<_>>().join(", ")
}
