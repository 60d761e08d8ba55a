//! The arguments of the command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use mcp_bindgen::Format;
use mcp_runtime::nearest::nearest;
use mcp_runtime::{Era, Revision};

use crate::login::{LoginSettings, Person};
use crate::server::joined;

/// Lists, inspects and calls servers of the Model Context Protocol.
///
/// TARGET is the name of a configured server (see `mcp servers`), a URL, or a command in quotes.
/// Instead of TARGET, a program can follow at the end: `-- PROGRAM ARGUMENT…`.
#[derive(Parser)]
#[command(name = "mcp", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Prints JSON, also for errors
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Shows log messages of the server, and each request of `mcp proxy`; given twice, also messages
    /// for debugging
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Lists the servers in the configuration files of MCP clients
    Servers(Servers),
    /// Shows what a server offers
    Inspect(At<Inspect>),
    /// Writes a Rust module with a method for each tool, or compares the server with its snapshot
    Bindgen(At<Bindgen>),
    /// Calls a tool
    Call(At<Call>),
    /// Reads a resource
    Read(At<Read>),
    /// Fetches a prompt
    Prompt(At<Prompt>),
    /// Prints each change that a server announces, one per line
    Listen(At<Listen>),
    /// Serves a server over stdio or HTTP, or several servers as one
    Proxy(Proxy),
    /// Logs in to a server, and keeps the tokens for other commands
    Login(At<LoginSettings>),
    /// Revokes the tokens of a server, and removes them
    Logout(Connection),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Args)]
pub(crate) struct Servers {
    /// Connects to each server, and shows its revision, number of tools and response time, or the
    /// error. Servers in a project's file are skipped until you trust the file
    #[arg(long)]
    pub(crate) check: bool,
    /// Time limit for each connection, such as 10s
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "10s")]
    pub(crate) timeout: Duration,
    /// Reads this file instead of the files of the clients
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: Trust,
}

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

#[derive(Args)]
pub(crate) struct Inspect {
    /// Shows the schemas of this tool
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
}

#[derive(Args)]
pub(crate) struct Bindgen {
    /// The Rust file to write; its snapshot is next to it, as NAME.mcp.json. TARGET can also be a
    /// snapshot
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Binds only this tool; can be repeated
    #[arg(long, value_name = "TOOL")]
    pub(crate) only: Vec<String>,
    /// Leaves out this tool; can be repeated
    #[arg(long, value_name = "TOOL")]
    pub(crate) skip: Vec<String>,
    /// The Rust type for the output of a tool without an output schema
    #[arg(long, value_name = "TOOL=TYPE", value_parser = pair)]
    pub(crate) output: Vec<(String, String)>,
    /// Crates whose types are used for formats of strings: chrono, uuid, url
    #[arg(long, value_name = "CRATES", value_delimiter = ',')]
    pub(crate) formats: Vec<Format>,
    /// Fails if a value stays JSON
    #[arg(long)]
    pub(crate) strict: bool,
    /// Writes nothing, but prints what has changed since the snapshot, and exits with 6 after any
    /// change
    #[arg(long, value_name = "CHANGES", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) check: Option<Changes>,
}

/// The changes to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Changes {
    /// All changes
    All,
    /// Changes after which code that uses the bindings may not compile
    Breaking,
}

#[derive(Args)]
pub(crate) struct Call {
    /// The tool
    #[arg(required_unless_present = "resume")]
    pub(crate) tool: Option<String>,
    /// key=value, key=@FILE, key:=JSON, key:=@FILE; a.b=value inside an object; repeated for lists
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// Reads all arguments as a JSON object from a file, or from standard input (-)
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Writes images, audio and blobs into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Prints the id of the call's task, and exits while the task goes on at the server
    #[arg(long)]
    pub(crate) detach: bool,
    /// Follows a task by its id, instead of calling a tool
    #[arg(long, value_name = "ID", conflicts_with_all = ["tool", "input", "detach"])]
    pub(crate) resume: Option<String>,
}

#[derive(Args)]
pub(crate) struct Read {
    /// The URI of a resource, or a template (RFC 6570)
    pub(crate) uri: String,
    /// Values for the variables of the template; repeat a key for lists
    #[arg(value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) variables: Vec<(String, String)>,
    /// Writes the contents to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Prompt {
    /// The prompt
    pub(crate) name: String,
    /// The arguments of the prompt
    #[arg(value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) arguments: Vec<(String, String)>,
    /// Asks the server for values of ARGUMENT that begin with TEXT
    #[arg(long, num_args = 2, value_names = ["ARGUMENT", "TEXT"])]
    pub(crate) complete: Option<Vec<String>>,
}

#[derive(Args)]
pub(crate) struct Listen {
    /// Resources to subscribe to, in addition to changes of lists
    pub(crate) uris: Vec<String>,
    /// Exits after this number of changes
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<usize>,
    /// Exits after this time, such as 10s
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) duration: Option<Duration>,
}

