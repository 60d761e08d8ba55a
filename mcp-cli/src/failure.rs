//! Errors of the command: what happened, whose fault it is and what to do, with an exit code.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use mcp_runtime::{CallError, ConnectError, HttpError};
use serde::Serialize;

use crate::output::visible;

/// The end of a command without success.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    #[serde(rename = "code")]
    pub(crate) kind: Kind,
    pub(crate) message: String,
    /// The status of an HTTP response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// The URL that has answered, or could not be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
}

/// Kinds of failures, each with a code for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// An error of the operating system or of this program.
    Unexpected,
    /// The arguments, or a file that they name, are wrong.
    Usage,
    /// The server asks for a login.
    AuthorizationRequired,
    /// The server can't be reached, or has ended.
    Unreachable,
    /// The server does not answer in time.
    Timeout,
    /// The answer is no message of the protocol.
    NotMcp,
    /// The tool reports an error.
    ToolFailed,
    /// The server answers with an error, or does not offer what was asked for.
    Refused,
    /// The server asks a question that nobody has answered.
    InputRequired,
    /// The server differs from its snapshot.
    Different,
    /// The user has ended the command.
    Cancelled,
    /// The reader of standard output has ended.
    ClosedPipe,
}

impl Kind {
    fn exit_code(self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Unexpected => 1,
            Self::Usage => 2,
            Self::AuthorizationRequired => 3,
            Self::Unreachable | Self::Timeout | Self::NotMcp => 4,
            Self::ToolFailed | Self::Refused | Self::InputRequired => 5,
            Self::Different => 6,
            Self::Cancelled => 130,
        }
    }
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            url: None,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// Adds the URL that was to be reached, where none is known.
    pub(crate) fn at(mut self, url: Option<&str>) -> Self {
        let is_about_url = matches!(
            self.kind,
            Kind::AuthorizationRequired | Kind::Unreachable | Kind::Timeout | Kind::NotMcp
        );
        if let (true, None, Some(url)) = (is_about_url, &self.url, url) {
            let end = url.find(['?', '#']).unwrap_or(url.len());
            self.url = Some(url[..end].to_owned());
            if !self.message.contains(&url[..end]) {
                self.message = format!("{}: {}", &url[..end], self.message);
            }
        }
        self
    }

    /// Writes the failure to standard error, and returns the exit code.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        #[derive(Serialize)]
        struct Report<'a> {
            error: &'a Failure,
        }

        let mut stderr = io::stderr().lock();
        // Nobody is left to be told of an error here.
        let _ = match (self.kind, json) {
            (Kind::ClosedPipe, _) => Ok(()),
            (_, true) => {
                let report = serde_json::to_string(&Report { error: self });
                writeln!(stderr, "{}", report.unwrap_or_default())
            }
            (Kind::Cancelled, false) => writeln!(stderr, "{}", self.message),
            (_, false) => {
                let message = visible(&self.message, stderr.is_terminal());
                writeln!(stderr, "error: {message}")
            }
        };
        ExitCode::from(self.kind.exit_code())
    }
}

impl From<io::Error> for Failure {
    /// An error of writing to standard output.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Kind::ClosedPipe, String::new()),
            _ => Self::new(Kind::Unexpected, error.to_string()),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        let kind = match &error {
            ConnectError::Http(error) => return http(error),
            ConnectError::Timeout {
                method,
                waited,
                output,
                ..
            } => {
                let line = output
                    .as_ref()
                    .map(|line| format!("; the first line that it sent is no MCP message: {line}"));
                return late(method, *waited, &line.unwrap_or_default());
            }
            // The address is in it.
            ConnectError::Lost(cause) if error.child_exit().is_none() => {
                return Self::new(Kind::Unreachable, cause.to_string());
            }
            ConnectError::Authentication(_) => Kind::AuthorizationRequired,
            ConnectError::Result { .. } | ConnectError::Revision { .. } => Kind::NotMcp,
            ConnectError::Refused(_) => Kind::Refused,
            ConnectError::NoRevision | ConnectError::Request(_) => Kind::Unexpected,
            _ => Kind::Unreachable,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        let kind = match &error {
            CallError::Http(error) => return http(error),
            CallError::Timeout { method, waited } => return late(method, *waited, ""),
            CallError::Authentication { .. } => Kind::AuthorizationRequired,
            CallError::Malformed { .. } | CallError::Result { .. } => Kind::NotMcp,
            CallError::Tool(_) => Kind::ToolFailed,
            CallError::Rpc(_) | CallError::Unavailable(_) => Kind::Refused,
            CallError::InputRequired { .. }
            | CallError::Unanswered { .. }
            | CallError::TooManyRounds { .. } => Kind::InputRequired,
            CallError::Params(_) => Kind::Usage,
            CallError::Full => Kind::Unexpected,
            _ => Kind::Unreachable,
        };
        Self::new(kind, error.to_string())
    }
}

/// The server has not answered in time.
fn late(method: &str, waited: Duration, detail: &str) -> Failure {
    let seconds = waited.as_secs_f64();
    let message = format!("no answer to `{method}` within {seconds:.1} s (`--timeout`){detail}");
    Failure::new(Kind::Timeout, message)
}

/// Characters of a response that is no message.
const EXCERPT: usize = 80;

/// An HTTP response that is no message of the protocol.
fn http(error: &HttpError) -> Failure {
    let HttpError { status, url, .. } = error;
    let kind = match status {
        401 => Kind::AuthorizationRequired,
        403 | 429 => Kind::Refused,
        408 | 500.. => Kind::Unreachable,
        _ => Kind::NotMcp,
    };
    let content_type = error.content_type.as_deref().unwrap_or("no content type");
    let detail = match &error.error {
        Some(error) => error.message.clone(),
        None => error.excerpt.chars().take(EXCERPT).collect(),
    };
    let is_root = url.splitn(4, '/').nth(3).is_none_or(str::is_empty);
    let advice = match (status, &error.location) {
        (_, Some(target)) => format!("; it redirects to {target}, which is not followed"),
        (404 | 405 | 200, _) if is_root => {
            let url = url.trim_end_matches('/');
            format!("; most servers are at `/mcp`: try {url}/mcp")
        }
        _ => String::new(),
    };
    Failure {
        status: Some(*status),
        url: Some(url.clone()),
        ..Failure::new(
            kind,
            format!("{url} is no MCP server: HTTP {status}, {content_type}: {detail}{advice}"),
        )
    }
}
