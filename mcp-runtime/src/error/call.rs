//! The errors of calls and of serving connections.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    ElicitRequestUrlParams, ErrorObject, InputRequiredResult, Revision,
    UrlElicitationRequiredErrorData, error_codes, methods,
};

use super::{HttpError, LifecycleState};

/// A JSON-RPC error that answers a request instead of a result.
///
/// If the work of a tool fails, return a [`ToolError`](crate::ToolError) instead, which the calling
/// model can read.
#[doc(alias("ErrorData", "McpError"))]
pub type ProtocolError = ErrorObject;

/// The reason why serving a connection failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A tool needs an extension that the server does not have. Nothing was opened or served.
    #[error(
        "the tool `{tool}` needs the extension `{extension}`, which the server lacks: add it by `ServerBuilder::extension`"
    )]
    MissingExtension {
        /// The name of the tool.
        tool: String,
        /// The identifier of the extension.
        extension: &'static str,
    },
    /// A setting can never work. Nothing was opened or served.
    #[error("the setting `{name}` can't work: {error}")]
    Setting {
        /// The name of the method that sets it, such as `auth` or `allowed_hosts`.
        name: &'static str,
        /// The reason, and how to fix the setting.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The service was already started. Only the first start has an effect.
    #[error(
        "the service was already started: start it once, and mount clones of it at other paths"
    )]
    AlreadyStarted,
    /// The server's `on_start` hook failed. Nothing was opened or served.
    #[error("`on_start` failed: {0}")]
    Start(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The transport could not be opened. Nothing was served.
    #[error("the transport could not be opened: {0}")]
    Open(#[source] io::Error),
    /// Reading from the transport or writing to it failed.
    #[error("the connection was lost: {0}")]
    Connection(#[source] io::Error),
    /// The server's `on_shutdown` hook failed, after everything was served.
    #[error("`on_shutdown` failed: {0}")]
    Shutdown(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ServeError {
    pub(crate) fn setting(
        name: &'static str,
        reason: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let error = reason.into();
        Self::Setting { name, error }
    }

    /// Checks settings. Each entry has the name of a setting, and is true if the setting can never
    /// work.
    ///
    /// # Errors
    ///
    /// The first setting that is true.
    pub(crate) fn check<const N: usize>(settings: [(&'static str, bool); N]) -> Result<(), Self> {
        let wrong = settings.into_iter().find(|(_, is_wrong)| *is_wrong);
        let reason = "nothing could be served with this value";
        wrong.map_or(Ok(()), |(name, _)| Err(Self::setting(name, reason)))
    }
}

/// The reason why a request that this side sent has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    #[error("the peer answered with an error: {0}")]
    Rpc(#[from] ErrorObject),
    /// No answer came in time. The request was cancelled.
    #[error("no answer to `{method}` within {waited:.1?}; the request was cancelled")]
    Timeout {
        /// The method that was called.
        method: String,
        /// How long the caller waited.
        waited: Duration,
    },
    /// Either side closed the connection before the answer arrived. The peer may have served the
    /// request.
    #[error("the connection was closed before the answer came")]
    Closed,
    /// The request was not sent, so it had no effect: the server can't be reached, the connection
    /// has ended, or the request can't be encoded.
    #[error("the request was not sent: {0}")]
    NotSent(#[source] io::Error),
    /// The connection was lost before the answer arrived. The server may have served the request,
    /// or may still be serving it.
    #[error("the answer was lost, and the server may have served the request: {0}")]
    Lost(#[source] io::Error),
    /// The server has ended or forgotten the session (HTTP 404, or another status whose body says
    /// so), and did not serve the request.
    #[error("the server has ended the session, and did not serve the request")]
    SessionEnded,
    /// The HTTP response is not an MCP message. A gateway may have answered, or the URL belongs to
    /// another service.
    #[error("{0}")]
    Http(#[source] Box<HttpError>),
    /// The client does not have credentials that the server accepts. The server did not serve the
    /// request.
    #[error("{step} failed: {error}")]
    Authentication {
        /// The step that failed, such as `getting credentials`, or `authentication` if the server
        /// refuses the request despite the credentials.
        step: &'static str,
        /// The error of the authenticator or header provider. If the server refuses the request,
        /// its answer as an [`HttpError`].
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Nothing was sent, because the peer has not read enough of the earlier messages.
    #[error("nothing was sent: the peer has not read the earlier messages")]
    Full,
    /// The request was not sent, because the connection, its revision or the server's capabilities
    /// do not allow it.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The tool failed. The value is the tool's description of the error.
    #[error("the tool reports an error: {0}")]
    Tool(String),
    /// The server needs input from the user or a model before it can answer, but this client has no
    /// handler for such input.
    #[error("`{method}` needs more input, which this client can't give")]
    InputRequired {
        /// The method that was called.
        method: String,
        /// The input that the server requests.
        wanted: Box<InputRequiredResult>,
    },
    /// The server requested input, but this client's handler failed.
    #[error("`{method}` needs more input, but the handler failed: {error}")]
    Unanswered {
        /// The method that was called.
        method: String,
        /// The error of the handler.
        #[source]
        error: ErrorObject,
    },
    /// The server requested input in too many rounds.
    #[error("`{method}` needs more input even after {rounds} rounds")]
    TooManyRounds {
        /// The method that was called.
        method: String,
        /// The number of rounds with answers.
        rounds: usize,
    },
    /// The parameters can't be serialized to JSON, which is the caller's fault.
    #[error("the parameters can't be serialized: {0}")]
    Params(#[source] serde_json::Error),
    /// The peer sent a malformed response. The request may or may not have been served.
    #[error("the answer to `{method}` is malformed: {reason}")]
    Malformed {
        /// The method that was called.
        method: String,
        /// The fault of the response.
        reason: String,
    },
    /// A layer of this client failed.
    #[error("a layer of the client failed: {0}")]
    Layer(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The result does not match the method's type, which is the peer's fault.
    #[error("the result of `{method}` does not fit: {reason}")]
    Result {
        /// The method that was called.
        method: String,
        /// The fault of the result.
        reason: String,
    },
}

impl From<HttpError> for CallError {
    fn from(error: HttpError) -> Self {
        Self::Http(Box::new(error))
    }
}

impl CallError {
    /// Returns how the child process ended, if the request failed because of that.
    #[must_use]
    pub fn child_exit(&self) -> Option<&ChildExited> {
        match self {
            Self::Lost(error) | Self::NotSent(error) => find(error),
            _ => None,
        }
    }

    /// Returns the web pages that the user must visit before the call can succeed (2025-11-25,
    /// "Elicitation", section URL Elicitation Required Error).
    ///
    /// Repeat the call when the user is done. Returns `None` for all other errors, and if the
    /// [data](ErrorObject::data) of the error can't be read.
    #[must_use]
    pub fn required_pages(&self) -> Option<Vec<ElicitRequestUrlParams>> {
        let Self::Rpc(error) = self else { return None };
        if error.code != error_codes::URL_ELICITATION_REQUIRED {
            return None;
        }
        let data: UrlElicitationRequiredErrorData = error.data.as_ref()?.parse().ok()?;
        Some(data.elicitations)
    }

    pub(crate) fn timed_out(method: &str, waited: Duration) -> Self {
        let method = method.to_owned();
        Self::Timeout { method, waited }
    }

    pub(crate) fn unfit(method: &str, reason: impl ToString) -> Self {
        let method = method.to_owned();
        let reason = reason.to_string();
        Self::Result { method, reason }
    }

    /// Creates the error for a request that was sent before the connection ended because of
    /// `cause`, if the cause is known.
    pub(crate) fn lost(cause: Option<&Arc<io::Error>>) -> Self {
        cause.map_or(Self::Closed, |cause| Self::Lost(shared(cause)))
    }

    /// Creates the error for a request that was not sent because the connection had ended because
    /// of `cause`, if the cause is known.
    pub(crate) fn not_sent(cause: Option<&Arc<io::Error>>) -> Self {
        let closed = || io::Error::new(io::ErrorKind::NotConnected, ConnectionClosed);
        Self::NotSent(cause.map_or_else(closed, shared))
    }
}

/// Wraps an error that several waiting requests share.
pub(crate) fn shared(error: &Arc<io::Error>) -> io::Error {
    io::Error::new(error.kind(), Arc::clone(error))
}

/// The cause of errors if the connection has ended for an unknown reason.
#[derive(Debug, thiserror::Error)]
#[error("the connection is closed")]
pub(crate) struct ConnectionClosed;

/// The cause of errors if the server has closed the connection and given a reason.
#[derive(Debug, thiserror::Error)]
#[error("the server closed the connection: {0}")]
pub(crate) struct ClosedByServer(pub(crate) String);

/// Finds an error of the type `E` in `error`, which may be [`shared`].
pub(crate) fn find<E: std::error::Error + 'static>(error: &io::Error) -> Option<&E> {
    let cause = error.get_ref()?;
    let shared = || find(cause.downcast_ref::<Arc<io::Error>>()?);
    cause.downcast_ref().or_else(shared)
}

/// The reason why a request can't be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The connection is not in a state that allows the request.
    #[error("`{method}` can't be sent while the connection is {state}")]
    State {
        /// The method of the request.
        method: &'static str,
        /// The state of the connection.
        state: LifecycleState,
    },
    /// The negotiated revision does not have the method.
    #[error(
        "`{method}` does not exist in revision {revision}, which was negotiated{}",
        instead(method)
    )]
    NotInRevision {
        /// The method of the request.
        method: &'static str,
        /// The negotiated revision.
        revision: Revision,
    },
    /// The server does not offer the capability that the request requires.
    #[error("`{method}` needs the capability `{capability}`, which the server does not offer")]
    NotOffered {
        /// The method of the request.
        method: &'static str,
        /// The capability that the server would have to declare.
        capability: &'static str,
    },
    /// The client did not declare the capability that the request requires.
    #[error("`{method}` needs the capability `{capability}`, which the client did not declare")]
    NotDeclared {
        /// The method of the request.
        method: &'static str,
        /// The capability that the client would have to declare.
        capability: &'static str,
    },
}

/// Returns a hint, to append to an error, about a function of the client that replaces the method
/// in every revision.
fn instead(method: &str) -> &'static str {
    match method {
        methods::RESOURCES_SUBSCRIBE
        | methods::RESOURCES_UNSUBSCRIBE
        | methods::SUBSCRIPTIONS_LISTEN => {
            "; `Client::subscribe_to` subscribes in every revision, until its result is dropped"
        }
        _ => "",
    }
}

/// How a child process that served a connection ended.
///
/// `Display` shows only the program and its status, because the output of the program may contain
/// secrets. The text of a [`ConnectError`](crate::ConnectError) shows the last lines of the output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{program}` has ended ({status})")]
#[non_exhaustive]
pub struct ChildExited {
    /// The program, as it was passed to the transport.
    pub program: String,
    /// The exit code, or the signal that ended the program.
    pub status: ExitStatus,
    /// The last 4 KiB of standard error, unless it is inherited or discarded. Bytes that are not
    /// UTF-8 are replaced.
    pub stderr: String,
    /// The first line of standard output that is not a message, shortened to 200 characters. Only
    /// set if the program ended before the connection was initialized.
    pub output: Option<String>,
}

impl ChildExited {
    /// Describes what the child wrote before it ended, to append to an error: the line of standard
    /// output, and the last 8 lines of standard error, at most 1 KiB. Empty if the child wrote
    /// nothing.
    pub(crate) fn last_words(&self) -> String {
        let stderr = self.stderr.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<_> = stderr.collect();
        let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n  ");
        let surplus = last.len().saturating_sub(SHOWN_BYTES);
        let start = (surplus..last.len()).find(|at| last.is_char_boundary(*at));
        let last = start.map_or("", |start| last[start..].trim_start());
        let is_shown = |letter: char| letter == '\n' || !letter.is_control();
        let last: String = last.chars().filter(|letter| is_shown(*letter)).collect();
        let output = no_message(self.output.as_deref());
        if last.is_empty() {
            output
        } else {
            format!("{output}; its standard error ends with:\n  {last}")
        }
    }
}

/// How many lines of standard error an error shows. They are enough for the reason that `npm`
/// gives.
const SHOWN_LINES: usize = 8;
/// How many bytes of these lines an error shows.
const SHOWN_BYTES: usize = 1024;

/// Quotes a line of a server that is not a message, to append to an error. Empty if there is no
/// such line.
pub(crate) fn no_message(line: Option<&str>) -> String {
    let quote = |line| format!("; the first line that it sent is not an MCP message: {line}");
    line.map_or_else(String::new, quote)
}
