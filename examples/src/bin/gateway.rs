//! A gateway that offers several servers as one. It reads the servers from files such as a project's
//! `.mcp.json`, and skips disabled ones. The prefix of each server is made from its name: the tools
//! of `git (local)` begin with `git-local_`.
//!
//! `cargo run --bin gateway -- .mcp.json`
//!
//! The command `mcp proxy` does the same, with more options.

use std::error::Error;

use mcp_config::Servers;
use mcp_runtime::prelude::*;
use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::mount_prefix;

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut upstreams: Vec<(String, Upstream)> = Vec::new();
    for file in std::env::args().skip(1) {
        let servers = Servers::read(file)?;
        if let Some(fault) = servers.faults().first() {
            return Err(fault.to_string().into());
        }
        for entry in servers.iter().filter(|entry| entry.is_enabled).cloned() {
            let name = &entry.name;
            let prefix = mount_prefix(name).ok_or_else(|| format!("`{name}` can't be a prefix"))?;
            if upstreams
                .iter()
                .any(|(other, _)| prefix.eq_ignore_ascii_case(other))
            {
                return Err(format!("two servers have the prefix `{prefix}`").into());
            }
            let upstream = Upstream::new(move |builder| {
                let entry = entry.clone();
                async move { entry.connect(builder).await }
            });
            upstreams.push((prefix, upstream));
        }
    }
    let mut gateway = Proxy::several(upstreams).into_builder();
    gateway.name("gateway").version(env!("CARGO_PKG_VERSION"));
    gateway.serve(stdio()).await?;
    Ok(())
}
