//! Clients over TLS: `https` and `wss`.

use std::net::SocketAddr;
use std::sync::Arc;

use mcp_runtime::transport::http::{HttpOptions, http_service};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::transport::websocket::{websocket, websocket_service};
use mcp_runtime::{Client, ConnectError};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower_service::Service as _;

use crate::support;

const ROOT: &[u8] = include_bytes!("certificates/root.der");
const CERTIFICATE: &[u8] = include_bytes!("certificates/localhost.der");
const KEY: &[u8] = include_bytes!("certificates/localhost.key.der");

/// Listens as `localhost`, and serves each connection once it is encrypted.
async fn listen(serve: impl AsyncFn(TlsStream<TcpStream>) + 'static) -> SocketAddr {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(CERTIFICATE)],
            PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY)),
        );
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::task::spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A client that does not trust the server breaks off.
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream).await;
            }
        }
    });
    addr
}

/// Whether `connected` can use the server.
async fn works(connected: Result<Client, ConnectError>) -> bool {
    match connected {
        Ok(client) => client.list_tools().await.is_ok(),
        Err(_) => false,
    }
}

#[tokio::test]
async fn servers_are_trusted_by_their_root() {
    let test = async {
        let https = listen(async |stream| {
            let service = http_service(support::server(), HttpOptions::default());
            let service = hyper::service::service_fn(move |request| service.clone().call(request));
            let io = hyper_util::rt::TokioIo::new(stream);
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(io, service).await;
        });
        let https = http_client(format!("https://localhost:{}/mcp", https.await.port())).retries(0);
        let connect = |server| Client::builder("test", "1").connect(server);
        assert!(works(connect(https.clone().root_certificate(ROOT)).await).await);
        assert!(!works(connect(https).await).await);

        let wss = listen(async |stream| {
            let service = websocket_service(support::server(), HttpOptions::default());
            let service = hyper::service::service_fn(move |request| service.clone().call(request));
            let io = hyper_util::rt::TokioIo::new(stream);
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(io, service).with_upgrades().await;
        });
        let wss = websocket(format!("wss://localhost:{}/", wss.await.port()));
        let connect = |server| Client::builder("test", "1").connect(server);
        assert!(works(connect(wss.clone().root_certificate(ROOT)).await).await);
        assert!(!works(connect(wss).await).await);
    };
    tokio::task::LocalSet::new().run_until(test).await;
}
