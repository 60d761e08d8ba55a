//! Measures how long a server takes to compile, compared with the same server on `rmcp`.
//!
//! `cargo run -p bench-compile -- [tools] [rounds] [folder]` writes both servers into separate
//! folders and builds them in turns, in debug and in release: once with all dependencies, then
//! only the server, then after a change to one tool. For each step it prints two medians: elapsed
//! seconds, and CPU seconds, which depend less on other programs.

mod measure;
mod project;
mod report;
mod tools;

use std::path::PathBuf;

use project::Framework;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| match arguments.next() {
        Some(text) => text.parse().expect("a number"),
        None => default,
    };
    let tools = number(50);
    let rounds = number(5);
    let folder = arguments.next().map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("mcp-bench-compile"));
    let ours = project::write(Framework::Ours, &folder, tools)?;
    let rmcp = project::write(Framework::Rmcp, &folder, tools)?;
    for profile in measure::PROFILES {
        report::print(
            profile,
            &measure::alternate(&[&ours, &rmcp], profile, rounds)?,
        );
    }
    Ok(())
}
