//! `mcp proxy`: serves a server, or several as one, over stdio or HTTP.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fs};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use mcp_auth::{BearerToken, BearerTokens};
use mcp_runtime::layer::{BoxError, McpRequest, McpResponse, Next, from_fn};
use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::{McpServer, ServerBuilder, mount_prefix};
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::child_process::{Captured, Stderr};
use mcp_runtime::transport::http::{Http, HttpOptions, http};
use mcp_runtime::transport::stdio;
use mcp_runtime::{Client, ClientBuilder, ServeError, Timeouts};
use serde_json::json;

use crate::arguments::Reach;
use crate::failure::{Failure, Kind};
use crate::limits::{MAX_MESSAGE_BYTES, PROBE_TIMEOUT, PROXY_GRACE};
use crate::login::Person;
use crate::output::{note, note_without_terminal};
use crate::questions::lock;
use crate::server;
use crate::session::{Server, recording};

/// The servers to offer, and where.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Name of a configured server, URL, or command in quotes. Several names, or --config without
    /// TARGET for all enabled servers of a file, are offered as one server, whose tools begin with
    /// the names
    #[arg(value_name = "TARGET", required_unless_present = "config", value_parser = NonEmptyStringValueParser::new())]
    targets: Vec<String>,
    /// Serves Streamable HTTP and HTTP+SSE instead of stdio; 127.0.0.1 is the default host
    #[arg(long, value_name = "[HOST:]PORT", value_parser = address)]
    http: Option<(String, u16)>,
    /// The environment variable with the bearer token that callers must send
    #[arg(long, value_name = "NAME", requires = "http")]
    token_env: Option<String>,
    /// An origin whose pages may call and read, such as https://app.example.com; can be repeated
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
    /// A host by which callers reach the proxy, such as the name of a reverse proxy; can be repeated
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,
    /// Offers only this tool, where `*` is any text; can be repeated
    #[arg(long, value_name = "TOOL")]
    only: Vec<String>,
    /// Hides and refuses this tool, where `*` is any text; can be repeated
    #[arg(long, value_name = "TOOL")]
    skip: Vec<String>,
    /// Lets HTTP clients share one connection to each server with a handshake
    #[arg(long, requires = "http")]
    shared: bool,
    /// Writes each message to this file as a line of JSON. Messages may contain secrets
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Connection")]
    reach: Reach,
    /// Time limit for each step until a server is ready, such as 10s; 60s by default
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    timeout: Option<Duration>,
}

/// Reads a port, which may follow a host.
fn address(text: &str) -> Result<(String, u16), &'static str> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
    let port = port.parse();
    let is_host = !host.is_empty() && !host.contains('/');
    let port = port.ok().filter(|_| is_host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Ok((host.to_owned(), port.ok_or("it must be PORT or HOST:PORT")?))
}

/// The variable that tells programs which proxies have started them.
const ABOVE: &str = "MCP_PROXY_ABOVE";

/// Serves until standard input is closed, or until a signal arrives.
///
/// # Errors
///
/// Fails if the arguments are wrong, or if the address can't be listened on. Over stdio, it also
/// fails at the end if the only server could not be reached.
pub(crate) async fn run(mut command: Arguments, verbose: u8) -> Result<(), Failure> {
    let listener = command.http.as_ref();
    let listener = listener.map(|at| endpoint(at, &command)).transpose()?;
    command.reach.person = Person::AtBrowser;
    let command = Arc::new(command);
    let behind = behind(&command, verbose).await?;
    let only = behind.first().filter(|it| it.name.is_empty()).cloned();
    let proxy = match &only {
        Some(only) => Proxy::new(only.upstream()),
        None => Proxy::several(behind.iter().map(|it| (&*it.prefix, it.upstream()))),
    };
    let mut server = builder(proxy, &command, verbose).build();
    if let Some(file) = &command.record {
        server = server.record(&recording(file)?);
    }
    let Some(listener) = listener else {
        let transport = stdio().max_frame_bytes(MAX_MESSAGE_BYTES);
        server.serve(transport).await.map_err(serve_failure)?;
        let failed = only.and_then(|it| lock(&it.failed).take());
        return failed.map_or(Ok(()), Err);
    };
    server.serve(listener).await.map_err(serve_failure)
}

