//! Layers around each request of a server, and the conversion of their outcome into an answer.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::{ErrorObject, RawJson, methods};

use super::entries::{fault, method_of, to_error};
use crate::connection::{BoxFuture, Contained, Served, contain};
use crate::error::RequestError;
use crate::layer::{BoxError, Innermost, McpRequest, McpResponse, McpResponseBody, Next, Stack};
use crate::protocol::RequestParams;
use crate::server::context::EndOfCall;
use crate::server::dispatch::ServerRequest;
use crate::server::extensions::Method;
use crate::server::input::is_retry;
use crate::server::{Answer, Context};

impl Stack {
    pub(in crate::server) fn serve(&self, request: ServerRequest<'_>) -> Served<Answer> {
        let context = request.context.clone();
        let params = request.params.raw.map(RawJson::from);
        let owned = Some(context.clone());
        let mut owned = McpRequest::new(request.method, params, owned, Arc::new(InnermostServer));
        owned.is_retry = is_retry(request.received, &context).unwrap_or_default();
        let response = self.outermost().run(owned);
        if request.method == methods::SUBSCRIPTIONS_LISTEN {
            return Served::Open(Box::pin(open(context, response)));
        }
        let end = EndOfCall::of(&context);
        Served::Later(Box::pin(async move {
            let outcome = answer(&context, response.await);
            end.finish();
            settle(&context, outcome)
        }))
    }
}

/// Serves a subscription after it has passed through the layers. The subscription ends with the
/// session, as it does without layers.
async fn open(
    context: Context,
    response: impl Future<Output = Result<McpResponse, BoxError>>,
) -> Result<Answer, ErrorObject> {
    let response = tokio::select! {
        biased;
        response = response => response,
        () = context.session().ended() => Err(RequestError::ShuttingDown.to_error().into()),
    };
    match response.map(McpResponse::into_body) {
        Ok(McpResponseBody::Accepted(subscription)) => {
            let subscription = subscription.into_inner();
            subscription.unwrap_or_else(PoisonError::into_inner).await
        }
        response => {
            let outcome = answer(&context, response.map(McpResponse::with));
            settle(&context, outcome)
        }
    }
}

/// Serves requests inside all layers, with the server of their context.
struct InnermostServer;

impl Innermost for InnermostServer {
    fn serve(&self, request: McpRequest) -> BoxFuture<Result<McpResponse, BoxError>> {
        let served = contain(|| route(&request)).unwrap_or_else(|panic| Served::Now(Err(panic)));
        // Release the request's clone of the context before the handler runs.
        drop(request);
        let answered = |answer| McpResponse::with(McpResponseBody::Answer(answer));
        match served {
            Served::Now(outcome) => {
                let outcome = outcome.map(answered).map_err(BoxError::from);
                Box::pin(std::future::ready(outcome))
            }
            Served::Later(handler) => {
                Box::pin(async move { Ok(answered(Contained(handler).await?)) })
            }
            Served::Open(subscription) => {
                let subscription =
                    McpResponseBody::Accepted(Mutex::new(Box::pin(Contained(subscription))));
                Box::pin(std::future::ready(Ok(McpResponse::with(subscription))))
            }
        }
    }
}

pub(in crate::server) fn method_of_service(name: &str, service: Next) -> Arc<Method> {
    method_of(name, service, Arc::new(InnermostServer))
}

fn route(request: &McpRequest) -> Served<Answer> {
    let Some(context) = request.context() else {
        return RequestError::Internal.into();
    };
    let served = || {
        let received = RequestParams::read(request.received().map(RawJson::as_raw))?;
        let replaced = request.replaced().map(RawJson::as_raw);
        let replaced = replaced
            .map(|it| RequestParams::read(Some(it)))
            .transpose()?;
        context.server().route(ServerRequest {
            method: request.method(),
            params: replaced.as_ref().unwrap_or(&received),
            received: &received,
            context,
            context_clones: 0,
        })
    };
    served().unwrap_or_else(|error| fault(request, error).into())
}

fn answer(
    context: &Context,
    outcome: Result<McpResponse, BoxError>,
) -> Result<Answer, ErrorObject> {
    match outcome.map(McpResponse::into_body) {
        Ok(McpResponseBody::Answer(answer)) => Ok(answer),
        Ok(McpResponseBody::Json(json)) => {
            let identity = &context.server().router().identity;
            Ok(Answer::open(json, context.negotiated(), identity))
        }
        Ok(McpResponseBody::Typed(result)) => {
            let identity = &context.server().router().identity;
            Ok(Answer::open(result.json(), context.negotiated(), identity))
        }
        // Only subscriptions get this response, and `open` handles them.
        Ok(McpResponseBody::Accepted(_)) => Err(RequestError::Internal.to_error()),
        Err(error) => Err(to_error(context, error)),
    }
}

/// Clears a recorded denial unless the request really ended with it, because a layer may have called
/// the handler again.
fn settle<T>(context: &Context, outcome: Result<T, ErrorObject>) -> Result<T, ErrorObject> {
    context.settle_denied(outcome.as_ref().err());
    outcome
}
