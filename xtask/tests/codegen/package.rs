//! Compiles and tests `mcp-types` with the generated code of a workspace.

use crate::workspace::{Workspace, copy, root};
use std::path::Path;
use std::process::Command;

const WORKSPACE: &str = r#"
    [workspace]
    resolver = "3"
    members = ["mcp-types"]
"#;

const MANIFEST: &str = r#"
    [package]
    name = "mcp-runtime-types"
    version = "0.0.0"
    edition = "2024"
    [lib]
    name = "mcp_types"
    test = false
    doctest = false
    [dependencies]
    serde = { version = "1", features = ["derive"] }
    serde_json = { version = "1", features = ["raw_value"] }
    base64 = "0.23"
    indexmap = { version = "2", default-features = false, features = ["serde", "std"] }
    memchr = "2"
"#;

/// Adds the hand-written code, and the test program `tests`, to the generated code.
pub(crate) fn complete(workspace: &Workspace, tests: &str) {
    let package = workspace.path().join("mcp-types");
    for entry in std::fs::read_dir(root().join("mcp-types/src")).unwrap() {
        let entry = entry.unwrap();
        let target = package.join("src").join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == "generated" => {}
            true => copy(&entry.path(), &target),
            false => {
                std::fs::create_dir_all(package.join("src")).unwrap();
                std::fs::copy(entry.path(), target).unwrap();
            }
        }
    }
    let write = |file: &str, text: &str| std::fs::write(workspace.path().join(file), text).unwrap();
    write("Cargo.toml", WORKSPACE);
    write("mcp-types/Cargo.toml", MANIFEST);
    std::fs::create_dir_all(package.join("tests")).unwrap();
    write("mcp-types/tests/use.rs", tests);
    for file in ["Cargo.lock", "mcp-types/README.md"] {
        std::fs::copy(root().join(file), workspace.path().join(file)).unwrap();
    }
}

pub(crate) fn test(workspace: &Workspace) {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "test",
        "--quiet",
        "--package",
        "mcp-runtime-types",
        "--test",
        "use",
    ]);
    command.current_dir(workspace.path()).envs(variables());
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stderr),
        text(&output.stdout)
    );
}

/// Returns the environment of cargo: offline, and with a common target folder for all tests.
pub(crate) fn variables() -> [(&'static str, String); 4] {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-types");
    [
        ("CARGO_NET_OFFLINE", "true".to_owned()),
        ("CARGO_TARGET_DIR", target.display().to_string()),
        ("CARGO_INCREMENTAL", "0".to_owned()),
        ("CARGO_PROFILE_DEV_DEBUG", "0".to_owned()),
    ]
}