/// Adds the options that limit and show what is served.
fn builder(mut proxy: Proxy, command: &Arc<Arguments>, verbose: u8) -> ServerBuilder {
    if command.shared {
        proxy = proxy.shared();
    }
    if verbose > 0 {
        proxy = proxy.on_left_out(|prefix, extension| {
            note(&format!("{prefix}: the extension {extension} is left out"));
        });
    }
    let command = Arc::clone(command);
    proxy = proxy.tools(move |name| {
        let is_in = |patterns: &[String]| patterns.iter().any(|it| matches(it, name));
        (command.only.is_empty() || is_in(&command.only)) && !is_in(&command.skip)
    });
    let mut server = proxy.into_builder();
    // On a terminal, the runtime shows the URL.
    server.on_listening(note_without_terminal);
    if verbose > 0 {
        server.layer(from_fn(log));
    }
    server
}

/// The HTTP endpoint at an address.
///
/// # Errors
///
/// Fails if other computers could call without a token, or if the token can't be used.
#[expect(deprecated, reason = "many clients still use HTTP+SSE")]
fn endpoint(address: &(String, u16), command: &Arguments) -> Result<Http, Failure> {
    let options = HttpOptions::default()
        .allowed_hosts(&command.hosts)
        .allowed_origins(&command.origins)
        .max_body_bytes(MAX_MESSAGE_BYTES)
        .max_unread_bytes(MAX_MESSAGE_BYTES);
    let listener = http(address.clone()).options(options).with_sse();
    let host = &*address.0;
    let is_loopback = host.parse().is_ok_and(|it: IpAddr| it.is_loopback());
    let Some(name) = &command.token_env else {
        if is_loopback || host == "localhost" {
            return Ok(listener);
        }
        let message = format!("other computers could call at {host}: `--token-env` is required");
        let advice = "put a token (openssl rand -hex 32) into a variable, and pass its name";
        return Err(Failure::usage(message).advise(advice));
    };
    let fault = |text: String| Failure::usage(format!("--token-env {name}: {text}"));
    let token = env::var(name).map_err(|_| fault("the variable is not set".to_owned()))?;
    let tokens = BearerTokens::new([BearerToken::new(token)]);
    tokens.check().map_err(|error| fault(error.to_string()))?;
    Ok(listener.auth(tokens))
}

/// The servers of this proxy as a string, and the same strings of the proxies above it, each with the
/// name of the server that leads to this proxy.
///
/// # Errors
///
/// Fails if a proxy above serves the same, because each would start the next without end.
fn above(command: &Arguments) -> Result<(String, BTreeMap<String, String>), Failure> {
    let above = env::var(ABOVE).unwrap_or_default();
    let above: BTreeMap<_, String> = serde_json::from_str(&above).unwrap_or_default();
    let config = command.reach.config.as_deref();
    let place = fs::canonicalize(config.unwrap_or(".".as_ref())).ok();
    let own = format!("{place:?} {:?}", command.targets);
    let Some(name) = above.get(&own) else {
        return Ok((own, above));
    };
    let file = config.map_or(String::new(), |it| format!(" in {}", it.display()));
    let message =
        format!("`{name}`{file} starts this proxy, which would start `{name}` again, without end");
    let advice = format!(
        "let `{name}` name other servers (mcp proxy NAME NAME), a URL or a program; or disable it"
    );
    Err(Failure::usage(message).advise(advice))
}

