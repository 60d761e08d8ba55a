//! `cargo xtask check`: runs the checks that find most mistakes. They take a minute or two once
//! everything is built. `.ci/run` runs all checks.

use anyhow::Result;
use std::path::Path;
use std::time::Instant;

use crate::{process, size, tidy};

const CARGO: [&str; 3] = [
    "fmt --all --check",
    "clippy --workspace --all-targets --all-features --quiet -- -D warnings",
    "test --workspace --all-features --lib --quiet",
];

/// Checks the workspace at `root`. The fastest checks run first.
///
/// # Errors
///
/// When a check fails. The remaining checks are not run.
pub(crate) fn run(root: &Path) -> Result<String> {
    step("cargo xtask tidy", || tidy::run(root).map(drop))?;
    step("cargo xtask size", || size::run(root).map(drop))?;
    for arguments in CARGO {
        let mut cargo = process::cargo(root, arguments);
        step(&format!("cargo {arguments}"), || process::run(&mut cargo))?;
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
