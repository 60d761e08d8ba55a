//! Measures the check of an access token against the bare verification of its signature.

use std::io::{Error, Result};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// The duration of each check, in nanoseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct TokenCheck {
    /// Only the verification of the signature.
    pub(super) bare: f64,
    /// The first check of a token.
    pub(super) first: f64,
    /// A later check of the same token.
    pub(super) again: f64,
}

/// Builds and runs the program `bench-auth`.
pub(super) fn measure(root: &Path) -> Result<TokenCheck> {
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--release", "--package", "bench-auth"])
        .current_dir(root.join("benches"))
        .output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(Error::other(format!("bench-auth failed: {text}")));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
