//! `mcp servers`: lists the servers in the configuration files of clients.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use mcp_config::{Entry, Target};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::arguments::{Connection, Reach, Trust};
use crate::failure::{Failure, Kind};
use crate::output::{Output, note};
use crate::server;
use crate::session::Session;
use crate::trust::{expand, is_trusted, untrusted};

#[derive(Args)]
pub(crate) struct Servers {
    /// Connects to each server, and shows its revision, number of tools and response time, or the
    /// error. Servers in a project's file are skipped until you trust the file
    #[arg(long)]
    check: bool,
    /// Time limit for each connection, such as 10s
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "10s")]
    timeout: Duration,
    /// Reads this file instead of the files of the clients
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    trust: Trust,
}

/// Lists the servers, and connects to them if `--check` is given.
///
/// # Errors
///
/// Fails if the current folder is unknown, or if the file of `--config` is faulty.
pub(crate) async fn run(command: Servers, output: &Output) -> Result<(), Failure> {
    let servers = server::servers(command.config.as_deref())?;
    let mut lines: Vec<_> = servers.iter().map(line).collect();
    if command.check {
        let mut checks = JoinSet::new();
        for (index, entry) in servers.iter().enumerate() {
            if !is_trusted(entry, command.trust.trust_project).await {
                lines[index]["check"] = json!({"skipped": untrusted(entry).message});
                continue;
            }
            let options = Connection {
                timeout: Some(command.timeout),
                reach: Reach {
                    trust: command.trust.clone(),
                    ..Reach::default()
                },
                ..Connection::default()
            };
            let entry = entry.clone();
            let limit = command.timeout;
            checks.spawn(async move { (index, check(&entry, &options, limit).await) });
        }
        for (index, check) in checks.join_all().await {
            lines[index]["check"] = check;
        }
    }
    let faults: Vec<_> = servers.faults().iter().map(ToString::to_string).collect();
    if output.json {
        let mut document = json!({"servers": lines});
        if !faults.is_empty() {
            document["faults"] = json!(faults);
        }
        return output.document(&document);
    }
    show(&lines, output)?;
    faults.iter().for_each(|fault| note(fault));
    Ok(())
}

/// A server as JSON, with the settings that its file contains.
fn line(entry: &Entry) -> Value {
    let mut line = json!({
        "name": entry.name,
        "source": entry.source.as_str(),
        "transport": entry.target.transport(),
        "enabled": entry.is_enabled,
        "file": entry.file,
    });
    if let Target::Program(program) = &entry.target {
        line["command"] = json!(program.command);
        line["args"] = json!(program.args);
    } else if let Some(remote) = entry.target.remote() {
        line["url"] = json!(remote.url);
    }
    line
}

/// Connects to a server, and counts its tools.
async fn check(entry: &Entry, options: &Connection, limit: Duration) -> Value {
    let begun = Instant::now();
    let late = || Failure::new(Kind::Timeout, format!("no answer within {limit:?}"));
    let checked = timeout(limit, connect(entry, options)).await;
    let checked = checked.unwrap_or_else(|_| Err(late()));
    let mut checked = checked.unwrap_or_else(|error| json!({"error": error}));
    checked["milliseconds"] = json!(begun.elapsed().as_millis());
    checked
}

async fn connect(entry: &Entry, options: &Connection) -> Result<Value, Failure> {
    let by_option = options.reach.trust.trust_project;
    let target = expand(entry, by_option, &mut |it| it.from_env()).await?;
    let session = Session::connect(target, options, 0).await?;
    let tools = session.list(session.client.list_tools()).await;
    session.client.close().await;
    Ok(json!({"revision": session.client.revision().as_str(), "tools": tools?.len()}))
}

fn show(lines: &[Value], output: &Output) -> Result<(), Failure> {
    let width = |name| lines.iter().map(|it| text(it, name).chars().count()).max();
    let widths = ["name", "source", "transport"].map(|it| (it, width(it).unwrap_or_default()));
    for line in lines {
        let cells = widths.map(|(name, width)| format!("{:width$}", text(line, name)));
        output.line(&format!("{}  {}", cells.join("  "), outcome(line)))?;
    }
    if lines.is_empty() {
        output.line("no MCP client has a server in its configuration")
    } else {
        Ok(())
    }
}

fn text(line: &Value, name: &str) -> String {
    line[name].as_str().unwrap_or_default().to_owned()
}

/// The result of a check on one line, or the program or URL if there was no check.
fn outcome(line: &Value) -> String {
    let check = &line["check"];
    if let Some(message) = check["error"]["message"].as_str() {
        return message.to_owned();
    }
    if check["skipped"].is_string() {
        let file = text(line, "file");
        return format!("not checked: {file} is not trusted (--trust-project)");
    }
    if let Some(revision) = check["revision"].as_str() {
        let tools = match &check["tools"] {
            one if *one == 1 => "1 tool".to_owned(),
            tools => format!("{tools} tools"),
        };
        let milliseconds = &check["milliseconds"];
        return format!("{revision}, {tools}, {milliseconds} ms");
    }
    let args = line["args"].as_array().into_iter().flatten();
    let words = [&line["command"]].into_iter().chain(args);
    let command = shlex::try_join(words.filter_map(Value::as_str)).unwrap_or_default();
    let place = line["url"].as_str().unwrap_or(&command);
    if line["enabled"] == true {
        place.to_owned()
    } else {
        format!("{place} (disabled)")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::outcome;

    #[test]
    fn tools_are_counted() {
        let with = |tools: u32| {
            outcome(
                &json!({"check": {"revision": "2026-07-28", "tools": tools, "milliseconds": 5}}),
            )
        };
        assert_eq!(with(1), "2026-07-28, 1 tool, 5 ms");
        assert_eq!(with(2), "2026-07-28, 2 tools, 5 ms");
    }
}
