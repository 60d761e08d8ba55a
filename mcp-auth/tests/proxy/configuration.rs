//! Settings that can never work make serving fail.

use mcp_auth::jwt::SigningKey;
use mcp_auth::metadata::AuthorizationServerMetadata;
use mcp_auth::proxy::{OAuthProxy, Provider, ProxyKeys};
use mcp_runtime::transport::http::http;
use mcp_runtime::{ServeError, Server};
use tracing::Level;

use crate::log::Log;
use crate::site::keys;

const RESOURCE: &str = "https://mcp.example.com/mcp";
const LOGIN: &str = "https://login.example.com";

#[tokio::test]
async fn serving_ends_with_an_error_that_names_a_setting_that_can_never_work() {
    let provider = || Provider::new(LOGIN, "client-id").secret("secret");
    let proxy = |provider: Provider| OAuthProxy::new(RESOURCE, provider, keys());
    let of = |resource: &str| OAuthProxy::new(resource, provider(), keys());
    let mut metadata = AuthorizationServerMetadata::default();
    let empty = metadata.clone();
    metadata.authorization_endpoint = Some(format!("{LOGIN}/authorize"));
    metadata.token_endpoint = Some("http://login.example.com/token".to_owned());
    for (proxy, named) in [
        (of("mcp"), "the issuer ``"),
        (
            of("http://mcp.example.com/mcp"),
            "the issuer `http://mcp.example.com`",
        ),
        (
            of(RESOURCE).issuer("https://other.example.com"),
            "the issuer `https://other",
        ),
        (
            of(RESOURCE).issuer("https://mcp.example.com/"),
            "the issuer `https://mcp",
        ),
        (proxy(Provider::new("login", "id")), "the issuer `login`"),
        (
            proxy(Provider::new(LOGIN, "")),
            "`Provider::new` can't be ``",
        ),
        (
            proxy(provider().secret("")),
            "identifier or secret is empty",
        ),
        (
            proxy(provider().secret("secret\n")),
            "line breaks around it",
        ),
        (proxy(provider().scopes(["email"])), "`Provider::scopes`"),
        (
            proxy(provider().metadata(empty)),
            "`Provider::metadata` can't be ``",
        ),
        (
            proxy(provider().metadata(metadata)),
            "can't be `http://login.example.com/token`",
        ),
        (of(RESOURCE).scopes(["a b"]), "`a b` is not a scope"),
        (
            of(RESOURCE).redirect_scheme("cursor:"),
            "`OAuthProxy::redirect_scheme`",
        ),
        (
            of(RESOURCE).redirect_scheme("Cursor"),
            "`OAuthProxy::redirect_scheme`",
        ),
        (
            of(RESOURCE).redirect_scheme("https"),
            "`OAuthProxy::redirect_scheme`",
        ),
        (
            of(RESOURCE).root_certificate(b"PEM".to_vec()),
            "certificates",
        ),
    ] {
        let found = proxy.check().unwrap_err().to_string();
        assert!(found.contains(named), "{named}: {found}");
        let served = Server::builder()
            .build()
            .serve(http("127.0.0.1:0").auth(proxy));
        match served.await.unwrap_err() {
            ServeError::Setting {
                name: "auth",
                error,
            } => {
                assert_eq!(error.to_string(), found);
                assert!(!found.contains("secret\n"), "{found}");
            }
            error => panic!("{named}: {error}"),
        }
    }
    assert_eq!(of(RESOURCE).redirect_scheme("cursor").check(), Ok(()));
}

#[test]
fn generated_keys_are_warned_about() {
    let (log, _listening) = Log::listening(Level::WARN);
    drop(ProxyKeys::new(SigningKey::generate().unwrap(), [1; 32]));
    assert_eq!(log.text(), "");
    drop(ProxyKeys::generate().unwrap());
    assert!(log.text().contains("replicas can't use them"));
}
