//! Connects to the server that a command is about.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use iri_string::percent_encode::PercentEncodedForUri;
use mcp_auth::OAuth;
use mcp_auth::client::LoginWatch;
use mcp_config::{Program, Remote, Target};
use mcp_extensions::tasks::Tasks;
use mcp_runtime::client::{self, ClientBuilder};
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::child_process::{Captured, Stderr};
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{ErrorObject, LoggingLevel, Root};
use mcp_runtime::{CallError, Client, ConnectError, Recording, Timeouts, Unavailable};
use serde::Serialize;
use tokio::time::{sleep, timeout};

use crate::arguments::{Connection, Reach};
use crate::certificates::Roots;
use crate::completion::lists::Lists;
use crate::failure::{Failure, Kind};
use crate::limits::{
    CANCELLATION_TIME, CLOSE_TIMEOUT, GRACE, MAX_MESSAGE_BYTES, PROBE_TIMEOUT, SHOWN_LINES,
};
use crate::login;
use crate::output::{Output, note};
use crate::questions::Questions;
use crate::server;

pub(crate) const PASS_A_TOKEN: &str = "or pass a token with `--header 'Authorization: Bearer …'`";

/// The settings of a command, and its connection, which is closed however the command ends.
pub(crate) struct Context {
    pub(crate) output: Output,
    pub(crate) verbose: u8,
    opened: OnceCell<Client>,
}

impl Context {
    pub(crate) fn new(json: bool, verbose: u8) -> Self {
        Self {
            output: Output::new(json),
            verbose,
            opened: OnceCell::new(),
        }
    }

    /// Connects to the server of the command.
    ///
    /// # Errors
    ///
    /// Fails if the server can't be reached, or if the settings are invalid.
    pub(crate) async fn open(&self, connection: &Connection) -> Result<Session, Failure> {
        let target = server::of(&connection.target, &connection.reach).await?;
        self.connect(target, connection).await
    }

    /// Connects to a server that was found before.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open).
    #[expect(deprecated, reason = "servers use deprecated parts of the protocol")]
    pub(crate) async fn connect(
        &self,
        target: Target,
        connection: &Connection,
    ) -> Result<Session, Failure> {
        let session = Session::connect(target, connection, self.verbose).await?;
        let client = self.opened.get_or_init(|| session.client.clone());
        if self.verbose > 0 && client.server_capabilities().logging.is_some() {
            let level = match self.verbose {
                1 => LoggingLevel::Info,
                _ => LoggingLevel::Debug,
            };
            // Some servers declare logging, but do not implement the method.
            if let Err(error) = client.set_log_level(level).await {
                note(&format!("the server does not set its log level: {error}"));
            }
        }
        Ok(session)
    }

    /// Closes the connection, and waits until the program of the server has ended.
    pub(crate) async fn close(&self, is_cancelled: bool) {
        if let Some(client) = self.opened.get() {
            if is_cancelled {
                sleep(CANCELLATION_TIME).await;
            }
            // A program that does not end in time is killed.
            let _ = timeout(CLOSE_TIMEOUT, client.close()).await;
        }
    }
}

/// A server, and what all connections to it share.
pub(crate) struct Server {
    target: Target,
    roots: Option<Roots>,
    oauth: Option<OAuth>,
}

impl Server {
    /// Loads certificates and tokens, if the server is at a URL.
    ///
    /// # Errors
    ///
    /// Fails if they can't be read.
    pub(crate) async fn new(target: Target, reach: &Reach) -> Result<Self, Failure> {
        let remote = target.remote();
        let roots = remote.map(|_| Roots::load(&reach.trust.ca)).transpose()?;
        let oauth = match &target {
            Target::Http(it) | Target::Sse(it) if reach.auth.is_none() && !has_credentials(it) => {
                Some(login::oauth(&it.url, reach.person).await?)
            }
            _ => None,
        };
        Ok(Self {
            target,
            roots,
            oauth,
        })
    }

    /// Follows logins of the connections. Returns `None` if the connections never log in.
    pub(crate) fn watch_login(&self) -> Option<LoginWatch> {
        let url = &self.target.remote()?.url;
        Some(self.oauth.as_ref()?.watch_login(url))
    }

