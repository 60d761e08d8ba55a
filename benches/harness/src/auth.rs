//! The cost of checking an access token, compared with only verifying its signature.

use std::io::{Error, Result};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// The nanoseconds of each check.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct TokenCheck {
    /// Only the signature.
    pub(super) bare: f64,
    /// A token that has not been seen before.
    pub(super) first: f64,
    /// A token that has been seen before.
    pub(super) again: f64,
}

/// Builds and runs the program that measures.
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
