//! Crates outside the workspace that use generated modules.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate below `target` that depends on the runtime.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates an empty crate. All such crates and `.ci/bindings/run` share their compiled
    /// dependencies.
    pub(crate) fn new(name: &str, edition: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(folder.join("src"));
        fs::create_dir_all(folder.join("src")).unwrap();
        let runtime = root.join("mcp-runtime");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\
             [workspace]\n[dependencies]\n\
             mcp-runtime = {{ path = {runtime:?}, default-features = false, features = [\"client\", \"stdio\"] }}\n\
             serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n\
             tokio = {{ version = \"1\", features = [\"io-util\", \"macros\", \"rt\"] }}\n\
             chrono = {{ version = \"0.4\", default-features = false, features = [\"serde\", \"std\"] }}\n\
             url = {{ version = \"2\", features = [\"serde\"] }}\n\
             uuid = {{ version = \"1\", default-features = false, features = [\"serde\", \"std\"] }}\n\
             [profile.dev]\ndebug = false\n[profile.dev.package]\nmcp-runtime.opt-level = 1\n\
             mcp-runtime-types.opt-level = 1\nserde_json.opt-level = 1\ntokio.opt-level = 1\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        fs::write(folder.join("src/lib.rs"), "").unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs cargo with warnings as errors, and returns the targets that failed to compile. Errors
    /// are printed to standard error.
    pub(crate) fn failed(&self, arguments: &[&str]) -> BTreeSet<String> {
        let output = Command::new(env!("CARGO"))
            .arg(arguments[0])
            .arg("--offline")
            .args(&arguments[1..])
            .current_dir(&self.0)
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("bindings"),
            )
            .env("RUSTFLAGS", "-D warnings")
            .env("RUSTDOCFLAGS", "-D warnings")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        eprintln!("{text}");
        let lines = text
            .lines()
            .filter(|line| line.starts_with("error: could not "));
        // Such a line is: error: could not compile `crate` (bin "name") due to …
        let names = lines.filter_map(|line| line.split('"').nth(1).or(line.split('`').nth(1)));
        let names: BTreeSet<_> = names.map(str::to_owned).collect();
        let is_known = output.status.success() || !names.is_empty();
        assert!(is_known, "cargo failed otherwise");
        names
    }
}
