//! Lookups with the proprietary interfaces of providers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use mcp_auth::server::{GitHubTokens, TokenInfo};
use mcp_auth::{Issuer, ResourceServer};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::asking::{RESOURCE, bear, in_seconds, refuses, unavailable};
use crate::clock::Clock;

/// The next response of a provider.
type Answer = Arc<Mutex<(u16, Value)>>;

async fn serve(router: Router<Answer>) -> (String, Answer) {
    let answer = Answer::default();
    let router = router.with_state(Arc::clone(&answer));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (origin, answer)
}

fn answered(answer: &Answer) -> (StatusCode, String) {
    let (status, body) = answer.lock().unwrap().clone();
    (StatusCode::from_u16(status).unwrap(), body.to_string())
}

/// The response of *tokeninfo* to an access token (developers.google.com, "OpenID Connect",
/// "Validating an ID token", as of November 2026). Numbers are strings.
fn google() -> Value {
    json!({
        "azp": "client.apps.googleusercontent.com",
        "aud": "client.apps.googleusercontent.com",
        "sub": "10769150350006150715113082367",
        "scope": "https://www.googleapis.com/auth/userinfo.email openid",
        "exp": in_seconds(600).to_string(),
        "expires_in": "600",
        "email": "alice@example.com",
        "email_verified": "true",
        "access_type": "offline",
    })
}

#[tokio::test]
async fn google_tells_whose_a_token_is() {
    let info = async |State(answer): State<Answer>, body: String| {
        assert!(body.starts_with("access_token=ya29."), "{body}");
        answered(&answer)
    };
    let (origin, answer) = serve(Router::new().route("/tokeninfo", post(info))).await;
    // The same as `Issuer::google`, but with a different URL.
    let policy = || {
        let issuer = Issuer::new("https://accounts.google.com")
            .audience("client.apps.googleusercontent.com")
            .verifier(TokenInfo::new(
                format!("{origin}/tokeninfo"),
                "https://accounts.google.com",
            ));
        ResourceServer::new(RESOURCE)
            .issuer(issuer)
            .scopes(["openid"])
    };
    *answer.lock().unwrap() = (200, google());
    let claims = bear(&policy(), "ya29.valid").await.unwrap();
    assert_eq!(claims.subject(), Some("10769150350006150715113082367"));
    assert_eq!(
        claims.client_id(),
        Some("client.apps.googleusercontent.com")
    );
    assert_eq!(claims.issuer(), "https://accounts.google.com");
    for (what, name, value) in [
        (
            "of another client",
            "aud",
            json!("other.apps.googleusercontent.com"),
        ),
        ("expired", "exp", json!(in_seconds(-70).to_string())),
        ("without an end", "exp", json!("soon")),
        ("without the scope `openid`", "sub", Value::Null),
    ] {
        let mut changed = google();
        changed[name] = value.clone();
        if value.is_null() {
            changed.as_object_mut().unwrap().remove(name);
        }
        *answer.lock().unwrap() = (200, changed);
        refuses(&policy(), "ya29.other", what).await;
    }
    *answer.lock().unwrap() = (400, json!({"error": "invalid_token"}));
    refuses(&policy(), "ya29.unknown", "unknown").await;
    for (status, body) in [(500, json!({})), (429, json!({})), (200, json!([]))] {
        *answer.lock().unwrap() = (status, body);
        unavailable(&policy(), "ya29.later").await;
    }
    assert_eq!(
        ResourceServer::new(RESOURCE)
            .issuer(Issuer::google("client"))
            .check(),
        Ok(())
    );
}

/// The response of GitHub's REST API, "Check a token" (docs.github.com, as of November 2026).
fn github() -> Value {
    json!({
        "id": 1,
        "url": "https://api.github.com/authorizations/1",
        "scopes": ["read:user", "repo"],
        "token": "gho_valid",
        "app": {"client_id": "Iv1.app", "name": "an app", "url": "https://example.com"},
        "expires_at": null,
        "user": {"login": "octocat", "id": 583_231, "name": "The Octocat", "type": "User"},
    })
}

