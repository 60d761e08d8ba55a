//! Headers of MCP, as servers and clients use them.

use http::header::HeaderName;

pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) static PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) static METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) static NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(super) static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) const JSON: &str = "application/json";
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// Encloses a value that is not plain ASCII (2026-07-28, "Streamable HTTP", section "Value
/// Encoding").
pub(super) const BASE64_PREFIX: &str = "=?base64?";
pub(super) const BASE64_SUFFIX: &str = "?=";

/// Whether a header's value is of `media_type`, whatever its parameters.
pub(super) fn is_media_type(value: &[u8], media_type: &str) -> bool {
    essence(value).eq_ignore_ascii_case(media_type.as_bytes())
}

/// A media type without its parameters (RFC 9110, section 8.3.1).
pub(super) fn essence(value: &[u8]) -> &[u8] {
    let essence = value.split(|byte| *byte == b';').next();
    essence.unwrap_or_default().trim_ascii()
}
