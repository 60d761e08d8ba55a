//! Servers that are reached over plain `http` on other machines.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::response::IntoResponse;
use mcp_auth::OAuth;
use mcp_auth::client::store::{MemoryStore, TokenStore};
use mcp_runtime::Client;
use mcp_runtime::transport::http_client::http_client;
use serde_json::json;
use tokio::net::TcpListener;

use crate::site::app;

const SERVER: &str = "http://192.0.2.2/mcp";

/// The URL and the `Authorization` of a request that a proxy received.
type Seen = Arc<Mutex<Vec<(String, Option<String>)>>>;

/// A proxy that answers for all servers and demands a token.
async fn proxy() -> (String, Seen) {
    let seen = Seen::default();
    let noted = Arc::clone(&seen);
    let router = Router::new().fallback(async move |request: Request| {
        let token = request.headers().get(AUTHORIZATION);
        let token = token.map(|it| it.to_str().unwrap().to_owned());
        let url = request.uri().to_string();
        noted.lock().unwrap().push((url, token));
        let challenge = r#"Bearer resource_metadata="https://192.0.2.3/metadata""#;
        (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)]).into_response()
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, seen)
}

/// A store with a token for the server, as an older version without this check could have left it.
async fn store() -> MemoryStore {
    let store = MemoryStore::new();
    let issuer = "https://192.0.2.3";
    let binding = json!({"issuer": issuer, "resource": SERVER});
    let registration = json!({"client_id": "me", "redirect_uri": "http://127.0.0.1/"});
    let tokens = json!({
        "access_token": "kept", "token_type": "Bearer", "issued_at": 0, "client_id": "me",
        "registration": registration,
    });
    for (key, value) in [
        (format!("server {SERVER}"), binding),
        (format!("tokens {issuer} {SERVER}"), tokens),
    ] {
        store.save(&key, &value.to_string(), None).await.unwrap();
    }
    store
}

/// The error of a connection attempt, and the requests that it caused.
async fn connect(oauth: OAuth) -> (String, Vec<(String, Option<String>)>) {
    let (proxy, seen) = proxy().await;
    let server = http_client(SERVER).proxy(proxy).auth(oauth);
    let connected = Client::builder("test", "1").connect(server).await;
    let error = connected.map(drop).unwrap_err().to_string();
    let seen = seen.lock().unwrap().clone();
    (error, seen)
}

#[tokio::test]
async fn no_credential_leaves_over_plain_http() {
    for oauth in [app(), app().store(store().await)] {
        let (error, seen) = connect(oauth).await;
        assert!(
            error.contains(SERVER) && error.contains("plain `http`"),
            "{error}"
        );
        assert!(error.contains("allow_insecure_credentials"), "{error}");
        // There is one request without a token, and none for metadata.
        assert_eq!(seen, [(SERVER.to_owned(), None)]);
    }
}

#[tokio::test]
async fn a_test_network_can_be_allowed() {
    let oauth = app().store(store().await).allow_insecure_credentials();
    let (_, seen) = connect(oauth).await;
    assert_eq!(seen[0], (SERVER.to_owned(), Some("Bearer kept".to_owned())));
}
