//! Clients that work without a person.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_auth::authentication::AssertionKey;
use mcp_auth::client::IdentityProvider;
use mcp_auth::client::error::{AuthErrorKind, AuthStep};
use mcp_auth::jwt::SigningKey;
use mcp_auth::{AuthError, OAuth};
use mcp_runtime::transport::http_client::Authenticator;
use mcp_runtime::{CallError, ConnectError};
use serde_json::json;
use support::{AuthorizationServer, Client, Endpoint, Fault};

use crate::site::{Site, call};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

async fn site(client: Client) -> Site {
    Site::with(AuthorizationServer::with(|settings| settings.clients = vec![client]).await).await
}

/// A program that acts on its own behalf.
fn robot(site: &Site) -> OAuth {
    OAuth::client_credentials("robot", "s3cret: ü").issuer(site.issuer.issuer())
}

async fn robots_site() -> Site {
    site(Client::secret("robot", "s3cret: ü")).await
}

async fn error(site: &Site, oauth: &OAuth) -> AuthError {
    match site.connect(oauth).await {
        Err(ConnectError::Authentication(CallError::Authentication { error, .. })) => {
            error.downcast_ref::<AuthError>().unwrap().clone()
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the client is connected"),
    }
}

#[tokio::test]
async fn a_secret_is_enough_by_either_method() {
    for method in ["client_secret_basic", "client_secret_post"] {
        let site = robots_site().await;
        site.issuer
            .change(|settings| settings.auth_methods = vec![method]);
        let oauth = robot(&site).scopes(["files:read"]);
        assert_eq!(
            oauth.extensions(),
            ["io.modelcontextprotocol/oauth-client-credentials"]
        );
        let client = site.connect(&oauth).await.unwrap();
        assert_eq!(call(&client, "read").await.unwrap(), "read");
        let tokens = site.issuer.requests_to(Endpoint::Token);
        let [request] = &tokens[..] else {
            panic!("{tokens:?}");
        };
        assert_eq!(request.parameter("grant_type"), Some("client_credentials"));
        assert_eq!(request.parameter("resource"), Some(site.url().as_str()));
        assert_eq!(request.parameter("scope"), Some("files:read"));
        assert_eq!(
            request.header("authorization").is_some(),
            method == "client_secret_basic"
        );
        assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
        assert_eq!(site.issuer.count(Endpoint::Register), 0);
    }
}

#[tokio::test]
async fn a_private_key_is_enough() {
    let key = SigningKey::generate().unwrap();
    let site = site(Client::key("robot", key.public_jwk())).await;
    let oauth = OAuth::client_credentials_with_key("robot", AssertionKey::new(key));
    let oauth = oauth.issuer(site.issuer.issuer());
    site.connect(&oauth).await.unwrap();
    let tokens = site.issuer.requests_to(Endpoint::Token);
    assert_eq!(tokens.len(), 1);
    assert_eq!(tokens[0].header("authorization"), None);
    assert_eq!(tokens[0].parameter("client_secret"), None);
}

#[tokio::test]
async fn credentials_are_shown_to_their_issuer_alone() {
    let site = robots_site().await;
    let without = OAuth::client_credentials("robot", "s3cret: ü");
    let found = error(&site, &without).await;
    assert!(matches!(found.kind(), AuthErrorKind::ClientWithoutIssuer));
    let elsewhere = OAuth::client_credentials("robot", "s3cret: ü").issuer("https://as.example");
    let found = error(&site, &elsewhere).await;
    assert!(matches!(found.kind(), AuthErrorKind::OtherIssuer { .. }));
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
}

#[tokio::test]
async fn a_wrong_secret_is_not_tried_twice() {
    let site = robots_site().await;
    let oauth = OAuth::client_credentials("robot", "sesame").issuer(site.issuer.issuer());
    let found = error(&site, &oauth).await;
    assert_eq!(
        (found.step(), found.code()),
        (AuthStep::Token, Some("invalid_client"))
    );
    assert!(!found.to_string().contains("sesame"), "{found}");
    assert_eq!(site.issuer.count(Endpoint::Token), 1);
}

#[tokio::test]
async fn a_token_that_is_no_longer_accepted_is_replaced() {
    let site = robots_site().await;
    let client = site.connect(&robot(&site)).await.unwrap();
    let token = site.last_token().unwrap();
    site.state().revoked.insert(token.clone());
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_ne!(site.last_token().unwrap(), token);
    assert_eq!(site.issuer.count(Endpoint::Token), 2);
}

#[tokio::test]
async fn a_token_that_expires_is_replaced_before() {
    let site = robots_site().await;
    let token = site.issuer.mint(&json!({"aud": site.url()}));
    let token = json!({"access_token": token, "token_type": "Bearer", "expires_in": 0});
    site.issuer
        .fail(Endpoint::Token, Fault::Json(token.to_string()));
    let client = site.connect(&robot(&site)).await.unwrap();
    let before = site.issuer.count(Endpoint::Token);
    let refused = |site: &Site| site.state().seen.iter().filter(|it| it.is_none()).count();
    assert_eq!(refused(&site), 1);
    call(&client, "read").await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Token), before + 1);
    assert_eq!(refused(&site), 1);
}

