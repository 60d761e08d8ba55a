//! The access policy as a tower layer, for HTTP services other than MCP.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use mcp_runtime::transport::http::{AccessPolicy, ResponseHeaders};
use tower_layer::Layer;
use tower_service::Service;

use super::resource_server::ResourceServer;

/// A tower layer that admits requests with a valid token. Create it with [`ResourceServer::layer`].
///
/// The layer itself serves the metadata of the resource, so it should wrap the whole router. Inner
/// services find the caller's [`Claims`](crate::jwt::Claims) in the request extensions, and a
/// mounted MCP server finds what it needs there. `OPTIONS` requests also need a token, so put a
/// CORS layer outside of this layer. A mounted MCP server accepts only the hosts that its options
/// allow.
///
/// ```
/// use axum::{Extension, Router, routing::get};
/// use mcp_auth::{Claims, ResourceServer};
/// use mcp_runtime::Server;
/// use mcp_runtime::transport::http::{HttpOptions, http_service};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let auth = ResourceServer::new("https://example.com/mcp").issuer("https://login.example.com");
/// let server = Server::builder().build();
/// let options = HttpOptions::default().allowed_hosts(["example.com"]);
/// let mcp = http_service(server, options);
/// let guard = mcp.start().await?;
/// let router: Router = Router::new()
///     .route_service("/mcp", mcp)
///     .route("/me", get(async |Extension(claims): Extension<Claims>| {
///         claims.subject().unwrap_or_default().to_owned()
///     }))
///     .layer(auth.layer()?);
/// # drop(router);
/// // Serve the router, then shut down.
/// guard.shut_down().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ResourceServerLayer(Arc<ResourceServer>);

impl ResourceServerLayer {
    pub(super) fn new(policy: ResourceServer) -> Self {
        Self(Arc::new(policy))
    }
}

impl<S> Layer<S> for ResourceServerLayer {
    type Service = ResourceServerService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ResourceServerService {
            policy: Arc::clone(&self.0),
            inner,
        }
    }
}

/// The service that a [`ResourceServerLayer`] wraps around another service.
#[derive(Clone, Debug)]
pub struct ResourceServerService<S> {
    policy: Arc<ResourceServer>,
    inner: S,
}

type ResponseFuture<R, E> = Pin<Box<dyn Future<Output = Result<Response<R>, E>> + Send>>;

impl<S, B, R> Service<Request<B>> for ResourceServerService<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
    R: From<Bytes>,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = ResponseFuture<R, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let policy = Arc::clone(&self.policy);
        // Use the service that is ready, and keep the clone for later requests.
        let inner = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, inner);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            if let Some(document) = policy.document(parts.uri.path()) {
                return Ok(metadata(&parts, document));
            }
            if let Err(denied) = policy.admit(&mut parts).await {
                return Ok(denied.into_response().map(|text| Bytes::from(text).into()));
            }
            let headers = parts.extensions.remove::<ResponseHeaders>();
            let mut response = inner.call(Request::from_parts(parts, body)).await?;
            if let Some(ResponseHeaders(headers)) = headers {
                response.headers_mut().extend(headers);
            }
            Ok(response)
        })
    }
}

fn metadata<R: From<Bytes>>(request: &Parts, document: Bytes) -> Response<R> {
    let is_get = request.method == Method::GET;
    let mut response = Response::new(if is_get { document } else { Bytes::new() }.into());
    let headers = response.headers_mut();
    if is_get {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    } else {
        headers.insert(ALLOW, HeaderValue::from_static("GET"));
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    }
    response
}