#[tokio::test]
async fn github_tells_whose_a_token_of_the_app_is() {
    let check = async |State(answer): State<Answer>,
                       Path(app): Path<String>,
                       headers: HeaderMap,
                       body: String| {
        assert_eq!(app, "Iv1.app");
        assert_eq!(headers["authorization"], "Basic SXYxLmFwcDpzZWNyZXQ=");
        assert!(headers.contains_key("user-agent"));
        assert!(body.starts_with(r#"{"access_token":"gho_"#), "{body}");
        answered(&answer)
    };
    let (origin, answer) =
        serve(Router::new().route("/applications/{app}/token", post(check))).await;
    // The settings of `Issuer::github`, adapted to a GitHub Enterprise Server.
    let policy = || {
        let of = "https://github.example.com/login/oauth";
        let tokens = GitHubTokens::new("Iv1.app", "secret").enterprise(&origin, of);
        let issuer = Issuer::new(of).audience("Iv1.app").verifier(tokens);
        ResourceServer::new(RESOURCE).issuer(issuer)
    };
    *answer.lock().unwrap() = (200, github());
    let claims = bear(&policy(), "gho_valid").await.unwrap();
    assert_eq!(claims.subject(), Some("583231"));
    assert_eq!(claims.get("login"), Some(&json!("octocat")));
    assert_eq!(claims.scopes().collect::<Vec<_>>(), ["read:user", "repo"]);
    *answer.lock().unwrap() = (200, json!({"user": null}));
    refuses(&policy(), "gho_nobody", "nobody's").await;
    for status in [404, 422] {
        *answer.lock().unwrap() = (status, json!({"message": "Not Found"}));
        refuses(&policy(), "gho_other", "of another app").await;
    }
    for status in [401, 403, 500] {
        *answer.lock().unwrap() = (status, json!({}));
        unavailable(&policy(), "gho_later").await;
    }
    let preset = Issuer::github("Iv1.app", "secret");
    assert_eq!(ResourceServer::new(RESOURCE).issuer(preset).check(), Ok(()));
}

/// Responds to each token with the status in its name, such as `gho_429.1`.
fn by_token(body: &str, found: &Value) -> (StatusCode, String) {
    let (_, name) = body.split_once("gho_").unwrap();
    let status = StatusCode::from_u16(name[..3].parse().unwrap()).unwrap();
    (status, found.to_string())
}

#[tokio::test]
async fn a_token_that_the_provider_does_not_take_concerns_no_other() {
    let info = async |body: String| by_token(&body, &google());
    let check = async |body: String| by_token(&body, &github());
    let router = Router::new()
        .route("/tokeninfo", post(info))
        .route("/applications/{app}/token", post(check));
    let (origin, _) = serve(router).await;
    let of = "https://login.example.com";
    let info = TokenInfo::new(format!("{origin}/tokeninfo"), of);
    let hub = GitHubTokens::new("Iv1.app", "secret").enterprise(&origin, of);
    let google = Issuer::new(of).audience("client.apps.googleusercontent.com");
    let github = Issuer::new(of).audience("Iv1.app");
    for (issuer, refused) in [
        (
            google.verifier(info),
            &[400, 401, 403, 404, 413, 414, 422, 431][..],
        ),
        (github.verifier(hub), &[400, 404, 413, 414, 422, 431]),
    ] {
        let policy = ResourceServer::new(RESOURCE).issuer(issuer);
        let mut valid = 0;
        let mut next = || {
            valid += 1;
            format!("gho_200.{valid}")
        };
        for status in refused {
            refuses(&policy, &format!("gho_{status}"), &status.to_string()).await;
            bear(&policy, &next()).await.unwrap();
        }
        for number in 0..10 {
            unavailable(&policy, &format!("gho_429.{number}")).await;
            bear(&policy, &next()).await.unwrap();
        }
        unavailable(&policy, "gho_500").await;
        let clock = Clock::stopped();
        let waiting = next();
        unavailable(&policy, &waiting).await;
        clock.pass(Duration::from_secs(1)).await;
        bear(&policy, &waiting).await.unwrap();
        clock.go_on();
    }
}
