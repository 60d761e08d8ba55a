//! The command `mcp`: lists, inspects and calls servers of the Model Context Protocol.
//!
//! ```sh
//! mcp inspect https://example.com/mcp
//! mcp call 'npx -y @modelcontextprotocol/server-everything' get-sum a=2 b=3
//! ```
//!
//! The crate is a program; [`run`] is all of it.

mod arguments;
mod certificates;
mod commands;
mod content;
mod failure;
mod form;
mod limits;
mod login;
mod output;
mod prompts;
mod questions;
mod remedies;
mod schema;
mod server;
mod session;
#[cfg_attr(unix, path = "unix_signals.rs")]
#[cfg_attr(not(unix), path = "ctrl_c.rs")]
mod signals;
mod signature;
mod snapshot;
mod tool_arguments;
mod trust;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command};
use commands::{bindgen, call, inspect, listen, prompt, read, servers};
use failure::{Failure, Kind};
use session::Context;
use signals::Signals;

/// Runs the command with the arguments of a process, the first of which is the name of the program.
///
/// Data goes to standard output, all else to standard error. The exit code is 0 on success, 1 for
/// an unexpected error, 2 for wrong usage, 3 if a login is needed, 4 if the server can't be reached
/// or is no MCP server, 5 if the tool failed or the server refused, 6 for differences, and 130 if
/// the user cancelled. SIGTERM, SIGHUP and SIGQUIT end it as Ctrl-C does, with 143, 129 and 131.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    // Failures have all that matters, and with `--json` nothing else is on standard error.
    mcp_runtime::log::silence();
    let arguments = arguments::with_program(arguments);
    let wants_json = arguments.iter().any(|it| it == "--json");
    let parsed = Arguments::try_parse_from(&arguments);
    let parsed = parsed.map_err(|error| arguments::advised(error, &arguments));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) if wants_json && error.use_stderr() => {
            return Failure::usage(arguments::plain(&error)).report(true);
        }
        // Help and version as well.
        Err(error) => error.exit(),
    };
    match block_on(until_interrupted(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(wants_json),
    }
}

fn block_on(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build()?;
    let result = runtime.block_on(command);
    // A question may still wait on a thread.
    runtime.shutdown_background();
    result
}

/// Runs the command until it is done, or a signal such as Ctrl-C ends it. Then the request is cancelled, and
/// the connection closed; a second signal ends that immediately.
async fn until_interrupted(arguments: Arguments) -> Result<(), Failure> {
    let context = Context::new(arguments.json, arguments.verbose);
    // Before the command starts a server.
    let mut signals = Signals::listen()?;
    let result = tokio::select! {
        // For some commands Ctrl-C is the end that they wait for.
        biased;
        result = run_command(arguments.command, &context) => result,
        signal = signals.next() => Err(Failure::cancelled_by(signal)),
    };
    // The command may have ended by the first signal.
    signals = Signals::listen()?;
    let is_cancelled = result.as_ref().is_err_and(|it| it.kind == Kind::Cancelled);
    tokio::select! {
        () = context.close(is_cancelled) => result,
        _ = signals.next() => result,
    }
}

/// Runs a command by its function.
///
/// # Errors
///
/// Why it did not succeed.
async fn run_command(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Servers(it) => servers::run(it, &context.output).await,
        Command::Inspect(it) => inspect::run(it, context).await,
        Command::Bindgen(it) => bindgen::run(it, context).await,
        Command::Call(it) => call::run(it, context).await,
        Command::Read(it) => read::run(it, context).await,
        Command::Prompt(it) => prompt::run(it, context).await,
        Command::Listen(it) => listen::run(it, context).await,
        Command::Login(it) => commands::login::log_in(it, context).await,
        Command::Logout(it) => commands::login::log_out(&it, &context.output).await,
        Command::Completions { shell } => {
            // It panics where it can't write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "mcp", &mut script);
            context.output.bytes(&script)
        }
    }
}
