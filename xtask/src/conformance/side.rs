//! The two sides that the suite tests.

use std::fmt;
use std::fs;
use std::path::Path;

use super::checks::Totals;
use super::error::Error;
use super::program::{self, Server};
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
    /// Runs the scenarios of each revision.
    ///
    /// # Errors
    ///
    /// When the suite can't be run; not when checks fail.
    pub(super) fn run<'a>(
        self,
        root: &Path,
        suite: &Suite,
        revisions: &[&'a str],
    ) -> Result<Vec<(&'a str, Totals)>, Error> {
        let results = suite.results.join(self.to_string());
        if results.exists() {
            fs::remove_dir_all(&results).map_err(Error::file(&results))?;
        }
        let mut all = Vec::new();
        for revision in revisions {
            let folder = results.join(revision);
            fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
            let mut totals = Totals::default();
            match self {
                Self::Server => {
                    let server = Server::start(root)?;
                    suite.test_server(&server.url(), revision, &folder)?;
                }
                Self::Client => {
                    let scenarios = suite.client_scenarios(revision)?;
                    let ours = |name: &String| !name.starts_with(AUTHORIZATION);
                    let scenarios: Vec<_> = scenarios.into_iter().filter(ours).collect();
                    if scenarios.is_empty() {
                        continue;
                    }
                    let program = program::client(root);
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
            all.push((*revision, totals));
        }
        Ok(all)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Server => "server",
            Self::Client => "client",
        })
    }
}