/// Finds the servers. A single TARGET has no name.
///
/// # Errors
///
/// Fails if a server can't be found, if two names have the same prefix, if an option does not apply to
/// several servers, or if the proxy would start itself.
async fn behind(command: &Arc<Arguments>, verbose: u8) -> Result<Vec<Arc<Behind>>, Failure> {
    let reach = &command.reach;
    let (own, above) = above(command)?;
    let new = |name: String, prefix, server| {
        let only = command.targets.first().filter(|_| name.is_empty());
        let mut above = above.clone();
        above.insert(own.clone(), only.unwrap_or(&name).replace('\0', " "));
        Arc::new(Behind {
            above: json!(above).to_string(),
            name,
            prefix,
            server,
            command: Arc::clone(command),
            verbose,
            failed: Mutex::default(),
        })
    };
    if let [target] = &*command.targets {
        let target = server::of(target, reach).await?;
        let server = Server::new(target, reach).await?;
        return Ok(vec![new(String::new(), String::new(), server)]);
    }
    let mut all: Vec<Arc<Behind>> = Vec::new();
    for name in names(command)? {
        let prefix = mount_prefix(&name).ok_or_else(|| {
            let message = format!(
                "`{name}` can't be a prefix of tools and URIs: a prefix begins with a letter (A-Z)"
            );
            Failure::usage(message).advise("rename the server")
        })?;
        // Schemes of URIs are case-insensitive.
        let is_same = |it: &&Arc<Behind>| it.prefix.eq_ignore_ascii_case(&prefix);
        if let Some(other) = all.iter().find(is_same) {
            let other = &other.name;
            let message =
                format!("the tools of `{other}` and `{name}` would begin with `{prefix}_`");
            return Err(Failure::usage(message).advise("rename one of the servers"));
        }
        let target = server::named(&name, reach, None).await;
        let target = target.map_err(|failure| match server::parse(&name) {
            Some(_) => Failure::usage(format!(
                "`{}` has no name, so its tools would have no prefix",
                name.replace('\0', " ").trim()
            ))
            .advise("add it to a configuration file, and pass its name in the file"),
            None => failure,
        })?;
        all.push(new(name, prefix, Server::new(target, reach).await?));
    }
    Ok(all)
}

/// The names of several servers: the targets, or all enabled servers of the file.
///
/// # Errors
///
/// Fails if the file can't be read or has no enabled server, or if an option does not apply to
/// several servers.
fn names(command: &Arguments) -> Result<Vec<String>, Failure> {
    let reach = &command.reach;
    let options = [
        ("--header", reach.header.is_empty()),
        ("--env", reach.env.is_empty()),
        ("--cwd", reach.cwd.is_none()),
        ("--era", reach.era.is_none()),
        ("--auth", reach.auth.is_none()),
    ];
    if let Some((option, _)) = options.into_iter().find(|(_, is_unset)| !is_unset) {
        let message = format!("`{option}` is for one TARGET, not for several servers");
        return Err(Failure::usage(message));
    }
    if !command.targets.is_empty() {
        return Ok(command.targets.clone());
    }
    let servers = server::servers(reach.config.as_deref())?;
    servers.faults().iter().for_each(|it| note(&it.to_string()));
    let enabled = servers.iter().filter(|it| it.is_enabled);
    let names: Vec<_> = enabled.map(|it| it.name.clone()).collect();
    if names.is_empty() {
        return Err(Failure::usage("the file has no enabled server"));
    }
    Ok(names)
}

/// A server behind the proxy.
struct Behind {
    /// The value of [`ABOVE`] for the program.
    above: String,
    /// The name of the server, if there are several.
    name: String,
    /// The prefix of the tools and URIs of the server.
    prefix: String,
    server: Server,
    command: Arc<Arguments>,
    verbose: u8,
    /// The reason why the server could not be reached the last time.
    failed: Mutex<Option<Failure>>,
}

impl Behind {
    fn upstream(self: &Arc<Self>) -> Upstream {
        let behind = Arc::clone(self);
        let login = self.server.watch_login();
        let upstream = Upstream::new(move |builder| {
            let behind = Arc::clone(&behind);
            async move { behind.connect(builder).await }
        });
        upstream.login(move || login.as_ref()?.page())
    }

