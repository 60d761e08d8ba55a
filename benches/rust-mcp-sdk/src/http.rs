//! Mounts the SDK's HTTP handler on axum.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use rust_mcp_sdk::ServerDetails;
use rust_mcp_sdk::id_generator::{FastIdGenerator, UuidGenerator};
use rust_mcp_sdk::mcp_http::{DEFAULT_MAX_LISTEN_STREAMS, McpAppState, McpHttpHandler};
use rust_mcp_sdk::mcp_server::McpServerHandler;

pub(crate) fn state(
    details: ServerDetails,
    handler: Arc<dyn McpServerHandler>,
    fast: bool,
) -> Arc<McpAppState> {
    Arc::new(McpAppState {
        id_generator: Arc::new(UuidGenerator {}),
        stream_id_gen: Arc::new(FastIdGenerator::new(Some("s_"))),
        server_details: Arc::new(details),
        handler,
        ping_interval: Duration::from_secs(12),
        transport_options: Arc::default(),
        enable_json_response: fast,
        message_observer: None,
        extensions: Arc::default(),
        active_listen_streams: Arc::default(),
        max_listen_streams: DEFAULT_MAX_LISTEN_STREAMS,
    })
}

#[derive(Clone)]
struct Mount {
    state: Arc<McpAppState>,
    handler: Arc<McpHttpHandler>,
}

async fn answer(
    State(mount): State<Mount>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, StatusCode> {
    let body = std::str::from_utf8(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let request = McpHttpHandler::create_request(Method::POST, uri, headers, Some(body));
    let answered = mount
        .handler
        .handle_streamable_http(request, mount.state)
        .await;
    match answered {
        Ok(response) => Ok(response.map(Body::new)),
        Err(_) => Err(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

pub(crate) async fn serve(address: SocketAddr, state: Arc<McpAppState>) -> std::io::Result<()> {
    let mount = Mount {
        state,
        handler: Arc::new(McpHttpHandler::new(Vec::new(), None)),
    };
    let router = axum::Router::new()
        .route("/mcp", post(answer))
        .with_state(mount);
    // Without `TCP_NODELAY`, each answer waits until the client has acknowledged the previous
    // answer.
    let listener = tokio::net::TcpListener::bind(address)
        .await?
        .tap_io(|stream| stream.set_nodelay(true).unwrap_or_default());
    axum::serve(listener, router).await
}
