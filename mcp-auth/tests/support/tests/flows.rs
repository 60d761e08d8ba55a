//! Tests that the server behaves as the tests of clients and resource servers expect.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use support::browser::{self, Page};
use support::{AuthorizationServer, Client, Endpoint, Fault, Iss, Metadata, TokenFormat};

const REDIRECT: &str = "http://127.0.0.1:1/callback";
const RESOURCE: &str = "http://127.0.0.1:2/mcp";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn json_of(page: &Page) -> Value {
    serde_json::from_str(&page.text).unwrap()
}

async fn form(server: &AuthorizationServer, endpoint: Endpoint, form: &[(&str, &str)]) -> Value {
    json_of(&browser::post(&server.url(endpoint), "", form).await)
}

async fn authorize(server: &AuthorizationServer) -> Vec<(String, String)> {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("response_type", "code")
        .append_pair("client_id", "app")
        .append_pair("redirect_uri", REDIRECT)
        .append_pair("state", "1")
        .append_pair("scope", "files:read")
        .append_pair("resource", RESOURCE)
        .append_pair("code_challenge", CHALLENGE)
        .append_pair("code_challenge_method", "S256")
        .finish();
    let url = format!("{}?{query}", server.url(Endpoint::Authorize));
    let page = browser::get(&url).await;
    assert_eq!(page.status, 302, "{}", page.text);
    let location = page.location.unwrap();
    let (uri, query) = location.split_once('?').unwrap();
    assert_eq!(uri, REDIRECT);
    form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect()
}

async fn redeem(server: &AuthorizationServer, verifier: &str) -> Value {
    let response = authorize(server).await;
    let code = &response.iter().find(|(name, _)| name == "code").unwrap().1;
    let form_of = [
        ("grant_type", "authorization_code"),
        ("client_id", "app"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("resource", RESOURCE),
        ("code_verifier", verifier),
    ];
    form(server, Endpoint::Token, &form_of).await
}

async fn refresh(server: &AuthorizationServer, token: &Value) -> Value {
    let form_of = [
        ("grant_type", "refresh_token"),
        ("client_id", "app"),
        ("refresh_token", token.as_str().unwrap()),
    ];
    form(server, Endpoint::Token, &form_of).await
}

async fn with_app() -> AuthorizationServer {
    AuthorizationServer::with(|settings| {
        settings.clients = vec![Client::public("app"), Client::secret("server", "a secret")];
    })
    .await
}

async fn is_active(server: &AuthorizationServer, token: &Value) -> bool {
    let basic = "Authorization: Basic c2VydmVyOmErc2VjcmV0\r\n";
    let url = server.url(Endpoint::Introspect);
    let page = browser::post(&url, basic, &[("token", token.as_str().unwrap())]).await;
    json_of(&page)["active"] == true
}

#[tokio::test]
async fn a_code_becomes_tokens_and_a_refresh_token_is_good_once() {
    let server = with_app().await;
    let first = redeem(&server, VERIFIER).await;
    assert_eq!(first["token_type"], "Bearer");
    assert!(is_active(&server, &first["access_token"]).await);
    let second = refresh(&server, &first["refresh_token"]).await;
    assert!(second["access_token"].is_string());
    let again = refresh(&server, &first["refresh_token"]).await;
    assert_eq!(again["error"], "invalid_grant");
    // The second use of the refresh token revoked the login.
    assert!(!is_active(&server, &second["access_token"]).await);
    let third = refresh(&server, &second["refresh_token"]).await;
    assert_eq!(third["error"], "invalid_grant");
    assert_eq!(server.count(Endpoint::Token), 4);
}

#[tokio::test]
async fn pkce_is_checked() {
    let server = with_app().await;
    let refused = redeem(&server, "another").await;
    assert_eq!(refused["error"], "invalid_grant");
}

#[tokio::test]
async fn the_response_has_the_issuer_that_is_set() {
    let server = with_app().await;
    let iss = |response: Vec<(String, String)>| {
        response
            .into_iter()
            .find(|(name, _)| name == "iss")
            .map(|(_, value)| value)
    };
    assert_eq!(
        iss(authorize(&server).await).as_deref(),
        Some(server.issuer())
    );
    server.change(|settings| settings.iss = Iss::Is("http://other".to_owned()));
    assert_eq!(
        iss(authorize(&server).await).as_deref(),
        Some("http://other")
    );
    server.change(|settings| settings.iss = Iss::Missing);
    assert_eq!(iss(authorize(&server).await), None);
}

#[tokio::test]
async fn clients_register_and_authenticate() {
    let server = AuthorizationServer::with(|settings| {
        settings.auth_methods = vec!["client_secret_post"];
        settings.token_format = TokenFormat::Opaque;
        settings.clients = vec![Client::secret("app", "1")];
    })
    .await;
    let of = |secret: &'static str| {
        [
            ("grant_type", "client_credentials"),
            ("client_id", "app"),
            ("client_secret", secret),
        ]
    };
    let refused = form(&server, Endpoint::Token, &of("2")).await;
    assert_eq!(refused["error"], "invalid_client");
    let tokens = form(&server, Endpoint::Token, &of("1")).await;
    assert!(!tokens["access_token"].as_str().unwrap().contains('.'));
    let headers = "Authorization: Basic YXBwOjE=\r\n";
    let basic = [("grant_type", "client_credentials")];
    let page = browser::post(&server.url(Endpoint::Token), headers, &basic).await;
    assert_eq!(
        (page.status, &json_of(&page)["error"]),
        (401, &json!("invalid_client"))
    );
}

