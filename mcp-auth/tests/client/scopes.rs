//! The scopes that a login requests, and how a client gets more.

use mcp_auth::challenge::Challenge;
use mcp_auth::client::store::MemoryStore;
use serde_json::json;
use support::{AuthorizationServer, Decision, Endpoint};

use crate::site::{Site, app, call};

/// The scopes that each login requested.
fn asked(site: &Site) -> Vec<String> {
    let logins = site.issuer.requests_to(Endpoint::Authorize);
    let scopes = logins.iter().map(|it| it.parameter("scope"));
    scopes.map(|it| it.unwrap_or("-").to_owned()).collect()
}

#[tokio::test]
async fn a_login_asks_for_the_scopes_of_the_challenge_or_else_of_the_metadata() {
    let site = Site::start().await;
    site.set_metadata(&json!({"scopes_supported": ["a", "b"]}));
    site.connect(&app()).await.unwrap();
    site.connect(&app().scopes(["c"])).await.unwrap();
    site.state().challenge = Challenge::bearer().with_scope("d");
    site.connect(&app()).await.unwrap();
    site.connect(&app().scopes(["c d"])).await.unwrap();
    assert_eq!(asked(&site), ["a b", "c", "d", "d c"]);
}

#[tokio::test]
async fn offline_access_is_asked_for_where_the_issuer_offers_it() {
    let issuer = AuthorizationServer::with(|settings| {
        settings.scopes = ["a", "offline_access"].map(str::to_owned).to_vec();
    });
    let site = Site::with(issuer.await).await;
    site.state().challenge = Challenge::bearer().with_scope("a");
    site.connect(&app()).await.unwrap();
    let login = &site.issuer.requests_to(Endpoint::Authorize)[0];
    assert_eq!(login.parameter("scope"), Some("a offline_access"));
    assert_eq!(login.parameter("prompt"), Some("consent"));
    site.state().challenge = Challenge::bearer();
    site.connect(&app()).await.unwrap();
    site.issuer
        .change(|settings| settings.scopes = vec!["a".to_owned()]);
    site.state().challenge = Challenge::bearer().with_scope("offline_access a");
    site.connect(&app()).await.unwrap();
    assert_eq!(asked(&site), ["a offline_access", "offline_access", "a"]);
}

#[tokio::test]
async fn a_step_up_asks_for_the_union_once() {
    let site = Site::start().await;
    site.state().challenge = Challenge::bearer().with_scope("files:read");
    site.state().write_scope = Some("files:write");
    let store = MemoryStore::new();
    let client = site.connect(&app().store(store.clone())).await.unwrap();
    assert_eq!(call(&client, "write").await.unwrap(), "written");
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_eq!(asked(&site), ["files:read", "files:read files:write"]);
    assert_eq!(site.issuer.count(Endpoint::Register), 1);
    // A later login requests all of them, even in the next process.
    site.state().write_scope = Some("files:admin");
    let client = site.connect(&app().store(store)).await.unwrap();
    assert_eq!(call(&client, "write").await.unwrap(), "written");
    assert_eq!(asked(&site)[2], "files:read files:write files:admin");
}

#[tokio::test]
async fn a_client_registers_anew_where_its_scopes_are_refused() {
    let site = Site::start().await;
    site.state().challenge = Challenge::bearer().with_scope("files:read");
    site.state().write_scope = Some("files:write");
    let client = site.connect(&app()).await.unwrap();
    site.issuer
        .change(|settings| settings.scopes = vec!["files:read".to_owned()]);
    let error = call(&client, "write").await.unwrap_err();
    assert!(error.contains("invalid_scope"), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Register), 2);
    assert_eq!(asked(&site).len(), 3);
}

#[tokio::test]
async fn a_scope_that_is_not_granted_is_asked_for_once() {
    let site = Site::start().await;
    site.state().challenge = Challenge::bearer().with_scope("a");
    site.state().write_scope = Some("admin");
    let decision = Decision::Narrow(vec!["a".to_owned()]);
    site.issuer.change(|settings| settings.decision = decision);
    let client = site.connect(&app()).await.unwrap();
    for _ in 0..3 {
        let error = call(&client, "write").await.unwrap_err();
        assert!(error.contains("403"), "{error}");
    }
    assert_eq!(asked(&site).len(), 2);
    assert_eq!(call(&client, "read").await.unwrap(), "read");
}

#[tokio::test]
async fn calls_that_need_the_same_scope_step_up_once() {
    let site = Site::start().await;
    site.state().write_scope = Some("admin");
    let client = site.connect(&app()).await.unwrap();
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { call(&client, "write").await })
        })
        .collect();
    for done in calls {
        assert_eq!(done.await.unwrap().unwrap(), "written");
    }
    assert_eq!(asked(&site), ["-", "admin"]);
}
