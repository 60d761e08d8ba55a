//! Replacement without the feature for patterns, which the runtime checks.

/// The fault of a pattern; always `None`, as nothing checks it here.
pub(crate) fn fault(_: &str) -> Option<String> {
    None
}
