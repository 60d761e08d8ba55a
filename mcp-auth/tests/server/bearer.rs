//! Bearer tokens that the program itself knows.

use std::fs;

use axum::Router;
use http::Request;
use mcp_auth::challenge::Challenge;
use mcp_auth::server::{BearerTokenError, StaticVerifier};
use mcp_auth::{BearerToken, BearerTokens, Claims, ResourceServer};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{AccessPolicy, HttpOptions, Principal, http_service};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{Client, ConnectError};
use serde_json::json;
use tokio::net::TcpListener;

use crate::asking::{Denied, RESOURCE, bear, refuses, request};

const ALICE: &str = "3zBqNw8vXkT1mJ5dRf7a";
const BOB: &str = "Yc2Lp9hUe6sGo4iKtV0x";

fn both() -> BearerTokens {
    let alice = BearerToken::new(ALICE)
        .name("alice")
        .scopes(["files:read", "files:write"]);
    BearerTokens::new([alice, BearerToken::new(BOB).name("bob")])
}

async fn ask(policy: &impl AccessPolicy, headers: &[(&str, &str)]) -> Result<String, Denied> {
    let mut parts = request(headers);
    policy.admit(&mut parts).await?;
    assert!(parts.headers.get("authorization").is_none());
    let principal = parts.extensions.get::<Principal>().unwrap();
    Ok(principal.name().to_owned())
}

struct Files;

#[mcp_server(undocumented = "allow")]
impl Files {
    #[tool]
    fn whoami(&self, principal: &Principal, claims: &Claims) -> String {
        assert_eq!(claims.subject(), Some(principal.name()));
        principal.name().to_owned()
    }

    #[tool(scopes("files:write"))]
    fn write(&self) -> &'static str {
        "written"
    }
}

async fn serve(policy: impl AccessPolicy) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let service = http_service(Files.into_server(), HttpOptions::default().auth(policy));
    let guard = service.start().await.unwrap();
    let router = Router::new().route_service("/mcp", service);
    tokio::spawn(async move {
        let _guard = guard;
        axum::serve(listener, router).await
    });
    url
}

async fn connect(url: &str, token: &str) -> Result<Client, ConnectError> {
    let server = http_client(url)
        .without_proxy()
        .header("authorization", format!("Bearer {token}"));
    Client::builder("test", "1").connect(server).await
}

#[tokio::test]
async fn whoever_has_a_token_may_call_what_its_scopes_allow() {
    let url = serve(both()).await;
    let alice = connect(&url, ALICE).await.unwrap();
    let bob = connect(&url, BOB).await.unwrap();
    for (client, name) in [(&alice, "alice"), (&bob, "bob")] {
        let told: String = client.call("whoami", json!({})).await.unwrap();
        assert_eq!(told, name);
    }
    let written: String = alice.call("write", json!({})).await.unwrap();
    assert_eq!(written, "written");
    let refused = bob.call::<String>("write", json!({})).await.unwrap_err();
    assert!(refused.to_string().contains("files:write"), "{refused}");
    assert!(connect(&url, "Zc2Lp9hUe6sGo4iKtV0x").await.is_err());
    let one = serve(BearerToken::new(ALICE)).await;
    let client = connect(&one, ALICE).await.unwrap();
    let told: String = client.call("whoami", json!({})).await.unwrap();
    assert_eq!(told, "bearer");
    assert!(connect(&one, BOB).await.is_err());
}

#[tokio::test]
async fn a_missing_and_a_wrong_token_are_told_apart() {
    let policy = both();
    let bearer = format!("Bearer {ALICE}");
    assert_eq!(
        ask(&policy, &[("authorization", &bearer)]).await.unwrap(),
        "alice"
    );
    let lower = format!("bearer  {BOB}");
    assert_eq!(
        ask(&policy, &[("authorization", &lower)]).await.unwrap(),
        "bob"
    );
    let dpop = format!("DPoP {ALICE}");
    for headers in [
        &[][..],
        &[("authorization", "Basic YTpi")],
        &[("authorization", &*dpop)],
    ] {
        let denied = ask(&policy, headers).await.unwrap_err();
        assert_eq!(denied.bearer(), (401, None), "{headers:?}");
    }
    let longer = format!("Bearer {ALICE}a");
    let cut = format!("Bearer {}", &ALICE[1..]);
    for value in ["Bearer unknown", "Bearer a b", &longer, &cut] {
        let denied = ask(&policy, &[("authorization", value)]).await.unwrap_err();
        let invalid = (401, Some("invalid_token".to_owned()));
        assert_eq!(denied.bearer(), invalid, "{value}");
        // The challenge does not name an authorization server.
        assert_eq!(denied.challenge("Bearer").resource_metadata(), None);
        assert_eq!(denied.challenge("Bearer").parameter("realm"), Some("mcp"));
        assert_eq!(Challenge::from_headers(&denied.headers).len(), 1);
    }
    let twice = [("authorization", &*bearer), ("authorization", &*bearer)];
    assert_eq!(ask(&policy, &twice).await.unwrap_err().status, 400);
    let mut parts = Request::get(format!("/mcp?access_token={ALICE}"));
    parts = parts.header("host", "localhost");
    let mut parts = parts.body(()).unwrap().into_parts().0;
    let denied = policy.admit(&mut parts).await.unwrap_err();
    assert_eq!(denied.status(), 400);
}

