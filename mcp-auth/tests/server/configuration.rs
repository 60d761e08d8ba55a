//! Settings of a resource server, and the metadata that it publishes.

use std::borrow::Cow;

use mcp_auth::authentication::ClientCredential;
use mcp_auth::jwt::Tenants;
use mcp_auth::server::ResourceServerError;
use mcp_auth::{BearerToken, BearerTokens, Issuer, ResourceServer};
use mcp_runtime::transport::http::{AccessPolicy, http};
use mcp_runtime::{ServeError, Server};
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
    let start = |policy: ResourceServer| policy.start(Some("/mcp")).unwrap();
    start(with(issuer()));
    start(with(issuer().accept_generic_type()).scopes(["a"]));
    assert_eq!(log.text(), "");
    start(with(issuer().accept_generic_type()));
    drop(with(issuer().accept_generic_type()).layer().unwrap());
    let text = log.text();
    assert_eq!(
        text.matches("`accept_generic_type` without `scopes`")
            .count(),
        2,
        "{text}"
    );
    assert_eq!(text.lines().count(), 2, "{text}");
    start(with(issuer().keys_url("http://keycloak:8080/certs")));
    let last = log.text().lines().last().unwrap_or_default().to_owned();
    assert!(
        last.contains("plain `http`") && last.contains("keycloak"),
        "{last}"
    );
    start(with(issuer().keys_url("http://localhost:8080/certs")));
    start(with(issuer().accept_generic_type().require(|_| true)));
    assert_eq!(log.text().lines().count(), 3, "{}", log.text());
}

#[tokio::test]
async fn a_resource_at_another_path_is_one_warning() {
    let (log, _guard) = Log::listening(Level::WARN);
    let of = |resource: &str| ResourceServer::new(resource).issuer("https://login.example.com");
    for (resource, path) in [
        (RESOURCE, Some("/mcp")),
        (RESOURCE, None),
        ("https://mcp.example.com/mcp/", Some("/mcp")),
        ("https://mcp.example.com", Some("/")),
    ] {
        of(resource).start(path).unwrap();
        assert_eq!(log.text(), "", "{resource}");
    }
    for (number, resource) in ["https://mcp.example.com", "https://mcp.example.com/api/mcp"]
        .into_iter()
        .enumerate()
    {
        of(resource).start(Some("/mcp")).unwrap();
        let text = log.text();
        assert_eq!(text.lines().count(), number + 1, "{text}");
        assert!(
            text.contains(resource) && text.contains("is not the path of the MCP endpoint"),
            "{text}"
        );
    }
}

/// Serves with a policy that can never work. Returns the error, which names the setting `auth`.
async fn refused(policy: impl AccessPolicy) -> String {
    policy.start(None).unwrap_err();
    let served = Server::builder()
        .build()
        .serve(http("127.0.0.1:0").auth(policy));
    match served.await.unwrap_err() {
        ServeError::Setting {
            name: "auth",
            error,
        } => error.to_string(),
        error => panic!("{error}"),
    }
}

const LOGIN: &str = "https://login.example.com";
const GUID: &str = "11111111-2222-3333-4444-555555555555";

/// Issuers with a setting that can never work, and a part of the error.
fn wrong_issuers() -> Vec<(Issuer, &'static str)> {
    let issuer = || Issuer::new(LOGIN);
    vec![
        (Issuer::new(""), "the issuer ``"),
        (
            Issuer::new("login.example.com"),
            "the issuer `login.example.com`",
        ),
        (Issuer::new("http://login.example.com"), "needs `https`"),
        (
            Issuer::new("https://login.example.com#a"),
            "the issuer `https",
        ),
        (issuer().identifier("login"), "the issuer `login`"),
        (issuer().keys_url("/jwks"), "`/jwks` is not a URL"),
        (
            issuer().algorithms([]),
            "`Issuer::algorithms` can't be `[]`",
        ),
        (issuer().audience(""), "`Issuer::audience` can't be ``"),
        (issuer().audience_claim(""), "`Issuer::audience`"),
        (
            issuer().scope_prefix("api app/"),
            "`api app/scope` is not a scope",
        ),
        (
            issuer().introspection("", "secret"),
            "`Issuer::introspection`",
        ),
        (
            issuer().introspection("id\n", "secret"),
            "`Issuer::introspection` can't be `id",
        ),
        (
            issuer().introspection("id", ""),
            "identifier or secret is empty",
        ),
        (
            issuer().introspection("id", "secret\n"),
            "line breaks around it",
        ),
        (
            issuer().introspection_url("https://login.example.com/i"),
            "`Issuer::introspection`",
        ),
        (
            issuer().introspection("id", "s").introspection_url("i"),
            "`i` is not a URL",
        ),
        (
            Issuer::template("https://a.example/v2.0", "all", ["a"]),
            "is not the template",
        ),
        (
            Issuer::entra("", GUID),
            "the tenant of `Issuer::entra` can't be ``",
        ),
        (Issuer::entra(LOGIN, GUID), "the tenant of `Issuer::entra`"),
        (
            Issuer::entra("common", GUID),
            "the tenant of `Issuer::entra` can't be `common`",
        ),
        (Issuer::entra("acme.onmicrosoft.com", GUID), "give the GUID"),
        (Issuer::entra(GUID, ""), "`Issuer::audience`"),
        (
            Issuer::auth0("https://acme.auth0.com", "api"),
            "a path without `//`",
        ),
        (Issuer::auth0("", "api"), "the issuer `https:///`"),
        (Issuer::auth0("acme.auth0.com", ""), "`Issuer::audience`"),
        (
            Issuer::workos("https://acme.authkit.app/"),
            "a path without `//`",
        ),
        (Issuer::keycloak("realms/acme"), "the issuer `realms/acme`"),
        (
            Issuer::okta("acme.okta.com", "api://default"),
            "the issuer `acme.okta.com`",
        ),
        (
            Issuer::cognito("https://cognito.example", ""),
            "`Issuer::audience`",
        ),
        (Issuer::google(""), "`Issuer::audience`"),
        (
            Issuer::github("app", "secret\n"),
            "`Issuer::github` can't be `app`",
        ),
        (Issuer::github("app", ""), "identifier or secret is empty"),
    ]
}

