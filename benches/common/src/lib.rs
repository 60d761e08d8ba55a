//! What the servers that are compared have in common: their options, and the tools that make lists
//! long.

use std::net::SocketAddr;

use serde_json::{Map, Value, json};

/// The options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many tools there are besides those that are called.
    pub tools: usize,
    /// Where to serve HTTP, instead of standard input and output.
    pub http: Option<SocketAddr>,
    /// Whether to serve in the fastest way that is documented, instead of the default one.
    pub fast: bool,
    /// Whether the limit runs on tokio.
    pub tokio: bool,
}

impl Options {
    /// Reads the command line.
    ///
    /// # Panics
    ///
    /// When there is something else on it.
    #[must_use]
    pub fn of_process() -> Self {
        let mut options = Self::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_default();
            match name.as_str() {
                "--fast" => options.fast = true,
                "--tokio" => options.tokio = true,
                "--tools" => options.tools = value().parse().expect("--tools N"),
                "--http" => options.http = Some(value().parse().expect("--http ADDR")),
                _ => panic!("`{name}`: use [--tools N] [--http ADDR] [--fast] [--tokio]"),
            }
        }
        options
    }
}

/// A tool that nobody calls.
#[derive(Clone, Debug)]
pub struct ExtraTool {
    /// What it is called.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub schema: Map<String, Value>,
}

/// So many tools with realistic schemas.
pub fn extra_tools(count: usize) -> impl Iterator<Item = ExtraTool> {
    (0..count).map(|number| ExtraTool {
        name: format!("search_records_{number}"),
        description: format!(
            "Searches the records of department {number} and returns those that match best, newest first."
        ),
        schema: schema(),
    })
}

fn schema() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Words to look for; a phrase stands in quotation marks",
                "minLength": 1,
                "maxLength": 500
            },
            "kind": {
                "type": "string",
                "enum": ["issue", "document", "message", "person"],
                "description": "Kind of record to look among"
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 100,
                "default": 20,
                "description": "At most this many records are returned"
            },
            "period": {
                "type": "object",
                "properties": {
                    "from": { "type": "string", "format": "date-time" },
                    "to": { "type": "string", "format": "date-time" }
                },
                "required": ["from"],
                "description": "Only records that were changed within it"
            },
            "labels": { "type": "array", "items": { "type": "string" }, "maxItems": 10 }
        },
        "required": ["query"]
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}
