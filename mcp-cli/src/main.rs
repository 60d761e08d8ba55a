//! The command `mcp`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_cli::run(std::env::args_os().collect())
}