#[tokio::test]
async fn serving_ends_with_an_error_that_names_a_setting_that_can_never_work() {
    let server = || ResourceServer::new(RESOURCE);
    for (issuer, named) in wrong_issuers() {
        let shown = format!("{issuer:?}");
        let error = refused(server().issuer(issuer)).await;
        assert!(error.contains(named), "{shown}: {error}");
        assert!(!error.contains("secret\n"), "{error}");
    }
    let of = |resource: &str| ResourceServer::new(resource).issuer(LOGIN);
    for (policy, named) in [
        (server(), "add an `issuer`"),
        (of("mcp"), "`ResourceServer::new`"),
        (of(""), "`ResourceServer::new`"),
        (of("ftp://mcp.example.com"), "`ResourceServer::new`"),
        (of("https://mcp.example.com/mcp#a"), "`ResourceServer::new`"),
        (
            of("http://mcp.example.com/mcp"),
            "`allow_insecure_resource`",
        ),
        (of("http://0.0.0.0:8080/mcp"), "`allow_insecure_resource`"),
        (of(RESOURCE).scopes(["a b"]), "`a b` is not a scope"),
        (of(RESOURCE).optional_scopes([""]), "`` is not a scope"),
        (of(RESOURCE).implies("a", ["\""]), "is not a scope"),
        (
            of(RESOURCE).root_certificate(b"PEM".to_vec()),
            "certificates",
        ),
    ] {
        let shown = format!("{policy:?}");
        assert!(
            policy.check().unwrap_err().to_string().contains(named),
            "{shown}"
        );
        let error = refused(policy).await;
        assert!(error.contains(named), "{shown}: {error}");
    }
    assert!(
        refused(BearerToken::new("short"))
            .await
            .contains("at least 16")
    );
    assert!(
        refused(BearerTokens::new([]))
            .await
            .contains("no bearer tokens")
    );
    let wrong = of("http://mcp.example.com/mcp").layer().unwrap_err();
    assert!(
        wrong.to_string().contains("`allow_insecure_resource`"),
        "{wrong}"
    );
}

#[test]
fn what_may_work_is_accepted() {
    for resource in [
        "http://localhost:8080/mcp",
        "http://127.0.0.1/mcp",
        "http://[::1]:1",
    ] {
        let policy = ResourceServer::new(resource).issuer(LOGIN);
        assert_eq!(policy.check(), Ok(()), "{resource}");
    }
    let insecure = ResourceServer::new("http://mcp.internal/mcp").issuer(LOGIN);
    assert_eq!(insecure.allow_insecure_resource().check(), Ok(()));
    for issuer in [
        Issuer::entra(GUID, GUID),
        Issuer::entra_tenants([GUID], GUID),
        Issuer::entra_tenants(Tenants::matching(|_| true), GUID),
        Issuer::auth0("acme.eu.auth0.com", "https://api.example.com"),
        Issuer::workos("acme.authkit.app"),
        Issuer::new(LOGIN).introspection("id", ClientCredential::None),
        Issuer::new(LOGIN).introspection("id", "a b:c/ü"),
    ] {
        let policy = ResourceServer::new(RESOURCE).issuer(issuer);
        assert_eq!(policy.check(), Ok(()), "{policy:?}");
    }
}

#[test]
fn text_may_be_owned_or_borrowed() {
    let tenant = "11111111-2222-3333-4444-555555555555".to_owned();
    let domain = "acme.eu.auth0.com".to_owned();
    let cow = || Cow::Borrowed("client");
    for (borrowed, owned) in [
        (
            Issuer::entra(&*tenant, "client"),
            Issuer::entra(tenant.clone(), cow()),
        ),
        (
            Issuer::entra(&tenant, "client"),
            Issuer::entra(tenant, cow()),
        ),
        (
            Issuer::auth0(&*domain, "client"),
            Issuer::auth0(&domain, cow()),
        ),
        (Issuer::workos(&*domain), Issuer::workos(domain.clone())),
        (Issuer::from(&*domain), Issuer::from(&domain)),
        (Issuer::google("client"), Issuer::google(cow())),
    ] {
        assert_eq!(format!("{borrowed:?}"), format!("{owned:?}"));
    }
}
