//! POST: one message or batch, and its answer.

use http::request::Parts;
use http::{Response, StatusCode};
use http_body::Body;
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{Frame, InvalidMessage, Message};
use mcp_types::{Era, Side};

use super::arrival::Arrival;
use super::exchange::{Begun, Post, error};
use super::{handshake, header_validation, stateless};
use crate::error::Rejection;
use crate::protocol::{NamedRevision, RequestParams, era_of_request, method_info};
use crate::transport::http::headers;
use crate::transport::http::server::body::{self, ResponseBody};
use crate::transport::http::server::state::{ConnectionInfo, HttpState};
use crate::transport::http::session::HttpSession;

/// Serves a POST request.
///
/// # Errors
///
/// When HTTP itself refuses it.
pub(in crate::transport::http) async fn serve<B: Body>(
    state: &HttpState,
    parts: Box<Parts>,
    body: B,
    connection: &ConnectionInfo,
) -> Result<Response<ResponseBody>, Rejection> {
    if !headers::is_json(&parts.headers) {
        return Err(Rejection::ContentType);
    }
    if !headers::accepts(&parts.headers, headers::JSON)
        || !headers::accepts(&parts.headers, headers::EVENT_STREAM)
    {
        return Err(Rejection::Accept);
    }
    let named = header_validation::named_revision(&parts.headers);
    // Check the session before reading the body, to not spend memory on unknown callers.
    let session = match named.era() {
        Era::Handshake => state.session(&parts).await?,
        Era::Stateless => None,
    };
    let caller = session.clone();
    let peer_addr = connection.peer_addr;
    let arrival = Arrival { parts, peer_addr };
    let limit = state.options.max_body_bytes;
    let begun = {
        let failed = caller.as_deref().and_then(HttpSession::failing);
        let (bytes, _permit) = body::read(body, limit, state, &arrival, failed).await?;
        state.room(&connection.unread).await?;
        let post = Post {
            state,
            session,
            arrival,
            connection,
            named,
            params: None,
        };
        begin(post, &bytes).await?
    };
    let mut response = match begun {
        Begun::Done(response) => response,
        Begun::Later(later) => later.response(state).await,
    };
    if let Some(session) = caller {
        // It counts while the state is stored as well.
        response.body_mut().count(&connection.unread);
        state.keep_state(&session).await?;
    }
    Ok(response)
}

async fn begin<'a>(mut post: Post<'a>, bytes: &'a [u8]) -> Result<Begun, Rejection> {
    let frame = match Frame::parse_with_max_depth(bytes, post.state.options.limits.max_depth) {
        Ok(frame) => frame,
        Err(invalid) => {
            let response = refuse(post.named.era(), &invalid);
            return Ok(Begun::Done(response));
        }
    };
    if let Frame::Single(Message::Request { params, .. }) = &frame {
        post.params = Some(RequestParams::read(*params));
    }
    match era(&post, &frame) {
        Era::Stateless => Ok(stateless::begin(post, frame)),
        Era::Handshake => handshake::begin(post, frame).await,
    }
}

/// The era of what was posted. An unknown revision in the header counts for nothing in a session.
fn era(post: &Post<'_>, frame: &Frame<'_>) -> Era {
    let Frame::Single(Message::Request { method, .. }) = frame else {
        return post.named.era();
    };
    let sent = &post.arrival.parts.headers;
    let named = match post.named {
        NamedRevision::Unknown if sent.contains_key(&headers::SESSION_ID) => NamedRevision::Absent,
        named => named,
    };
    let params = post.params.as_ref().and_then(|read| read.as_ref().ok());
    era_of_request(method, method_info(method, Side::Client), params, named)
}

/// Answers a message that can't be served.
fn refuse(era: Era, invalid: &InvalidMessage) -> Response<ResponseBody> {
    tracing::debug!(%invalid, "a message was refused");
    let id = match (&invalid.id, era) {
        (Some(id), _) => ErrorId::Of(id),
        (None, Era::Handshake) => ErrorId::Null,
        (None, Era::Stateless) => ErrorId::Absent,
    };
    error(id, &invalid.error, StatusCode::BAD_REQUEST)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::server::Server;
    use crate::transport::http::HttpOptions;

    fn era_of(headers: &[(&'static str, &'static str)], body: &str) -> Era {
        let mut request = http::Request::new(());
        for (name, value) in headers {
            let value = HeaderValue::from_static(value);
            request.headers_mut().insert(*name, value);
        }
        let (parts, ()) = request.into_parts();
        let frame = Frame::parse(body.as_bytes()).unwrap();
        let Frame::Single(Message::Request { params, .. }) = &frame else {
            unreachable!()
        };
        let state = HttpState::new(Server::builder().build(), HttpOptions::default(), true);
        let post = Post {
            named: header_validation::named_revision(&parts.headers),
            arrival: Arrival {
                parts: Box::new(parts),
                peer_addr: None,
            },
            connection: &ConnectionInfo {
                peer_addr: None,
                unread: state.unread(1),
                negotiated: None,
            },
            state: &state,
            session: None,
            params: Some(RequestParams::read(*params)),
        };
        era(&post, &frame)
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
            assert_eq!(era_of(headers, body), expected, "{headers:?} {body}");
        }
    }
}
