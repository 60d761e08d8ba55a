//! Code that the compared servers share: their options, and the tools that make lists
//! long.

use std::net::SocketAddr;

use serde_json::{Map, Value};

/// Arguments of each of the tools that make lists long: those of our own server.
const SCHEMA: &str = include_str!("../../../examples/src/bin/bench-server/schema.json");

/// The options of a server.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many tools there are besides those that are called.
    pub tools: usize,
    /// Address to serve HTTP at, instead of standard input and output.
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
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Schema of its arguments.
    pub schema: Map<String, Value>,
}

/// So many tools with realistic schemas.
///
/// # Panics
///
/// Never: the schema is compiled in.
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
