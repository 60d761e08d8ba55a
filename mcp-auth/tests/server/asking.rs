//! Sends requests to an access policy.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Request};
use mcp_auth::challenge::Challenge;
use mcp_auth::{Claims, Issuer, ResourceServer};
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy};
use serde_json::{Value, json};
use support::AuthorizationServer;
use tokio::task::JoinSet;

pub const RESOURCE: &str = "https://mcp.example.com/mcp";
pub const METADATA: &str = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";

/// A resource server that accepts the tokens of `issuer`.
pub fn guard(issuer: &AuthorizationServer) -> ResourceServer {
    ResourceServer::new(RESOURCE).issuer(issuer.issuer())
}

/// A resource server that introspects opaque tokens.
pub fn introspecting(issuer: &AuthorizationServer) -> ResourceServer {
    let issuer = Issuer::new(issuer.issuer()).introspection("resource server", "a:b/ü");
    ResourceServer::new(RESOURCE).issuer(issuer)
}

pub fn token(issuer: &AuthorizationServer) -> String {
    token_with(issuer, &json!({}))
}

/// A token for the resource with these claims replaced.
pub fn token_with(issuer: &AuthorizationServer, claims: &Value) -> String {
    let mut all = json!({"aud": RESOURCE});
    for (name, value) in claims.as_object().unwrap() {
        all[name] = value.clone();
    }
    issuer.mint(&all)
}

/// The time in `seconds` seconds, in seconds since 1970.
pub fn in_seconds(seconds: i64) -> i64 {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    i64::try_from(now.as_secs()).unwrap() + seconds
}

/// The head of a request.
pub fn request(headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::post("/mcp");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

/// The response to a request that was not admitted.
#[derive(Debug)]
pub struct Denied {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Denied {
    pub fn challenge(&self, scheme: &str) -> Challenge {
        let mut challenges = Challenge::from_headers(&self.headers).into_iter();
        challenges.find(|it| it.is(scheme)).unwrap()
    }

    /// The status, and the `error` of the bearer challenge.
    pub fn bearer(&self) -> (u16, Option<String>) {
        let challenge = self.challenge("Bearer");
        (self.status, challenge.error().map(str::to_owned))
    }
}

impl From<AccessDenied> for Denied {
    fn from(denied: AccessDenied) -> Self {
        let (parts, text) = denied.into_response().into_parts();
        Self {
            status: parts.status.as_u16(),
            headers: parts.headers,
            text,
        }
    }
}

/// Asks a policy to admit a request with these headers.
pub async fn ask(policy: &ResourceServer, headers: &[(&str, &str)]) -> Result<Parts, Denied> {
    let mut parts = request(headers);
    policy.admit(&mut parts).await?;
    Ok(parts)
}

/// Asks a policy to admit a request with this bearer token, and returns the token's claims.
pub async fn bear(policy: &ResourceServer, token: &str) -> Result<Claims, Denied> {
    let value = format!("Bearer {token}");
    let admitted = ask(policy, &[("authorization", &value)]).await;
    if let Err(denied) = &admitted {
        let told = format!("{} {:?}", denied.text, denied.headers);
        let mut secrets = token.split('.').filter(|part| part.len() > 8);
        assert!(secrets.all(|part| !told.contains(part)), "{told}");
    }
    Ok(admitted?.extensions.get::<Claims>().unwrap().clone())
}

/// Asserts that a token is rejected as invalid with a 401.
pub async fn refuses(policy: &ResourceServer, token: &str, what: &str) {
    let denied = bear(policy, token).await.unwrap_err();
    let invalid = (401, Some("invalid_token".to_owned()));
    assert_eq!(denied.bearer(), invalid, "{what}: {denied:?}");
}

/// Asserts that a token can't be verified at the moment.
pub async fn unavailable(policy: &ResourceServer, token: &str) {
    let denied = bear(policy, token).await.unwrap_err();
    assert_eq!(denied.status, 503, "{denied:?}");
    let seconds = denied.headers["retry-after"].to_str().unwrap();
    assert!(seconds.parse::<u64>().is_ok_and(|it| it > 0), "{denied:?}");
}

/// The statuses of many concurrent requests with the same token.
pub async fn together(policy: &Arc<ResourceServer>, token: &str, count: usize) -> Vec<u16> {
    let mut set = JoinSet::new();
    for _ in 0..count {
        let policy = Arc::clone(policy);
        let value = format!("Bearer {token}");
        set.spawn(async move {
            let mut parts = request(&[("authorization", &value)]);
            match policy.admit(&mut parts).await {
                Ok(()) => 200,
                Err(denied) => denied.status().as_u16(),
            }
        });
    }
    set.join_all().await
}
