//! `cargo xtask check`: runs the checks that find most mistakes. They take a minute or two once
//! everything is built. `.ci/run` runs all checks.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::{size, tidy};

const FMT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] = &[
    "clippy",
    "--workspace",
    "--all-targets",
    "--all-features",
    "--quiet",
    "--",
    "-D",
    "warnings",
];
const UNIT_TESTS: &[&str] = &["test", "--workspace", "--all-features", "--lib", "--quiet"];

/// Checks the workspace at `root`. The fastest checks run first.
///
/// # Errors
///
/// When a check fails. The remaining checks are not run.
pub(crate) fn run(root: &Path) -> Result<String> {
    step("cargo xtask tidy", || tidy::run(root).map(drop))?;
    step("cargo xtask size", || size::run(root).map(drop))?;
    for arguments in [FMT, CLIPPY, UNIT_TESTS] {
        let name = format!("cargo {}", arguments.join(" "));
        step(&name, || cargo(root, arguments))?;
    }
    Ok("All checks passed; `.ci/run` runs the others.\n".to_owned())
}

/// Runs one check, and prints its name and its time in seconds.
fn step(name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("==> {name}");
    let start = Instant::now();
    check()?;
    eprintln!("--- {} s", start.elapsed().as_secs());
    Ok(())
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(env!("CARGO"));
    let status = command.args(arguments).current_dir(root).status();
    let status = status.context("cargo can't be run")?;
    ensure!(status.success(), "`cargo {}` failed", arguments.join(" "));
    Ok(())
}
