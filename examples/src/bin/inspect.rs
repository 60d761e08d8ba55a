//! Shows what a server offers, and calls one of its tools.
//!
//! `cargo run --bin inspect -- [--era handshake|stateless] [--call TOOL JSON] URL|PROGRAM [ARGUMENT…]`

use std::collections::VecDeque;
use std::error::Error;

use mcp_runtime::transport::{ChildProcess, http_client};
use mcp_runtime::{CallError, Client, Era};
use serde_json::Value;

#[mcp_runtime::main]
#[allow(clippy::print_stdout, reason = "this program is no server")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: VecDeque<String> = std::env::args().skip(1).collect();
    let mut builder = Client::builder("inspect", env!("CARGO_PKG_VERSION"));
    let (mut program, mut call) = (None, None);
    while program.is_none() {
        let mut next = || {
            arguments
                .pop_front()
                .ok_or("see the first lines of this program")
        };
        match next()?.as_str() {
            "--era" if next()? == "handshake" => builder = builder.era(Era::Handshake),
            "--era" => builder = builder.era(Era::Stateless),
            "--call" => call = Some((next()?, serde_json::from_str::<Value>(&next()?)?)),
            name => program = Some(name.to_owned()),
        }
    }
    let program = program.ok_or("no program")?;
    let client = if program.starts_with("http://") || program.starts_with("https://") {
        builder.connect(http_client(program)).await?
    } else {
        let server = ChildProcess::new(program).args(arguments);
        builder.connect(server).await?
    };
    let name = client.server_info().map(|info| info.name);
    println!("{} speaks {}", name.unwrap_or_default(), client.revision());
    show("tools", client.list_tools().await, |tool| &tool.name);
    show("prompts", client.list_prompts().await, |prompt| {
        &prompt.name
    });
    show("resources", client.list_resources().await, |resource| {
        &resource.uri
    });
    if let Some((tool, arguments)) = call {
        let result = client.call_tool(&tool, arguments).await?;
        println!("{tool}: {}", serde_json::to_string(&result)?);
    }
    client.close().await;
    Ok(())
}

#[allow(clippy::print_stdout, reason = "this program is no server")]
fn show<T>(kind: &str, list: Result<Vec<T>, CallError>, name: impl Fn(&T) -> &String) {
    match list {
        Ok(list) => println!(
            "{kind}: {}",
            list.iter()
                .map(name)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Err(error) => println!("{kind}: {error}"),
    }
}
