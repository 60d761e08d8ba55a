//! Authentication of clients by HTTP Basic.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;

/// The value of `Authorization` for a client's identifier and secret, each of which is form-encoded
/// before (RFC 6749 §2.3.1).
pub(crate) fn basic(id: &str, secret: &str) -> HeaderValue {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = BASE64_STANDARD.encode(format!("{}:{}", encode(id), encode(secret)));
    // Base64 has no character that a header may not have.
    let value = HeaderValue::try_from(format!("Basic {pair}"));
    let mut value = value.unwrap_or_else(|_| HeaderValue::from_static("Basic"));
    value.set_sensitive(true);
    value
}
