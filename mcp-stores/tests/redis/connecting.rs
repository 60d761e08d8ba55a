//! Errors of the connection, and TLS.

use std::error::Error as _;
use std::path::Path;
use std::process::Command;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use mcp_runtime::store::KeyValue as _;
use mcp_stores::Redis;

use crate::server::Server;

/// The message of an error when connecting, which must not contain the password.
async fn error(url: &str) -> String {
    let error = Redis::connect(url, "test").await.unwrap_err();
    let text = format!("{error} / {error:?} / {:?}", error.source());
    assert!(!text.contains("secret"), "{text}");
    error.to_string()
}

#[tokio::test]
async fn a_wrong_url_is_explained() {
    for url in [
        "",
        "redis.example.com",
        "http://:secret@localhost",
        "redis://user:secret@localhost/a",
        "redis://user:secret@localhost:port",
        "redis://:secret@",
        "rediss://:secret@localhost/#secret",
    ] {
        let error = error(url).await;
        assert!(
            error.starts_with("the URL of Redis must be like"),
            "{url}: {error}"
        );
    }
}

#[tokio::test]
async fn an_unreachable_server_is_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap();
    drop(port);
    let error = error(&format!("redis://user:secret@{address}")).await;
    assert!(error.contains(&address.to_string()), "{error}");
    assert!(error.contains("refused"), "{error}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap();
    let error = error(&format!("redis://user:secret@{address}")).await;
    assert!(error.contains("does not answer in time"), "{error}");
}

#[tokio::test]
async fn a_password_is_sent_and_a_wrong_one_is_refused() {
    let Some(server) = Server::start(&["--requirepass", "right"]) else {
        return;
    };
    let port = server.port();
    for url in [
        "redis://127.0.0.1",
        "redis://:secret@127.0.0.1",
        "redis://secret:secret@127.0.0.1",
    ] {
        let error = error(&format!("{url}:{port}")).await;
        eprintln!("{error}");
        assert!(error.contains(&format!("127.0.0.1:{port}")), "{error}");
    }
    let url = format!("redis://:right@127.0.0.1:{port}/3");
    let redis = Redis::connect(&url, "test").await.unwrap();
    assert_eq!(redis.get("key", None).await.unwrap(), None);
    assert!(!format!("{redis:?}").contains("right"), "{redis:?}");
}

/// Names the server in the process that trusts its certificate.
const TRUSTED: &str = "MCP_TEST_TRUSTED_REDIS";

#[tokio::test]
async fn tls_trusts_the_authorities_in_a_file() {
    if let Ok(url) = std::env::var(TRUSTED) {
        let redis = Redis::connect(&url, "test").await.unwrap();
        assert_eq!(redis.get("key", None).await.unwrap(), None);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = pem(folder.path(), "root.der", "CERTIFICATE");
    let certificate = pem(folder.path(), "localhost.der", "CERTIFICATE");
    let key = pem(folder.path(), "localhost.key.der", "PRIVATE KEY");
    let arguments = format!(
        "--port 0 --tls-port PORT --tls-auth-clients no --tls-ca-cert-file {root} \
        --tls-cert-file {certificate} --tls-key-file {key}"
    );
    let arguments: Vec<_> = arguments.split_whitespace().collect();
    let Some(server) = Server::start(&arguments) else {
        return;
    };
    let url = format!("rediss://:@localhost:{}", server.port());
    let untrusted = error(&url).await;
    assert!(untrusted.contains("certificate"), "{untrusted}");
    let mut trusting = Command::new(std::env::current_exe().unwrap());
    trusting.args([
        "--exact",
        "connecting::tls_trusts_the_authorities_in_a_file",
    ]);
    let trusting = trusting
        .env(TRUSTED, url)
        .env("SSL_CERT_FILE", root)
        .output();
    let trusting = trusting.unwrap();
    assert!(trusting.status.success(), "{trusting:?}");
    let output = String::from_utf8_lossy(&trusting.stdout);
    assert!(output.contains("1 passed"), "{output}");
}

/// Writes a file of the runtime's certificates as PEM, and returns the path.
fn pem(folder: &Path, name: &str, kind: &str) -> String {
    let certificates =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-runtime/tests/transports");
    let der = std::fs::read(certificates.join("certificates").join(name)).unwrap();
    let text = BASE64_STANDARD.encode(der);
    let file = folder.join(name);
    let pem = format!("-----BEGIN {kind}-----\n{text}\n-----END {kind}-----\n");
    std::fs::write(&file, pem).unwrap();
    file.to_str().unwrap().to_owned()
}
