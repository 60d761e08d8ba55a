//! Scopes that requests and operations need.

use mcp_runtime::transport::http::ScopeCheck;
use serde_json::json;
use support::AuthorizationServer;

use crate::asking::{Denied, METADATA, ask, bear, guard, token_with};

#[tokio::test]
async fn operations_find_out_what_is_missing() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer)
        .scopes(["files:read"])
        .implies("files:admin", ["files:read", "files:write"]);
    let check = async |scope: &str, needed: &[&str]| -> Result<(), Denied> {
        let token = token_with(&issuer, &json!({"scope": scope}));
        let value = format!("Bearer {token}");
        let parts = ask(&policy, &[("authorization", &value)]).await?;
        let check: &ScopeCheck = parts.extensions.get().unwrap();
        Ok(check.check(needed)?)
    };
    let both = &["files:write", "files:list"];
    check("files:read files:write files:list", both)
        .await
        .unwrap();
    check("files:admin files:list", both).await.unwrap();
    check("files:read", &[]).await.unwrap();
    for scope in ["files:read", "files:read files:write", "files:admin"] {
        let denied = check(scope, both).await.unwrap_err();
        assert_eq!(denied.status, 403);
        let challenge = denied.challenge("Bearer");
        assert_eq!(challenge.error(), Some("insufficient_scope"));
        assert_eq!(challenge.scope(), Some("files:read files:write files:list"));
        assert_eq!(challenge.resource_metadata(), Some(METADATA));
    }
}

#[tokio::test]
async fn scopes_of_the_server_are_needed_for_each_request() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer).scopes(["files:read"]);
    for claims in [json!({}), json!({"scope": "files:read2 Files:read"})] {
        let denied = bear(&policy, &token_with(&issuer, &claims))
            .await
            .unwrap_err();
        assert_eq!(
            denied.bearer(),
            (403, Some("insufficient_scope".to_owned()))
        );
        let challenge = denied.challenge("Bearer");
        assert_eq!(challenge.scope(), Some("files:read"));
    }
}
