//! The weight of servers: crates, build time, and size.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::servers::Server;

/// The same minimal server with one tool over stdio, on two SDKs.
pub(super) const SMALLEST: [(&str, &str); 2] =
    [("mcp-runtime", "least-mcp-runtime"), ("rmcp", "least-rmcp")];

/// The description of the tool, which is changed to cause a new build.
const DESCRIBED: &str = "Adds two whole numbers";

/// How often the description is changed. The median of the builds is used.
const CHANGES: usize = 3;

/// The figures of one package.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) crates: usize,
    /// A release build from scratch, in seconds.
    pub(super) clean: f64,
    /// A debug build from scratch, in seconds.
    pub(super) debug: f64,
    /// A debug build after a change in the tool, in seconds.
    pub(super) incremental: f64,
    /// The stripped release program, in KiB.
    pub(super) size: f64,
}

/// Measures a package in the workspace of the measurements.
pub(super) fn weigh(root: &Path, package: &str) -> Result<Weight> {
    let folder = root.join("benches");
    let target = root.join("target/bench").join(package);
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let builds = Builds {
        folder: &folder,
        target: &target,
        package,
    };
    let weight = Weight {
        clean: builds.time(&["--release"])?,
        debug: builds.time(&[])?,
        incremental: builds.after_changes()?,
        crates: crates(&folder, package, &[])?,
        size: stripped(&target.join("release").join(package), &target)?,
    };
    fs::remove_dir_all(&target)?;
    Ok(weight)
}

struct Builds<'a> {
    folder: &'a Path,
    target: &'a Path,
    package: &'a str,
}

impl Builds<'_> {
    /// Builds the package, and returns the time in seconds.
    fn time(&self, profile: &[&str]) -> Result<f64> {
        let begun = Instant::now();
        let status = Command::new("cargo")
            .args(["build", "--quiet", "--package", self.package])
            .args(profile)
            .current_dir(self.folder)
            .env("CARGO_TARGET_DIR", self.target)
            .status()?;
        if status.success() {
            Ok(begun.elapsed().as_secs_f64())
        } else {
            Err(Error::other(format!("{} does not build", self.package)))
        }
    }

    fn after_changes(&self) -> Result<f64> {
        let source = self.folder.join("least").join(self.package);
        let source = source.join("src/main.rs");
        let text = fs::read_to_string(&source)?;
        let change = |number| {
            let changed = text.replace(DESCRIBED, &format!("{DESCRIBED}, {number}"));
            fs::write(&source, changed)?;
            self.time(&[])
        };
        let times: Result<Vec<_>> = (0..CHANGES).map(change).collect();
        fs::write(&source, &text)?;
        Ok(crate::series::median(times?).unwrap_or_default())
    }
}

/// Counts the crates of a measured server.
pub(super) fn crates_of(root: &Path, server: &Server) -> Result<f64> {
    let (folder, package, options) = server.package(root);
    Ok(crates(&folder, package, options)? as f64)
}

/// Returns the size of a measured server's stripped program in KiB.
pub(super) fn size_of(root: &Path, server: &Server) -> Result<f64> {
    stripped(&server.program(root), &root.join("target/bench"))
}

/// Returns the size of a program without its symbols in KiB.
fn stripped(program: &Path, folder: &Path) -> Result<f64> {
    fs::create_dir_all(folder)?;
    let stripped = folder.join("stripped");
    let status = Command::new("strip")
        .arg(program)
        .arg("-o")
        .arg(&stripped)
        .status()?;
    if !status.success() {
        return Err(Error::other("strip failed"));
    }
    let bytes = fs::metadata(&stripped)?.len();
    fs::remove_file(&stripped)?;
    Ok(bytes as f64 / 1024.0)
}

/// Counts the crates that a package is linked from, without the package itself.
fn crates(folder: &Path, package: &str, options: &[&str]) -> Result<usize> {
    let output = Command::new("cargo")
        .args(["tree", "-e", "normal", "--prefix", "none"])
        .args(["--package", package])
        .args(options)
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8(output.stdout).map_err(Error::other)?;
    let mut names: Vec<_> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    Ok(names.len().saturating_sub(1))
}
