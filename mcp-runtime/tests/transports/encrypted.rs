//! Clients over TLS: `https` and `wss`.

use std::net::SocketAddr;
use std::sync::Arc;

use mcp_runtime::transport::http::HttpOptions;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::transport::websocket::websocket;
use mcp_runtime::{Client, ConnectError};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower_service::Service as _;

use crate::support;

const ROOT: &[u8] = include_bytes!("certificates/root.der");
const CERTIFICATE: &[u8] = include_bytes!("certificates/localhost.der");
const KEY: &[u8] = include_bytes!("certificates/localhost.key.der");
const SELF_SIGNED: &[u8] = include_bytes!("certificates/self_signed.der");
const SELF_SIGNED_KEY: &[u8] = include_bytes!("certificates/self_signed.key.der");

/// Listens as `localhost`, and passes each connection to `serve` after the TLS handshake.
async fn listen(serve: impl AsyncFn(TlsStream<TcpStream>) + 'static) -> SocketAddr {
    listen_with(CERTIFICATE, KEY, serve).await
}

async fn listen_with(
    certificate: &'static [u8],
    key: &'static [u8],
    serve: impl AsyncFn(TlsStream<TcpStream>) + 'static,
) -> SocketAddr {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(certificate)],
            PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key)),
        );
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::task::spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // The handshake fails if the client does not trust the server.
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream).await;
            }
        }
    });
    addr
}

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
            let service =
                support::mounted::mounted(support::server(), HttpOptions::default()).await;
            let service = hyper::service::service_fn(move |request| service.clone().call(request));
            let io = hyper_util::rt::TokioIo::new(stream);
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(io, service).await;
        });
        let https = http_client(format!("https://localhost:{}/mcp", https.await.port())).retries(0);
        let connect = |server| Client::builder("test", "1").connect(server);
        let trusting = https.clone().root_certificate(ROOT);
        assert!(works(connect(trusting.clone()).await).await);
        assert!(works(connect(trusting.without_default_roots()).await).await);
        assert!(!works(connect(https).await).await);

        let wss = listen(async |stream| {
            let service = support::mounted::mounted(support::server(), HttpOptions::default())
                .await
                .websocket();
            let service = hyper::service::service_fn(move |request| service.clone().call(request));
            let io = hyper_util::rt::TokioIo::new(stream);
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(io, service).with_upgrades().await;
        });
        let wss = websocket(format!("wss://localhost:{}/", wss.await.port()));
        let connect = |server| Client::builder("test", "1").connect(server);
        let trusting = wss.clone().root_certificate(ROOT);
        assert!(works(connect(trusting.without_default_roots()).await).await);
        assert!(!works(connect(wss).await).await);
    };
    tokio::task::LocalSet::new().run_until(test).await;
}

/// Returns the errors of clients that connect to `https://localhost` and `wss://localhost`.
async fn told(port: u16, root: Option<&[u8]>) -> [String; 2] {
    let mut https = http_client(format!("https://localhost:{port}/mcp")).retries(0);
    let mut wss = websocket(format!("wss://localhost:{port}/"));
    if let Some(root) = root {
        https = https.root_certificate(root);
        wss = wss.root_certificate(root);
    }
    let https = Client::builder("test", "1").connect(https).await;
    let wss = Client::builder("test", "1").connect(wss).await;
    [https.unwrap_err(), wss.unwrap_err()].map(|error| error.to_string())
}

#[tokio::test]
async fn who_is_not_trusted_is_told_what_to_do() {
    let test = async {
        let unknown = listen(async |_| {}).await.port();
        for text in told(unknown, None).await {
            assert!(text.contains("an authority that is not trusted"), "{text}");
            assert!(text.contains("to the root certificates"), "{text}");
        }
        let self_signed = listen_with(SELF_SIGNED, SELF_SIGNED_KEY, async |_| {});
        let self_signed = self_signed.await.port();
        for root in [None, Some(SELF_SIGNED)] {
            for text in told(self_signed, root).await {
                assert!(text.contains("is self-signed"), "{text}");
            }
        }
        let pem = b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        for text in told(unknown, Some(pem)).await {
            assert!(text.contains("is PEM, but must be DER"), "{text}");
            assert!(text.contains("openssl x509"), "{text}");
        }
    };
    tokio::task::LocalSet::new().run_until(test).await;
}

#[tokio::test]
async fn who_speaks_tls_where_nobody_understands_it_is_told_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            let _ = stream.write_all(answer).await;
            // Keep the connection open until the client has read the answer.
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
    });
    for text in told(port, None).await {
        assert!(text.contains("does not speak TLS"), "{text}");
        assert!(text.contains("`http://`"), "{text}");
    }
}
