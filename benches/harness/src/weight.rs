//! Measures the number of crates, the build time, and the size of servers.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::servers::Server;

/// The packages with the smallest server of one tool over stdio, for two SDKs.
pub(super) const SMALLEST: [(&str, &str); 2] =
    [("mcp-runtime", "least-mcp-runtime"), ("rmcp", "least-rmcp")];

/// The description of the tool. Each measured build replaces it with another text.
const DESCRIBED: &str = "Adds two whole numbers";

/// How often the description is changed. The median is reported.
const CHANGES: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) crates: usize,
    /// Seconds of a release build without earlier output.
    pub(super) clean: f64,
    /// Seconds of a debug build without earlier output.
    pub(super) debug: f64,
    /// Seconds of a debug build after a change to the tool.
    pub(super) incremental: f64,
    /// The size of the stripped release program, in KiB.
    pub(super) size: f64,
}

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
    /// Builds the package, and returns the elapsed seconds.
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

/// Returns the number of crates that a compared server depends on.
pub(super) fn crates_of(root: &Path, server: &Server) -> Result<f64> {
    let (folder, package, options) = server.package(root);
    Ok(crates(&folder, package, options)? as f64)
}

/// Returns the stripped size of a compared server, in KiB.
pub(super) fn size_of(root: &Path, server: &Server) -> Result<f64> {
    stripped(&server.program(root), &root.join("target/bench"))
}

/// Returns the size of a program without symbols, in KiB.
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

/// Counts the crates that are linked into the package, except the package itself.
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
