//! Metadata documents of clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use mcp_runtime::Server;
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy, PeerAddr, http};
use mcp_runtime::transport::http_client::AuthHttp;
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::browser::Browser;
use crate::site::{REDIRECT, Site, tokens};

const ROOT: &[u8] = include_bytes!("../../../mcp-runtime/tests/transports/certificates/root.der");
const CERTIFICATE: &[u8] =
    include_bytes!("../../../mcp-runtime/tests/transports/certificates/localhost.der");
const KEY: &[u8] =
    include_bytes!("../../../mcp-runtime/tests/transports/certificates/localhost.key.der");

/// A web site of a client's developer at https://localhost, which counts requests.
struct Host {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Host {
    /// A site that responds with what `answer` returns for a URL: status, headers and body.
    async fn serving(answer: fn(&str) -> (u16, String, String)) -> Self {
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
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    continue;
                };
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                counted.fetch_add(1, Ordering::Relaxed);
                let head = String::from_utf8(head).unwrap();
                let path = head.split(' ').nth(1).unwrap();
                let (status, headers, body) = answer(&format!("https://localhost:{port}{path}"));
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status} OK\r\n{headers}Content-Length: {length}\r\n\
                     Connection: close\r\n\r\n{body}"
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
                drop(stream.shutdown().await);
            }
        });
        Self { port, requests }
    }

    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    fn count(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

fn document(url: &str) -> Value {
    json!({
        "client_id": url,
        "client_name": "Documented",
        "redirect_uris": [REDIRECT],
        "token_endpoint_auth_method": "none",
    })
}

/// A proxy that may fetch documents from localhost.
async fn open() -> Site {
    Site::with(|proxy| proxy.root_certificate(ROOT).allow_private_host("localhost")).await
}

#[tokio::test]
async fn a_client_is_known_by_the_url_of_its_document() {
    let host = Host::serving(|url| {
        (
            200,
            "Cache-Control: max-age=60\r\n".to_owned(),
            document(url).to_string(),
        )
    });
    let host = host.await;
    let site = open().await;
    let client = host.url("/client.json");
    let page = Browser::new().get(&site.authorize(&client, &[])).await;
    assert!(page.text().contains("Allow Documented?"), "{}", page.text());
    let described = format!("described by <strong>localhost:{}</strong>", host.port);
    assert!(page.text().contains(&described), "{}", page.text());
    let (access, refresh) = site.tokens(&client).await;
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    tokens(site.refresh(&client, &refresh).await);
    // The document is cached, and token requests don't need it.
    assert_eq!(host.count(), 1);
    let uri = [("redirect_uri", "http://127.0.0.1:3000/other")];
    assert_eq!(
        Browser::new()
            .get(&site.authorize(&client, &uri))
            .await
            .status(),
        400
    );
}

#[tokio::test]
async fn documents_are_remembered_only_if_they_allow_it() {
    let host = Host::serving(|url| (200, String::new(), document(url).to_string()));
    let host = host.await;
    let site = open().await;
    for requests in 1..3 {
        let page = Browser::new()
            .get(&site.authorize(&host.url("/c"), &[]))
            .await;
        assert_eq!((page.status(), host.count()), (200, requests));
    }
}

#[tokio::test]
async fn documents_that_do_not_fit_are_not_used() {
    let host = Host::serving(|url| {
        let mut document = document(url);
        let mut status = 200;
        let mut headers = String::new();
        match url.rsplit('/').next().unwrap() {
            "right" => {}
            "other" => document["client_id"] = json!(format!("{url}/")),
            "nameless" => document["client_name"] = Value::Null,
            "evil" => document["redirect_uris"] = json!(["javascript:alert(1)"]),
            "secret" => document["token_endpoint_auth_method"] = json!("client_secret_basic"),
            "key" => document["token_endpoint_auth_method"] = json!("private_key_jwt"),
            "long" => document["padding"] = json!("a".repeat(16 * 1024)),
            "missing" => status = 404,
            "moved" => {
                status = 302;
                headers = format!("Location: {}\r\n", url.replace("moved", "right"));
            }
            _ => document = json!("no object"),
        }
        (status, headers, document.to_string())
    });
    let host = host.await;
    let site = open().await;
    for (path, status) in [
        ("/right", 200),
        ("/other", 400),
        ("/nameless", 400),
        ("/evil", 400),
        ("/secret", 400),
        ("/key", 400),
        ("/long", 400),
        ("/missing", 400),
        ("/moved", 400),
        ("/text", 400),
    ] {
        let page = Browser::new()
            .get(&site.authorize(&host.url(path), &[]))
            .await;
        assert_eq!(page.status(), status, "{path}");
    }
}

#[tokio::test]
async fn no_request_goes_to_an_address_that_is_not_public() {
    let host = Host::serving(|url| (200, String::new(), document(url).to_string())).await;
    let site = Site::with(|proxy| proxy.root_certificate(ROOT)).await;
    let mut texts = Vec::new();
    for url in [
        host.url("/client.json"),
        format!("https://127.0.0.1:{}/client.json", host.port),
        format!("https://[::1]:{}/client.json", host.port),
        format!("https://[::ffff:127.0.0.1]:{}/client.json", host.port),
        format!("https://0.0.0.0:{}/client.json", host.port),
        "https://169.254.169.254/latest/meta-data".to_owned(),
        "https://10.0.0.1/client.json".to_owned(),
        "https://localhost:1/client.json".to_owned(),
    ] {
        let page = Browser::new().get(&site.authorize(&url, &[])).await;
        assert_eq!(page.status(), 400, "{url}");
        texts.push(page.text().to_owned());
    }
    assert_eq!(host.count(), 0);
    // The response does not reveal whether a host exists.
    texts.dedup();
    assert_eq!(texts.len(), 1);
}

/// A host that accepts connections and never answers.
async fn silent() -> (u16, tokio::sync::watch::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, accepted) = tokio::sync::watch::channel(0);
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.push(stream);
            sender.send_replace(open.len());
        }
    });
    (port, accepted)
}

