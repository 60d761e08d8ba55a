//! The command `cargo mcp`, which is `mcp` under another name.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Cargo passes the name of the subcommand as the first argument.
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|it| it == "mcp") {
        arguments.remove(1);
    }
    mcp_cli::run(arguments)
}
