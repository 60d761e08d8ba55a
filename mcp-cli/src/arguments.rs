//! The arguments that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use mcp_runtime::{Era, Revision};

use crate::login::Person;

/// The files and certificate authorities that the user trusts.
#[derive(Args, Default, Clone)]
pub(crate) struct Trust {
    /// Trusts the project's files with servers, here and in parent folders, until they change.
    /// Otherwise you are asked before such a file is used for the first time
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// Also trusts the certificate authorities in this file (PEM), like NODE_EXTRA_CA_CERTS
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Vec<PathBuf>,
}

/// A command, and the server to run it on.
#[derive(Args)]
pub(crate) struct At<T: Args> {
    #[command(flatten)]
    pub(crate) connection: Connection,
    #[command(flatten)]
    pub(crate) command: T,
}

/// The server, and how to connect to it.
#[derive(Args, Default)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// Name of a configured server, URL, or command in quotes
    #[arg(value_name = "TARGET", help_heading = None::<&str>, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// The only revision to use, such as 2026-07-28
    #[arg(long, conflicts_with = "era")]
    pub(crate) revision: Option<Revision>,
    /// Time limit for each step (start, discover, initialize, call), such as 10s; 60s by default
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// A folder that the server may work in
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// Answers a question of the server, with the value of a form's field
    #[arg(long = "answer", value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) answers: Vec<(String, String)>,
    /// Writes each message to this file as a line of JSON, for `mcp replay`. Messages may contain
    /// secrets
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// How to find and reach a server.
#[derive(Args, Default)]
pub(crate) struct Reach {
    /// Sends this header with each request, as `Name: value`. ${VAR} is an environment variable, and
    /// keeps secrets out of the list of processes
    #[arg(long, value_name = "HEADER", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// Sets an environment variable of the program, as NAME=VALUE, or passes on NAME
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) env: Vec<String>,
    /// The folder in which the program is started
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// The era of the server; detected by default
    #[arg(long)]
    pub(crate) era: Option<Era>,
    /// With `none`, never logs in, and sends no token of `mcp login`
    #[arg(long, value_name = "none", value_parser = ["none"])]
    pub(crate) auth: Option<String>,
    /// Looks up names only in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[arg(skip)]
    pub(crate) person: Person,
}

/// Reads `key=value`.
pub(crate) fn pair(text: &str) -> Result<(String, String), &'static str> {
    let pair = text.split_once('=').filter(|it| !it.0.is_empty());
    let (key, value) = pair.ok_or("it must be `key=value`")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Reads a header, whose value may refer to variables.
fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("it must be `Name: value`")?;
    let value = mcp_config::expand(value, &mut |variable| variable.from_env());
    let value = value.map_err(|unset| format!("the variable `{unset}` is not set"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