/// The servers to offer, and where.
#[derive(Args)]
pub(crate) struct Proxy {
    /// Name of a configured server, URL, or command in quotes. Several names, or --config without
    /// TARGET for all enabled servers of a file, are offered as one server, whose tools begin with
    /// the names
    #[arg(value_name = "TARGET", required_unless_present = "config", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) targets: Vec<String>,
    /// Serves Streamable HTTP and HTTP+SSE instead of stdio; 127.0.0.1 is the default host
    #[arg(long, value_name = "[HOST:]PORT", value_parser = address)]
    pub(crate) http: Option<(String, u16)>,
    /// The environment variable with the bearer token that callers must send
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) token_env: Option<String>,
    /// An origin whose pages may call and read, such as https://app.example.com; can be repeated
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    pub(crate) origins: Vec<String>,
    /// A host by which callers reach the proxy, such as the name of a reverse proxy; can be repeated
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    pub(crate) hosts: Vec<String>,
    /// Offers only this tool, where `*` is any text; can be repeated
    #[arg(long, value_name = "TOOL")]
    pub(crate) only: Vec<String>,
    /// Hides and refuses this tool, where `*` is any text; can be repeated
    #[arg(long, value_name = "TOOL")]
    pub(crate) skip: Vec<String>,
    /// Lets HTTP clients share one connection to each server with a handshake
    #[arg(long, requires = "http")]
    pub(crate) shared: bool,
    /// Writes each message to this file as a line of JSON. Messages may contain secrets
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Connection")]
    pub(crate) reach: Reach,
    /// Time limit for each step until a server is ready, such as 10s; 60s by default
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Option<Duration>,
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
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

/// Reads a port, which may follow a host.
fn address(text: &str) -> Result<(String, u16), &'static str> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
    let port = port.parse();
    let is_host = !host.is_empty() && !host.contains('/');
    let port = port.ok().filter(|_| is_host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Ok((host.to_owned(), port.ok_or("it must be PORT or HOST:PORT")?))
}

/// Corrects clap's advice about an unknown option, which may be meant as an argument of a tool,
/// prompt or template.
pub(crate) fn advised(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let unknown = ContextKind::InvalidArg;
    let similar = ContextKind::SuggestedArg;
    let command = arguments.iter().skip(1).find(is_word);
    let takes_pairs = command.is_some_and(|it| it == "call" || it == "prompt" || it == "read");
    if let Some(ContextValue::String(option)) = error.get(unknown)
        && error.kind() == ErrorKind::UnknownArgument
        && takes_pairs
    {
        let mut words = arguments.iter().filter_map(|it| it.to_str());
        let word = words.find(|it| it.starts_with(&**option)).unwrap_or(option);
        let word = word.trim_start_matches('-');
        let (key, value) = word.split_once('=').unwrap_or((word, "VALUE"));
        let advice = format!("arguments have no dashes: write `{key}={value}`");
        if !matches!(error.get(similar), Some(ContextValue::String(it)) if nearest(option, [&**it]).is_some())
        {
            error.remove(similar);
        }
        let advice = ContextValue::StyledStrs(vec![advice.into()]);
        error.insert(ContextKind::Suggested, advice);
    }
    error
}

/// The message of a clap error, without the parts that are only for a terminal.
pub(crate) fn plain(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = text.find("\n\nFor more information").unwrap_or(text.len());
    text[..end].trim().to_owned()
}

/// Moves a program after `--` to the place of TARGET, which is after the name of the command.
pub(crate) fn with_program(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let Some(end) = arguments.iter().position(|it| it == "--") else {
        return arguments;
    };
    let words = arguments.split_off(end).split_off(1);
    let command = arguments.iter().skip(1).position(|it| is_word(&it));
    if let Some(index) = command {
        let words = words.iter().map(|it| it.to_string_lossy().into_owned());
        arguments.insert(index + 2, joined(words).into());
    }
    arguments
}

fn is_word(argument: &&OsString) -> bool {
    !argument.to_string_lossy().starts_with('-')
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_program_behind_dashes_is_the_target() {
        let words = [
            "mcp", "--json", "call", "add", "a=1", "--", "npx", "-y", "a b",
        ];
        let arguments = with_program(words.map(OsString::from).to_vec());
        let arguments = Arguments::try_parse_from(arguments).unwrap();
        let Command::Call(call) = arguments.command else {
            panic!("another command");
        };
        let words = ["npx", "-y", "a b"].map(str::to_owned);
        assert_eq!(call.connection.target, joined(words.into_iter()));
        assert_eq!(call.command.tool.as_deref(), Some("add"));
        assert_eq!(call.command.arguments, ["a=1"]);
    }
}
