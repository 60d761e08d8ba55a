//! Settings, and the metadata of the resource.

use mcp_auth::server::ResourceServerError;
use mcp_auth::{Issuer, ResourceServer};
use mcp_runtime::transport::http::{AccessPolicy, HttpOptions, http};
use serde_json::{Value, json};
use support::AuthorizationServer;
use tracing::Level;

use crate::asking::{RESOURCE, ask, guard};
use crate::log::Log;

fn document(policy: &ResourceServer, path: &str) -> Option<Value> {
    let document = policy.document(path)?;
    Some(serde_json::from_slice(&document).unwrap())
}

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

#[tokio::test]
async fn metadata_is_at_the_path_of_the_resource_and_at_the_root() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer)
        .issuer("https://login.example.com")
        .scopes(["files:read"])
        .optional_scopes(["files:write"])
        .dpop_required();
    let at_path = document(&policy, &format!("{WELL_KNOWN}/mcp")).unwrap();
    assert_eq!(at_path["resource"], RESOURCE);
    let issuers = json!([issuer.issuer(), "https://login.example.com"]);
    assert_eq!(at_path["authorization_servers"], issuers);
    assert_eq!(
        at_path["scopes_supported"],
        json!(["files:read", "files:write"])
    );
    assert_eq!(at_path["bearer_methods_supported"], json!(["header"]));
    assert_eq!(at_path["dpop_bound_access_tokens_required"], true);
    assert_eq!(document(&policy, WELL_KNOWN), Some(at_path));
    for path in ["/", "/mcp", "/.well-known/oauth-protected-resource/other"] {
        assert_eq!(document(&policy, path), None, "{path}");
    }
    let root = ResourceServer::new("https://example.com").issuer("https://login.example.com");
    assert!(document(&root, WELL_KNOWN).is_some());
    assert!(document(&root, &format!("{WELL_KNOWN}/")).is_none());
}

#[tokio::test]
async fn mistakes_are_found_and_nobody_is_admitted() {
    let https = "https://login.example.com";
    let server = || ResourceServer::new(RESOURCE);
    let invalid = |url: &str| ResourceServerError::Issuer(url.to_owned());
    for (policy, error) in [
        (server(), ResourceServerError::NoIssuer),
        (
            ResourceServer::new("/mcp").issuer(https),
            ResourceServerError::Resource("/mcp".to_owned()),
        ),
        (server().issuer("login"), invalid("login")),
        (
            server().issuer(https).issuer("http://login.example.com"),
            invalid("http://login.example.com"),
        ),
        (
            server().issuer("https://login.example.com?a"),
            invalid("https://login.example.com?a"),
        ),
        (
            server().issuer(https).scopes(["files:read files:write"]),
            ResourceServerError::Scope("files:read files:write".to_owned()),
        ),
        (
            server().issuer(https).implies("a", [""]),
            ResourceServerError::Scope(String::new()),
        ),
    ] {
        assert_eq!(policy.check(), Err(error));
        let denied = ask(&policy, &[]).await.unwrap_err();
        assert_eq!(denied.status, 500);
        assert_eq!(policy.document(WELL_KNOWN), None);
    }
    let certificate = server().issuer(https).root_certificate(b"none".to_vec());
    let found = certificate.check().unwrap_err();
    assert!(
        matches!(found, ResourceServerError::Certificate(_)),
        "{found}"
    );
    for issuer in [https, "http://localhost:9000/realms/a", "http://127.0.0.1"] {
        assert_eq!(server().issuer(issuer).check(), Ok(()), "{issuer}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let issuer = Issuer::new("https://login.example.com").introspection("id", "secret");
    let shown = format!("{:?}", ResourceServer::new(RESOURCE).issuer(issuer));
    assert!(
        shown.contains("login.example.com") && !shown.contains("secret"),
        "{shown}"
    );
}

#[tokio::test]
async fn what_is_dangerous_is_logged_at_the_start() {
    let (log, _guard) = Log::listening(Level::WARN);
    let with = |issuer: Issuer| ResourceServer::new(RESOURCE).issuer(issuer);
    let issuer = || Issuer::new("https://login.example.com");
    let options = HttpOptions::default;
    drop(options().auth(with(issuer())));
    drop(options().auth(with(issuer().accept_generic_type()).scopes(["a"])));
    assert_eq!(log.text(), "");
    drop(options().auth(with(issuer().accept_generic_type())));
    drop(http("127.0.0.1:0").auth(with(issuer().accept_generic_type())));
    drop(with(issuer().accept_generic_type()).layer());
    let text = log.text();
    assert_eq!(
        text.matches("`accept_generic_type` without `scopes`")
            .count(),
        3,
        "{text}"
    );
    assert_eq!(text.lines().count(), 3, "{text}");
    let plain = issuer().keys_url("http://keycloak:8080/certs");
    drop(options().auth(with(plain)));
    let last = log.text().lines().last().unwrap_or_default().to_owned();
    assert!(
        last.contains("plain `http`") && last.contains("keycloak"),
        "{last}"
    );
    drop(options().auth(with(issuer().keys_url("http://localhost:8080/certs"))));
    let checked = issuer().accept_generic_type().require(|_| true);
    drop(options().auth(with(checked)));
    assert_eq!(log.text().lines().count(), 4, "{}", log.text());
    drop(options().auth(ResourceServer::new(RESOURCE)));
    assert!(log.text().contains("misconfigured"), "{}", log.text());
}
