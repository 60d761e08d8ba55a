//! The stateless era: each request stands by itself (2026-07-28, "Streamable HTTP").

use std::sync::{Arc, Mutex};

use http::{HeaderMap, StatusCode};
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{Frame, Message, RequestId};
use mcp_types::{CallToolRequest, RawJsonRef, Request as _};

use super::exchange::{Begun, Exchange, Later, Post};
use super::expiry::Expiry;
use super::header_validation;
use super::stream::Stream;
use crate::connection::{HandlerKind, Polled, Served, contain, poll_once};
use crate::error::RequestError;
use crate::protocol::{Admission, LastNegotiated, RequestParams};
use crate::server::IncomingRequest;
use crate::sync::lock;
use crate::transport::http::server::permits::Permit;
use crate::transport::http::server::response;
use crate::transport::http::server::state::HttpState;

pub(super) fn begin(post: Post<'_>, frame: Frame<'_>) -> Begun {
    let error = match frame {
        Frame::Single(Message::Request { id, method, params }) => {
            return request(post, &id, &method, params);
        }
        Frame::Single(Message::Notification { method, .. }) => {
            tracing::debug!(%method, "a notification was ignored");
            return Begun::Done(response::empty(StatusCode::ACCEPTED));
        }
        Frame::Single(Message::Response { .. } | Message::InvalidResponse { .. }) => {
            RequestError::StatelessResponse
        }
        Frame::Batch(_) => RequestError::NoBatches("this revision".into()),
    };
    tracing::debug!(%error, "a message was refused");
    Begun::refused(ErrorId::Absent, &error, StatusCode::BAD_REQUEST)
}

fn request(post: Post<'_>, id: &RequestId, method: &str, params: Option<RawJsonRef<'_>>) -> Begun {
    let state = post.state;
    let read = post.params.unwrap_or_else(|| RequestParams::read(params));
    let stream = Stream::new(0, None).counting(&post.connection.unread);
    let stream = Arc::new(stream);
    let exchange = Arc::new(Exchange::new(post.arrival, None, stream));
    let peer = Exchange::peer(&exchange);
    let call = IncomingRequest {
        id,
        method,
        params,
        peer: &peer,
        session: &state.stateless,
    };
    let mut admitted = false;
    let last = post.connection.negotiated.as_deref();
    let admit = || {
        let params = checked(state, method, read, &exchange.arrival.parts.headers)?;
        let admission = admit(state, method, params, last)?;
        admitted = true;
        Ok(admission)
    };
    let served = contain(|| match state.server.dispatch(call, admit) {
        Served::Later(handler) => Served::Later(state.unless_terminated(handler)),
        served => served,
    });
    let polled = poll_once(served, |kind| permit(state, kind, &exchange));
    let mut later = Later {
        exchange,
        work: None,
        is_batch: false,
    };
    match polled {
        Polled::Done(outcome, _) => {
            let status = response::stateless(outcome.as_ref().err(), admitted);
            Begun::now(status, later.exchange.stream.response(id, &outcome), later)
        }
        Polled::Pending(handler, permit) => {
            let id = id.clone();
            let expiry = later.exchange.expiry(state.options.auth_timeout);
            let stream = Arc::clone(&later.exchange.stream);
            later.work = Some(Box::pin(async move {
                let _permit = permit;
                let outcome = Expiry::end(expiry, handler).await;
                let status = response::stateless(outcome.as_ref().err(), true);
                (status, stream.response(&id, &outcome))
            }));
            Begun::Later(later)
        }
        Polled::Refused(error) => {
            Begun::refused(ErrorId::Of(id), &error, StatusCode::TOO_MANY_REQUESTS)
        }
    }
}

/// Admits a request; `last` is the outcome of the one before over the same connection.
fn admit<'a>(
    state: &HttpState,
    method: &str,
    params: RequestParams<'a>,
    last: Option<&Mutex<LastNegotiated>>,
) -> Result<Admission<'a>, RequestError> {
    let mut first = LastNegotiated::default();
    let rules = state.server.rules();
    match last.map(|last| lock(last)) {
        Some(mut last) => rules.admit_stateless(method, params, &mut last),
        None => rules.admit_stateless(method, params, &mut first),
    }
}

/// A place among the calls, or among the subscriptions, of the caller.
fn permit(
    state: &HttpState,
    kind: HandlerKind,
    exchange: &Exchange,
) -> Result<Permit, RequestError> {
    let options = &state.options;
    let (permits, error) = match kind {
        HandlerKind::Work => (
            &state.permits,
            RequestError::Busy(options.limits.max_in_flight),
        ),
        HandlerKind::Open => {
            let error = RequestError::TooManySubscriptions(options.max_subscriptions);
            (&state.open, error)
        }
    };
    permits.take(&exchange.arrival).ok_or(error)
}

/// Checks the parameters, and the headers that repeat some of them.
fn checked<'a>(
    state: &HttpState,
    method: &str,
    params: Result<RequestParams<'a>, RequestError>,
    headers: &HeaderMap,
) -> Result<RequestParams<'a>, RequestError> {
    let params = params?;
    if method == CallToolRequest::METHOD {
        params.arguments()?;
    }
    header_validation::check(headers, method, &params, &state.server.rules().own_methods)?;
    Ok(params)
}
