//! The arguments of the command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use mcp_bindgen::Format;
use mcp_runtime::{Era, Revision};

use crate::target::Target;

/// Lists, inspects and calls servers of the Model Context Protocol.
///
/// TARGET is a URL, the name of a configured server (see `mcp servers`), or a command in quotes.
/// `-- PROGRAM ARGUMENT…` at the end stands in for it.
#[derive(Debug, Parser)]
#[command(name = "mcp", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options of all commands.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Prints JSON, errors too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Shows log messages of the server; twice: those for debugging as well
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists the servers that the files of MCP clients name; starts none
    Servers(Servers),
    /// Shows what a server offers
    Inspect(Inspect),
    /// Writes a Rust module with a method for each tool, or compares the server with the one it is of
    Bindgen(Bindgen),
    /// Calls a tool
    Call(Call),
    /// Reads a resource
    Read(Read),
    /// Fetches a prompt
    Prompt(Prompt),
    /// Prints each change that a server announces, one a line
    Listen(Listen),
    /// Logs in at a server, and keeps the tokens for other commands
    Login(Login),
    /// Revokes the tokens of a server, and removes them
    Logout(Logout),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Servers {
    /// Connects to each server: its revision, number of tools and time, or why not
    #[arg(long)]
    pub(crate) check: bool,
    /// Time limit of each connection, such as 10s
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "10s")]
    pub(crate) timeout: Duration,
    /// Reads this file in place of those of the clients
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// The server, and how to connect to it.
#[derive(Clone, Debug, Args)]
pub(crate) struct Connection {
    /// URL, name of a configured server, or command in quotes
    #[arg(value_name = "TARGET")]
    pub(crate) target: Target,
    /// Sends this header with each request, as `Name: value`
    #[arg(long, value_name = "HEADER", value_parser = header, help_heading = "Connection")]
    pub(crate) header: Vec<(String, String)>,
    /// Sets a variable of the program, as NAME=VALUE, or passes on NAME
    #[arg(long, value_name = "VARIABLE", help_heading = "Connection")]
    pub(crate) env: Vec<String>,
    /// The folder in which the program is started
    #[arg(long, value_name = "DIR", help_heading = "Connection")]
    pub(crate) cwd: Option<PathBuf>,
    /// The era of the server, which is found out unless set
    #[arg(long, help_heading = "Connection")]
    pub(crate) era: Option<Era>,
    /// The only revision to speak, such as 2026-07-28
    #[arg(long, conflicts_with = "era", help_heading = "Connection")]
    pub(crate) revision: Option<Revision>,
    /// Time limit of each step (start, discover, initialize, call), such as 10s; 60s by default
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, help_heading = "Connection")]
    pub(crate) timeout: Option<Duration>,
    /// A folder that the server may work on
    #[arg(long = "root", value_name = "DIR", help_heading = "Connection")]
    pub(crate) roots: Vec<PathBuf>,
    /// Whether to log in where the server asks for it
    #[arg(long, default_value = "auto", help_heading = "Connection")]
    pub(crate) auth: Auth,
    /// Looks up names in this file only
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    pub(crate) config: Option<PathBuf>,
}

/// Use of the tokens of `mcp login`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Auth {
    /// Uses tokens, and logs in on a terminal
    Auto,
    /// Sends no token, and never logs in
    None,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// Shows the schemas of this tool
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Bindgen {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// The Rust file; its snapshot is beside it, as NAME.mcp.json. A snapshot can be TARGET as well
    #[arg(short = 'o', long = "file", value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Binds this tool, and others so named
    #[arg(long, value_name = "TOOL")]
    pub(crate) only: Vec<String>,
    /// Leaves out this tool
    #[arg(long, value_name = "TOOL")]
    pub(crate) skip: Vec<String>,
    /// The type of the output of a tool without output schema
    #[arg(long, value_name = "TOOL=TYPE", value_parser = pair)]
    pub(crate) output: Vec<(String, String)>,
    /// Crates whose types are used for formats of texts: chrono, uuid, url
    #[arg(long, value_name = "CRATES", value_delimiter = ',')]
    pub(crate) formats: Vec<Format>,
    /// Fails where a value stays JSON
    #[arg(long)]
    pub(crate) strict: bool,
    /// Writes nothing: prints what has changed since the snapshot, and exits with 6 if something has
    #[arg(long, value_name = "CHANGES", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) check: Option<Changes>,
}

