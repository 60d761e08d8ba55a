//! The access policy as a layer in axum.

use axum::routing::get;
use axum::{Extension, Router};
use bytes::Bytes;
use http::request::Builder;
use http::{HeaderMap, Request, Response};
use mcp_auth::challenge::Challenge;
use mcp_auth::{Claims, ResourceServer};
use mcp_runtime::transport::http_client::AuthHttp;
use serde_json::{Value, json};
use support::AuthorizationServer;
use tokio::net::TcpListener;

use crate::asking::{METADATA, RESOURCE, token_with};

pub async fn send(request: Builder) -> Response<Bytes> {
    let request = request.body(String::new()).unwrap();
    AuthHttp::trusted([]).unwrap().send(request).await.unwrap()
}

async fn serve(policy: ResourceServer) -> String {
    let me = async |Extension(claims): Extension<Claims>, headers: HeaderMap| {
        assert!(headers.get("authorization").is_none());
        claims.subject().unwrap_or_default().to_owned()
    };
    let router = Router::new()
        .route("/me", get(me))
        .layer(policy.layer().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    origin
}

#[tokio::test]
async fn routes_are_behind_it_and_metadata_is_not() {
    let issuer = AuthorizationServer::start().await;
    let policy = ResourceServer::new(RESOURCE).issuer(issuer.issuer());
    let origin = serve(policy).await;
    let url = format!("{origin}/me");
    let answer = send(Request::get(&url)).await;
    assert_eq!(answer.status(), 401);
    let challenges = Challenge::from_headers(answer.headers());
    assert_eq!(challenges[0].resource_metadata(), Some(METADATA));
    let well_known = format!("{origin}/.well-known/oauth-protected-resource/mcp");
    let answer = send(Request::get(&well_known)).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/json");
    let document: Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!(document["resource"], RESOURCE);
    assert_eq!(send(Request::post(&well_known)).await.status(), 405);
    for (aud, status, text) in [(RESOURCE, 200, "alice"), ("other", 401, "")] {
        let token = token_with(&issuer, &json!({"aud": aud}));
        let value = format!("Bearer {token}");
        let answer = send(Request::get(&url).header("authorization", value)).await;
        assert_eq!(answer.status(), status);
        assert!(answer.body().starts_with(text.as_bytes()));
    }
}
