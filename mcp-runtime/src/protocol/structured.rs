//! What structured content may be.

use mcp_types::Revision;

/// Whether `revision` lets only an object be structured content (2025-11-25, "Tools"); later ones
/// take any JSON.
pub(crate) fn structured_content_is_object(revision: Revision) -> bool {
    revision < Revision::V2026_07_28
}
