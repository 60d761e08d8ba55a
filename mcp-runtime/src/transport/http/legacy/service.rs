//! HTTP+SSE beside Streamable HTTP, alone or in another program.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Method, Request, Response};
use http_body::Body;
use tower_service::Service;

use super::stream::{open, post};
use crate::transport::http::server::access::cors_origin;
use crate::transport::http::server::body::ResponseBody;
use crate::transport::http::server::connection::Route;
use crate::transport::http::server::listener::Http;
use crate::transport::http::server::response::Rejection;
use crate::transport::http::server::service::HttpState;
use crate::transport::http::server::service::{
    ConnectionInfo, HttpService, ResponseFuture, admit, finish, other_method,
};

impl Http {
    /// Serves clients of revision 2024-11-05 as well, which know only its HTTP+SSE transport: they
    /// open `/sse`, and are told to post to `/messages`.
    #[must_use]
    pub fn with_sse(self) -> Self {
        self.with_routes(|service| {
            let paths = ["/sse", "/messages"].into_iter();
            let routes = paths.map(|path| {
                let service = service.sse("/messages");
                let route: Route = Box::new(move |request, connection| {
                    let service = SseService {
                        connection: connection.clone(),
                        ..service.clone()
                    };
                    service.answer(request)
                });
                (path.to_owned(), route)
            });
            routes.collect()
        })
    }
}

impl HttpService {
    /// The same server for clients of revision 2024-11-05, which know only HTTP+SSE: GET opens
    /// their stream, and POST takes what they say.
    ///
    /// The service is mounted at the path where clients open the stream, and at `messages`, the
    /// path that they are told to post to, as they see it. Both may be the same.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::transport::http::{HttpOptions, http_service};
    ///
    /// let mcp = http_service(Server::builder().build(), HttpOptions::default());
    /// let sse = mcp.sse("/messages");
    /// // With axum: Router::new()
    /// //     .route_service("/mcp", mcp)
    /// //     .route_service("/sse", sse.clone())
    /// //     .route_service("/messages", sse)
    /// # drop((mcp, sse));
    /// ```
    #[must_use]
    pub fn sse(&self, messages: impl Into<String>) -> SseService {
        SseService {
            state: Arc::clone(&self.state),
            messages: messages.into().into(),
            connection: self.connection.clone(),
        }
    }
}

/// A server for clients of revision 2024-11-05; made by [`HttpService::sse`]. Clones share
/// everything.
#[derive(Clone)]
pub struct SseService {
    state: Arc<HttpState>,
    messages: Arc<str>,
    connection: ConnectionInfo,
}

impl SseService {
    fn answer<B>(self, request: Request<B>) -> ResponseFuture
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Send,
    {
        let (parts, body) = request.into_parts();
        let state = Arc::clone(&self.state);
        Box::pin(async move {
            let origin = cors_origin(&parts.headers, &state.options);
            let served = serve(&state, parts, body, &self).await;
            Ok(finish(served, origin, &self.connection.unread))
        })
    }
}

async fn serve<B: Body>(
    state: &HttpState,
    parts: Parts,
    body: B,
    service: &SseService,
) -> Result<Response<ResponseBody>, Rejection> {
    admit(state, &parts)?;
    match parts.method {
        Method::GET => open(state, &parts, &service.messages, &service.connection),
        Method::POST => post(state, parts, body, &service.connection).await,
        _ => other_method(state, &parts, "GET, POST"),
    }
}

impl<B> Service<Request<B>> for SseService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Send,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        self.clone().answer(request)
    }
}

impl std::fmt::Debug for SseService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SseService")
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}
