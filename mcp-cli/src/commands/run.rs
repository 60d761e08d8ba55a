//! From the name of a command to its function.

use std::io;

use clap::CommandFactory;

use super::{bindgen, call, inspect, listen, login, prompt, read, servers};
use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::session::Opened;

/// Runs a command.
///
/// # Errors
///
/// Why it did not succeed.
pub(crate) async fn run(arguments: Arguments, opened: &Opened) -> Result<(), Failure> {
    let global = arguments.global;
    match arguments.command {
        Command::Servers(command) => servers::run(command, &global).await,
        Command::Inspect(command) => inspect::run(command, &global, opened).await,
        Command::Bindgen(command) => bindgen::run(command, &global, opened).await,
        Command::Call(command) => call::run(command, &global, opened).await,
        Command::Read(command) => read::run(command, &global, opened).await,
        Command::Prompt(command) => prompt::run(command, &global, opened).await,
        Command::Listen(command) => listen::run(command, &global, opened).await,
        Command::Login(command) => login::log_in(command, &global, opened).await,
        Command::Logout(command) => login::log_out(command, &global).await,
        Command::Completions { shell } => {
            // It panics where it can't write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "mcp", &mut script);
            Ok(io::Write::write_all(&mut io::stdout(), &script)?)
        }
    }
}
