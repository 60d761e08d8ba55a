//! Cost of the check of an access token, beside the bare verification of its signature.

use std::io::{Error, Result};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// Nanoseconds of each check.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct TokenCheck {
    /// The signature by itself.
    pub(super) bare: f64,
    /// A token that was not seen before.
    pub(super) first: f64,
    /// A token that was.
    pub(super) again: f64,
}

/// Builds the program that measures, and runs it.
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
