//! Tests of the errors and logs that a user sees when setting up a server for the first time.

use http::Request;
use mcp_auth::{Issuer, ResourceServer};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, http_service};
use serde_json::{Value, json};
use support::AuthorizationServer;
use tokio::net::TcpListener;
use tracing::Level;

use crate::asking::{RESOURCE, bear, in_seconds, refuses, token, token_with};
use crate::layer::send;
use crate::log::Log;

struct Files;

#[mcp_server(undocumented = "allow")]
impl Files {}

#[tokio::test]
async fn a_server_answers_for_the_host_of_its_resource() {
    let issuer = AuthorizationServer::start().await;
    for resource in [
        "https://mcp.example.com/mcp",
        "https://MCP.example.com:8443/mcp",
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let policy = ResourceServer::new(resource).issuer(issuer.issuer());
        let service = http_service(Files.into_server(), HttpOptions::default().auth(policy));
        let guard = service.start().await.unwrap();
        let router = axum::Router::new().fallback_service(service);
        tokio::spawn(async move {
            let _guard = guard;
            axum::serve(listener, router).await
        });
        let metadata = "/.well-known/oauth-protected-resource/mcp";
        for (method, path, status) in [("GET", metadata, 200), ("POST", "/mcp", 401)] {
            for (host, status) in [
                ("mcp.example.com", status),
                ("mcp.example.com:8443", status),
                ("Mcp.Example.com", status),
                ("localhost", status),
                ("example.com", 403),
                ("mcp.example.com.attacker.example", 403),
                ("attacker.example", 403),
            ] {
                let request = Request::builder()
                    .method(method)
                    .uri(format!("{origin}{path}"));
                let answer = send(request.header("host", host)).await;
                assert_eq!(answer.status(), status, "{host} {path}");
            }
        }
    }
}

/// Sends a token that is rejected twice. Returns the only line that is logged.
async fn told(issuer: Issuer, token: &str) -> String {
    let policy = ResourceServer::new(RESOURCE).issuer(issuer);
    let (log, _guard) = Log::listening(Level::WARN);
    refuses(&policy, token, "the first").await;
    refuses(&policy, token, "the second").await;
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    let mut secrets = token.split('.').filter(|part| part.len() > 20);
    assert!(secrets.all(|part| !text.contains(part)), "{text}");
    text
}

#[tokio::test]
async fn the_log_names_the_setting_that_would_accept_a_token() {
    let issuer = AuthorizationServer::start().await;
    let set = || Issuer::new(issuer.issuer());
    let with = |claims: Value| token_with(&issuer, &claims);
    let typed = |typ: &str| issuer.mint_with(&json!({"typ": typ}), &json!({"aud": RESOURCE}));
    let id_token = issuer.mint_with(
        &json!({"typ": "JWT"}),
        &json!({"aud": RESOURCE, "nonce": "n"}),
    );
    let slash = format!("{}/", issuer.issuer());
    for (settings, token, parts) in [
        (
            set(),
            typed("JWT"),
            ["has the type \"JWT\"", "`Issuer::accept_generic_type`"],
        ),
        (
            set().accept_generic_type(),
            id_token,
            ["an ID token", "access token"],
        ),
        (
            set(),
            with(json!({"aud": "api://app"})),
            ["api://app", "`Issuer::audience`"],
        ),
        (
            set(),
            with(json!({"aud": null})),
            ["no `aud`", "`Issuer::audience_claim`"],
        ),
        (
            set().audience_claim("client_id"),
            with(json!({"client_id": "app"})),
            ["`client_id` is \"\\\"app\\\"\"", "`Issuer::audience`"],
        ),
        (
            set().require_claim("token_use", "access"),
            with(json!({})),
            ["do not meet the requirements", "`Issuer::require_claim`"],
        ),
        (
            set(),
            with(json!({"nbf": in_seconds(90)})),
            ["not valid yet", "`Issuer::leeway`"],
        ),
        (
            Issuer::new(slash),
            token(&issuer),
            ["`iss` is", "the `/` at the end"],
        ),
        (
            set(),
            "opaque".to_owned(),
            ["not a signed JWT", "`Issuer::introspection`"],
        ),
    ] {
        let text = told(settings, &token).await;
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[tokio::test]
async fn tokens_that_are_refused_every_day_are_not_logged() {
    let issuer = AuthorizationServer::start().await;
    let policy = ResourceServer::new(RESOURCE).issuer(issuer.issuer());
    let (log, _guard) = Log::listening(Level::WARN);
    let expired = token_with(&issuer, &json!({"exp": in_seconds(-90)}));
    refuses(&policy, &expired, "expired").await;
    bear(&policy, &token(&issuer)).await.unwrap();
    assert_eq!(log.text(), "");
}

#[tokio::test]
async fn a_token_without_the_scopes_of_all_requests_is_logged_once() {
    let issuer = AuthorizationServer::start().await;
    let policy = ResourceServer::new(RESOURCE)
        .issuer(issuer.issuer())
        .scopes(["files:read"]);
    let (log, _guard) = Log::listening(Level::WARN);
    for _ in 0..2 {
        let token = token_with(&issuer, &json!({"scope": "api://app/files:read"}));
        assert_eq!(bear(&policy, &token).await.unwrap_err().status, 403);
    }
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("`Issuer::scope_prefix`"), "{text}");
}

#[tokio::test]
async fn what_a_token_has_can_not_forge_a_line_of_the_log() {
    let issuer = AuthorizationServer::start().await;
    let audience = format!("a\n2026-01-01 WARN forged{}", "x".repeat(500));
    let token = token_with(&issuer, &json!({"aud": audience}));
    let text = told(Issuer::new(issuer.issuer()), &token).await;
    assert!(text.len() < 1000, "{text}");
}
