//! The two sides that the suite tests.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::checks::Totals;
use super::program::{CLIENT, Server, built};
use super::suite::Suite;

/// The side that the suite tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Side {
    /// The server of the examples.
    Server,
    /// The client of the examples.
    Client,
}

/// Scenarios about authorization, which is not served yet.
const AUTHORIZATION: &str = "auth/";

impl Side {
    /// Runs the scenarios of one revision; `None` if it has none.
    ///
    /// # Errors
    ///
    /// When the suite can't be run; not when checks fail.
    pub(super) fn run(self, root: &Path, suite: &Suite, revision: &str) -> Result<Option<Totals>> {
        let folder = suite.results.join(self.name()).join(revision);
        let place = || folder.display().to_string();
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(place)?;
        }
        fs::create_dir_all(&folder).with_context(place)?;
        let mut totals = Totals::default();
        match self {
            Self::Server => {
                let server = Server::start(root)?;
                suite.test_server(&server.url(), revision, &folder)?;
            }
            Self::Client => {
                let mut scenarios = suite.client_scenarios(revision)?;
                scenarios.retain(|name| !name.starts_with(AUTHORIZATION));
                if scenarios.is_empty() {
                    return Ok(None);
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
        Ok(Some(totals))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}
