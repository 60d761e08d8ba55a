//! `cargo xtask conformance`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::checks::{SKILLS, Totals};
use super::program::{self, CLIENT, COMMAND, SERVER, Server, built};
use super::requirements::outcome;
use super::suite::Suite;

/// Options of `cargo xtask conformance`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Test only one side.
    side: Option<Side>,
    /// Test the server inside of a layer that does nothing.
    #[arg(long)]
    layer: bool,
    /// Test the server behind `mcp proxy`, which connects to it in this era. Warnings are also faults.
    #[arg(long, value_name = "ERA", value_parser = ["handshake", "stateless"], requires = "side")]
    proxy: Option<String>,
    /// Use the existing programs without building them.
    #[arg(long)]
    built: bool,
    /// Run only the frozen sets of required scenarios, which determine the tiers of SDKs.
    #[arg(long, conflicts_with_all = ["layer", "proxy"])]
    requirements: bool,
}

/// The revisions that the suite knows.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Revisions for which the scenarios of skills and of the authorization extensions run.
const WITH_EXTENSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// The revision for which the scenarios of tasks run.
const WITH_TASKS: &str = "2026-07-28";

/// The server closes a stream in this scenario, and a proxy does not close the client's stream with it.
const NOT_THROUGH_PROXIES: &str = "server-server-sse-polling:";

/// Runs all scenarios of all revisions, of tasks, of skills, and of the authorization extensions. Returns the
/// totals.
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
    let mut revisions = if options.requirements {
        suite.requirements()?
    } else {
        REVISIONS.map(str::to_owned).to_vec()
    };
    if options.proxy.as_deref() == Some("handshake") {
        revisions.retain(|it| it != WITH_TASKS);
    }
    let mut report = String::new();
    let mut is_clean = true;
    for side in sides {
        for revision in &revisions {
            let (passed, text) = if options.requirements {
                side.run_requirements(root, &suite, revision)?
            } else {
                let totals = side.run(root, &suite, revision, options)?;
                let is_silent = options.proxy.is_none() || totals.warned.is_empty();
                (totals.failed.is_empty() && is_silent, totals.to_string())
            };
            is_clean &= passed;
            writeln!(report, "{} {revision}: {}", side.name(), text.trim_end())?;
        }
    }
    ensure!(is_clean, "the suite found faults\n{report}");
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
    fn run(self, root: &Path, suite: &Suite, revision: &str, options: &Options) -> Result<Totals> {
        let name = options.proxy.as_deref().unwrap_or(self.name());
        let folder = results(suite, &[name, revision])?;
        let mut totals = Totals::default();
        match self {
            Self::Server => {
                test_server(root, suite, revision, options, &folder)?;
            }
            Self::Client => {
                let of_revision = ["--client", "--spec-version", revision];
                let mut scenarios = suite.scenarios(&of_revision, |_, extends| !extends)?;
                if WITH_EXTENSIONS.contains(&revision) {
                    let is_tested = |name: &str, extends| {
                        extends && (name.starts_with("auth/") || name.starts_with(SKILLS))
                    };
                    scenarios.extend(suite.scenarios(&["--client"], is_tested)?);
                }
                let program = built(root, CLIENT);
                let program = program.to_string_lossy();
                for scenario in &scenarios {
                    let complaint = suite.test_client(&program, scenario, revision, &folder)?;
                    let named = |complaint| format!("{scenario}: {complaint}");
                    totals.failed.extend(complaint.map(named));
                }
            }
        }
        totals.read(&folder)?;
        if options.proxy.is_some() {
            let is_fault = |fault: &String| !fault.starts_with(NOT_THROUGH_PROXIES);
            totals.failed.retain(is_fault);
            totals.warned.retain(is_fault);
        }
        if totals.scenarios == 0 {
            totals.failed.push("no scenario was run".to_owned());
        }
        Ok(totals)
    }

    /// Runs the required scenarios of one revision. Returns true if all passed, and a description of the results.
    ///
    /// # Errors
    ///
    /// When the suite can't be run. Failed scenarios are not an error.
    fn run_requirements(
        self,
        root: &Path,
        suite: &Suite,
        revision: &str,
    ) -> Result<(bool, String)> {
        let folder = results(suite, &["requirements", self.name(), revision])?;
        let required = ["--requirements", revision];
        let printed = match self {
            Self::Server => {
                let server = Server::start(root, SERVER, &[], &[])?;
                let test = ["server", "--url", &server.url()];
                suite.test(&[&test[..], &required].concat(), &folder)?
            }
            Self::Client => {
                let program = built(root, CLIENT);
                let test = ["client", "--command", &program.to_string_lossy()];
                suite.test(&[&test[..], &required].concat(), &folder)?
            }
        };
        Ok(outcome(&printed))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

/// Runs the scenarios of one revision against the server, with results in `folder`.
///
/// # Errors
///
/// When the suite can't be run. Failed checks are not an error.
fn test_server(
    root: &Path,
    suite: &Suite,
    revision: &str,
    options: &Options,
    folder: &Path,
) -> Result<()> {
    let (server, _behind) = start(root, options, None)?;
    let url = server.url();
    let all = ["--suite", "all", "--spec-version", revision];
    suite.test(&[&["server", "--url", &url][..], &all].concat(), folder)?;
    if revision == WITH_TASKS {
        // One of them, `tasks-status-notifications`, is always skipped.
        let is_of_tasks = |name: &str, extends| extends && name.starts_with("tasks-");
        for scenario in suite.scenarios(&["--server"], is_of_tasks)? {
            suite.test(&["server", "--url", &url, "--scenario", &scenario], folder)?;
        }
    }
    if WITH_EXTENSIONS.contains(&revision) {
        // Other scenarios look only at the first page of a list.
        let (server, _behind) = start(root, options, Some("--pages"))?;
        let url = server.url();
        let test = [
            "server",
            "--url",
            &url,
            "--force",
            "--spec-version",
            revision,
        ];
        let is_of_skills = |name: &str, extends| extends && name.starts_with(SKILLS);
        for scenario in suite.scenarios(&["--server"], is_of_skills)? {
            suite.test(&[&test[..], &["--scenario", &scenario]].concat(), folder)?;
        }
    }
    Ok(())
}

/// Starts the server, with the proxy in front of it if there is one. Returns first what the suite tests, and second
/// the server behind the proxy.
///
/// # Errors
///
/// When a program does not start.
fn start(root: &Path, options: &Options, option: Option<&str>) -> Result<(Server, Option<Server>)> {
    let layer = options.layer.then_some("--layer");
    let settings: Vec<_> = layer.into_iter().chain(option).collect();
    let server = Server::start(root, SERVER, &[], &settings)?;
    let Some(era) = &options.proxy else {
        return Ok((server, None));
    };
    let arguments = ["proxy", "--era", era, "--http"];
    let proxy = Server::start(root, COMMAND, &arguments, &[&server.url()])?;
    Ok((proxy, Some(server)))
}

/// Creates an empty folder for results.
fn results(suite: &Suite, path: &[&str]) -> Result<PathBuf> {
    let folder = suite.results.join(path.join("/"));
    let place = || folder.display().to_string();
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(place)?;
    }
    fs::create_dir_all(&folder).with_context(place)?;
    Ok(folder)
}
