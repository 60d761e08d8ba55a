//! From the name of a command to its function.

use clap::CommandFactory;

use super::{call, inspect, listen, login, prompt, read, servers};
use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::session::Context;

/// Runs a command.
///
/// # Errors
///
/// Why it did not succeed.
pub(crate) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Servers(it) => servers::run(it, &context.output).await,
        Command::Inspect(it) => inspect::run(it, context).await,
        Command::Call(it) => call::run(it, context).await,
        Command::Read(it) => read::run(it, context).await,
        Command::Prompt(it) => prompt::run(it, context).await,
        Command::Listen(it) => listen::run(it, context).await,
        Command::Login(it) => login::log_in(it, context).await,
        Command::Logout(it) => login::log_out(&it, &context.output).await,
        Command::Completions { shell } => {
            // It panics where it can't write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "mcp", &mut script);
            context.output.bytes(&script)
        }
    }
}
