//! Connecting to the server that a command is about.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use iri_string::percent_encode::PercentEncodedForUri;
use mcp_config::Target;
use mcp_runtime::client::{ClientBuilder, Roots};
use mcp_runtime::transport::child_process::{Captured, Grace, Stderr};
use mcp_runtime::types::{ErrorObject, LoggingLevel, Root};
use mcp_runtime::{Client, ConnectError, Timeouts};

use crate::arguments::{Auth, Connection, Global};
use crate::failure::{Failure, Kind};
use crate::login;
use crate::output::note;
use crate::questions::Questions;
use crate::server;

/// Times of a program to end by itself: many servers do not when their input is closed, and a person
/// waits.
const GRACE: Grace = Grace {
    close: Duration::from_millis(100),
    terminate: Duration::from_secs(1),
};
/// Lines of a program's standard error that are shown.
const SHOWN_LINES: usize = 8;
/// Longest time in which a server must answer the probe of its era.
const PROBE: Duration = Duration::from_secs(3);
/// Time of a server to end by itself when the command is done.
const CLOSE: Duration = Duration::from_secs(5);

/// The connection of a command, which is closed at its end, whatever that is.
#[derive(Default)]
pub(crate) struct Opened(Mutex<Option<Client>>);

impl Opened {
    fn put(&self, client: &Client) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(client.clone());
    }

    /// Closes the connection, and waits until the program of the server has ended.
    pub(crate) async fn close(&self) {
        let client = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(client) = client {
            // It is ended by force where it does not end.
            let _ = tokio::time::timeout(CLOSE, client.close()).await;
        }
    }
}

/// A connected server.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// Its URL, if it has one.
    url: Option<String>,
}

impl Session {
    /// Connects to the server, which may ask `questions`.
    ///
    /// # Errors
    ///
    /// Why it can't be reached, or what is wrong with the settings.
    pub(crate) async fn open(
        connection: &Connection,
        global: &Global,
        questions: &Arc<Questions>,
        opened: &Opened,
    ) -> Result<Self, Failure> {
        let server = server::of(connection)?;
        let builder = builder(connection, questions)?;
        let session = Self::connect(server, connection.auth, builder, global.verbose > 0).await?;
        opened.put(&session.client);
        if global.verbose > 0 && session.client.server_capabilities().logging.is_some() {
            let level = match global.verbose {
                1 => LoggingLevel::Info,
                _ => LoggingLevel::Debug,
            };
            session.client.set_log_level(level).await?;
        }
        Ok(session)
    }

    /// Connects to a server with the settings of `builder`. A program's standard error is shown if
    /// that is asked for, else it is kept for errors.
    ///
    /// # Errors
    ///
    /// Why it can't be reached.
    pub(crate) async fn connect(
        target: Target,
        auth: Auth,
        builder: ClientBuilder,
        is_verbose: bool,
    ) -> Result<Self, Failure> {
        let (url, connected) = match target {
            Target::Program(program) => {
                let stderr = Captured::new();
                let child = program.child_process().grace(GRACE);
                let child = child.stderr(match is_verbose {
                    true => Stderr::Inherit,
                    false => Stderr::Capture(stderr.clone()),
                });
                let connected = builder.connect(child).await;
                let failure = |error| start_failure(error, &program.command, &stderr);
                (None, connected.map_err(failure))
            }
            Target::WebSocket(remote) => {
                let connected = builder.connect(remote.websocket()).await;
                (Some(remote.url), connected.map_err(Failure::from))
            }
            Target::Http(remote) | Target::Sse(remote) => {
                let mut http = remote.http();
                let mut headers = remote.headers.keys();
                let has_credentials = headers.any(|it| it.eq_ignore_ascii_case("authorization"));
                if auth == Auth::Auto && !has_credentials {
                    http = http.auth(login::oauth(&remote.url).await?);
                }
                (
                    Some(remote.url),
                    builder.connect(http).await.map_err(Failure::from),
                )
            }
            _ => return Err(Failure::usage("this kind of server is not supported")),
        };
        let at = |failure: Failure| login::advise(failure.at(url.as_deref()), url.as_deref());
        let client = connected.map_err(at)?;
        Ok(Self { client, url })
    }