#[tokio::test]
async fn tokens_come_from_a_text_a_file_and_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let text = format!("# owners\n\nalice {ALICE} files:read\n  bob   {BOB}  \n");
    fs::write(&path, text).unwrap();
    let tokens = BearerTokens::from_file(&path).unwrap();
    let bearer = format!("Bearer {BOB}");
    assert_eq!(
        ask(&tokens, &[("authorization", &bearer)]).await.unwrap(),
        "bob"
    );
    let former: BearerTokens = format!("# bob {BOB}; carol {BOB}\nalice {ALICE}")
        .parse()
        .unwrap();
    let denied = ask(&former, &[("authorization", &bearer)])
        .await
        .unwrap_err();
    assert_eq!(
        denied.status, 401,
        "a line that begins with # is left out as a whole"
    );
    let one_line: BearerTokens = format!("alice {ALICE} a b; bob {BOB};").parse().unwrap();
    assert_eq!(
        ask(&one_line, &[("authorization", &bearer)]).await.unwrap(),
        "bob"
    );
    let shown = format!("{tokens:?}");
    assert!(shown.contains("alice") && !shown.contains(ALICE), "{shown}");
    let missing = BearerTokens::from_env("MCP_TEST_NO_TOKENS").unwrap_err();
    assert_eq!(
        missing,
        BearerTokenError::Variable("MCP_TEST_NO_TOKENS".to_owned())
    );
    let nowhere = BearerTokens::from_file(folder.path().join("none")).unwrap_err();
    assert!(
        matches!(nowhere, BearerTokenError::File { .. }),
        "{nowhere}"
    );
    // Cargo sets this variable.
    let from_env = BearerTokens::from_env("CARGO_PKG_NAME").unwrap_err();
    assert_eq!(from_env, BearerTokenError::Entry(1));
}

#[test]
fn each_mistake_is_named_without_the_token() {
    let of = |name: &str| name.to_owned();
    for (text, mistake) in [
        (of(""), BearerTokenError::None),
        (of("# nothing"), BearerTokenError::None),
        (format!("alice {ALICE}\nbob"), BearerTokenError::Entry(2)),
        (
            of("alice short-token"),
            BearerTokenError::Token(of("alice")),
        ),
        (
            of("alice 3zBqNw8vXkT1mJ5d\u{e9}"),
            BearerTokenError::Token(of("alice")),
        ),
        (
            of("alice 3zBqNw8vXkT1mJ5d,a"),
            BearerTokenError::Token(of("alice")),
        ),
        (format!("alice {ALICE} \"a\""), BearerTokenError::Word(1)),
        (
            format!("alice {ALICE} a\\b"),
            BearerTokenError::Scope(of("alice")),
        ),
        (
            format!("alice {ALICE};#old {BOB}"),
            BearerTokenError::Word(2),
        ),
        (format!("alice {ALICE} ; # old"), BearerTokenError::Word(2)),
        (
            format!("alice {ALICE} files:read # files:write"),
            BearerTokenError::Word(1),
        ),
        (
            format!("alice {ALICE} files:read #{BOB}"),
            BearerTokenError::Word(1),
        ),
        (format!("\"alice\" {ALICE}"), BearerTokenError::Word(1)),
        (
            // `docker --env-file` passes quotes as a part of the value.
            format!("bob {BOB}\n'alice {ALICE} files:read'"),
            BearerTokenError::Word(2),
        ),
        (
            format!("alice {ALICE}; bob {ALICE}"),
            BearerTokenError::Twice(of("bob")),
        ),
        (
            format!("alice {BOB}; alice {BOB}"),
            BearerTokenError::Twice(of("alice")),
        ),
    ] {
        let found = text.parse::<BearerTokens>().unwrap_err();
        assert_eq!(found, mistake, "{text}");
        let told = found.to_string();
        let secrets = ["3zBq", "Yc2L", "short"];
        assert!(!secrets.iter().any(|it| told.contains(it)), "{told}");
    }
    for name in ["#old", "", "'old'"] {
        let token = BearerToken::new(ALICE).name(name);
        let found = BearerTokens::new([token]).check();
        assert_eq!(found, Err(BearerTokenError::Word(1)), "{name}");
    }
    let scoped = BearerToken::new(ALICE).scopes(["#files:read"]);
    let found = BearerTokens::new([scoped]).check();
    assert_eq!(found, Err(BearerTokenError::Word(1)));
    let apostrophe = BearerToken::new(ALICE).name("O'Brien");
    assert_eq!(BearerTokens::new([apostrophe]).check(), Ok(()));
    let marked: BearerTokens = format!("\u{feff}# owners\nbob {BOB}").parse().unwrap();
    assert_eq!(marked.check(), Ok(()));
}

#[tokio::test]
async fn a_server_with_a_short_token_lets_nobody_in() {
    let policy = BearerToken::new("secret").name("alice");
    let error = policy.start(None).unwrap_err().to_string();
    assert!(error.contains("the bearer token of `alice`"), "{error}");
    assert!(!error.contains("secret"), "{error}");
    let denied = ask(&policy, &[("authorization", "Bearer secret")]).await;
    assert_eq!(denied.unwrap_err().status, 401);
}

#[tokio::test]
async fn tests_need_no_authorization_server() {
    let claims = json!({
        "iss": "https://login.example.com", "sub": "carol", "aud": "https://other.example.com",
        "exp": 4_000_000_000_u64,
    });
    let claims = Claims::new(claims.as_object().unwrap().clone()).unwrap();
    let tokens = StaticVerifier::new(RESOURCE)
        .token("alice", "alice", ["files:read"])
        .token("bob", "bob", [])
        .claims("carol", claims);
    let policy = ResourceServer::new(RESOURCE)
        .verifier(tokens)
        .scopes(["files:read"]);
    let claims = bear(&policy, "alice").await.unwrap();
    assert_eq!(claims.subject(), Some("alice"));
    assert_eq!(bear(&policy, "bob").await.unwrap_err().status, 403);
    refuses(&policy, "carol", "for another server").await;
    refuses(&policy, "dave", "unknown").await;
}
