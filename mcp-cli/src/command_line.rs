//! The commands, and how the words of the command line are read.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use mcp_runtime::nearest::nearest;

use crate::arguments::{At, Connection};
use crate::commands::bindgen::Bindgen;
use crate::commands::call::Call;
use crate::commands::inspect::Inspect;
use crate::commands::install::{Install, Uninstall};
use crate::commands::listen::Listen;
use crate::commands::prompt::Prompt;
use crate::commands::proxy;
use crate::commands::read::Read;
use crate::commands::replay::Replay;
use crate::commands::servers::Servers;
use crate::login::LoginSettings;
use crate::server::{joined, own_path};

/// Lists, inspects and calls servers of the Model Context Protocol.
///
/// TARGET is the name of a configured server (see `mcp servers`), a URL, or a command in quotes.
/// Instead of TARGET, a program can follow at the end: `-- PROGRAM ARGUMENT…`.
///
/// `mcp help agents` explains the command to agents.
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
    /// Connects to a server step by step, and shows where it fails
    Doctor(Connection),
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
    Proxy(proxy::Arguments),
    /// Adds a server to the configuration file of a client
    Install(Install),
    /// Removes a server from the configuration file of a client
    Uninstall(Uninstall),
    /// Serves over stdio what `--record` has recorded
    Replay(Replay),
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

/// Moves a program after `--` to the place of TARGET, which is after the name of the command. For
/// `mcp install`, the word `proxy` begins a program as well: this one.
pub(crate) fn with_program(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let command = arguments.iter().skip(1).position(|it| is_word(&it));
    let installs = command.is_some_and(|index| arguments[index + 1] == "install");
    let begins = |it: &OsString| it == "--" || installs && it == "proxy";
    let Some(end) = arguments.iter().position(begins) else {
        return arguments;
    };
    let mut words = arguments.split_off(end);
    match words[0] == "--" {
        true => drop(words.remove(0)),
        false => words.insert(0, own_path().into()),
    }
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
