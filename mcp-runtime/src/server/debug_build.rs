//! The build profile: debug.

/// True in debug builds, which log mistakes that cost time to find.
pub(super) const DEBUG: bool = true;
