//! Custom verifiers.

use std::time::Duration;

use mcp_auth::server::{TokenVerifier, VerifyError};
use mcp_auth::{Claims, ResourceServer};
use serde_json::json;

use crate::asking::{RESOURCE, bear, in_seconds, refuses};

struct ApiKeys;

impl TokenVerifier for ApiKeys {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let (aud, exp) = match token {
            "valid" => (RESOURCE, in_seconds(60)),
            "other" => ("https://other.example.com", in_seconds(60)),
            "old" => (RESOURCE, in_seconds(-70)),
            "later" => return Err(VerifyError::Unavailable(Duration::from_secs(7))),
            _ => return Err(VerifyError::Invalid("not a known key".into())),
        };
        let claims = json!({"iss": "us", "sub": "alice", "aud": aud, "exp": exp});
        Ok(Claims::new(claims.as_object().unwrap().clone())?)
    }
}

#[tokio::test]
async fn its_claims_are_checked() {
    let policy = ResourceServer::new(RESOURCE).verifier(ApiKeys);
    let claims = bear(&policy, "valid").await.unwrap();
    assert_eq!(claims.subject(), Some("alice"));
    for token in ["other", "old", "unknown"] {
        refuses(&policy, token, token).await;
    }
    let denied = bear(&policy, "unknown").await.unwrap_err();
    let text = denied.challenge("Bearer");
    assert_eq!(text.error_description(), Some("not a known key"));
    let denied = bear(&policy, "later").await.unwrap_err();
    assert_eq!(denied.status, 503);
    assert_eq!(denied.headers["retry-after"], "7");
}
