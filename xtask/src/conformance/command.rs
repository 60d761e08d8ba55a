//! `cargo xtask conformance`.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Result, ensure};

use super::program;
use super::side::Side;
use super::suite::Suite;

/// Which side to test; both unless said.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Test one side only.
    side: Option<Side>,
}

/// The revisions that the suite knows.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Runs every scenario of every revision that needs no authorization. Returns the totals.
///
/// # Errors
///
/// The totals again, where a check failed; or what kept the suite from running.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String> {
    let suite = Suite::install(&root.join("target/conformance"))?;
    program::build(root)?;
    let both = vec![Side::Server, Side::Client];
    let mut report = String::new();
    let mut is_clean = true;
    for side in options.side.map_or(both, |side| vec![side]) {
        for revision in REVISIONS {
            if let Some(totals) = side.run(root, &suite, revision)? {
                is_clean &= totals.failed.is_empty();
                write!(report, "{} {revision}: {totals}", side.name())?;
            }
        }
    }
    ensure!(is_clean, "the suite found faults\n{report}");
    Ok(report)
}
