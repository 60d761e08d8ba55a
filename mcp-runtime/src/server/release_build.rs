//! The build profile: release.

/// True in debug builds, which log mistakes that cost time to find.
pub(super) const DEBUG: bool = false;
