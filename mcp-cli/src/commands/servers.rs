//! `mcp servers`: lists the servers in the configuration files of clients.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use mcp_config::{self as config, Entry, Target};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::arguments::{Connection, Reach, Trust};
use crate::failure::{Failure, Kind};
use crate::limits::CHECKS;
use crate::login::Person;
use crate::output::{Output, note};
use crate::screen::{Look, Part, Screen, part};
use crate::server;
use crate::session::Session;
use crate::trust::{expand, is_trusted};

#[derive(Args)]
pub(crate) struct Servers {
    /// Connects to each server, and shows its era, revision and number of tools, and the time until
    /// it answered, or the reason why it fails. Exits with 4 if a server fails. Disabled servers are
    /// skipped, and servers in a project's file until you trust the file
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
/// Fails if the current folder is unknown, if the file of `--config` is faulty, or if a server fails
/// the check.
pub(crate) async fn run(command: Servers, output: &Output) -> Result<(), Failure> {
    let servers = server::servers(command.config.as_deref())?;
    let mut lines: Vec<_> = servers.iter().map(line).collect();
    if command.check {
        check_all(&servers, &command, &mut lines).await;
    }
    let faults: Vec<_> = servers.faults().iter().map(ToString::to_string).collect();
    let place = |it: &config::Place| json!({"source": it.source.as_str(), "project": it.is_of_project, "file": it.file});
    let places: Vec<_> = match &command.config {
        Some(file) => vec![json!({"file": file})],
        None => servers.places().iter().map(place).collect(),
    };
    if output.json {
        let mut document = json!({"servers": lines, "places": places});
        if !faults.is_empty() {
            document["faults"] = json!(faults);
        }
        output.document(&document)?;
    } else {
        let mut screen = output.screen();
        show(&lines, &places, &mut screen);
        output.write(&screen)?;
        faults.iter().for_each(|fault| note(fault));
    }
    let has_failed = |it: &&Value| it["check"]["error"].is_object();
    match lines.iter().filter(has_failed).count() {
        0 => Ok(()),
        failed => {
            let message = format!("{failed} of {} servers failed the check", lines.len());
            Err(Failure::new(Kind::Unreachable, message))
        }
    }
}

/// A server as JSON, with the settings that its file contains.
fn line(entry: &Entry) -> Value {
    let mut line = json!({
        "name": entry.name,
        "source": entry.source.as_str(),
        "project": entry.is_of_project,
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

/// Connects to all servers that are enabled and trusted, and adds the results to their lines.
async fn check_all(servers: &config::Servers, command: &Servers, lines: &mut [Value]) {
    let mut checks = JoinSet::new();
    let turns = Arc::new(Semaphore::new(CHECKS));
    for (index, entry) in servers.iter().enumerate() {
        if !entry.is_enabled {
            lines[index]["check"] = json!({"skipped": "it is disabled in its file"});
            continue;
        }
        if !is_trusted(entry, command.trust.trust_project).await {
            let reason = format!("{} is not trusted (--trust-project)", entry.file.display());
            lines[index]["check"] = json!({"skipped": reason});
            continue;
        }
        let options = Connection {
            target: entry.qualified_name(),
            timeout: Some(command.timeout),
            reach: Reach {
                config: command.config.clone(),
                trust: command.trust.clone(),
                // A check does not open pages to log in.
                person: Person::Absent,
                ..Reach::default()
            },
            ..Connection::default()
        };
        let (entry, turns) = (entry.clone(), Arc::clone(&turns));
        checks.spawn(async move {
            let _turn = turns.acquire().await;
            (index, check(&entry, &options).await)
        });
    }
    for (index, check) in checks.join_all().await {
        lines[index]["check"] = check;
    }
}

/// Connects to a server, and counts its tools.
async fn check(entry: &Entry, options: &Connection) -> Value {
    let begun = Instant::now();
    let limit = options.timeout.unwrap_or_default();
    let late = || Failure::new(Kind::Timeout, format!("no answer within {limit:?}"));
    let checked = timeout(limit, connect(entry, options, begun)).await;
    let checked = checked.unwrap_or_else(|_| Err(late()));
    checked.unwrap_or_else(|mut error| {
        error.message = error.text();
        json!({"error": error, "milliseconds": begun.elapsed().as_millis()})
    })
}

async fn connect(entry: &Entry, options: &Connection, begun: Instant) -> Result<Value, Failure> {
    let by_option = options.reach.trust.trust_project;
    let target = expand(entry, by_option, &mut |it| it.from_env()).await?;
    let session = Session::connect(target, options, 0).await?;
    let milliseconds = begun.elapsed().as_millis();
    let tools = session.list(session.client.list_tools()).await;
    session.client.close().await;
    let revision = session.client.revision();
    Ok(json!({
        "era": revision.era().to_string(),
        "revision": revision.as_str(),
        "tools": tools?.len(),
        "milliseconds": milliseconds,
    }))
}

fn show(lines: &[Value], places: &[Value], screen: &mut Screen) {
    let rows: Vec<_> = lines.iter().map(row).collect();
    if !screen.table(0, &rows) {
        for row in &rows {
            let space = part(Look::Plain, " ");
            let spaced: Vec<_> = row.iter().flat_map(|it| [it, &space]).cloned().collect();
            screen.line(0, 4, &spaced);
        }
    }
    if lines.is_empty() {
        let message = "no server is configured in any of these files:";
        screen.text(0, Look::Plain, message);
        for place in places {
            screen.text(2, Look::Plain, text(place, "file"));
        }
    }
}

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}

/// A server on one line: its name, source and transport, and the result of the check, or else the
/// program or URL.
fn row(line: &Value) -> Vec<Part<'_>> {
    let source = text(line, "source");
    let is_of_client = line["project"] == true && source != "project";
    let project = if is_of_client { " (project)" } else { "" };
    let check = &line["check"];
    let (look, state, result) = if let Some(message) = check["error"]["message"].as_str() {
        (Look::Bad, "failed", message.replace('\n', "; "))
    } else if let Some(reason) = check["skipped"].as_str() {
        (Look::Quiet, "not checked", reason.to_owned())
    } else if check.is_object() {
        let (era, revision) = (text(check, "era"), text(check, "revision"));
        let (tools, time) = (&check["tools"], &check["milliseconds"]);
        let result = format!("{era}, {revision}, tools: {tools}, {time} ms");
        (Look::Good, "ok", result)
    } else {
        let is_disabled = line["enabled"] == false;
        let note = if is_disabled { " (disabled)" } else { "" };
        (Look::Plain, "", place(line) + note)
    };
    let state = (!state.is_empty()).then(|| part(look, state));
    let first = [
        part(Look::Strong, text(line, "name")),
        part(Look::Quiet, format!("{source}{project}")),
        part(Look::Plain, text(line, "transport")),
    ];
    let last = [part(Look::Plain, result)];
    first.into_iter().chain(state).chain(last).collect()
}

/// The URL, or the program with its arguments.
fn place(line: &Value) -> String {
    let args = line["args"].as_array().into_iter().flatten();
    let words = [&line["command"]].into_iter().chain(args);
    let command = shlex::try_join(words.filter_map(Value::as_str)).unwrap_or_default();
    line["url"].as_str().unwrap_or(&command).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Servers in all states.
    fn lines(is_checked: bool) -> Vec<Value> {
        let line = |name, source, project, target: Value, check: Value| {
            let mut line = json!({
                "name": name, "source": source, "project": project, "transport": "http",
                "enabled": name != "old", "file": "/home/ada/shop/.mcp.json",
            });
            line.as_object_mut()
                .unwrap()
                .extend(target.as_object().unwrap().clone());
            if is_checked {
                line["check"] = check;
            }
            line
        };
        let ok = |tools| json!({"era": "stateless", "revision": "2026-07-28", "tools": tools, "milliseconds": 41});
        let message = "https://shop.example.com/mcp: shop.example.com can't be reached: Connection refused (os error 111)";
        let failed =
            json!({"error": {"code": "unreachable", "message": message}, "milliseconds": 3});
        let skipped = |reason| json!({"skipped": reason});
        let untrusted = "/home/ada/shop/.mcp.json is not trusted (--trust-project)";
        vec![
            line(
                "weather",
                "claude-code",
                false,
                json!({"url": "https://weather.example.com/mcp"}),
                ok(12),
            ),
            line(
                "shop",
                "cursor",
                true,
                json!({"url": "https://shop.example.com/mcp"}),
                failed,
            ),
            line(
                "files",
                "project",
                true,
                json!({"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/a b"]}),
                skipped(untrusted),
            ),
            line(
                "old",
                "claude-desktop",
                false,
                json!({"command": "./old"}),
                skipped("it is disabled in its file"),
            ),
            line(
                "one",
                "zed",
                false,
                json!({"url": "https://one.example.com"}),
                ok(1),
            ),
        ]
    }

    fn screens(lines: &[Value], places: &[Value]) -> String {
        let screen = |width| {
            let mut screen = Screen::new(Some(width), false);
            show(lines, places, &mut screen);
            format!("{width}:\n{}", screen.as_str())
        };
        [60, 80, 160].map(screen).join("\n")
    }

    #[test]
    fn servers_are_shown_at_any_width() {
        insta::assert_snapshot!("listed", screens(&lines(false), &[]));
        insta::assert_snapshot!("checked", screens(&lines(true), &[]));
    }

    #[test]
    fn places_are_shown_at_any_width() {
        let place = |source, file| json!({"source": source, "project": false, "file": file});
        let places = [
            place("project", "/home/ada/shop/.mcp.json"),
            place(
                "claude-desktop",
                "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
            ),
        ];
        insta::assert_snapshot!("places", screens(&[], &places));
    }
}
