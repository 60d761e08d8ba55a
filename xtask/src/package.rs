//! `cargo xtask package`: builds the packages from what a registry would get, and compares
//! their `rust-version` with the versions that their dependencies need.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    rust_version: Option<String>,
    /// The registries to which the package may be published; empty for packages that are not published.
    publish: Option<Vec<String>>,
}

/// Packages all published packages of the workspace at `root`, and builds each from its package.
///
/// # Errors
///
/// A package that does not build, or that promises an older Rust than its dependencies need.
pub(crate) fn run(root: &Path) -> Result<String> {
    let metadata = cargo(root, &["metadata", "--format-version", "1", "--locked"])?;
    let metadata: Metadata = serde_json::from_str(&metadata).context("cargo metadata")?;
    let (published, unpublished): (Vec<_>, Vec<_>) = metadata
        .packages
        .iter()
        .filter(|package| metadata.workspace_members.contains(&package.id))
        .partition(|package| package.publish.is_none());
    let mut faults = Vec::new();
    for package in &published {
        let arguments = ["tree", "--locked", "--all-features", "--target", "all"];
        let edges = ["--edges", "normal,build", "--prefix", "none"];
        let only = ["--format", "{p}", "--package", &package.name];
        let tree = cargo(root, &[&arguments[..], &edges, &only].concat())?;
        faults.extend(too_old(package, &tree, &metadata.packages)?);
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));

    forget_unpacked(&published)?;
    let mut command = Command::new(env!("CARGO"));
    command.args(["package", "--workspace", "--locked", "--quiet"]);
    // Packages are built in their own folders. There, the `rustc` of rustup would look for a `rust-toolchain.toml`.
    command.env("RUSTC", Path::new(env!("CARGO")).with_file_name("rustc"));
    for package in unpublished {
        command.args(["--exclude", &package.name]);
    }
    let status = command.current_dir(root).status().context("cargo")?;
    ensure!(status.success(), "a package can't be built: see above");
    let names: Vec<_> = published.iter().map(|package| &*package.name).collect();
    Ok(format!("Built from their packages: {}\n", names.join(", ")))
}

/// Removes what cargo unpacked of `packages` before. It would use that again, because their versions are the same.
/// For the same reason it keeps what it built of them, so only an empty target folder gives a certain result.
fn forget_unpacked(packages: &[&Package]) -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sources = home.context("cargo has no home")?.join("registry/src");
    for registry in fs::read_dir(sources).into_iter().flatten().flatten() {
        for Package { name, version, .. } in packages {
            let folder = registry.path().join(format!("{name}-{version}"));
            if folder.exists() {
                fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
            }
        }
    }
    Ok(())
}

/// Dependencies that need a newer Rust than `package` promises. `tree` has a line `NAME vVERSION` for each.
fn too_old(package: &Package, tree: &str, all: &[Package]) -> Result<Vec<String>> {
    let name = &package.name;
    let promised = package.rust_version.as_deref();
    let promised = promised.with_context(|| format!("{name}: it has no `rust-version`"))?;
    let needed: HashMap<_, _> = all
        .iter()
        .filter_map(|it| Some(((&*it.name, &*it.version), it.rust_version.as_deref()?)))
        .collect();
    let mut faults: Vec<_> = tree
        .lines()
        .filter_map(|line| {
            let (dependency, rest) = line.split_once(" v")?;
            let version = rest.split(' ').next()?;
            let needed = needed.get(&(dependency, version))?;
            (numbers(needed) > numbers(promised)).then(|| {
                format!("{name}: `rust-version` is {promised}, but {dependency} {version} needs {needed}")
            })
        })
        .collect();
    faults.sort();
    faults.dedup();
    Ok(faults)
}

/// The numbers of a version such as `1.88` or `1.88.0`.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(env!("CARGO"));
    let output = command.args(arguments).current_dir(root).output();
    let output = output.context("cargo")?;
    ensure!(
        output.status.success(),
        "cargo {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::{Package, too_old};

    fn package(name: &str, rust_version: &str) -> Package {
        Package {
            id: name.to_owned(),
            name: name.to_owned(),
            version: "1.2.0".to_owned(),
            rust_version: Some(rust_version.to_owned()),
            publish: None,
        }
    }

    #[test]
    fn a_package_needs_at_least_the_rust_of_its_dependencies() {
        let ours = package("ours", "1.88");
        let all = [
            package("old", "1.9.1"),
            package("same", "1.88.0"),
            package("new", "1.89"),
        ];
        let tree = "ours v1.0.0 (/ours)\nold v1.2.0\nsame v1.2.0 (*)\nnew v1.2.0\nnew v1.2.0\n";
        let faults = too_old(&ours, tree, &all).unwrap();
        assert_eq!(
            faults,
            ["ours: `rust-version` is 1.88, but new 1.2.0 needs 1.89"]
        );
    }
}
