//! Errors of the command: what happened, whose fault it is and what to do, with an exit code.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use mcp_auth::client::error::{AuthError, AuthErrorKind};
use mcp_config::ConfigError;
use mcp_runtime::{CallError, ConnectError, HttpError, Revisions};
use serde::Serialize;
use serde_json::json;

use crate::limits::EXCERPT_CHARS;
use crate::output::{note, note_json};
use crate::remedies;

#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    #[serde(rename = "code")]
    pub(crate) kind: Kind,
    pub(crate) message: String,
    /// Advice for the user, shown below the message.
    #[serde(skip)]
    pub(crate) advice: Option<String>,
    /// The status of an HTTP response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// The URL that answered, or could not be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The tools, one of which should be named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools: Vec<String>,
    /// The number of the signal that ended the command.
    #[serde(skip)]
    signal: u8,
}

pub(crate) const SIGINT: u8 = 2;

/// The kinds of failures, each with a code for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// An error of the operating system or of this program.
    Unexpected,
    /// The arguments, or a file that they name, are wrong.
    Usage,
    AuthorizationRequired,
    /// The server requires a token that `mcp login` can't obtain.
    TokenRequired,
    /// The server can't be reached, or has ended.
    Unreachable,
    Timeout,
    NotMcp,
    ToolFailed,
    /// The server answers with an error, or does not offer what was requested.
    Refused,
    /// The server asks a question that was not answered.
    InputRequired,
    /// The server differs from its snapshot.
    Different,
    Cancelled,
    /// The reader of standard output closed it.
    ClosedPipe,
}

impl Kind {
    /// The exit code. For [`Cancelled`](Self::Cancelled), the number of the signal is added to it.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Unexpected => 1,
            Self::Usage => 2,
            Self::AuthorizationRequired | Self::TokenRequired => 3,
            Self::Unreachable | Self::Timeout | Self::NotMcp => 4,
            Self::ToolFailed | Self::Refused | Self::InputRequired => 5,
            Self::Different => 6,
            Self::Cancelled => 128,
        }
    }
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: remedies::of_command(message.into()),
            advice: None,
            status: None,
            url: None,
            tools: Vec::new(),
            signal: 0,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(crate) fn cancelled() -> Self {
        Self::cancelled_by(SIGINT)
    }

    pub(crate) fn cancelled_by(signal: u8) -> Self {
        Self {
            signal,
            ..Self::new(Kind::Cancelled, "cancelled")
        }
    }

    pub(crate) fn of_file(path: &Path, error: &io::Error) -> Self {
        Self::new(Kind::Unexpected, format!("{}: {error}", path.display()))
    }

    pub(crate) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Adds the URL of the server, if the failure has no URL yet.
    pub(crate) fn at(mut self, url: &str) -> Self {
        let is_about_url = [3, 4].contains(&self.kind.exit_code());
        if is_about_url && self.url.is_none() {
            let end = url.find(['?', '#']).unwrap_or(url.len());
            let url = &url[..end];
            if !self.message.contains(url) {
                self.message = format!("{url}: {}", self.message);
            }
            self.url = Some(url.to_owned());
        }
        self
    }

    /// The message with the advice.
    pub(crate) fn text(&self) -> String {
        match &self.advice {
            Some(advice) => format!("{}\n{advice}", self.message),
            None => self.message.clone(),
        }
    }

    pub(crate) fn report(mut self, json: bool) -> ExitCode {
        self.message = self.text();
        match (self.kind, json) {
            (Kind::ClosedPipe, _) => {}
            (_, true) => note_json(&json!({"error": self})),
            (Kind::Cancelled, false) => note(&self.message),
            (_, false) => note(&format!("error: {}", self.message)),
        }
        ExitCode::from(self.kind.exit_code() + self.signal)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<io::Error> for Failure {
    /// Converts an error of writing to standard output.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Kind::ClosedPipe, String::new()),
            _ => Self::new(Kind::Unexpected, error.to_string()),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(mut error: ConnectError) -> Self {
        if let ConnectError::Http(it) = &mut error {
            it.excerpt = it.excerpt.chars().take(EXCERPT_CHARS).collect();
        }
        let kind = match &error {
            ConnectError::Http(it) => return http(it, &error),
            ConnectError::Timeout { .. } => return late(&error),
            // The cause contains the address.
            ConnectError::Lost(cause) if error.child_exit().is_none() => {
                return Self::new(Kind::Unreachable, cause.to_string());
            }
            ConnectError::Authentication(cause) => return authentication(cause, &error),
            ConnectError::Revision { supported, .. } if *supported != Revisions::ALL => {
                let failure = Self::new(Kind::NotMcp, error.to_string());
                return failure.advise("leave out `--era` or `--revision`");
            }
            ConnectError::Result { .. }
            | ConnectError::Revision { .. }
            | ConnectError::Echo { .. } => Kind::NotMcp,
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
            CallError::Http(it) => return http(it, &error),
            CallError::Timeout { .. } => return late(&error),
            CallError::Authentication { .. } => return authentication(&error, &error),
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
        let pages = error.required_pages().unwrap_or_default().into_iter();
        let pages = pages.map(|it| format!("\nopen {}, then call again", it.url));
        Self::new(kind, format!("{error}{}", pages.collect::<String>()))
    }
}

const OWN_TOKEN: &str =
    "the server requires a token that it issued itself: pass `--header 'Authorization: Bearer …'`";

const NO_TERMINAL: &str =
    "the server requires a login or a token, and a login needs a person at a terminal";

fn authentication(cause: &CallError, error: &impl Display) -> Failure {
    let kind = match cause {
        CallError::Authentication { error, .. } => error.downcast_ref().map(AuthError::kind),
        _ => None,
    };
    match kind {
        Some(AuthErrorKind::NoAuthorizationServer) => Failure::new(Kind::TokenRequired, OWN_TOKEN),
        // Without a terminal, the login fails before it looks for an authorization server.
        Some(AuthErrorKind::Redirection(cause)) if cause.kind() == io::ErrorKind::Unsupported => {
            Failure::new(Kind::AuthorizationRequired, NO_TERMINAL)
        }
        _ => Failure::new(Kind::AuthorizationRequired, error.to_string()),
    }
}

fn late(error: &impl Display) -> Failure {
    Failure::new(Kind::Timeout, error.to_string()).advise("set another limit with `--timeout`")
}

/// The failure for an HTTP response that is not a message of the protocol.
fn http(response: &HttpError, error: &impl Display) -> Failure {
    let HttpError { status, url, .. } = response;
    let kind = match status {
        401 => Kind::AuthorizationRequired,
        403 | 429 => Kind::Refused,
        408 | 500.. => Kind::Unreachable,
        _ => Kind::NotMcp,
    };
    let mut failure = Failure::new(kind, error.to_string());
    failure.status = Some(*status);
    failure.url = Some(url.clone());
    let is_root = url.splitn(4, '/').nth(3).is_none_or(str::is_empty);
    if is_root && matches!(status, 200 | 404 | 405) {
        let url = url.trim_end_matches('/');
        return failure.advise(format!("most servers are at `/mcp`: try {url}/mcp"));
    }
    failure
}