    /// Opens a connection for the proxy. The error is shown to its clients.
    async fn connect(&self, mut builder: ClientBuilder) -> Result<Client, String> {
        let timeout = self.command.timeout;
        if let Some(era) = self.command.reach.era {
            builder = builder.era(era);
        }
        if let Some(limit) = timeout {
            builder = builder.timeouts(Timeouts::within(limit));
        }
        let limit = timeout.unwrap_or(PROBE_TIMEOUT).min(PROBE_TIMEOUT);
        let builder = builder.probe_timeout(limit);
        let captured = Captured::new();
        let program = |child: ChildProcess| {
            let label = self.label();
            let captured = captured.clone();
            let stderr = Stderr::lines(move |line| {
                captured.push(format!("{line}\n").as_bytes());
                note(&format!("{label}{line}"));
            });
            let child = child.env(ABOVE, &self.above).ends_with_parent();
            child.grace(PROXY_GRACE).stderr(stderr)
        };
        let connected = self.server.connect(builder, program, &captured).await;
        let client = connected.map_err(|failure| self.fail(failure))?;
        *lock(&self.failed) = None;
        if self.verbose > 1 {
            self.show_status(&client);
        }
        Ok(client)
    }

    /// Keeps a failure, and returns its text. A failure that repeats is shown once.
    fn fail(&self, failure: Failure) -> String {
        let text = failure.text();
        let last = lock(&self.failed).replace(failure);
        // A command for one client ends with the last failure.
        let is_shown = self.command.http.is_some() || !self.name.is_empty();
        if is_shown && last.is_none_or(|it| it.text() != text) {
            note(&format!("{}{text}", self.label()));
        }
        text
    }

    /// Shows the status of a connection, and each change.
    fn show_status(&self, client: &Client) {
        let label = self.label();
        let mut status = client.watch_status();
        let revision = client.revision();
        note(&format!("{label}{}, revision {revision}", status.current()));
        tokio::spawn(async move {
            while let Some(status) = status.changed().await {
                note(&format!("{label}{status}"));
            }
        });
    }

    /// The beginning of lines about this server.
    fn label(&self) -> String {
        match &*self.name {
            "" => String::new(),
            name => format!("{name}: "),
        }
    }
}

/// Returns true if a name matches a pattern, in which `*` is any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inside = name.strip_prefix(start).and_then(|it| it.strip_suffix(end));
    let mut parts = middle.split('*');
    let found = inside.and_then(|it| parts.try_fold(it, |it, part| Some(it.split_once(part)?.1)));
    found.is_some()
}

/// Shows each request when it ends, even if it is cancelled.
async fn log(request: McpRequest, next: Next) -> Result<McpResponse, BoxError> {
    let target = request.target().map(|it| format!(" {it}"));
    let mut ending = Ending {
        request: format!("{}{}", request.method(), target.unwrap_or_default()),
        begun: Instant::now(),
        outcome: "cancelled",
    };
    let result = next.run(request).await;
    ending.outcome = match &result {
        Ok(it) if it.is_error() => "tool failed",
        Ok(it) if it.is_input_required() => "asks",
        Ok(_) => "answered",
        Err(_) => "failed",
    };
    result
}

/// The line about a request, which is shown when it is dropped.
struct Ending {
    request: String,
    begun: Instant,
    outcome: &'static str,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let milliseconds = self.begun.elapsed().as_millis();
        note(&format!(
            "{} {milliseconds} ms {}",
            self.request, self.outcome
        ));
    }
}

fn serve_failure(error: ServeError) -> Failure {
    match error {
        ServeError::Setting { name, error } => {
            let option = match name {
                "allowed_hosts" => "--host",
                "allowed_origins" => "--origin",
                name => name,
            };
            Failure::usage(format!("{option}: {error}"))
        }
        ServeError::Open(error) | ServeError::Connection(error) => Failure::from(error),
        error => Failure::new(Kind::Unexpected, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name) in [
            ("a", "a"),
            ("*", ""),
            ("*_delete*", "shop_delete"),
            ("shop_*", "shop_"),
            ("a*b*c", "axbxbxc"),
            ("*é*", "né"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("a", "ab"),
            ("", "a"),
            ("*_delete", "delete"),
            ("a*a", "a"),
            ("a*b*b", "ab"),
            ("*x*y*", "yx"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
