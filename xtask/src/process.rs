//! Runs cargo and other programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use itertools::Itertools;
use serde::Deserialize;

/// Returns the command that runs cargo in `folder`, with arguments that are separated by spaces.
pub(crate) fn cargo(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments.split(' ')).current_dir(folder);
    // Packages are built in their own folders. There, the `rustc` of rustup would look for a `rust-toolchain.toml`.
    command.env("RUSTC", Path::new(env!("CARGO")).with_file_name("rustc"));
    command
}

/// Runs a program that must succeed, and shows its output to the user.
///
/// # Errors
///
/// When the program can't be started, or fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| name(command))?;
    ensure!(status.success(), "`{}` failed: {status}", name(command));
    Ok(())
}

/// Runs a program that must succeed, and returns its output.
///
/// # Errors
///
/// When the program can't be started, or fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| name(command))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`{}` failed: {errors}",
        name(command)
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the command without the folder of the program.
fn name(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name();
    let words = program.into_iter().chain(command.get_args());
    words.map(|it| it.to_string_lossy()).join(" ")
}

/// A package that `cargo metadata` describes.
#[derive(Default, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) rust_version: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    /// The registry that the package comes from, or `None` for a package of the workspace.
    pub(crate) source: Option<String>,
    /// The registries to which the package may be published; empty for packages that are not published.
    pub(crate) publish: Option<Vec<String>>,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    /// The folder of a dependency in the workspace.
    pub(crate) path: Option<PathBuf>,
    pub(crate) kind: Option<String>,
}

/// Returns the packages of the workspace at `root`, and all packages that they depend on unless `options`
/// has `--no-deps`.
///
/// # Errors
///
/// When cargo fails.
pub(crate) fn packages(root: &Path, options: &str) -> Result<Vec<Package>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let mut command = cargo(root, "metadata --format-version 1 --locked");
    let printed = output(command.args(options.split_whitespace()))?;
    let metadata: Metadata = serde_json::from_str(&printed).context("cargo metadata")?;
    Ok(metadata.packages)
}