#[tokio::test]
async fn an_id_token_becomes_a_grant_elsewhere() {
    let idp = with_app().await;
    let server = with_app().await;
    let exchange = [
        (
            "grant_type",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ),
        ("client_id", "app"),
        (
            "requested_token_type",
            "urn:ietf:params:oauth:token-type:id-jag",
        ),
        (
            "subject_token_type",
            "urn:ietf:params:oauth:token-type:id_token",
        ),
        ("subject_token", &idp.id_token("app")),
        ("audience", server.issuer()),
        ("resource", RESOURCE),
    ];
    let grant = form(&idp, Endpoint::Token, &exchange).await;
    let bearer = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
        ("client_id", "app"),
        ("assertion", grant["access_token"].as_str().unwrap()),
    ];
    let refused = form(&server, Endpoint::Token, &bearer).await;
    assert_eq!(refused["error"], "invalid_grant");
    server.trust(&idp);
    let tokens = form(&server, Endpoint::Token, &bearer).await;
    assert!(tokens["access_token"].is_string(), "{tokens}");
}

#[tokio::test]
async fn metadata_is_where_it_is_set() {
    for (metadata, path) in [
        (
            Metadata::Rfc8414,
            "/.well-known/oauth-authorization-server/a",
        ),
        (Metadata::OpenId, "/.well-known/openid-configuration/a"),
        (
            Metadata::OpenIdBehind,
            "/a/.well-known/openid-configuration",
        ),
    ] {
        let server = AuthorizationServer::with(|settings| {
            settings.metadata = metadata;
            settings.path = "/a".to_owned();
        })
        .await;
        let origin = server.issuer().strip_suffix("/a").unwrap();
        let page = browser::get(&format!("{origin}{path}")).await;
        let document = json_of(&page);
        assert_eq!(document["issuer"], server.issuer());
        assert_eq!(document["token_endpoint"], server.url(Endpoint::Token));
        server.change(|settings| settings.metadata = Metadata::None);
        assert_eq!(browser::get(&format!("{origin}{path}")).await.status, 404);
    }
}

#[tokio::test]
async fn faults_end_and_held_requests_go_on() {
    let server = AuthorizationServer::start().await;
    let url = server.url(Endpoint::Jwks);
    server.fail(Endpoint::Jwks, Fault::Status(503));
    assert_eq!(browser::get(&url).await.status, 503);
    server.fail(
        Endpoint::Jwks,
        Fault::Redirect("http://169.254.169.254/".to_owned()),
    );
    let page = browser::get(&url).await;
    assert_eq!(page.location.as_deref(), Some("http://169.254.169.254/"));
    server.heal();
    let hold = server.hold(Endpoint::Jwks);
    let pending = tokio::spawn({
        let url = url.clone();
        async move { browser::get(&url).await }
    });
    server.arrived(Endpoint::Jwks, 3).await;
    assert!(!pending.is_finished());
    drop(hold);
    assert_eq!(pending.await.unwrap().status, 200);
}

#[tokio::test]
async fn a_server_stops_and_starts_again_at_its_address() {
    let server = AuthorizationServer::start().await;
    let url = server.url(Endpoint::Jwks);
    let address = server.issuer().trim_start_matches("http://").to_owned();
    server.stop().await;
    assert!(tokio::net::TcpStream::connect(&address).await.is_err());
    server.restart().await;
    let before = json_of(&browser::get(&url).await);
    server.rotate_keys();
    assert_ne!(json_of(&browser::get(&url).await), before);
}