#[tokio::test]
async fn a_token_with_more_scopes_is_had_when_it_is_needed() {
    let site = robots_site().await;
    site.state().write_scope = Some("files:write");
    let oauth = robot(&site).scopes(["files:read"]);
    let client = site.connect(&oauth).await.unwrap();
    assert_eq!(call(&client, "write").await.unwrap(), "written");
    let tokens = site.issuer.requests_to(Endpoint::Token);
    let scopes = tokens.last().unwrap().parameter("scope").unwrap();
    let mut scopes: Vec<_> = scopes.split(' ').collect();
    scopes.sort_unstable();
    assert_eq!(scopes, ["files:read", "files:write"]);
}

/// An MCP server whose issuer trusts an identity provider, and the provider.
async fn enterprise() -> (Site, AuthorizationServer) {
    let client = Client::secret("app", "at the provider");
    let provider = AuthorizationServer::with(|settings| settings.clients = vec![client]).await;
    let site = site(Client::secret("app", "at the issuer")).await;
    site.issuer.trust(&provider);
    (site, provider)
}

fn employee(site: &Site, provider: &AuthorizationServer, id_token: String) -> OAuth {
    let provider = IdentityProvider::new(provider.issuer(), "app", move || {
        let id_token = id_token.clone();
        async move { Ok(id_token) }
    });
    OAuth::enterprise(provider.client_secret("at the provider"))
        .client("app")
        .client_secret("at the issuer")
        .issuer(site.issuer.issuer())
        .scopes(["files:read"])
}

#[tokio::test]
async fn an_identity_token_becomes_an_access_token() {
    let (site, provider) = enterprise().await;
    let oauth = employee(&site, &provider, provider.id_token("app"));
    assert_eq!(
        oauth.extensions(),
        ["io.modelcontextprotocol/enterprise-managed-authorization"]
    );
    let client = site.connect(&oauth).await.unwrap();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let exchanges = provider.requests_to(Endpoint::Token);
    assert_eq!(exchanges.len(), 1);
    let url = site.url();
    for (name, value) in [
        (
            "grant_type",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ),
        (
            "requested_token_type",
            "urn:ietf:params:oauth:token-type:id-jag",
        ),
        (
            "subject_token_type",
            "urn:ietf:params:oauth:token-type:id_token",
        ),
        ("audience", site.issuer.issuer()),
        ("resource", url.as_str()),
        ("scope", "files:read"),
    ] {
        assert_eq!(exchanges[0].parameter(name), Some(value), "{name}");
    }
    let tokens = site.issuer.requests_to(Endpoint::Token);
    assert_eq!(tokens.len(), 1);
    assert_eq!(tokens[0].parameter("grant_type"), Some(JWT_BEARER));
    assert!(tokens[0].parameter("assertion").is_some());
    // Each server sees only its own secret.
    let header =
        |requests: &[support::Recorded]| requests[0].header("authorization").map(str::to_owned);
    assert_ne!(header(&exchanges), header(&tokens));
}

