//! `http` in builds without the feature `http-server`: an error of the compiler that names it.

/// Type of [`http`] in builds without the feature `http-server`, which is no function.
#[derive(Debug)]
pub struct NeedsFeatureHttpServer(());

/// Streamable HTTP is served by builds with the feature `http-server`. This one is without:
///
/// ```toml
/// mcp-runtime = { version = "…", features = ["http-server"] }
/// ```
#[allow(
    non_upper_case_globals,
    reason = "the feature has a function of this name"
)]
pub const http: NeedsFeatureHttpServer = NeedsFeatureHttpServer(());
