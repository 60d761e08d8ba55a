//! `cargo xtask conformance`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::checks::Totals;
use super::program::{self, CLIENT, Server, built};
use super::requirements::Outcome;
use super::suite::Suite;

/// Options of `cargo xtask conformance`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Test only one side.
    side: Option<Side>,
    /// Test the server inside of a layer that does nothing.
    #[arg(long)]
    layer: bool,
    /// Use the existing programs without building them.
    #[arg(long)]
    built: bool,
    /// Run only the frozen sets of required scenarios, which determine the tiers of SDKs.
    #[arg(long, conflicts_with = "layer")]
    requirements: bool,
}

/// The revisions that the suite knows.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Revisions for which the scenarios of the authorization extensions run.
const WITH_EXTENSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// The revision for which the scenarios of tasks run.
const WITH_TASKS: &str = "2026-07-28";

/// Runs all scenarios of all revisions, of tasks, and of the authorization extensions. Returns the totals.
///
/// # Errors
///
/// When a check fails, with the totals, or when the suite can't be run.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String> {
    let suite = Suite::install(&root.join("target/conformance"))?;
    if !options.built {
        program::build(root)?;
    }
    let both = vec![Side::Server, Side::Client];
    let sides = options.side.map_or(both, |side| vec![side]);
    if options.requirements {
        return run_requirements(root, &suite, &sides);
    }
    let mut report = String::new();
    let mut is_clean = true;
    for side in sides {
        for revision in REVISIONS {
            let totals = side.run(root, &suite, revision, options.layer)?;
            is_clean &= totals.failed.is_empty();
            write!(report, "{} {revision}: {totals}", side.name())?;
        }
    }
    ensure!(is_clean, "the suite found faults\n{report}");
    Ok(report)
}

/// Runs the frozen sets of required scenarios for each of `sides`.
fn run_requirements(root: &Path, suite: &Suite, sides: &[Side]) -> Result<String> {
    let mut report = String::new();
    let mut conforms = true;
    for revision in suite.requirements()? {
        for side in sides {
            let outcome = side.run_requirements(root, suite, &revision)?;
            conforms &= outcome.conforms();
            writeln!(report, "{} {revision}: {outcome}", side.name())?;
        }
    }
    ensure!(conforms, "required scenarios failed\n{report}");
    Ok(report)
}

/// The side that the suite tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    /// Test the example server.
    Server,
    /// Test the example client.
    Client,
}

impl Side {
    /// Runs the scenarios of one revision.
    ///
    /// # Errors
    ///
    /// When the suite can't be run. Failed checks are not an error.
    fn run(self, root: &Path, suite: &Suite, revision: &str, layer: bool) -> Result<Totals> {
        let folder = suite.results.join(self.name()).join(revision);
        empty(&folder)?;
        let mut totals = Totals::default();
        match self {
            Self::Server => {
                let server = Server::start(root, layer)?;
                suite.test_server(&server.url(), revision, &folder)?;
                // One of them, `tasks-status-notifications`, is always skipped.
                let tasks = (revision == WITH_TASKS).then(|| suite.tasks());
                for scenario in tasks.transpose()?.iter().flatten() {
                    suite.test_extension(&server.url(), scenario, &folder)?;
                }
            }
            Self::Client => {
                let mut scenarios = suite.client_scenarios(revision)?;
                if WITH_EXTENSIONS.contains(&revision) {
                    scenarios.extend(suite.authorization_extensions()?);
                }
                let program = built(root, CLIENT);
                for scenario in &scenarios {
                    let complaint = suite.test_client(&program, scenario, revision, &folder)?;
                    let named = |complaint| format!("{scenario}: {complaint}");
                    totals.failed.extend(complaint.map(named));
                }
            }
        }
        totals.read(&folder)?;
        if totals.scenarios == 0 {
            totals.failed.push("no scenario was run".to_owned());
        }
        Ok(totals)
    }

    /// Runs the required scenarios of one revision.
    ///
    /// # Errors
    ///
    /// When the suite can't be run. Failed scenarios are not an error.
    fn run_requirements(self, root: &Path, suite: &Suite, revision: &str) -> Result<Outcome> {
        let folder = suite.results.join("requirements").join(self.name());
        let folder = folder.join(revision);
        empty(&folder)?;
        let program = built(root, CLIENT);
        let program = program.to_string_lossy();
        let printed = match self {
            Self::Server => {
                let server = Server::start(root, false)?;
                let arguments = ["server", "--url", &server.url()];
                suite.test_requirements(&arguments, revision, &folder)?
            }
            Self::Client => {
                let arguments = ["client", "--command", &program];
                suite.test_requirements(&arguments, revision, &folder)?
            }
        };
        Ok(Outcome::read(&printed))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

/// Creates an empty folder for results.
fn empty(folder: &Path) -> Result<()> {
    let place = || folder.display().to_string();
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(place)?;
    }
    fs::create_dir_all(folder).with_context(place)
}
