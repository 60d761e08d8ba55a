//! `cargo xtask package`: builds the packages from what a registry would get, and compares
//! their `rust-version` with the versions that their dependencies need.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use itertools::Itertools;

use crate::process::{self, Package, cargo};

/// Packages all published packages of the workspace at `root`, and builds each from its package.
///
/// # Errors
///
/// A package that does not build, or that promises an older Rust than its dependencies need.
pub(crate) fn run(root: &Path) -> Result<String> {
    let packages = process::packages(root, "")?;
    let ours = packages.iter().filter(|it| it.source.is_none());
    let (published, unpublished): (Vec<_>, Vec<_>) = ours.partition(|it| it.publish.is_none());
    let mut faults = Vec::new();
    for package in &published {
        let tree = "tree --locked --all-features --target all --edges normal,build \
                    --prefix none --format {p} --package";
        let tree = process::output(cargo(root, tree).arg(&package.name))?;
        faults.extend(too_old(package, &tree, &packages)?);
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));

    forget_unpacked(&published)?;
    let mut command = cargo(root, "package --workspace --locked --quiet");
    for package in unpublished {
        command.args(["--exclude", &package.name]);
    }
    process::run(&mut command)?;
    let names = published.iter().map(|package| &package.name);
    Ok(format!(
        "Built from their packages: {}\n",
        names.format(", ")
    ))
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
    let faults = tree.lines().filter_map(|line| {
        let (dependency, rest) = line.split_once(" v")?;
        let version = rest.split(' ').next()?;
        let needed = needed.get(&(dependency, version))?;
        (numbers(needed) > numbers(promised)).then(|| {
            format!(
                "{name}: `rust-version` is {promised}, but {dependency} {version} needs {needed}"
            )
        })
    });
    Ok(faults.sorted().dedup().collect())
}

/// The numbers of a version such as `1.88` or `1.88.0`.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::{Package, too_old};

    fn package(name: &str, rust_version: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.2.0".to_owned(),
            rust_version: Some(rust_version.to_owned()),
            ..Package::default()
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
