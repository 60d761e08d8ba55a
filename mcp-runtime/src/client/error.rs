//! Errors of connecting and reconnecting.

use std::io;
use std::time::Duration;

use mcp_types::jsonrpc::code;
use mcp_types::{ErrorObject, Revision, Revisions};

use crate::error::{
    CallError, ChildExited, ClosedByServer, ConnectionClosed, HttpError, ServeError, Unavailable,
    find, no_message,
};

/// The reason why there is no connection to a server. Whatever was opened is closed again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The transport could not be opened: the program is missing, or the address is wrong.
    #[error("the transport could not be opened: {0}")]
    Open(#[source] io::Error),
    /// The server closed the connection before the negotiation was complete. Its log may say why.
    #[error("the server closed the connection before it was initialized")]
    Closed,
    /// The server, which runs in this process, can't be served; see
    /// [`testing::connect`](crate::testing::connect).
    #[error("the server can't be served: {0}")]
    Serve(#[source] ServeError),
    /// The connection failed before the negotiation was complete: the server can't be reached, or
    /// has stopped.
    ///
    /// If the server is a child process whose standard error is logged or captured, the message
    /// shows the last 8 lines of it, up to 1 KiB. A gateway should not forward them to its callers.
    #[error("the connection failed before it was initialized: {0}{words}", words = last_words(.0))]
    Lost(#[source] io::Error),
    /// The server closed an established connection.
    #[error("the server closed the connection")]
    ClosedInOperation,
    /// An established connection failed: the server can't be reached any more, has stopped, or has
    /// given a reason for ending the connection.
    #[error("the connection was lost: {0}")]
    LostInOperation(#[source] io::Error),
    /// The server and the client have no revision in common: one of them needs an update.
    #[error(
        "no revision in common: the client requests {asked}, the server offers {}, the client supports {}",
        offered.join(", "),
        supported.iter().map(Revision::as_str).collect::<Vec<_>>().join(", ")
    )]
    Revision {
        /// The revision that this client requested.
        asked: Revision,
        /// The revisions that the server offered.
        offered: Vec<String>,
        /// The revisions that this client accepts.
        supported: Revisions,
    },
    /// The server answered with an error.
    #[error("the server refuses the connection: {0}")]
    Refused(#[source] ErrorObject),
    /// The HTTP response is not an MCP message: the URL belongs to another service, credentials are
    /// missing, or a gateway has answered. The message shows the URL without its query.
    // Not a `source`, whose text would repeat the message with a shorter URL.
    #[error("{}", .0.with_url())]
    Http(Box<HttpError>),
    /// The client has no credentials that the server accepts ([`CallError::Authentication`]). In
    /// this case a lost connection is not restored automatically, but the next call tries again.
    #[error("{0}")]
    Authentication(#[source] CallError),
    /// The server has not answered in time.
    #[error(
        "no answer{} to `{method}` within {waited:.1?}{}",
        from(program.as_deref()), no_message(output.as_deref())
    )]
    Timeout {
        /// The method that was called.
        method: String,
        /// How long the client waited.
        waited: Duration,
        /// The server's program, if it is a child process.
        program: Option<String>,
        /// The server's first line that is not a message, cut to 200 characters.
        output: Option<String>,
    },
    /// The server sends back everything that it receives, as `cat` does, so it is not an MCP server.
    #[error("{} sends back what it receives, so it is not an MCP server", named(program.as_deref()))]
    Echo {
        /// The server's program, if it is a child process.
        program: Option<String>,
    },
    /// The server's answer is malformed, which is the server's fault.
    #[error("the answer to `{method}` does not fit: {reason}")]
    Result {
        /// The method that was called.
        method: String,
        /// Description of the fault.
        reason: String,
    },
    /// The client's settings exclude every revision.
    #[error("the client's settings exclude every revision")]
    NoRevision,
    /// The request can't be sent because the name or the capabilities can't be serialized.
    #[error("the request can't be sent: {0}")]
    Request(#[source] CallError),
}

impl ConnectError {
    /// How the server's child process exited, if that is the reason.
    #[must_use]
    pub fn child_exit(&self) -> Option<&ChildExited> {
        match self {
            Self::Lost(error) | Self::LostInOperation(error) => find(error),
            _ => None,
        }
    }

    /// Returns true if the server has closed the connection or exited.
    pub(crate) fn is_end(&self) -> bool {
        let has_reason = match self {
            Self::Closed => true,
            Self::Lost(error) => find::<ClosedByServer>(error).is_some(),
            _ => false,
        };
        has_reason || self.child_exit().is_some()
    }

    /// Converts to an I/O error for the calls that were not sent because of this error.
    pub(super) fn to_io(&self) -> io::Error {
        match self.child_exit() {
            Some(exited) => io::Error::new(io::ErrorKind::NotConnected, exited.clone()),
            None => io::Error::new(io::ErrorKind::NotConnected, self.brief()),
        }
    }

    pub(super) fn with_output(mut self, program: Option<&str>, line: Option<&str>) -> Self {
        match &mut self {
            Self::Timeout {
                program: named,
                output,
                ..
            } => (*named, *output) = (program.map(str::to_owned), line.map(str::to_owned)),
            Self::Lost(error) => {
                if let Some(exited) = find::<ChildExited>(error) {
                    let output = line.map(str::to_owned);
                    let exited = ChildExited {
                        output,
                        ..exited.clone()
                    };
                    *error = io::Error::new(error.kind(), exited);
                }
            }
            _ => {}
        }
        self
    }

    /// The message for logs and calls. It leaves out the path of a URL and the output of a child
    /// process, because both may contain secrets.
    pub(super) fn brief(&self) -> String {
        match (self.child_exit(), self) {
            (Some(exited), _) => exited.to_string(),
            (None, Self::Http(error)) => error.to_string(),
            (None, other) => other.to_string(),
        }
    }

    pub(super) fn is_the_servers(&self) -> bool {
        !matches!(
            self,
            Self::Open(_) | Self::NoRevision | Self::Request(_) | Self::Authentication(_)
        )
    }
}

impl CallError {
    /// Returns true if another attempt may succeed: the server was not reached, or it can't answer
    /// at the moment.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Timeout { .. } | Self::Closed | Self::Lost(_) | Self::SessionEnded => true,
            // `InvalidInput` means that the request can't be serialized, which no retry fixes.
            Self::NotSent(error) => error.kind() != io::ErrorKind::InvalidInput,
            // Servers that are overloaded or shutting down answer with this code.
            Self::Rpc(error) => error.code == code::INTERNAL_ERROR,
            Self::Http(error) => matches!(error.status, 408 | 429 | 500..),
            _ => false,
        }
    }
}

