//! `cargo xtask conformance`.

use std::path::Path;

use super::checks::Totals;
use super::error::Error;
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
pub(crate) fn run(root: &Path, options: &Options) -> Result<String, Error> {
    let suite = Suite::install(&root.join("target/conformance"))?;
    program::build(root)?;
    let sides = match options.side {
        Some(side) => vec![side],
        None => vec![Side::Server, Side::Client],
    };
    let mut text = String::new();
    let mut failed = 0;
    for side in sides {
        for (revision, totals) in side.run(root, &suite, &REVISIONS)? {
            text.push_str(&report(side, revision, &totals));
            failed += totals.failed.len();
        }
    }
    if failed > 0 {
        return Err(Error::Failed(text));
    }
    Ok(text)
}

fn report(side: Side, revision: &str, totals: &Totals) -> String {
    let mut text = format!(
        "{side} {revision}: {} scenarios, {} checks passed, {} failed, {} warnings, {} skipped\n",
        totals.scenarios,
        totals.passed,
        totals.failed.len(),
        totals.warned.len(),
        totals.skipped,
    );
    for failure in &totals.failed {
        text.push_str(&format!("  failed: {failure}\n"));
    }
    for warning in &totals.warned {
        text.push_str(&format!("  warned: {warning}\n"));
    }
    text
}
