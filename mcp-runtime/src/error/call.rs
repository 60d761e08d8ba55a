//! Errors of calls and of serving.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    ElicitRequestUrlParams, ErrorObject, InputRequiredResult, Revision,
    UrlElicitationRequiredErrorData, error_codes, methods,
};

use super::{HttpError, LifecycleState};

/// An error of the protocol, answered as a JSON-RPC error instead of a result.
///
/// A tool that fails in its own work returns a [`ToolError`](crate::ToolError) instead, for the
/// model that called it.
#[doc(alias("ErrorData", "McpError"))]
pub type ProtocolError = ErrorObject;

/// The cause for which serving a connection ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A tool needs an extension that the server lacks; nothing was opened or served.
    #[error(
        "the tool `{tool}` needs the extension `{extension}`, which the server lacks: add it by `ServerBuilder::extension`"
    )]
    MissingExtension {
        /// The name of the tool.
        tool: String,
        /// The identifier of the extension.
        extension: &'static str,
    },
    /// A setting can never work; nothing was opened or served.
    #[error("the setting `{name}` can't work: {error}")]
    Setting {
        /// The method that sets it, such as `auth` or `allowed_hosts`.
        name: &'static str,
        /// The reason, and what to write instead.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The service was started before; the first start is the one that counts.
    #[error(
        "the service was already started: start it once, and mount clones of it at other paths"
    )]
    AlreadyStarted,
    /// The server's own `on_start` has failed; nothing was opened or served.
    #[error("`on_start` failed: {0}")]
    Start(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The transport could not be opened; nothing was served.
    #[error("the transport could not be opened: {0}")]
    Open(#[source] io::Error),
    /// The transport failed while it was read or written.
    #[error("the connection was lost: {0}")]
    Connection(#[source] io::Error),
    /// The server's own `on_shutdown` has failed, after everything was served.
    #[error("`on_shutdown` failed: {0}")]
    Shutdown(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ServeError {
    /// The setting `name` can't work, for this reason.
    pub(crate) fn setting(
        name: &'static str,
        reason: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let error = reason.into();
        Self::Setting { name, error }
    }

    /// Checks settings, each with its name, and true if its value leaves nothing that could be served.
    ///
    /// # Errors
    ///
    /// The first setting with such a value.
    pub(crate) fn check<const N: usize>(settings: [(&'static str, bool); N]) -> Result<(), Self> {
        let wrong = settings.into_iter().find(|(_, is_wrong)| *is_wrong);
        let reason = "nothing could be served with this value";
        wrong.map_or(Ok(()), |(name, _)| Err(Self::setting(name, reason)))
    }
}

/// The cause for which a request that this side sent has no result.
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
        /// The time that was waited.
        waited: Duration,
    },
    /// The connection was closed, by either side, before the answer came. The peer may have served
    /// the request.
    #[error("the connection was closed before the answer came")]
    Closed,
    /// The request was not sent, so that nothing was done because of it: the server can't be
    /// reached, the connection is over, or the request has no form that can be sent.
    #[error("the request was not sent: {0}")]
    NotSent(#[source] io::Error),
    /// The connection was lost before the answer came over it. The server may have served the
    /// request, or may still be doing so.
    #[error("the answer was lost, and the server may have served the request: {0}")]
    Lost(#[source] io::Error),
    /// The server has ended the session, or has forgotten it (HTTP 404, or another status whose body
    /// says so), and did not serve the request.
    #[error("the server has ended the session, and did not serve the request")]
    SessionEnded,
    /// The HTTP response is not an MCP message: a gateway has answered, or the URL belongs to
    /// something else.
    #[error("{0}")]
    Http(#[source] Box<HttpError>),
    /// The client has no credentials that the server accepts. The server has not served the request.
    #[error("{step} failed: {error}")]
    Authentication {
        /// The step that failed, such as `getting credentials`; `authentication` when the server
        /// refuses the request even so.
        step: &'static str,
        /// The error of the authenticator or of the header provider; the answer of the server, an
        /// [`HttpError`], when it refuses the request.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Nothing was sent: the peer has too many earlier bytes left to read.
    #[error("nothing was sent: the peer has too much left to read")]
    Full,
    /// The request was not sent: the connection, its revision or the server's capabilities do not
    /// allow it.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The tool has failed, with its own description of the error.
    #[error("the tool reports an error: {0}")]
    Tool(String),
    /// The server needs input from the user or a model before it can answer, and this client has no
    /// handler for it.
    #[error("`{method}` needs more input, which this client can't give")]
    InputRequired {
        /// The method that was called.
        method: String,
        /// The input that the server asks for.
        wanted: Box<InputRequiredResult>,
    },
    /// The server requested input, and this client's handler for it failed.
    #[error("`{method}` needs more input, which was not given: {error}")]
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
    /// The parameters have no JSON form: the caller's fault.
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
    /// A layer of this client has failed.
    #[error("a layer of the client failed: {0}")]
    Layer(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The result is not what the method promises: the peer's fault.
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
    /// The end of the child process that was to answer, if the request failed because of it.
    #[must_use]
    pub fn child_exit(&self) -> Option<&ChildExited> {
        match self {
            Self::Lost(error) | Self::NotSent(error) => find(error),
            _ => None,
        }
    }

    /// The web pages that the user has to visit before the call can succeed (2025-11-25,
    /// "Elicitation", section URL Elicitation Required Error); `None` for all other errors, and for
    /// one whose data can't be read; see [`ErrorObject::data`].
    ///
    /// The call may be made again once the user is done.
    #[must_use]
    pub fn required_pages(&self) -> Option<Vec<ElicitRequestUrlParams>> {
        let Self::Rpc(error) = self else { return None };
        if error.code != error_codes::URL_ELICITATION_REQUIRED {
            return None;
        }
        let data: UrlElicitationRequiredErrorData = error.data.as_ref()?.parse().ok()?;
        Some(data.elicitations)
    }

    /// No answer to `method` came within `waited`.
    pub(crate) fn timed_out(method: &str, waited: Duration) -> Self {
        let method = method.to_owned();
        Self::Timeout { method, waited }
    }

    /// The result is not what `method` promises.
    pub(crate) fn unfit(method: &str, reason: impl ToString) -> Self {
        let method = method.to_owned();
        let reason = reason.to_string();
        Self::Result { method, reason }
    }

    /// The request was sent, and the connection ended because of `cause`, if that is known.
    pub(crate) fn lost(cause: Option<&Arc<io::Error>>) -> Self {
        cause.map_or(Self::Closed, |cause| Self::Lost(shared(cause)))
    }

    /// The request was not sent, as the connection has ended because of `cause`, if that is known.
    pub(crate) fn not_sent(cause: Option<&Arc<io::Error>>) -> Self {
        let closed = || io::Error::new(io::ErrorKind::NotConnected, ConnectionClosed);
        Self::NotSent(cause.map_or_else(closed, shared))
    }
}

/// The same error once more, for another waiting request.
pub(crate) fn shared(error: &Arc<io::Error>) -> io::Error {
    io::Error::new(error.kind(), Arc::clone(error))
}

/// The connection is over, for an unknown reason.
#[derive(Debug, thiserror::Error)]
#[error("the connection is closed")]
pub(crate) struct ConnectionClosed;

/// The server has closed the connection, and has given a reason.
#[derive(Debug, thiserror::Error)]
#[error("the server closed the connection: {0}")]
pub(crate) struct ClosedByServer(pub(crate) String);

/// Finds an error of this type in `error`, which may be [`shared`].
pub(crate) fn find<E: std::error::Error + 'static>(error: &io::Error) -> Option<&E> {
    let cause = error.get_ref()?;
    let shared = || find(cause.downcast_ref::<Arc<io::Error>>()?);
    cause.downcast_ref().or_else(shared)
}

/// The cause for which a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The connection is not, or no longer, in a state that allows the request.
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
    /// The server does not offer the capability that the request needs.
    #[error("`{method}` needs the capability `{capability}`, which the server does not offer")]
    NotOffered {
        /// The method of the request.
        method: &'static str,
        /// The capability that the server would have to declare.
        capability: &'static str,
    },
    /// The client did not declare the capability that the request needs.
    #[error("`{method}` needs the capability `{capability}`, which the client did not declare")]
    NotDeclared {
        /// The method of the request.
        method: &'static str,
        /// The capability that the client would have to declare.
        capability: &'static str,
    },
}

/// The function of a client that replaces a method in every revision, after a text.
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

/// The end of a child process that served a connection.
///
/// `Display` shows the program and its status. What it wrote may hold secrets, and is only in
/// fields; the text of a [`ConnectError`](crate::ConnectError) shows its last lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{program}` has ended ({status})")]
#[non_exhaustive]
pub struct ChildExited {
    /// The program, as it was to be started.
    pub program: String,
    /// Its exit code, or the signal that ended it.
    pub status: ExitStatus,
    /// The last 4 KiB that it wrote to standard error, where that is logged or captured. Bytes that
    /// are no UTF-8 are replaced.
    pub stderr: String,
    /// The first line that it wrote to standard output and that is no message, of at most 200
    /// characters, where it ended before the connection was initialized.
    pub output: Option<String>,
}

impl ChildExited {
    /// Describes what the child wrote before it ended, after a text: the line of its standard output,
    /// and the last 8 lines of its standard error, of at most 1 KiB. Empty if there is nothing.
    pub(crate) fn last_words(&self) -> String {
        let stderr = self.stderr.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<_> = stderr.collect();
        let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n  ");
        let surplus = last.len().saturating_sub(SHOWN_BYTES);
        let last = last[last.ceil_char_boundary(surplus)..].trim_start();
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

/// Lines of standard error in the text of an error, enough for the reason that `npm` gives.
const SHOWN_LINES: usize = 8;
/// Bytes of them.
const SHOWN_BYTES: usize = 1024;

/// Quotes a line of a server that is no message, after a text; empty if there is none.
pub(crate) fn no_message(line: Option<&str>) -> String {
    let quote = |line| format!("; the first line that it sent is not an MCP message: {line}");
    line.map_or_else(String::new, quote)
}