impl From<CallError> for ConnectError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Rpc(error) => Self::Refused(error),
            CallError::Timeout { method, waited } => Self::Timeout {
                method,
                waited,
                program: None,
                output: None,
            },
            CallError::Result { method, reason } | CallError::Malformed { method, reason } => {
                Self::Result { method, reason }
            }
            CallError::NotSent(error) if is_plain_end(&error) => Self::Closed,
            CallError::NotSent(error) | CallError::Lost(error) => Self::Lost(error),
            CallError::Http(error) => Self::Http(error),
            CallError::Authentication { .. } => Self::Authentication(error),
            CallError::Closed
            | CallError::SessionEnded
            | CallError::Unavailable(Unavailable::State { .. }) => Self::Closed,
            other => Self::Request(other),
        }
    }
}

/// Formats the program of a server as the end of a clause (" from `program`").
fn from(program: Option<&str>) -> String {
    program.map_or_else(String::new, |program| format!(" from `{program}`"))
}

/// Names a server as the subject of a sentence.
fn named(program: Option<&str>) -> String {
    program.map_or_else(|| "the server".to_owned(), |program| format!("`{program}`"))
}

/// Describes the last output of a child process, if its exit is the reason for the error.
fn last_words(error: &io::Error) -> String {
    find(error).map_or_else(String::new, ChildExited::last_words)
}

/// Returns true if the connection ended without a reason.
fn is_plain_end(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(reason) if reason.is::<ConnectionClosed>())
}
