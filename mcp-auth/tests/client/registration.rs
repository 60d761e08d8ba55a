//! Client registration.

use mcp_auth::authentication::AssertionKey;
use mcp_auth::jwt::SigningKey;
use support::{AuthorizationServer, Client, Endpoint, Fault};

use crate::site::{Site, app, call};

const DOCUMENT: &str = "https://app.example.com/client.json";

async fn documents() -> Site {
    let issuer = AuthorizationServer::with(|settings| settings.client_metadata_documents = true);
    Site::with(issuer.await).await
}

#[tokio::test]
async fn a_metadata_document_is_preferred_where_it_is_understood() {
    let site = documents().await;
    let client = site.connect(&app().client_metadata_url(DOCUMENT)).await;
    assert_eq!(call(&client.unwrap(), "read").await.unwrap(), "read");
    assert_eq!(site.issuer.count(Endpoint::Register), 0);
    for endpoint in [Endpoint::Authorize, Endpoint::Token] {
        let request = &site.issuer.requests_to(endpoint)[0];
        assert_eq!(request.parameter("client_id"), Some(DOCUMENT));
    }
    // If the issuer does not support metadata documents, the client registers itself.
    let site = Site::start().await;
    let client = site.connect(&app().client_metadata_url(DOCUMENT)).await;
    client.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Register), 1);
}

#[tokio::test]
async fn a_metadata_document_has_an_https_url_with_a_path() {
    let site = documents().await;
    for url in [
        "http://app.example.com/a",
        "https://app.example.com/",
        "app",
        "https://a/b#c",
    ] {
        let error = site.refused(&app().client_metadata_url(url)).await;
        assert!(
            error.contains("must be `https` and have a path"),
            "{url}: {error}"
        );
    }
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
}

#[tokio::test]
async fn a_secret_is_used_in_the_way_that_the_issuer_offers() {
    for (method, header) in [("client_secret_basic", true), ("client_secret_post", false)] {
        let issuer = AuthorizationServer::with(|settings| settings.auth_methods = vec![method]);
        let site = Site::with(issuer.await).await;
        let client = site.connect(&app()).await.unwrap();
        assert_eq!(call(&client, "read").await.unwrap(), "read");
        let registration = &site.issuer.requests_to(Endpoint::Register)[0].json;
        assert_eq!(registration["token_endpoint_auth_method"], method);
        let token = &site.issuer.requests_to(Endpoint::Token)[0];
        assert_eq!(token.header("authorization").is_some(), header);
        assert_eq!(token.parameter("client_secret").is_none(), header);
    }
}

#[tokio::test]
async fn a_method_of_authentication_that_nobody_has_is_an_error() {
    for method in ["tls_client_auth", "private_key_jwt", ""] {
        let site = Site::start().await;
        let client = format!(
            r#"{{"client_id":"me","client_secret":"secret","token_endpoint_auth_method":"{method}"}}"#
        );
        site.issuer.fail(Endpoint::Register, Fault::Json(client));
        let error = site.refused(&app()).await;
        assert!(
            error.contains(&format!("authenticate by `{method}`")),
            "{error}"
        );
        assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
    }
}

#[tokio::test]
async fn a_secret_stays_where_only_keys_are_taken() {
    let known = Client::secret("me", "secret");
    let issuer = AuthorizationServer::with(|settings| {
        settings.clients = vec![known];
        settings.auth_methods = vec!["private_key_jwt"];
    });
    let site = Site::with(issuer.await).await;
    let oauth = app().client("me").client_secret("secret");
    let error = site.refused(&oauth.issuer(site.issuer.issuer())).await;
    assert!(error.contains("OAuth::client_key"), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
}

#[tokio::test]
async fn a_client_authenticates_by_its_key() {
    let key = SigningKey::generate().unwrap();
    let known = Client::key("me", key.public_jwk());
    let issuer = AuthorizationServer::with(|settings| settings.clients = vec![known]);
    let site = Site::with(issuer.await).await;
    let oauth = app().client("me").issuer(site.issuer.issuer());
    site.connect(&oauth.client_key(AssertionKey::new(key)))
        .await
        .unwrap();
    let token = &site.issuer.requests_to(Endpoint::Token)[0];
    assert!(token.parameter("client_assertion").is_some());
    assert_eq!(token.header("authorization"), None);
}

#[tokio::test]
async fn without_any_way_the_user_is_told_to_register() {
    let site = Site::start().await;
    site.issuer.change(|settings| settings.registration = false);
    let error = site.refused(&app()).await;
    assert!(error.contains("register one there manually"), "{error}");
    assert!(error.contains(site.issuer.issuer()), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
}

#[tokio::test]
async fn faults_of_a_registration_are_errors_that_name_the_url() {
    let site = Site::start().await;
    let refusal = r#"{"error":"invalid_redirect_uri","error_description":"no\nloopback"}"#;
    for (fault, expected) in [
        (
            Fault::Redirect("http://127.0.0.1:9/".to_owned()),
            "redirects",
        ),
        (Fault::Status(429), "HTTP 429"),
        (Fault::Garbage, "can't be read"),
        (Fault::Json("{}".to_owned()), "`client_id`"),
        (
            Fault::Json(refusal.to_owned()),
            "invalid_redirect_uri: no loopback",
        ),
        (Fault::Large(2 << 20), "longer than"),
    ] {
        site.issuer.fail(Endpoint::Register, fault);
        let error = site.refused(&app()).await;
        let step = format!(
            "registering the client at {}",
            site.issuer.url(Endpoint::Register)
        );
        assert!(error.contains(expected) && error.contains(&step), "{error}");
    }
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
}

#[tokio::test]
async fn a_client_that_is_unknown_at_the_token_endpoint_is_registered_anew_once() {
    let site = Site::start().await;
    let unknown = r#"{"error":"invalid_client"}"#.to_owned();
    site.issuer.fail(Endpoint::Token, Fault::Json(unknown));
    let error = site.refused(&app()).await;
    assert!(error.contains("invalid_client"), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Register), 2);
    // A client that was registered manually is not registered again.
    let issuer = site.issuer.issuer().to_owned();
    site.issuer
        .change(|settings| settings.clients = vec![Client::public("me")]);
    let before = site.issuer.count(Endpoint::Authorize);
    let error = site.refused(&app().client("me").issuer(issuer)).await;
    assert!(error.contains("invalid_client"), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Register), 2);
    assert_eq!(site.issuer.count(Endpoint::Authorize), before + 1);
}