#[tokio::test]
async fn a_host_that_never_answers_hinders_no_other() {
    let host = Host::serving(|url| (200, String::new(), document(url).to_string()));
    let (host, (port, mut accepted)) = (host.await, silent().await);
    let site = Site::with(|proxy| {
        let proxy = proxy.root_certificate(ROOT);
        proxy
            .allow_private_host("localhost")
            .allow_private_host("127.0.0.1")
    });
    let site = site.await;
    let mut hanging = tokio::task::JoinSet::new();
    for number in 0..16 {
        let client = format!("https://127.0.0.1:{port}/{number}.json");
        let url = site.authorize(&client, &[]);
        hanging.spawn(async move { Browser::new().get(&url).await });
    }
    accepted.wait_for(|count| *count >= 2).await.unwrap();
    let page = Browser::new()
        .get(&site.authorize(&host.url("/client.json"), &[]))
        .await;
    assert_eq!(page.status(), 200, "{}", page.text());
    // Clients whose host has no room left are asked to try again.
    let busy = hanging.join_next().await.unwrap().unwrap();
    assert_eq!(busy.status(), 503, "{}", busy.text());
    assert_eq!(busy.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn a_document_that_can_not_be_used_is_not_fetched_again_at_once() {
    let host = Host::serving(|_| (404, String::new(), String::new())).await;
    let site = open().await;
    for _ in 0..3 {
        let page = Browser::new()
            .get(&site.authorize(&host.url("/c"), &[]))
            .await;
        assert_eq!((page.status(), host.count()), (400, 1));
    }
}

/// Responds at `/peer` with the address that the request comes from.
struct Peer;

impl AccessPolicy for Peer {
    async fn admit(&self, _: &mut Parts) -> Result<(), AccessDenied> {
        Err(AccessDenied::forbidden())
    }

    fn has_endpoint(&self, path: &str) -> bool {
        path == "/peer"
    }

    async fn respond(&self, request: Request<Bytes>) -> Response<Bytes> {
        let PeerAddr(address) = request.extensions().get().unwrap();
        Response::new(address.ip().to_string().into())
    }
}

#[tokio::test]
async fn the_address_of_a_caller_is_known_to_an_endpoint() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/peer", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let server = Server::builder().build();
        server.serve(http(listener).auth(Peer)).await
    });
    let request = Request::get(url).body(String::new()).unwrap();
    let answer = AuthHttp::trusted([]).unwrap().send(request).await.unwrap();
    assert_eq!(answer.body(), "127.0.0.1");
}
