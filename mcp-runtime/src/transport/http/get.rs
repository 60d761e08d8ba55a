//! GET and DELETE, which only sessions have.

use std::sync::Arc;

use http::request::Parts;
use http::{Response, StatusCode};
use mcp_types::Era;

use super::event_stream::EventStream;
use super::events::EventId;
use super::handshake::{check_version, unavailable};
use super::server::body::ResponseBody;
use super::server::response;
use super::server::response::Rejection;
use super::server::service::HttpState;
use super::server::unread::Unread;
use super::session::HttpSession;
use super::stream::Stream;
use super::{header_validation, headers};

/// Opens the stream of a session, or goes on with one that broke off.
///
/// # Errors
///
/// When there is no session, or nothing to go on with.
pub(super) async fn listen(
    state: &HttpState,
    parts: &Parts,
    unread: &Unread,
) -> Result<Response<ResponseBody>, Rejection> {
    let session = session(state, parts).await?;
    if !header_validation::accepts(&parts.headers, headers::EVENT_STREAM) {
        return Err(Rejection::Accept);
    }
    state.room(unread).await?;
    let pace = state.options.pace();
    let last = header_validation::only(&parts.headers, &headers::LAST_EVENT_ID);
    let events = match last.map_err(|_| Rejection::EventId)? {
        None => {
            let events = EventStream::new(Arc::clone(session.standalone()), None, pace);
            if session
                .negotiated()
                .is_some_and(|negotiated| negotiated.primes_streams())
            {
                events.primed()
            } else {
                events
            }
        }
        Some(id) => {
            let id = id.to_str().ok().and_then(EventId::parse);
            let id = id.ok_or(Rejection::EventId)?;
            let stream = session.stream(id.stream).unwrap_or_else(|| finished(id));
            let ticket = stream.attach();
            let missed = match session.log() {
                Some(log) => log.replay(id).await.map_err(unavailable)?,
                None => Vec::new(),
            };
            EventStream::resumed(stream, ticket, id, &missed, pace)
        }
    };
    Ok(response::events(events.holding(session)))
}

/// Ends a session.
///
/// # Errors
///
/// When there is none.
pub(super) async fn delete(
    state: &HttpState,
    parts: &Parts,
) -> Result<Response<ResponseBody>, Rejection> {
    let session = session(state, parts).await?;
    state.end_session(&session).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

async fn session(state: &HttpState, parts: &Parts) -> Result<Arc<HttpSession>, Rejection> {
    let named = header_validation::named_revision(&parts.headers);
    if !state.options.sessions || named.era() == Era::Stateless {
        return Err(Rejection::Method("POST"));
    }
    check_version(state, named)?;
    state.session(parts).await?.ok_or(Rejection::SessionMissing)
}

/// A stream whose request was answered: all that is left of it is in the log.
fn finished(id: EventId) -> Arc<Stream> {
    let stream = Stream::new(id.stream, None);
    stream.end();
    Arc::new(stream)
}
