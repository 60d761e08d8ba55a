//! The steps in order.

use super::error::Error;
use super::print::{Module, print};
use super::support::Support;
use crate::codegen;
use std::path::Path;

/// The file for `revision`, made from the workspace at `root`.
pub(crate) fn run(root: &Path, revision: &str) -> Result<String, Error> {
    let mut generated = Vec::new();
    for file in codegen::single(root, revision)? {
        generated.push(Module::parse(&file.path, &file.text)?);
    }
    let support = Support::read(root, &generated)?;
    print(revision, &generated, &support)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;

    const MANIFEST: &str = r#"
[package]
name = "bindings"
edition = "2024"

[dependencies]
serde = { version = "1", features = ["derive"] }
serde_json = { version = "1", features = ["raw_value"] }
indexmap = { version = "2", features = ["serde"] }
memchr = "2"

[workspace]
"#;

    /// Uses what every revision has.
    const USE: &str = r#"
        let text = r#"{"inputSchema":{"type":"object"},"name":"add"}"HASH;
        let tool: REVISION::Tool = serde_json::from_str(text).unwrap();
        assert_eq!(tool.name, "add");
        assert_eq!(serde_json::to_string(&tool).unwrap(), text);
        let level: REVISION::LoggingLevel = serde_json::from_str("\"debug\"").unwrap();
        assert_eq!(level, REVISION::LoggingLevel::Debug);
        assert_eq!(REVISION::methods::TOOLS_CALL, "tools/call");
"#;

    #[test]
    fn each_revision_compiles_alone_and_works() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let package = tempfile::tempdir().unwrap();
        let source = package.path().join("src");
        fs::create_dir(&source).unwrap();
        let mut main = "#![deny(warnings)]\n".to_owned();
        let mut body = String::new();
        for entry in fs::read_dir(root.join("schema")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(revision) = name.strip_suffix(".json") else {
                continue;
            };
            let module = format!("v{}", revision.replace('-', "_"));
            let text = run(root, revision).unwrap();
            fs::write(source.join(format!("{module}.rs")), text).unwrap();
            main.push_str(&format!("mod {module};\n"));
            body.push_str(&USE.replace("REVISION", &module).replace("HASH", "#"));
        }
        main.push_str(&format!("fn main() {{\n{body}}}\n"));
        fs::write(source.join("main.rs"), main).unwrap();
        fs::write(package.path().join("Cargo.toml"), MANIFEST).unwrap();
        fs::copy(root.join("Cargo.lock"), package.path().join("Cargo.lock")).unwrap();

        let output = Command::new(env!("CARGO"))
            .args(["run", "--offline", "--quiet"])
            .current_dir(package.path())
            .env("CARGO_TARGET_DIR", root.join("target/bindings"))
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{messages}");
    }

    #[test]
    fn an_unknown_revision_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let error = run(root, "1999-01-01").unwrap_err().to_string();
        assert!(error.starts_with("`1999-01-01` is no stored revision; stored are: 2024-11-05, "));
    }
}
