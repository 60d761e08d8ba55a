//! The command `mcp`: lists, inspects and calls servers of the Model Context Protocol.
//!
//! ```sh
//! mcp inspect https://example.com/mcp
//! mcp call 'npx -y @modelcontextprotocol/server-everything' get-sum a=2 b=3
//! ```
//!
//! The crate is a program; [`run`] is all of it.

mod arguments;
mod commands;
mod content;
mod failure;
mod json;
mod login;
mod output;
mod questions;
mod schema;
mod server;
mod session;
mod signature;
mod snapshot;
mod target;
mod tool_arguments;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use tokio::signal::ctrl_c;

use arguments::{Arguments, Command};
use failure::{Failure, Kind};
use session::Opened;

/// Runs the command with the arguments of a process, the first of which is the name of the program.
///
/// Data goes to standard output, all else to standard error. The exit code is 0 on success, 1 for
/// an unexpected error, 2 for wrong usage, 3 if a login is needed, 4 if the server can't be reached
/// or is no MCP server, 5 if the tool failed or the server refused, 6 for differences, and 130 if
/// the user cancelled.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = arguments::with_program(arguments);
    let wants_json = arguments.iter().any(|it| it == "--json");
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if wants_json && error.use_stderr() => {
            return Failure::usage(arguments::plain(&error)).report(true);
        }
        // Help and version as well.
        Err(error) => error.exit(),
    };
    let json = arguments.global.json;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(until_interrupted(arguments));
            // A question may still wait on a thread.
            runtime.shutdown_background();
            result
        }
        Err(error) => Err(Failure::new(Kind::Unexpected, error.to_string())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}

/// Runs the command until it is done or the user presses Ctrl-C. Then the request is cancelled, and
/// the connection closed; a second Ctrl-C ends that at once.
async fn until_interrupted(arguments: Arguments) -> Result<(), Failure> {
    let opened = Opened::default();
    // Its end.
    let is_endless = matches!(arguments.command, Command::Listen(_));
    let result = tokio::select! {
        result = commands::run(arguments, &opened) => result,
        _ = ctrl_c(), if !is_endless => Err(Failure::new(Kind::Cancelled, "cancelled".to_owned())),
    };
    tokio::select! {
        () = opened.close() => {}
        _ = ctrl_c() => {}
    }
    result
}
