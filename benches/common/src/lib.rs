//! Code that the compared servers share: their options, and the tools that make `tools/list` long.

use std::net::SocketAddr;

use serde_json::{Map, Value};

/// The input schema of each extra tool, which the server on mcp-runtime uses as well.
const SCHEMA: &str = include_str!("../../../examples/src/bin/bench-server/schema.json");

/// The command line options of a measured server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The number of tools in addition to the three that are called.
    pub tools: usize,
    /// The address to serve HTTP on, instead of standard input and output.
    pub http: Option<SocketAddr>,
    /// Whether to use the SDK's fastest documented way of serving, instead of the default.
    pub fast: bool,
    /// Whether the `limit` server runs on tokio.
    pub tokio: bool,
}

impl Options {
    /// Parses the command line of this process.
    ///
    /// # Panics
    ///
    /// Panics if an option is unknown or its value is invalid.
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

/// A tool that only makes `tools/list` longer.
#[derive(Clone, Debug)]
pub struct ExtraTool {
    /// The tool's name.
    pub name: String,
    /// The tool's description.
    pub description: String,
    /// The tool's input schema.
    pub schema: Map<String, Value>,
}

/// Returns `count` tools with realistic schemas.
///
/// # Panics
///
/// Never, because the schema is compiled in.
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
    serde_json::from_str(SCHEMA).expect("the file is JSON")
}
