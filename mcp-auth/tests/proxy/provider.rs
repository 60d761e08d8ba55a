//! Providers that differ from the default.

use mcp_auth::jwt::Claims;
use mcp_auth::metadata::AuthorizationServerMetadata;
use mcp_auth::proxy::Provider;
use mcp_auth::server::{TokenVerifier, VerifyError};
use serde_json::{Value, json};
use support::{AuthorizationServer, Endpoint, Fault, Metadata, TokenFormat};

use crate::browser::Browser;
use crate::site::{REDIRECT, Site, assert_error, at, provider, tokens};

async fn error(site: &Site) -> Option<String> {
    let client = site.client(REDIRECT).await;
    let back = site
        .login(&mut Browser::new(), &site.authorize(&client, &[]))
        .await;
    back.parameter("error")
}

#[tokio::test]
async fn id_tokens_are_for_this_client_and_this_login() {
    for (claims, is_right) in [
        (json!({}), true),
        (json!({"aud": ["proxy"]}), true),
        (json!({"aud": "other"}), false),
        (json!({"aud": ["proxy", "other"]}), false),
        (json!({"azp": "other"}), false),
        (json!({"iss": "https://evil.example"}), false),
        (json!({"exp": 1}), false),
        (json!({"nonce": "other"}), false),
        (json!({"nonce": null}), false),
        (json!({"sub": null}), false),
    ] {
        let site = Site::open().await;
        site.provider
            .change(|settings| settings.id_token_claims = claims.clone());
        let expected = (!is_right).then_some("server_error");
        assert_eq!(error(&site).await.as_deref(), expected, "{claims}");
    }
}

#[tokio::test]
async fn id_tokens_are_verified_by_the_providers_keys() {
    let site = Site::open().await;
    let other = AuthorizationServer::start().await;
    let claims = json!({
        "iss": site.provider.issuer(), "aud": "proxy", "client_id": null,
    });
    let forged = other.mint_with(&json!({"typ": "JWT"}), &claims);
    let answer = json!({"access_token": "a", "token_type": "Bearer", "id_token": forged});
    site.provider
        .fail(Endpoint::Token, Fault::Json(answer.to_string()));
    assert_eq!(error(&site).await.as_deref(), Some("server_error"));
    site.provider.heal();
    assert_eq!(error(&site).await, None);
    site.provider.rotate_keys();
    assert_eq!(error(&site).await, None);
}

#[tokio::test]
async fn claims_about_the_providers_token_are_not_those_of_ours() {
    let site = Site::open().await;
    site.provider.change(|settings| {
        let key = json!({"jkt": "of another key"});
        settings.id_token_claims = json!({"scp": "files:write", "cnf": key, "nbf": 1});
    });
    let client = site.client(REDIRECT).await;
    let (access, _) = site.tokens(&client).await;
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    assert_eq!(site.call(&access, "write").await.0, 403);
}

#[tokio::test]
async fn a_provider_may_repeat_no_nonce() {
    let provider = provider(|settings| settings.id_token_claims = json!({"nonce": null})).await;
    let own = at(&provider).without_nonce();
    let site = Site::of(provider, own, |proxy| proxy).await;
    assert_eq!(error(&site).await, None);
    let asked = site.provider.requests_to(Endpoint::Authorize).remove(0);
    assert_eq!(asked.parameter("nonce"), None);
}

#[tokio::test]
async fn parameters_are_added_and_none_of_the_protocol_is_replaced() {
    let provider = provider(|_| ()).await;
    let own = at(&provider)
        .scopes(["openid", "email"])
        .authorization_parameter("access_type", "offline")
        .authorization_parameter("client_id", "other")
        .authorization_parameter("state", "fixed");
    let site = Site::of(provider, own, |proxy| proxy).await;
    assert_eq!(error(&site).await, None);
    let asked = site.provider.requests_to(Endpoint::Authorize).remove(0);
    assert_eq!(asked.parameter("access_type"), Some("offline"));
    assert_eq!(asked.parameter("scope"), Some("openid email"));
    assert_eq!(asked.parameter("client_id"), Some("proxy"));
    assert_ne!(asked.parameter("state"), Some("fixed"));
}

#[tokio::test]
async fn the_secret_is_sent_as_the_provider_takes_it() {
    for method in ["client_secret_basic", "client_secret_post"] {
        let provider = provider(|settings| settings.auth_methods = vec![method]).await;
        let own = at(&provider);
        let site = Site::of(provider, own, |proxy| proxy).await;
        assert_eq!(error(&site).await, None, "{method}");
    }
}

/// A provider without discovery and ID tokens, and the client for it.
async fn plain() -> (AuthorizationServer, Provider) {
    let provider = provider(|settings| {
        settings.metadata = Metadata::None;
        settings.token_format = TokenFormat::Opaque;
        settings.expires_in = false;
        settings.refresh_tokens = false;
    })
    .await;
    let mut metadata = AuthorizationServerMetadata::default();
    metadata.authorization_endpoint = Some(provider.url(Endpoint::Authorize));
    metadata.token_endpoint = Some(provider.url(Endpoint::Token));
    metadata.jwks_uri = Some(provider.url(Endpoint::Jwks));
    let own = at(&provider).metadata(metadata);
    (provider, own)
}

#[tokio::test]
async fn known_metadata_needs_no_discovery() {
    let (provider, own) = plain().await;
    let site = Site::of(provider, own, |proxy| proxy).await;
    assert_eq!(error(&site).await, None);
    assert_eq!(site.provider.count(Endpoint::Jwks), 1);
    assert_eq!(site.provider.count(Endpoint::Metadata), 0);
}

/// A custom verifier that introspects a provider's tokens.
struct Introspection(AuthorizationServer);

impl TokenVerifier for Introspection {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let form = [
            ("token", token),
            ("client_id", "proxy"),
            ("client_secret", "secret"),
        ];
        let url = self.0.url(Endpoint::Introspect);
        let answer = support::browser::post(&url, "", &form).await;
        let claims: Value = serde_json::from_str(&answer.text).unwrap();
        if claims["active"] != true {
            return Err(VerifyError::Invalid("it is not active".into()));
        }
        Ok(Claims::new(claims.as_object().unwrap().clone())?)
    }
}

#[tokio::test]
async fn a_verifier_of_the_program_says_who_it_is_and_that_access_has_ended() {
    let (provider, own) = plain().await;
    let own = own
        .scopes(["user", "files:write"])
        .verifier(Introspection(provider.clone()));
    let site = Site::of(provider, own, |proxy| proxy).await;
    let client = site.client(REDIRECT).await;
    let (access, refresh) = site.tokens(&client).await;
    let (status, text) = site.call(&access, "whoami").await;
    let principal = json!([site.provider.issuer(), "sub", "alice"]);
    assert_eq!((status, text), (200, format!("alice - {principal}")));
    // Scopes that the provider granted are not granted to the client here.
    assert_eq!(site.call(&access, "write").await.0, 403);
    let (_, refresh) = tokens(site.refresh(&client, &refresh).await);
    site.provider.revoke_all();
    assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
}

#[tokio::test]
async fn a_provider_that_is_down_is_an_error_of_the_client() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    site.provider.fail(Endpoint::Metadata, Fault::Status(500));
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let form = [("login", page.sealed()), ("decision", "allow")];
    let back = browser.post(&site.at("/consent"), &form).await;
    assert!(back.location().starts_with(REDIRECT));
    assert_eq!(
        back.parameter("error").as_deref(),
        Some("temporarily_unavailable")
    );
}
