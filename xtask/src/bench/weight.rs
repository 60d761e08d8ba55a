//! What a small server weighs: crates, time to build, size.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The same smallest server of one tool over stdio, on two SDKs.
pub(super) const SMALLEST: [(&str, &str); 2] =
    [("mcp-runtime", "least-mcp-runtime"), ("rmcp", "least-rmcp")];

/// The figures of one package.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) crates: usize,
    /// A release build from nothing, in seconds.
    pub(super) clean: f64,
    /// A debug build after a change in the server, in seconds.
    pub(super) incremental: f64,
    /// The stripped release program, in KiB.
    pub(super) size: u64,
}

/// Weighs a package of the measurements' workspace.
pub(super) fn weigh(root: &Path, package: &str) -> Result<Weight, Box<dyn Error>> {
    let folder = root.join("benches");
    let target = root.join("target/bench").join(package);
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    let build = |profile: &[&str]| -> Result<f64, Box<dyn Error>> {
        let begun = Instant::now();
        let status = Command::new("cargo")
            .args(["build", "--quiet", "--package", package])
            .args(profile)
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", &target)
            .status()?;
        match status.success() {
            true => Ok(begun.elapsed().as_secs_f64()),
            false => Err(format!("{package} does not build").into()),
        }
    };
    let clean = build(&["--release"])?;
    build(&[])?;
    let source = folder.join("least").join(package).join("src/main.rs");
    let text = fs::read_to_string(&source)?;
    fs::write(&source, format!("{text}\n"))?;
    let incremental = build(&[]);
    fs::write(&source, text)?;
    let stripped = target.join("stripped");
    let status = Command::new("strip")
        .arg(target.join("release").join(package))
        .arg("-o")
        .arg(&stripped)
        .status()?;
    if !status.success() {
        return Err("strip failed".into());
    }
    Ok(Weight {
        crates: crates(&folder, package)?,
        clean,
        incremental: incremental?,
        size: fs::metadata(&stripped)?.len() / 1024,
    })
}

/// How many crates the package is linked from, itself not counted.
fn crates(folder: &Path, package: &str) -> Result<usize, Box<dyn Error>> {
    let output = Command::new("cargo")
        .args([
            "tree",
            "-e",
            "normal",
            "--prefix",
            "none",
            "--package",
            package,
        ])
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut names: Vec<_> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    Ok(names.len().saturating_sub(1))
}