    /// A failure of a call, with the URL of the server and advice.
    pub(crate) fn failure(&self, failure: impl Into<Failure>) -> Failure {
        let url = self.url.as_deref();
        login::advise(failure.into().at(url), url)
    }
}

/// The failure of a program, which may be missing, or wait for something else than messages.
fn start_failure(error: ConnectError, program: &str, stderr: &Captured) -> Failure {
    let ConnectError::Open(cause) = &error else {
        let mut failure = Failure::from(error);
        if failure.kind == Kind::Timeout {
            let text = stderr.text();
            let lines: Vec<_> = text.lines().filter(|it| !it.trim().is_empty()).collect();
            let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
            failure.message = format!("`{program}` gives {}", failure.message);
            if !last.is_empty() {
                let last = last.join("\n  ");
                failure.message += &format!("; its standard error ends with:\n  {last}");
            }
        }
        return failure;
    };
    let message = match cause.kind() {
        io::ErrorKind::NotFound if program.contains(char::is_whitespace) => format!(
            "there is no program `{program}`: put a command into quotes, or behind `--` at the end"
        ),
        io::ErrorKind::NotFound if program.contains(['/', '\\']) => {
            format!("there is no program `{program}`, or no folder to start it in")
        }
        io::ErrorKind::NotFound => {
            let path = std::env::var("PATH").unwrap_or_default();
            format!("there is no program `{program}` in the folders of PATH: {path}")
        }
        _ => format!("the program `{program}` can't be started: {cause}"),
    };
    Failure::new(Kind::Unreachable, message)
}

/// A client that declares all that a client can, as servers hide tools from those that do not.
pub(crate) fn declaring(questions: &Arc<Questions>) -> ClientBuilder {
    let builder = Client::builder("mcp", env!("CARGO_PKG_VERSION"))
        .without_keep_alive()
        .roots(Roots::new([]))
        .on_sample(async |_| Err(ErrorObject::new(-1, "`mcp` has no model")))
        .on_log(|message| {
            let logger = message.logger.as_deref().unwrap_or("server");
            note(&format!(
                "{} {logger}: {}",
                message.level,
                message.data.get()
            ));
        });
    questions.answer(builder)
}

/// The settings of the client.
fn builder(connection: &Connection, questions: &Arc<Questions>) -> Result<ClientBuilder, Failure> {
    let mut builder = declaring(questions).roots(Roots::new(roots(&connection.roots)?));
    if let Some(era) = connection.era {
        builder = builder.era(era);
    }
    if let Some(revision) = connection.revision {
        builder = builder.revision(revision);
    }
    Ok(match connection.timeout {
        Some(limit) => {
            let timeouts = Timeouts {
                idle: limit,
                total: limit,
                reset_on_progress: false,
            };
            builder.timeouts(timeouts).probe_timeout(limit.min(PROBE))
        }
        None => builder.timeouts(Timeouts {
            reset_on_progress: true,
            ..Timeouts::default()
        }),
    })
}

/// The folders that the server may work on, as `file:` URLs.
fn roots(folders: &[PathBuf]) -> Result<Vec<Root>, Failure> {
    let root = |folder: &PathBuf| {
        let shown = folder.display();
        let path = folder
            .canonicalize()
            .map_err(|error| Failure::usage(format!("--root {shown}: {error}")))?;
        Ok(Root::new(file_url(&path)))
    };
    folders.iter().map(root).collect()
}

/// The `file:` URL of an absolute path (RFC 8089).
fn file_url(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let text = text.trim_start_matches('/');
    format!("file:///{}", PercentEncodedForUri::from_path(text))
}
