//! An MCP server with the policy.

use axum::Router;
use http::Request;
use mcp_auth::{Claims, ResourceServer};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, Principal, http_service};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{Client, Context, FromContext, ProtocolError};
use serde_json::json;
use support::AuthorizationServer;
use tokio::net::TcpListener;

use crate::layer::send;

struct Files;

/// A type of the server's own.
struct Role(String);

impl FromContext for Role {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        let claims = Claims::from_context(cx)?;
        let role = claims.get("role").and_then(|role| role.as_str());
        Ok(Self(role.unwrap_or("guest").to_owned()))
    }
}

#[mcp_server(undocumented = "allow")]
impl Files {
    #[tool]
    fn whoami(&self, claims: &Claims, principal: &Principal, role: &Role) -> String {
        let subject = claims.subject().unwrap_or_default();
        format!("{subject} {} {}", role.0, principal.name())
    }

    #[tool]
    fn maybe(&self, claims: Option<&Claims>) -> String {
        claims.map_or("nobody", |_| "somebody").to_owned()
    }
}

/// A server at a URL, with a policy for its tokens.
async fn serve(issuer: &AuthorizationServer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let policy = ResourceServer::new(&url).issuer(issuer.issuer());
    let options = HttpOptions::default().auth(policy);
    let service = http_service(Files.into_server(), options);
    let router = Router::new()
        .route_service("/mcp", service.clone())
        .fallback_service(service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

#[tokio::test]
async fn handlers_take_the_claims() {
    let issuer = AuthorizationServer::start().await;
    let url = serve(&issuer).await;
    let token = issuer.mint(&json!({"aud": url, "role": "admin"}));
    let server = http_client(&url).header("authorization", format!("Bearer {token}"));
    let client = Client::builder("test", "1").connect(server).await.unwrap();
    let who = client.call_tool("whoami", ()).await.unwrap();
    let principal = format!(r#"["{}","sub","alice"]"#, issuer.issuer());
    assert_eq!(
        who.texts().collect::<Vec<_>>().concat(),
        format!("alice admin {principal}")
    );
    let maybe = client.call_tool("maybe", ()).await.unwrap();
    assert_eq!(maybe.texts().collect::<Vec<_>>().concat(), "somebody");
    client.close().await;
}

#[tokio::test]
async fn without_http_there_are_no_claims() {
    let client = mcp_runtime::testing::connect(Files.into_server())
        .await
        .unwrap();
    let maybe = client.call_tool("maybe", ()).await.unwrap();
    assert_eq!(maybe.texts().collect::<Vec<_>>().concat(), "nobody");
    client.call_tool("whoami", ()).await.unwrap_err();
}

#[tokio::test]
async fn metadata_is_served_beside() {
    let issuer = AuthorizationServer::start().await;
    let url = serve(&issuer).await;
    let origin = url.strip_suffix("/mcp").unwrap();
    for path in ["/mcp", ""] {
        let document = format!("{origin}/.well-known/oauth-protected-resource{path}");
        let answer = send(Request::get(document)).await;
        assert_eq!(answer.status(), 200);
        let document: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(document["resource"], url);
    }
    assert_eq!(send(Request::post(&url)).await.status(), 401);
}
