//! What an entry leads to: a program, or a URL.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::http_client::{HttpUrl, http_client};
use mcp_runtime::transport::websocket::{WebSocketUrl, websocket};
use mcp_runtime::{Client, ClientBuilder, ConnectError};

/// The program or the URL of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A program, spoken to over its standard input and output.
    Program(Program),
    /// A URL of Streamable HTTP. Where the server is older, HTTP+SSE is tried by itself.
    Http(Remote),
    /// A URL of HTTP+SSE (2024-11-05). Streamable HTTP is tried first, as with
    /// [`Http`](Self::Http): many a file names a server so that has become newer.
    Sse(Remote),
    /// A URL of a WebSocket.
    WebSocket(Remote),
}

/// A program with its arguments. `Debug` shows no values of variables, and no arguments: they may be
/// secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The program, looked up in `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables of its environment, besides [those that every program
    /// gets](ChildProcess::inherit_env).
    pub env: BTreeMap<String, String>,
    /// The folder to run in; this process's own unless set.
    pub cwd: Option<PathBuf>,
}

/// A URL with the headers to send. `Debug` shows neither values of headers nor the query and the user
/// of the URL: they may be secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Remote {
    /// The URL.
    pub url: String,
    /// Headers of each request.
    pub headers: BTreeMap<String, String>,
}

impl Target {
    /// The name of the transport: `stdio`, `http`, `sse` or `websocket`.
    #[must_use]
    pub const fn transport(&self) -> &'static str {
        match self {
            Self::Program(_) => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
            Self::WebSocket(_) => "websocket",
        }
    }

    /// Connects to the server.
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; everything is closed again.
    pub async fn connect(&self, builder: ClientBuilder) -> Result<Client, ConnectError> {
        match self {
            Self::Program(program) => builder.connect(program.child_process()).await,
            Self::Http(remote) | Self::Sse(remote) => builder.connect(remote.http()).await,
            Self::WebSocket(remote) => builder.connect(remote.websocket()).await,
        }
    }

    /// Replaces each text, except for names.
    pub(crate) fn try_map<E>(
        &self,
        mut f: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Self, E> {
        let mut target = self.clone();
        match &mut target {
            Self::Program(program) => {
                program.command = f(&program.command)?;
                for arg in &mut program.args {
                    *arg = f(arg)?;
                }
                if let Some(cwd) = &mut program.cwd {
                    // It was made of a text.
                    *cwd = f(&cwd.to_string_lossy())?.into();
                }
            }
            Self::Http(remote) | Self::Sse(remote) | Self::WebSocket(remote) => {
                remote.url = f(&remote.url)?;
            }
        }
        for value in target.table().values_mut() {
            *value = f(value)?;
        }
        Ok(target)
    }

    /// The variables of the program, or the headers of the URL.
    pub(crate) fn table(&mut self) -> &mut BTreeMap<String, String> {
        match self {
            Self::Program(program) => &mut program.env,
            Self::Http(remote) | Self::Sse(remote) | Self::WebSocket(remote) => &mut remote.headers,
        }
    }
}

impl Program {
    /// The transport that starts the program. Its environment is that of every [`ChildProcess`], and
    /// [`env`](Self::env).
    #[must_use]
    pub fn child_process(&self) -> ChildProcess {
        let process = ChildProcess::new(&self.command).args(&self.args);
        let process = self
            .env
            .iter()
            .fold(process, |process, (name, value)| process.env(name, value));
        match &self.cwd {
            Some(cwd) => process.current_dir(cwd),
            None => process,
        }
    }

    /// Makes the folder to run in absolute, below `folder`.
    pub(crate) fn run_in(&mut self, folder: &Path) {
        self.cwd = Some(folder.join(self.cwd.take().unwrap_or_default()));
    }
}

impl Remote {
    /// The transport to the URL by HTTP, to which an authenticator can be added.
    pub fn http(&self) -> HttpUrl {
        let url = http_client(&self.url);
        let headers = self.headers.iter();
        headers.fold(url, |url, (name, value)| url.header(name, value))
    }

    /// The transport to the URL by a WebSocket.
    #[must_use]
    pub fn websocket(&self) -> WebSocketUrl {
        let url = websocket(&self.url);
        let headers = self.headers.iter();
        headers.fold(url, |url, (name, value)| url.header(name, value))
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("command", &self.command)
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        f.debug_struct("Remote")
            .field("url", &format_args!("{scheme}://{host}{path}"))
            .field("headers", &self.headers.keys())
            .finish_non_exhaustive()
    }
}