    /// Connects to the server. `program` adds settings to a program, whose standard error is in
    /// `captured`.
    ///
    /// # Errors
    ///
    /// Fails if the server can't be reached.
    pub(crate) async fn connect(
        &self,
        builder: ClientBuilder,
        program: impl FnOnce(ChildProcess) -> ChildProcess,
        captured: &Captured,
    ) -> Result<Client, Failure> {
        let connected = match (&self.target, &self.roots) {
            (Target::Program(it), _) => {
                let child = it.child_process().max_frame_bytes(MAX_MESSAGE_BYTES);
                let connected = builder.connect(program(child)).await;
                connected.map_err(|error| start_failure(error, it, captured))
            }
            (Target::WebSocket(remote), Some(roots)) => {
                let socket = roots.websocket(remote).max_frame_bytes(MAX_MESSAGE_BYTES);
                builder.connect(socket).await.map_err(Failure::from)
            }
            (Target::Http(remote) | Target::Sse(remote), Some(roots)) => {
                let mut http = roots.http(remote).max_message_bytes(MAX_MESSAGE_BYTES);
                if let Some(oauth) = &self.oauth {
                    http = http.auth(oauth.clone());
                }
                builder.connect(http).await.map_err(Failure::from)
            }
            _ => return Err(Failure::usage("this kind of server is not supported")),
        };
        connected.map_err(|failure| explain(failure, self.target.remote()))
    }
}

pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) lists: Lists,
    pub(crate) questions: Arc<Questions>,
    /// The URL and its settings, unless the server is a program.
    pub(crate) remote: Option<Remote>,
}

impl Session {
    /// Connects to a server with the options of the command line.
    ///
    /// If `verbose` is 0, a program's standard error is kept for error messages, and otherwise
    /// shown.
    ///
    /// # Errors
    ///
    /// Fails if the server can't be reached, or if the options are invalid.
    pub(crate) async fn connect(
        target: Target,
        options: &Connection,
        verbose: u8,
    ) -> Result<Self, Failure> {
        let questions = Questions::new(options.answers.clone());
        let builder = builder(options, &questions, verbose)?;
        let server = Server::new(target, &options.reach).await?;
        let captured = Captured::new();
        let log = Arc::clone(&questions);
        let stderr = match verbose {
            0 => Stderr::Capture(captured.clone()),
            _ => Stderr::lines(move |line| log.log(line.to_owned())),
        };
        let program = |child: ChildProcess| child.grace(GRACE).stderr(stderr);
        let client = server.connect(builder, program, &captured).await?;
        Ok(Self {
            client,
            lists: Lists::of(&options.target, options.reach.config.as_deref()),
            questions,
            remote: server.target.remote().cloned(),
        })
    }

    /// Waits for the result of a request, during which the server may ask questions.
    ///
    /// # Errors
    ///
    /// Fails like [`Questions::during`], with the URL of the server and advice.
    pub(crate) async fn result<T>(
        &self,
        request: impl IntoFuture<Output = Result<T, CallError>>,
    ) -> Result<T, Failure> {
        let result = self.questions.during(request).await;
        result.map_err(|failure| explain(failure, self.remote.as_ref()))
    }

    /// Waits for the result of a request for a list. The list is empty if the server does not offer
    /// it.
    pub(crate) async fn list<T: Serialize>(
        &self,
        request: impl Future<Output = Result<Vec<T>, CallError>>,
    ) -> Result<Vec<T>, Failure> {
        let offered = async {
            match request.await {
                Err(CallError::Unavailable(Unavailable::NotOffered { .. })) => Ok(Vec::new()),
                // Some servers declare resources, but do not implement templates.
                Err(CallError::Rpc(it)) if it.code == code::METHOD_NOT_FOUND => Ok(Vec::new()),
                result => result,
            }
        };
        let list = self.result(offered).await?;
        self.lists.add(&list);
        Ok(list)
    }
}

/// Whether the user has set the header `Authorization`.
pub(crate) fn has_credentials(remote: &Remote) -> bool {
    let mut headers = remote.headers.keys();
    headers.any(|it| it.eq_ignore_ascii_case("authorization"))
}

/// Adds the URL to a failure, and advice if a login or a certificate is missing.
fn explain(failure: Failure, remote: Option<&Remote>) -> Failure {
    let Some(remote) = remote else {
        return failure;
    };
    let mut failure = failure.at(&remote.url);
    if failure.kind == Kind::AuthorizationRequired {
        if has_credentials(remote) {
            failure.message +=
                "\nthe header `Authorization` is refused: correct it, or leave it out";
        }
        let login = format!("log in with: mcp login {}\n{PASS_A_TOKEN}", remote.url);
        failure = failure.advise(login);
    }
    if failure.message.contains("to the root certificates") {
        failure = failure.advise("add it with: --ca FILE");
    }
    failure
}