/// Changes of a server that are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Changes {
    /// All
    All,
    /// Those after which code that uses them does not compile
    Breaking,
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// The tool
    pub(crate) tool: String,
    /// key=value, key=@FILE, key:=JSON, key:=@FILE; a.b=value inside an object; repeated for lists
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// Reads all arguments as an object from a file, or from standard input (-)
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Answers a question of the server: the value of a form's field
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) answer: Vec<(String, String)>,
    /// Writes images, audio and blobs into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// The URI of a resource, or a template (RFC 6570)
    pub(crate) uri: String,
    /// Values of the template's variables; repeated for lists
    #[arg(value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) variables: Vec<(String, String)>,
    /// Writes the contents to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Prompt {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// The prompt
    pub(crate) name: String,
    /// Its arguments
    #[arg(value_name = "KEY=VALUE", value_parser = pair)]
    pub(crate) arguments: Vec<(String, String)>,
    /// Asks the server for values of an argument that begin with a text
    #[arg(long, num_args = 2, value_names = ["ARGUMENT", "TEXT"])]
    pub(crate) complete: Option<Vec<String>>,
}

#[derive(Debug, Args)]
pub(crate) struct Listen {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// Resources to subscribe to, beside changes of lists
    pub(crate) uris: Vec<String>,
    /// Ends after this number of changes
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<usize>,
    /// Ends after this time, such as 10s
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) duration: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct Login {
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// The identifier of a client that was registered by hand
    #[arg(long, value_name = "ID", requires = "issuer")]
    pub(crate) client_id: Option<String>,
    /// The variable of the environment that has its secret
    #[arg(long, value_name = "NAME", requires = "client_id")]
    pub(crate) client_secret_env: Option<String>,
    /// The authorization server at which it was registered
    #[arg(long, value_name = "URL")]
    pub(crate) issuer: Option<String>,
    /// The URL of the client's metadata document
    #[arg(long, value_name = "URL")]
    pub(crate) client_metadata: Option<String>,
    /// A scope to ask for
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Logout {
    /// URL or name of the server
    #[arg(value_name = "TARGET")]
    pub(crate) target: Target,
    /// Looks up names in this file only
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("it must be `key=value`".to_owned()),
    }
}

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err("it must be `Name: value`".to_owned()),
    }
}

/// The text of an error without what is for a terminal only.
pub(crate) fn plain(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    text.split("\n\nFor more information")
        .next()
        .unwrap_or(text)
        .trim()
        .to_owned()
}

/// Puts a program that stands behind `--` into the place of TARGET, which is behind the name of the
/// command.
pub(crate) fn with_program(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = arguments.into_iter().collect();
    let Some(end) = arguments.iter().position(|it| it == "--") else {
        return arguments;
    };
    let words = arguments.split_off(end).split_off(1);
    let is_option = |it: &OsString| it.to_string_lossy().starts_with('-');
    let command = (1..arguments.len()).find(|index| !is_option(&arguments[*index]));
    if let Some(index) = command {
        let words = words.iter().map(|it| it.to_string_lossy().into_owned());
        arguments.insert(index + 1, Target::program(words).into());
    }
    arguments
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
        let arguments = with_program(words.map(OsString::from));
        let arguments = Arguments::try_parse_from(arguments).unwrap();
        let Command::Call(call) = arguments.command else {
            panic!("{arguments:?}");
        };
        let words = ["npx", "-y", "a b"].map(str::to_owned).to_vec();
        assert_eq!(call.connection.target, Target::Program(words));
        assert_eq!(call.tool, "add");
        assert_eq!(call.arguments, ["a=1"]);
    }
}
