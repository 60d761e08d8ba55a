//! Compares mcp-runtime with other SDKs. `cargo xtask bench` runs this program, and
//! `benches/README.md` explains how to read the results.

mod auth;
mod bars;
mod command;
mod counts;
mod figures;
mod guard;
mod http;
mod loads;
mod message;
mod once;
mod plan;
mod port;
mod process;
mod report;
mod series;
mod servers;
mod stdio;
mod timing;
mod weight;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).unwrap_or(package);
    match command::run(root, &command::Options::parse()) {
        Ok(text) => {
            println!("{}", text.trim_end());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
