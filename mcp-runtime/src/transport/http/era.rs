//! Which era a request belongs to: decided here, once, and carried from here on.

use http::header::HeaderMap;
use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{Era, InitializeRequest, Request, Revision};

use super::header_validation::{Repeated, only};
use super::headers;
use crate::protocol::{RequestParams, is_stateless_only};

/// What the header `MCP-Protocol-Version` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// There is none, as before 2025-06-18.
    Nothing,
    Known(Revision),
    Unknown,
}

impl Named {
    /// The revision, if it is known.
    pub(super) fn known(self) -> Option<Revision> {
        match self {
            Self::Known(revision) => Some(revision),
            Self::Nothing | Self::Unknown => None,
        }
    }

    pub(super) fn by(headers: &HeaderMap) -> Self {
        let value = match only(headers, &headers::PROTOCOL_VERSION) {
            Ok(Some(value)) => value,
            Ok(None) => return Self::Nothing,
            Err(Repeated) => return Self::Unknown,
        };
        let revision = value
            .to_str()
            .ok()
            .and_then(|text| text.trim().parse().ok());
        revision.map_or(Self::Unknown, Self::Known)
    }
}

/// The era of a request whose body could not be read.
pub(super) fn by_header(named: Named) -> Era {
    match named {
        Named::Known(revision) => revision.era(),
        Named::Nothing | Named::Unknown => Era::Handshake,
    }
}

/// The era of a message: a stateless header or stateless `_meta` make it stateless, and so does a
/// version that nobody knows, unless the message can only belong to a session.
///
/// A `_meta` that can't be read says nothing of the era; either era refuses it.
pub(super) fn of(headers: &HeaderMap, named: Named, frame: &Frame<'_>) -> Era {
    let era = by_header(named);
    let Frame::Single(Message::Request { method, params, .. }) = frame else {
        return era;
    };
    if era == Era::Stateless || is_stateless_only(method) {
        return Era::Stateless;
    }
    let is_stateless = RequestParams::read(*params).is_ok_and(|params| params.is_stateless());
    let in_session = headers.contains_key(&headers::SESSION_ID);
    let unknown = named == Named::Unknown && !in_session && method != InitializeRequest::METHOD;
    if is_stateless || unknown {
        Era::Stateless
    } else {
        Era::Handshake
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn era(headers: &[(&'static str, &'static str)], body: &str) -> Era {
        let headers = headers.iter().map(|(name, value)| {
            let name = http::HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        let headers = HeaderMap::from_iter(headers);
        let frame = Frame::parse(body.as_bytes()).unwrap();
        of(&headers, Named::by(&headers), &frame)
    }

    const VERSION: &str = "mcp-protocol-version";

    #[test]
    fn the_header_or_the_body_make_a_request_stateless() {
        let plain = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let with_meta = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;
        let session = ("mcp-session-id", "x");
        for (headers, body, expected) in [
            (&[][..], plain, Era::Handshake),
            (&[session], plain, Era::Handshake),
            (&[(VERSION, "2025-06-18")], plain, Era::Handshake),
            (&[(VERSION, "2026-07-28")], plain, Era::Stateless),
            (&[(VERSION, "2026-07-28")], initialize, Era::Stateless),
            (&[(VERSION, "v999")], plain, Era::Stateless),
            (&[(VERSION, "v999"), session], plain, Era::Handshake),
            (&[(VERSION, "v999")], initialize, Era::Handshake),
            (&[], with_meta, Era::Stateless),
            (&[(VERSION, "2025-06-18")], with_meta, Era::Stateless),
            (&[], discover, Era::Stateless),
        ] {
            assert_eq!(era(headers, body), expected, "{headers:?} {body}");
        }
    }
}
