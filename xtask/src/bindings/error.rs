//! Errors of printing bindings.

use std::path::PathBuf;

/// Failure of `cargo xtask bindings`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The generator failed.
    #[error(transparent)]
    Codegen(#[from] crate::codegen::Error),
    /// A file of `mcp-types` could not be read.
    #[error("{}: {source}", file.display())]
    Io {
        file: PathBuf,
        source: std::io::Error,
    },
    /// A file of `mcp-types`, or what was made of it, is not Rust.
    #[error("{place}: {source}")]
    Syntax { place: String, source: syn::Error },
}
