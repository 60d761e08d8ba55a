//! `mcp servers`: lists the servers that the files of clients name.

use std::io;
use std::time::{Duration, Instant};

use mcp_config::{Entry, Target};
use mcp_runtime::Timeouts;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::arguments::{Auth, Global, Servers};
use crate::failure::{Failure, Kind};
use crate::output::{Output, note};
use crate::questions::Questions;
use crate::server;
use crate::session::{self, Session};

/// Lists the servers, and connects to them if that is asked for.
///
/// # Errors
///
/// If there is no folder to begin with.
pub(crate) async fn run(command: Servers, global: &Global) -> Result<(), Failure> {
    let servers = server::servers(command.config.as_deref())?;
    let output = Output::new(global.json);
    let mut lines: Vec<_> = servers.iter().map(Line::of).collect();
    if command.check {
        let mut checks = JoinSet::new();
        for (index, entry) in servers.iter().enumerate() {
            let (entry, limit) = (entry.clone(), command.timeout);
            checks.spawn(async move { (index, check(&entry, limit).await) });
        }
        while let Some(checked) = checks.join_next().await {
            let (index, checked) = checked.map_err(io::Error::from)?;
            lines[index].check = Some(checked);
        }
    }
    let faults: Vec<_> = servers.faults().iter().map(ToString::to_string).collect();
    if output.json {
        return output.document(&Document {
            servers: lines,
            faults,
        });
    }
    show(&lines, &faults, &output)
}

#[derive(Serialize)]
struct Document {
    servers: Vec<Line>,
    /// Files or entries that can't be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<String>,
}

/// A server of a file, as the file writes it.
#[derive(Serialize)]
struct Line {
    name: String,
    source: String,
    transport: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    enabled: bool,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
}

/// The outcome of a connection.
#[derive(Default, Serialize)]
struct Check {
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<usize>,
    milliseconds: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

impl Line {
    fn of(entry: &Entry) -> Self {
        let target = &entry.target;
        let (mut command, mut args, mut url) = (None, None, None);
        match target {
            Target::Program(program) => {
                (command, args) = (Some(program.command.clone()), Some(program.args.clone()));
            }
            Target::Http(remote) | Target::Sse(remote) | Target::WebSocket(remote) => {
                url = Some(remote.url.clone());
            }
            _ => {}
        }
        Self {
            name: entry.name.clone(),
            source: entry.source.to_string(),
            transport: target.transport(),
            command,
            args,
            url,
            enabled: entry.is_enabled,
            file: entry.file.display().to_string(),
            check: None,
        }
    }

    /// The program or the URL in a line.
    fn place(&self) -> String {
        match (&self.command, &self.url) {
            (Some(command), _) => {
                let words = self.args.iter().flatten().map(String::as_str);
                let words: Vec<_> = [&**command].into_iter().chain(words).collect();
                shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
            }
            (None, url) => url.clone().unwrap_or_default(),
        }
    }
}

impl Check {
    fn text(&self) -> String {
        match &self.error {
            Some(error) => error.message.clone(),
            None => {
                let (revision, tools) = (self.revision.unwrap_or_default(), self.tools);
                let tools = tools.unwrap_or_default();
                format!("{revision}, {tools} tools, {} ms", self.milliseconds)
            }
        }
    }
}

/// Connects to a server, and counts its tools.
async fn check(entry: &Entry, limit: Duration) -> Check {
    let begun = Instant::now();
    let checked = timeout(limit, connect(entry, limit)).await;
    let late = || Failure::new(Kind::Timeout, format!("no answer within {limit:?}"));
    let milliseconds = begun.elapsed().as_millis();
    match checked.unwrap_or_else(|_| Err(late())) {
        Ok((revision, tools)) => Check {
            revision: Some(revision),
            tools: Some(tools),
            milliseconds,
            error: None,
        },
        Err(error) => Check {
            milliseconds,
            error: Some(error),
            ..Check::default()
        },
    }
}

async fn connect(entry: &Entry, limit: Duration) -> Result<(&'static str, usize), Failure> {
    let target = entry.expand(&mut |it| it.from_env());
    let target = target.map_err(|error| Failure::usage(error.to_string()))?;
    let questions = Questions::new(Vec::new());
    let builder = session::declaring(&questions).timeouts(Timeouts {
        idle: limit,
        total: limit,
        reset_on_progress: false,
    });
    let session = Session::connect(target, Auth::Auto, builder, false).await?;
    let tools = session.client.list_tools().await;
    let revision = session.client.revision().as_str();
    session.client.close().await;
    match tools {
        Ok(tools) => Ok((revision, tools.len())),
        Err(mcp_runtime::CallError::Unavailable(_)) => Ok((revision, 0)),
        Err(error) => Err(session.failure(error)),
    }
}

fn show(lines: &[Line], faults: &[String], output: &Output) -> Result<(), Failure> {
    let width = |cell: fn(&Line) -> &str| lines.iter().map(|it| cell(it).chars().count()).max();
    let name = width(|it| &it.name).unwrap_or_default();
    let source = width(|it| &it.source).unwrap_or_default();
    for line in lines {
        let outcome = match (&line.check, line.enabled) {
            (Some(check), _) => check.text(),
            (None, true) => line.place(),
            (None, false) => format!("{} (disabled)", line.place()),
        };
        let Line { transport, .. } = line;
        output.line(&format!(
            "{:name$}  {:source$}  {transport:9}  {outcome}",
            line.name, line.source
        ))?;
    }
    if lines.is_empty() {
        output.line("no file of a client names a server")?;
    }
    faults.iter().for_each(|fault| note(fault));
    Ok(())
}
