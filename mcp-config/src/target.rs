//! The target of an entry: a program or a URL.

use std::collections::BTreeMap;
use std::fmt;

use mcp_runtime::transport::http_client::{HttpUrl, http_client};
use mcp_runtime::transport::websocket::{WebSocketUrl, websocket};
use mcp_runtime::transport::{ChildProcess, UrlTransport};
use mcp_runtime::{Client, ClientBuilder, ConnectError};

/// The program or the URL of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A program that communicates over its standard input and output.
    Program(Program),
    /// A URL for Streamable HTTP. If the server is older, HTTP+SSE is tried automatically.
    Http(Remote),
    /// A URL for HTTP+SSE (2024-11-05). Streamable HTTP is tried first, as with
    /// [`Http`](Self::Http), because many such servers have been updated.
    Sse(Remote),
    /// A URL for a WebSocket.
    WebSocket(Remote),
}

/// A program with its arguments. `Debug` shows only the program, because the rest may be secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The program, looked up in `PATH`.
    pub command: String,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// Environment variables, in addition to
    /// [those that every program gets](ChildProcess::inherit_env).
    pub env: BTreeMap<String, String>,
    /// A dotenv file with more variables. The variables in `env` take precedence.
    /// [`Entry::expand`](crate::Entry::expand) reads the file into `env`, and leaves `None` here.
    pub env_file: Option<String>,
    /// The folder to run in. The default is the current folder of this process.
    pub cwd: Option<String>,
}

/// A URL with the headers to send. `Debug` shows neither, because they may be secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Remote {
    /// The URL.
    pub url: String,
    /// The headers of each request.
    pub headers: BTreeMap<String, String>,
}

impl Target {
    /// Returns the target at a URL, with the transport for its scheme. Returns `None` for unknown
    /// schemes.
    pub fn from_url(url: impl Into<String>) -> Option<Self> {
        let url = url.into();
        let transport = UrlTransport::of(&url)?;
        let remote = Remote {
            url,
            ..Remote::default()
        };
        Some(match transport {
            UrlTransport::WebSocket => Self::WebSocket(remote),
            _ => Self::Http(remote),
        })
    }

    /// Returns the URL, unless the target is a program.
    pub const fn remote(&self) -> Option<&Remote> {
        match self {
            Self::Http(remote) | Self::Sse(remote) | Self::WebSocket(remote) => Some(remote),
            Self::Program(_) => None,
        }
    }

    /// Returns a mutable reference to the URL, unless the target is a program.
    pub const fn remote_mut(&mut self) -> Option<&mut Remote> {
        match self {
            Self::Http(remote) | Self::Sse(remote) | Self::WebSocket(remote) => Some(remote),
            Self::Program(_) => None,
        }
    }

    /// Returns the name of the transport: `stdio`, `http`, `sse` or `websocket`.
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
    /// Returns a [`ConnectError`] if the connection fails. Everything is closed again then.
    pub async fn connect(&self, builder: ClientBuilder) -> Result<Client, ConnectError> {
        match self {
            Self::Program(program) => builder.connect(program.child_process()).await,
            Self::Http(remote) | Self::Sse(remote) => builder.connect(remote.http()).await,
            Self::WebSocket(remote) => builder.connect(remote.websocket()).await,
        }
    }

    /// All strings, and separately the variables of the program or the headers of the URL.
    pub(crate) fn parts(&mut self) -> (Vec<&mut String>, &mut BTreeMap<String, String>) {
        match self {
            Self::Program(it) => {
                let texts = [&mut it.command].into_iter().chain(&mut it.args);
                let texts = texts.chain(&mut it.cwd).chain(&mut it.env_file);
                (texts.collect(), &mut it.env)
            }
            Self::Http(it) | Self::Sse(it) | Self::WebSocket(it) => {
                (vec![&mut it.url], &mut it.headers)
            }
        }
    }
}

impl Program {
    /// Returns the transport that starts the program, with [`env`](Self::env) in addition to the
    /// environment of every [`ChildProcess`].
    pub fn child_process(&self) -> ChildProcess {
        let process = ChildProcess::new(&self.command).args(&self.args);
        let process = process.envs(&self.env);
        match &self.cwd {
            Some(cwd) => process.current_dir(cwd),
            None => process,
        }
    }
}

impl Remote {
    /// Returns the HTTP transport for the URL, to which an authenticator can be added.
    pub fn http(&self) -> HttpUrl {
        let url = http_client(&self.url);
        let headers = self.headers.iter();
        headers.fold(url, |url, (name, value)| url.header(name, value))
    }

    /// Returns the WebSocket transport for the URL.
    pub fn websocket(&self) -> WebSocketUrl {
        let url = websocket(&self.url);
        let headers = self.headers.iter();
        headers.fold(url, |url, (name, value)| url.header(name, value))
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program({}, …)", self.command)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remote(…)")
    }
}
