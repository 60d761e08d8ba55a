//! `cargo xtask package`: compiles the packages from what a registry would get, with only the features that
//! they request, and compares their `rust-version` with the versions that their dependencies need.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use itertools::Itertools;

use crate::process::{self, Package, cargo};

/// The packages that are compiled together. The first is the library alone. The second is the program with all
/// other packages, most of which it depends on. The macros are named because `syn` then gets the same features as in other
/// builds, and is not compiled again.
const TOGETHER: [&str; 2] = [
    "-p mcp-runtime",
    "-p mcp-runtime-cli -p mcp-runtime-macros -p mcp-stores",
];

/// Packages all published packages of the workspace at `root`, and compiles them from their packages.
///
/// # Errors
///
/// A package that does not compile, or that promises an older Rust than its dependencies need.
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

    let mut command = cargo(root, "package --workspace --no-verify --locked --quiet");
    for package in unpublished {
        command.args(["--exclude", &package.name]);
    }
    process::run(&mut command)?;
    check(root, &published)?;
    let names = published.iter().map(|package| &package.name);
    Ok(format!(
        "Compiled from their packages: {}\n",
        names.format(", ")
    ))
}

/// Unpacks `packages` into a workspace of their own, and checks that they compile there without warnings.
///
/// `cargo package` would build each package alone, which takes several times as long. It would also use its
/// builds of an earlier run again, because a version of a package never changes.
fn check(root: &Path, packages: &[&Package]) -> Result<()> {
    let target = root.join("target");
    let folder = target.join("package/unpacked");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir(&folder)?;
    // Dependencies are compiled as in the workspace at `root`, so what was compiled there is used again.
    let mut manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n\
                        [profile.dev]\ndebug = false\n\n[patch.crates-io]\n"
        .to_owned();
    for Package { name, version, .. } in packages {
        let unpacked = format!("{name}-{version}");
        manifest += &format!("{name} = {{ path = \"{unpacked}\" }}\n");
        let archive = folder.with_file_name(unpacked + ".crate");
        let mut tar = Command::new("tar");
        process::run(tar.arg("-xzf").arg(archive).arg("-C").arg(&folder))?;
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    TOGETHER.iter().try_for_each(|packages| {
        let clippy = format!("clippy --quiet {packages} --target-dir");
        let mut command = cargo(&folder, &clippy);
        process::run(command.arg(&target).args(["--", "-D", "warnings"]))
    })
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