fn start_failure(error: ConnectError, started: &Program, stderr: &Captured) -> Failure {
    let program = &*started.command;
    let ConnectError::Open(cause) = &error else {
        return with_last_lines(error.into(), &stderr.text());
    };
    if let Some(folder) = &started.cwd
        && let Err(error) = fs::metadata(Path::new(folder).join("."))
    {
        let message = format!("`{program}` can't be started in the folder {folder}: {error}");
        return Failure::usage(message)
            .advise("correct `--cwd`, or `cwd` of the configured server");
    }
    let missing = format!("there is no program `{program}`");
    let message = match cause.kind() {
        io::ErrorKind::NotFound if program.contains(char::is_whitespace) => {
            format!("{missing}: put a command into quotes, or behind `--` at the end")
        }
        io::ErrorKind::NotFound => match server::missing_scheme(program) {
            Some(advice) => format!("{missing}: {advice}"),
            None if program.contains(['/', '\\']) => missing,
            None => {
                let path = std::env::var("PATH").unwrap_or_default();
                format!("{missing} in the folders of PATH: {path}")
            }
        },
        _ => format!("the program `{program}` can't be started: {cause}"),
    };
    Failure::new(Kind::Unreachable, message)
}

/// Adds the last lines of a program's standard error if the program did not answer in time.
fn with_last_lines(mut failure: Failure, stderr: &str) -> Failure {
    let lines = stderr.lines().filter(|it| !it.trim().is_empty());
    let mut last: Vec<_> = lines.rev().take(SHOWN_LINES).collect();
    if failure.kind == Kind::Timeout && !last.is_empty() {
        last.push("; its standard error ends with:");
        last.reverse();
        failure.message += &last.join("\n  ");
    }
    failure
}

/// Builds a client that declares all capabilities, because some servers hide tools from other
/// clients.
#[expect(deprecated, reason = "servers use deprecated parts of the protocol")]
fn builder(
    options: &Connection,
    questions: &Arc<Questions>,
    verbose: u8,
) -> Result<ClientBuilder, Failure> {
    let timeouts = Timeouts {
        reset_on_progress: true,
        ..Timeouts::default()
    };
    let log = Arc::clone(questions);
    let mut builder = Client::builder("mcp", env!("CARGO_PKG_VERSION"))
        .without_keep_alive()
        .extension(Tasks::client())
        .roots(client::Roots::new(roots(&options.roots)?))
        .timeouts(options.timeout.map_or(timeouts, Timeouts::within))
        .probe_timeout(options.timeout.unwrap_or(PROBE_TIMEOUT).min(PROBE_TIMEOUT))
        .on_sample(async |_| Err(ErrorObject::new(-1, "`mcp` has no model")))
        .on_log(move |message| {
            let logger = message.logger.as_deref().unwrap_or("server");
            let level = &message.level;
            let text = message.data.get();
            // Some servers send log messages that were not requested.
            if verbose > 0 {
                log.log(format!("{level} {logger}: {text}"));
            }
        });
    if let Some(file) = &options.record {
        builder = builder.record(&recording(file)?);
    }
    if let Some(era) = options.reach.era {
        builder = builder.era(era);
    }
    if let Some(revision) = options.revision {
        builder = builder.revision(revision);
    }
    Ok(questions.answer(builder))
}

/// Begins to record messages in a file.
///
/// # Errors
///
/// Fails if the file can't be written.
pub(crate) fn recording(file: &Path) -> Result<Recording, Failure> {
    let recording = Recording::to_file(file);
    let recording = recording.map_err(|error| Failure::of_file(file, &error))?;
    let file = file.display().to_string();
    Ok(
        recording
            .on_error(move |error| note(&format!("{file}: nothing more is recorded: {error}"))),
    )
}

/// The folders that the server may work on, as `file:` URLs (RFC 8089).
fn roots(folders: &[PathBuf]) -> Result<Vec<Root>, Failure> {
    let root = |folder: &PathBuf| {
        let fault = |error| Failure::usage(format!("--root {}: {error}", folder.display()));
        // This fails if the path is not a folder.
        let path = folder.canonicalize().map_err(fault)?;
        fs::read_dir(&path).map_err(fault)?;
        let path = path.to_string_lossy().replace('\\', "/");
        let path = PercentEncodedForUri::from_path(path.trim_start_matches('/'));
        Ok(Root::new(format!("file:///{path}")))
    };
    folders.iter().map(root).collect()
}
