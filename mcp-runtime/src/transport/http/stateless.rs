//! The stateless era: each request stands by itself (2026-07-28, "Streamable HTTP").

use std::borrow::Cow;
use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{ErrorObject, Frame, InvalidMessage, Message, RequestId, code};
use mcp_types::{CallToolRequest, Era, RawJsonRef, Request as _};

use super::exchange::Exchange;
use super::header_validation;
use super::permits::Permit;
use super::post::{self, Begun, Later, Post};
use super::stream::Stream;
use super::work::{Work, written};
use super::{response, status};
use crate::connection::{BoxFuture, Peer, Served, contain};
use crate::error::RequestError;
use crate::protocol::{Admission, RequestParams};
use crate::server::{Answer, Call};

pub(super) fn begin(post: Post<'_>, frame: Frame<'_>) -> Begun {
    let reason = match frame {
        Frame::Single(Message::Request { id, method, params }) => {
            return request(post, &id, &method, params);
        }
        Frame::Single(Message::Notification { method, .. }) => {
            tracing::debug!(%method, "a notification was ignored");
            return Begun::Done(response::empty(StatusCode::ACCEPTED));
        }
        Frame::Single(Message::Response { .. } | Message::InvalidResponse { .. }) => {
            "responses are not accepted in this revision"
        }
        Frame::Batch(_) => "this revision has no batches",
    };
    let message: Cow<'_, str> = format!("Invalid request: {reason}").into();
    let invalid = InvalidMessage {
        id: None,
        has_method: false,
        error: ErrorObject::new(code::INVALID_REQUEST, message.into_owned()),
    };
    Begun::Done(post::refuse(Era::Stateless, &invalid))
}

fn request(post: Post<'_>, id: &RequestId, method: &str, params: Option<RawJsonRef<'_>>) -> Begun {
    let state = post.state;
    let refuse = |error: &ErrorObject| {
        let response = post::error(ErrorId::Of(id), error, status::refused(Some(error)));
        Begun::Done(response)
    };
    let read = match checked(method, params, &post.arrival.parts.headers) {
        Ok(params) => params,
        Err(refusal) => return refuse(&refusal.to_error()),
    };
    let stream = Arc::new(Stream::new(0, None));
    let exchange = Arc::new(Exchange {
        arrival: post.arrival,
        session: None,
        stream: Arc::clone(&stream),
    });
    let peer = Peer::over(Arc::clone(&exchange) as _);
    let call = Call {
        id,
        method,
        params,
        peer: &peer,
        session: &state.stateless,
    };
    let mut status_of = status::refused as fn(Option<&ErrorObject>) -> StatusCode;
    let admit = || {
        let negotiated = state.negotiate_stateless(method, read.meta())?;
        status_of = status::stateless;
        Ok(Admission::Serve(negotiated, read))
    };
    let later = Later {
        stream,
        work: None,
        session: None,
    };
    let outcome = match contain(|| state.server.dispatch(call, admit)) {
        Ok(Served::Now(outcome)) => outcome,
        Err(panic) => Err(panic),
        Ok(Served::Later(handler)) => {
            let busy = RequestError::Busy(state.options.max_in_flight);
            let permit = state.permits.take(&exchange.arrival).ok_or(busy);
            return later.working(id, state.unless_terminated(handler), permit);
        }
        Ok(Served::Open(handler)) => {
            let many = RequestError::TooManySubscriptions(state.options.max_subscriptions);
            let permit = state.open.take(&exchange.arrival).ok_or(many);
            return later.working(id, handler, permit);
        }
    };
    let (status, message) = written(id, &outcome, status_of);
    Begun::now(status, message, later)
}

impl Later {
    /// Goes on with `handler`, if there is room for it.
    fn working(
        mut self,
        id: &RequestId,
        handler: BoxFuture<Result<Answer, ErrorObject>>,
        permit: Result<Permit, RequestError>,
    ) -> Begun {
        match permit {
            Ok(permit) => {
                let work = Work::new(id.clone(), handler, status::stateless);
                self.work = Some(work.holding(permit));
                Begun::Later(self)
            }
            Err(refusal) => {
                let status = StatusCode::TOO_MANY_REQUESTS;
                Begun::Done(post::error(ErrorId::Of(id), &refusal.to_error(), status))
            }
        }
    }
}

/// Reads the parameters and checks the headers that repeat some of them.
fn checked<'a>(
    method: &str,
    params: Option<RawJsonRef<'a>>,
    headers: &HeaderMap,
) -> Result<RequestParams<'a>, RequestError> {
    let params = RequestParams::read(params)?;
    if method == CallToolRequest::METHOD {
        params.arguments()?;
    }
    header_validation::check_version(headers, params.meta())?;
    header_validation::check(headers, method, &params)?;
    Ok(params)
}