#[tokio::test]
async fn a_provider_that_refuses_ends_it() {
    let (site, provider) = enterprise().await;
    let foreign = site.issuer.id_token("app");
    let found = error(&site, &employee(&site, &provider, foreign)).await;
    assert_eq!(
        (found.step(), found.code()),
        (AuthStep::TokenExchange, Some("invalid_grant"))
    );
    assert_eq!(provider.count(Endpoint::Token), 1);
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
    // A response that does not contain an ID-JAG is not passed on.
    let answer = r#"{"access_token":"a","issued_token_type":"other","token_type":"Bearer"}"#;
    provider.fail(Endpoint::Token, Fault::Json(answer.to_owned()));
    let found = error(&site, &employee(&site, &provider, provider.id_token("app"))).await;
    assert!(
        matches!(found.kind(), AuthErrorKind::Malformed(_)),
        "{found}"
    );
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
}

#[tokio::test]
async fn a_saml_assertion_is_named_as_one() {
    let (site, provider) = enterprise().await;
    let saml = IdentityProvider::new(provider.issuer(), "app", async || Ok("PHNhbWw-".to_owned()));
    let oauth = OAuth::enterprise(saml.saml().client_secret("at the provider"))
        .client("app")
        .client_secret("at the issuer")
        .issuer(site.issuer.issuer());
    // This provider accepts only ID tokens.
    let found = error(&site, &oauth).await;
    assert_eq!(found.step(), AuthStep::TokenExchange);
    let exchange = &provider.requests_to(Endpoint::Token)[0];
    assert_eq!(
        exchange.parameter("subject_token_type"),
        Some("urn:ietf:params:oauth:token-type:saml2")
    );
    assert_eq!(exchange.parameter("subject_token"), Some("PHNhbWw-"));
}

/// A workload whose platform gave it this token, and the number of times that the token was
/// requested.
fn workload(site: &Site, token: String) -> (OAuth, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&count);
    let oauth = OAuth::workload(move || {
        asked.fetch_add(1, Ordering::Relaxed);
        let token = format!("{token}\n");
        async move { Ok(token) }
    });
    (oauth.issuer(site.issuer.issuer()), count)
}

#[tokio::test]
async fn a_workload_presents_the_token_of_its_platform() {
    let platform = AuthorizationServer::start().await;
    let site = Site::start().await;
    site.issuer.trust(&platform);
    let token = platform.mint(&json!({"sub": "pod-7", "aud": site.issuer.issuer()}));
    let (oauth, asked) = workload(&site, token.clone());
    assert!(oauth.extensions().is_empty());
    let client = site.connect(&oauth).await.unwrap();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let tokens = site.issuer.requests_to(Endpoint::Token);
    let [request] = &tokens[..] else {
        panic!("{tokens:?}");
    };
    assert_eq!(request.parameter("grant_type"), Some(JWT_BEARER));
    assert_eq!(request.parameter("assertion"), Some(token.as_str()));
    assert_eq!(request.parameter("resource"), Some(site.url().as_str()));
    assert_eq!(request.parameter("client_id"), None);
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_workload_that_is_refused_tries_nothing_else() {
    let platform = AuthorizationServer::start().await;
    let site = Site::start().await;
    site.issuer.trust(&platform);
    let elsewhere = platform.mint(&json!({"aud": "https://as.example"}));
    let (oauth, _) = workload(&site, elsewhere);
    let found = error(&site, &oauth).await;
    assert_eq!(
        (found.step(), found.code()),
        (AuthStep::Token, Some("invalid_grant"))
    );
    assert_eq!(site.issuer.count(Endpoint::Token), 1);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
    assert_eq!(site.issuer.count(Endpoint::Register), 0);
}

#[tokio::test]
async fn a_source_without_a_token_is_named() {
    let site = Site::start().await;
    let oauth = OAuth::workload(async || Err("the file is not mounted".into()));
    let found = error(&site, &oauth.issuer(site.issuer.issuer())).await;
    assert!(
        found.to_string().contains("the file is not mounted"),
        "{found}"
    );
    let (oauth, _) = workload(&site, String::new());
    let found = error(&site, &oauth).await;
    assert!(
        matches!(found.kind(), AuthErrorKind::TokenSource(_)),
        "{found}"
    );
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
}
