//! Errors of connecting and reconnecting.

use std::io;
use std::time::Duration;

use mcp_types::jsonrpc::code;
use mcp_types::{ErrorObject, Revision, Revisions};

use crate::error::{
    CallError, ChildExited, ClosedByServer, ConnectionClosed, HttpError, ServeError, Unavailable,
    find, no_message,
};

/// Why there is no connection to a server. Everything that was opened is closed again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The transport could not be opened: the program is missing, or the address is wrong.
    #[error("the transport could not be opened: {0}")]
    Open(#[source] io::Error),
    /// The server closed the connection before the end of the negotiation: see its own log.
    #[error("the server closed the connection before it was initialized")]
    Closed,
    /// The server in this process can't be served; see [`testing::connect`](crate::testing::connect).
    #[error("the server can't be served: {0}")]
    Serve(#[source] ServeError),
    /// The connection failed before the end of the negotiation: the server can't be reached, or has
    /// stopped.
    ///
    /// The text shows the last 8 lines, of at most 1 KiB, that a child process wrote to standard
    /// error, where that is logged or captured: keep it from those who call a gateway.
    #[error("the connection failed before it was initialized: {0}{words}", words = last_words(.0))]
    Lost(#[source] io::Error),
    /// The server closed a connection that had been established.
    #[error("the server closed the connection")]
    ClosedInOperation,
    /// A connection that had been established failed: the server can't be reached any more, has
    /// stopped, or has named a reason for which it ends the connection.
    #[error("the connection was lost: {0}")]
    LostInOperation(#[source] io::Error),
    /// Server and client have no revision in common: one of them needs an update.
    #[error(
        "no revision in common: asked for {asked}, the server offers {}, supported here are {}",
        offered.join(", "),
        supported.iter().map(Revision::as_str).collect::<Vec<_>>().join(", ")
    )]
    Revision {
        /// The revision that this client requested.
        asked: Revision,
        /// The revisions that the server answered.
        offered: Vec<String>,
        /// The revisions that this client accepts.
        supported: Revisions,
    },
    /// The server answered with an error.
    #[error("the server refuses the connection: {0}")]
    Refused(#[source] ErrorObject),
    /// The HTTP response is not an MCP message: the URL belongs to something else, credentials are
    /// missing, or a gateway has answered. The text shows the URL without its query.
    #[error("{}", .0.with_url())]
    Http(#[source] Box<HttpError>),
    /// The client has no credentials that the server accepts
    /// ([`CallError::Authentication`]). A lost connection is not restored by itself then: the next
    /// call tries again.
    #[error("{0}")]
    Authentication(#[source] CallError),
    /// The server does not answer.
    #[error(
        "no answer{} to `{method}` within {waited:.1?}{}",
        from(program.as_deref()), no_message(output.as_deref())
    )]
    Timeout {
        /// The method that was called.
        method: String,
        /// The time that was waited.
        waited: Duration,
        /// The program of the server, if it is a child process.
        program: Option<String>,
        /// The first line of the server that is no message, of at most 200 characters.
        output: Option<String>,
    },
    /// The server sends back what it is sent, as `cat` does: it is not an MCP server.
    #[error("{} repeats what it is sent, so it is not an MCP server", named(program.as_deref()))]
    Echo {
        /// The program of the server, if it is a child process.
        program: Option<String>,
    },
    /// The server's answer is malformed: the fault is the server's.
    #[error("the answer to `{method}` does not fit: {reason}")]
    Result {
        /// The method that was called.
        method: String,
        /// The fault of the answer.
        reason: String,
    },
    /// The settings of the client leave no revision.
    #[error("the client is told to use no revision at all")]
    NoRevision,
    /// The request can't be sent: the name or the capabilities have no JSON form.
    #[error("the request can't be sent: {0}")]
    Request(#[source] CallError),
}

impl ConnectError {
    /// The end of the server's child process, if that is the reason.
    #[must_use]
    pub fn child_exit(&self) -> Option<&ChildExited> {
        match self {
            Self::Lost(error) | Self::LostInOperation(error) => find(error),
            _ => None,
        }
    }

    /// Returns true if the server has closed the connection, or has ended.
    pub(crate) fn is_end(&self) -> bool {
        let has_reason = match self {
            Self::Closed => true,
            Self::Lost(error) => find::<ClosedByServer>(error).is_some(),
            _ => false,
        };
        has_reason || self.child_exit().is_some()
    }

    /// The same as an I/O error, for calls that were not sent because of it.
    pub(super) fn to_io(&self) -> io::Error {
        match self.child_exit() {
            Some(exited) => io::Error::new(io::ErrorKind::NotConnected, exited.clone()),
            None => io::Error::new(io::ErrorKind::NotConnected, self.brief()),
        }
    }

    /// Adds what a server has sent instead of messages, and the program that it is.
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

    /// The text for logs and for calls: without the path of a URL, and without output of a child
    /// process, either of which may be secret.
    pub(super) fn brief(&self) -> String {
        match (self.child_exit(), self) {
            (Some(exited), _) => exited.to_string(),
            (None, Self::Http(error)) => error.to_string(),
            (None, other) => other.to_string(),
        }
    }

    /// Returns true if the server caused the error.
    pub(super) fn is_the_servers(&self) -> bool {
        !matches!(
            self,
            Self::Open(_) | Self::NoRevision | Self::Request(_) | Self::Authentication(_)
        )
    }
}

impl CallError {
    /// Returns true if another try may succeed: the server was not reached, or can't answer now.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Timeout { .. } | Self::Lost(_) | Self::SessionEnded => true,
            // Otherwise the request has no form in which it could be sent.
            Self::NotSent(error) => error.kind() != io::ErrorKind::InvalidInput,
            // The error of a server that is overloaded or shutting down.
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

/// Names the program of a server, after a text.
fn from(program: Option<&str>) -> String {
    program.map_or_else(String::new, |program| format!(" from `{program}`"))
}

/// The subject of a sentence about a server.
fn named(program: Option<&str>) -> String {
    program.map_or_else(|| "the server".to_owned(), |program| format!("`{program}`"))
}

/// Describes what a child process wrote before it ended, if it is the reason.
fn last_words(error: &io::Error) -> String {
    find(error).map_or_else(String::new, ChildExited::last_words)
}

/// Returns true if the error has no reason for the end of the connection.
fn is_plain_end(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(reason) if reason.is::<ConnectionClosed>())
}
