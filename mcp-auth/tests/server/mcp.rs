//! An MCP server with the access policy.

use axum::Router;
use http::Request;
use mcp_auth::challenge::Challenge;
use mcp_auth::{Claims, ResourceServer};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, Principal, http_service};
use mcp_runtime::transport::http_client::{AuthHttp, http_client};
use mcp_runtime::{Client, Context, FromContext, ProtocolError};
use serde_json::json;
use support::AuthorizationServer;
use tokio::net::TcpListener;

use crate::layer::send;

struct Files;

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

    #[tool(scopes("files:write", "files:list"))]
    fn write(&self) -> &'static str {
        "written"
    }

    #[prompt(scopes("files:write"))]
    fn summary(&self) -> &'static str {
        "a summary"
    }

    #[resource("files://all", scopes("files:write"))]
    fn all(&self) -> &'static str {
        "files"
    }

    #[tool]
    fn maybe(&self, claims: Option<&Claims>) -> String {
        claims.map_or("nobody", |_| "somebody").to_owned()
    }
}

/// Starts a server whose policy accepts tokens of the issuer, and returns its URL.
async fn serve(issuer: &AuthorizationServer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let policy = ResourceServer::new(&url)
        .issuer(issuer.issuer())
        .implies("files:admin", ["files:write", "files:list"]);
    let options = HttpOptions::default().auth(policy);
    let service = http_service(Files.into_server(), options);
    let guard = service.start().await.unwrap();
    let router = Router::new()
        .route_service("/mcp", service.clone())
        .fallback_service(service);
    tokio::spawn(async move {
        let _guard = guard;
        axum::serve(listener, router).await
    });
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

/// Sends a stateless request with a token. Returns the status, the scopes of the challenge and the
/// body.
async fn call(url: &str, token: &str, method: &str, name: &str) -> (u16, Option<String>, String) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let key = if method == "resources/read" {
        "uri"
    } else {
        "name"
    };
    let params = json!({key: name, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = Request::post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", name)
        .header("authorization", format!("Bearer {token}"))
        .body(body.to_string())
        .unwrap();
    let http = AuthHttp::trusted([]).unwrap();
    let answer = http.send(request).await.unwrap();
    let challenges = Challenge::from_headers(answer.headers());
    let challenge = challenges.first().inspect(|challenge| {
        assert_eq!(challenge.error(), Some("insufficient_scope"));
        let metadata = challenge.resource_metadata().unwrap();
        assert!(metadata.ends_with("/.well-known/oauth-protected-resource/mcp"));
    });
    let scope = challenge.and_then(|challenge| challenge.scope().map(str::to_owned));
    let text = String::from_utf8_lossy(answer.body()).into_owned();
    (answer.status().as_u16(), scope, text)
}

#[tokio::test]
async fn what_needs_a_scope_is_denied_without_it() {
    let issuer = AuthorizationServer::start().await;
    let url = serve(&issuer).await;
    let token = |scope: &str| issuer.mint(&json!({"aud": url, "scope": scope}));
    let some = token("files:read files:list");
    let all = token("files:admin");
    for (method, name, scopes, text) in [
        ("tools/call", "write", "files:write files:list", "written"),
        ("prompts/get", "summary", "files:write", "a summary"),
        ("resources/read", "files://all", "files:write", "files"),
    ] {
        let (status, scope, body) = call(&url, &some, method, name).await;
        assert_eq!(status, 403, "{body}");
        assert_eq!(scope.as_deref(), Some(scopes), "{method}");
        let (status, _, body) = call(&url, &all, method, name).await;
        assert!(status == 200 && body.contains(text), "{status} {body}");
    }
    assert_eq!(call(&url, &some, "tools/call", "maybe").await.0, 200);
}
