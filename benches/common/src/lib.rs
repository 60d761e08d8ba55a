//! Code that the compared servers share: their options, and the tools that make their lists long.

use std::net::SocketAddr;

use serde_json::{Map, Value};

/// The schema of the extra tools, which is the same as in our own server.
const SCHEMA: &str = include_str!("../../../examples/src/bin/bench-server/schema.json");

/// The options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The number of tools besides those that are called.
    pub tools: usize,
    /// The address to serve HTTP at, instead of standard input and output.
    pub http: Option<SocketAddr>,
    /// True to serve in the fastest documented way, instead of the default.
    pub fast: bool,
    /// True if the limit runs on tokio.
    pub tokio: bool,
}

impl Options {
    /// Reads the command line.
    ///
    /// # Panics
    ///
    /// When there are other arguments.
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

/// A tool that is never called.
#[derive(Clone, Debug)]
pub struct ExtraTool {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The schema of the arguments.
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
