//! Errors of the connection, and TLS.

use std::error::Error as _;

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
