//! Tests that the file printed by `cargo xtask bindings` compiles on its own in both editions, and
//! decodes and encodes all messages of its revision.

#![allow(clippy::unwrap_used)]

mod messages;
#[allow(dead_code, reason = "shared with the tests of the generator")]
#[path = "../codegen/package.rs"]
mod package;
#[allow(dead_code, reason = "shared with the tests of the generator")]
#[path = "../codegen/workspace.rs"]
mod workspace;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use workspace::root;

/// Maximum lines of the file for the newest revision.
const MAX_LINES: usize = 9_000;

/// The manifest of a package whose modules are bindings.
const MANIFEST: &str = r#"
[package]
name = "bindings-EDITION"
edition = "EDITION"

[dependencies]
serde = { version = "1", features = ["derive"] }
serde_json = { version = "1", features = ["raw_value"] }
indexmap = { version = "2", default-features = false, features = ["serde", "std"] }

[workspace]
"#;

fn xtask(arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr))
    }
}

fn bindings() -> BTreeMap<String, String> {
    let files = std::fs::read_dir(root().join("schema")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .map(|revision| {
            let text = xtask(&["bindings", &revision]).unwrap();
            (revision, text)
        })
        .collect()
}

fn written(folder: &Path, edition: &str, bindings: &BTreeMap<String, String>) -> PathBuf {
    let package = folder.join(edition);
    std::fs::create_dir_all(package.join("src")).unwrap();
    let mut library = "#![deny(warnings)]\n".to_owned();
    for (revision, text) in bindings {
        let module = module(revision);
        writeln!(library, "pub mod {module};").unwrap();
        // Without these lints, the compiler reports support code that no other code uses.
        let text = text.replace("dead_code, unused_imports, ", "");
        std::fs::write(package.join(format!("src/{module}.rs")), text).unwrap();
    }
    std::fs::write(package.join("src/lib.rs"), library).unwrap();
    let manifest = MANIFEST.replace("EDITION", edition);
    std::fs::write(package.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    package
}

fn module(revision: &str) -> String {
    format!("v{}", revision.replace('-', "_"))
}

fn cargo(package: &Path, task: &str) {
    let output = Command::new(env!("CARGO"))
        .args([task, "--quiet"])
        .current_dir(package)
        .envs(package::variables())
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {messages}", package.display());
}

#[test]
fn each_revision_compiles_alone_and_reads_and_writes_its_messages() {
    let folder = tempfile::tempdir().unwrap();
    let bindings = bindings();
    cargo(&written(folder.path(), "2021", &bindings), "check");
    let package = written(folder.path(), "2024", &bindings);
    let main = messages::program(&bindings, module);
    std::fs::write(package.join("src/main.rs"), main).unwrap();
    cargo(&package, "run");
}

#[test]
fn the_file_is_one_that_a_person_can_keep() {
    let text = xtask(&["bindings", "2026-07-28"]).unwrap();
    let lines = text.lines().count();
    assert!(lines <= MAX_LINES, "{lines} lines");
    for part in [
        "mcp_types",
        "Conform",
        "fn with_title",
        "non_exhaustive",
        "Revisions:",
    ] {
        assert!(!text.contains(part), "{part}");
    }
}

#[test]
fn an_unknown_revision_is_named() {
    let error = xtask(&["bindings", "1999-01-01"]).unwrap_err();
    let expected = "`1999-01-01` is not a stored revision; stored are: 2024-11-05, ";
    assert!(error.contains(expected), "{error}");
}
