//! Prints the servers that the files of MCP clients name, as JSON, and the faults of files to
//! standard error.
//!
//! `cargo run -p mcp-config --example list -- .`

use std::error::Error;
use std::io::{Write as _, stdout};

use mcp_config::{Servers, Target};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let servers = Servers::find(folder)?;
    for fault in servers.faults() {
        eprintln!("{fault}");
    }
    let listed: Vec<Value> = servers
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "source": entry.source.as_str(),
                "file": entry.file,
                "enabled": entry.is_enabled,
                "transport": entry.target.transport(),
                "target": match &entry.target {
                    Target::Program(it) => json!({"command": it.command, "args": it.args}),
                    Target::Http(it) | Target::Sse(it) | Target::WebSocket(it) => json!({"url": it.url}),
                    _ => Value::Null,
                },
            })
        })
        .collect();
    writeln!(stdout(), "{:#}", Value::Array(listed))?;
    Ok(())
}
