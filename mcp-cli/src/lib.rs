//! The command `mcp`: lists, inspects and calls servers of the Model Context Protocol.
//!
//! ```sh
//! mcp inspect https://example.com/mcp
//! mcp call 'npx -y @modelcontextprotocol/server-everything' get-sum a=2 b=3
//! ```
//!
//! The crate is a program, and [`run`] is its only function.

mod arguments;
mod certificates;
mod command_line;
mod commands;
mod completion;
mod content;
mod example;
mod failure;
mod fields;
mod form;
mod limits;
mod login;
mod output;
mod pasted_redirect;
mod progress;
mod prompts;
mod questions;
mod remedies;
mod schema;
mod screen;
mod server;
mod session;
#[cfg_attr(unix, path = "unix_signals.rs")]
#[cfg_attr(not(unix), path = "ctrl_c.rs")]
mod signals;
mod snapshot;
mod tool_arguments;
mod trust;
mod visible;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use command_line::{Arguments, Command};
use commands::{
    bindgen, call, doctor, inspect, install, listen, prompt, proxy, read, replay, servers,
};
use failure::{Failure, Kind};
use output::Output;
use session::Context;
use signals::Signals;

/// Runs the command with the arguments of a process, starting with the name of the program.
///
/// Data goes to standard output, and everything else to standard error. The exit code is 0 on
/// success, 1 for an unexpected error, 2 for wrong usage, 3 if a login is needed, 4 if the server
/// can't be reached or is not an MCP server, 5 if the tool failed or the server refused, 6 for
/// differences, and 130 if the user cancelled. SIGTERM, SIGHUP and SIGQUIT end the command like
/// Ctrl-C, with 143, 129 and 131.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    // Failures contain all that matters, and with `--json`, standard error contains nothing else.
    mcp_runtime::log::silence();
    if let Some(text) = completion::answer(&arguments).or_else(|| help(&arguments)) {
        let written = Output::new(false).bytes(text.as_bytes());
        return written.map_or_else(|it| it.report(false), |()| ExitCode::SUCCESS);
    }
    let arguments = command_line::with_program(arguments);
    let wants_json = arguments.iter().any(|it| it == "--json");
    let parsed = Arguments::try_parse_from(&arguments);
    let parsed = parsed.map_err(|error| command_line::advised(error, &arguments));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) if wants_json && error.use_stderr() => {
            return Failure::usage(command_line::plain(&error)).report(true);
        }
        // clap also returns help and version as errors.
        Err(error) => error.exit(),
    };
    match block_on(until_interrupted(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(wants_json),
    }
}

/// The page for agents, if that is what the arguments want.
fn help(arguments: &[OsString]) -> Option<String> {
    let is_wanted = arguments.get(1..3)? == ["help", "agents"];
    is_wanted.then(|| include_str!("../docs/agents.md").to_owned())
}

fn block_on(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build()?;
    let result = runtime.block_on(command);
    // A thread may still wait for the answer to a question.
    runtime.shutdown_background();
    result
}

/// Runs the command until it is done, or until a signal such as Ctrl-C interrupts it.
///
/// Then cancels the request, and closes the connection. A second signal skips this.
async fn until_interrupted(arguments: Arguments) -> Result<(), Failure> {
    let context = Context::new(arguments.json, arguments.verbose);
    if matches!(arguments.command, Command::Proxy(_)) {
        // The proxy handles signals itself, to answer its calls before it ends.
        return run_command(arguments.command, &context).await;
    }
    // Must come before the command starts a server, or an early signal would be lost.
    let mut signals = Signals::listen()?;
    let result = tokio::select! {
                // Some commands wait for Ctrl-C as their regular end, so they are polled first.
        biased;
        result = run_command(arguments.command, &context) => result,
        signal = signals.next() => Err(Failure::cancelled_by(signal)),
    };
    // The command may have ended because of the first signal, so wait for another one.
    signals = Signals::listen()?;
    let is_cancelled = result.as_ref().is_err_and(|it| it.kind == Kind::Cancelled);
    tokio::select! {
        () = context.close(is_cancelled) => result,
        _ = signals.next() => result,
    }
}

async fn run_command(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Servers(it) => servers::run(it, &context.output).await,
        Command::Doctor(it) => doctor::run(it, context).await,
        Command::Inspect(it) => inspect::run(it, context).await,
        Command::Bindgen(it) => bindgen::run(it, context).await,
        Command::Call(it) => call::run(it, context).await,
        Command::Read(it) => read::run(it, context).await,
        Command::Prompt(it) => prompt::run(it, context).await,
        Command::Listen(it) => listen::run(it, context).await,
        Command::Proxy(it) => proxy::run(it, context.verbose).await,
        Command::Install(it) => install::install(it, &context.output).await,
        Command::Uninstall(it) => install::uninstall(it, &context.output).await,
        Command::Login(it) => commands::login::log_in(it, context).await,
        Command::Logout(it) => commands::login::log_out(&it, &context.output).await,
        Command::Replay(it) => replay::run(&it).await,
        Command::Completions { shell } => context.output.bytes(&completion::script(shell)?),
    }
}
