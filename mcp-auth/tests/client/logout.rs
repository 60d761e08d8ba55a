//! Logouts: what is revoked and forgotten, and what is reported if nothing can be revoked.

use mcp_auth::client::Revocation;
use mcp_auth::client::error::AuthStep;
use mcp_auth::client::store::{FileStore, MemoryStore, TokenStore as _};
use mcp_runtime::Client;
use mcp_runtime::client::ResponseCache;
use mcp_runtime::transport::http_client::http_client;
use support::{Endpoint, Fault, Recorded};

use crate::site::{Site, app, call};

#[tokio::test]
async fn a_logout_revokes_and_removes_the_tokens() {
    let site = Site::start().await;
    let store = MemoryStore::new();
    let oauth = app().store(store.clone());
    let client = site.connect(&oauth).await.unwrap();
    call(&client, "read").await.unwrap();
    oauth.logout().await.unwrap();
    let revoked = site.issuer.requests_to(Endpoint::Revoke);
    let hints: Vec<_> = revoked
        .iter()
        .filter_map(|it| it.parameter("token_type_hint"))
        .collect();
    assert_eq!(hints, ["refresh_token", "access_token"]);
    let key = format!("tokens {} {}", site.issuer.issuer(), site.url());
    assert_eq!(store.load(&key).await.unwrap(), None);
    call(&client, "read").await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
    // The tokens are removed even if the issuer does not respond.
    site.issuer.fail(Endpoint::Revoke, Fault::Status(500));
    let error = oauth.logout().await.unwrap_err();
    assert!(
        error.to_string().contains("revoking the token at"),
        "{error}"
    );
    assert_eq!(store.load(&key).await.unwrap(), None);
    oauth.logout().await.unwrap();
}

/// The kind and the value of each revoked token.
pub(crate) fn revoked(site: &Site) -> Vec<(String, String)> {
    let requests = site.issuer.requests_to(Endpoint::Revoke).into_iter();
    let parameter = |it: &Recorded, name| it.parameter(name).unwrap_or_default().to_owned();
    let revoked = requests.map(|it| (parameter(&it, "token_type_hint"), parameter(&it, "token")));
    revoked.collect()
}

#[tokio::test]
async fn a_logout_in_another_process_revokes_what_is_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let oauth = || app().store(FileStore::new(&path));
    let site = Site::start().await;
    let first = site.connect(&oauth()).await.unwrap();
    call(&first, "read").await.unwrap();
    // Another process refreshes the token meanwhile.
    let stale = site.last_token();
    let second = site.connect(&oauth()).await.unwrap();
    site.revoke_seen();
    call(&second, "read").await.unwrap();
    let live = site.last_token();
    assert_ne!(live, stale);

    let used = std::sync::Mutex::new(String::new());
    let client = |url: String| {
        used.lock().unwrap().clone_from(&url);
        http_client(url)
    };
    let outcome = oauth().logout_with(client).await;
    assert_eq!(outcome.unwrap(), Revocation::Done);
    assert_eq!(*used.lock().unwrap(), site.url());
    let revoked = revoked(&site);
    let kinds: Vec<_> = revoked.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["refresh_token", "access_token"]);
    assert_eq!(live.as_deref(), Some(revoked[1].1.as_str()));
    let files = std::fs::read_dir(&path).unwrap();
    let kept = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let kept = kept.collect::<String>();
    assert!(
        !kept.contains("tokens ") && !kept.contains("server"),
        "{kept}"
    );
    assert!(!kept.contains(&revoked[0].1), "{kept}");
    call(&site.connect(&oauth()).await.unwrap(), "read")
        .await
        .unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
}

#[tokio::test]
async fn a_process_with_stale_tokens_revokes_the_live_ones() {
    let store = MemoryStore::new();
    let site = Site::start().await;
    let oauth = app().store(store.clone());
    let client = site.connect(&oauth).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    let other = site.connect(&app().store(store)).await.unwrap();
    call(&other, "read").await.unwrap();
    let live = site.last_token();
    oauth.logout().await.unwrap();
    let revoked = revoked(&site);
    assert_eq!(revoked.len(), 2);
    assert_eq!(live.as_deref(), Some(revoked[1].1.as_str()));
}

#[tokio::test]
async fn a_logout_tells_where_nothing_can_be_revoked() {
    let site = Site::start().await;
    let oauth = app();
    let client = site.connect(&oauth).await.unwrap();
    call(&client, "read").await.unwrap();
    site.issuer.change(|settings| settings.revocation = false);
    assert_eq!(oauth.logout().await.unwrap(), Revocation::NotOffered);
    assert_eq!(oauth.logout().await.unwrap(), Revocation::Done);
    call(&client, "read").await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
    // If the issuer is down, that is reported, and the tokens are removed nevertheless.
    site.issuer.stop().await;
    let error = oauth.logout().await.unwrap_err();
    assert_eq!(error.step(), AuthStep::IssuerMetadata, "{error}");
    assert_eq!(oauth.logout().await.unwrap(), Revocation::Done);
}

#[tokio::test]
async fn a_logout_succeeds_where_tokens_of_a_kind_are_not_revoked() {
    let site = Site::start().await;
    let oauth = app();
    call(&site.connect(&oauth).await.unwrap(), "read")
        .await
        .unwrap();
    let refusal = r#"{"error": "unsupported_token_type"}"#;
    site.issuer
        .fail(Endpoint::Revoke, Fault::Refusal(400, None, refusal));
    assert_eq!(oauth.logout().await.unwrap(), Revocation::NotOffered);
    let kinds: Vec<_> = revoked(&site).into_iter().map(|it| it.0).collect();
    assert_eq!(kinds, ["refresh_token", "access_token"]);
    assert_eq!(oauth.logout().await.unwrap(), Revocation::Done);
}

#[tokio::test]
async fn persons_who_share_a_store_do_not_share_their_tokens() {
    let store = MemoryStore::new();
    let site = Site::start().await;
    let oauth = |person: &str| app().store(store.clone()).person(person);
    let ann = oauth("ann");
    let bob = oauth("bob");
    let mut tokens = Vec::new();
    for person in [&ann, &bob, &oauth("ann")] {
        let client = site.connect(person).await.unwrap();
        call(&client, "read").await.unwrap();
        tokens.push(site.last_token());
    }
    assert_eq!(tokens[0], tokens[2]);
    assert_ne!(tokens[0], tokens[1]);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
    assert_eq!(site.issuer.count(Endpoint::Register), 1);
    oauth("bob").logout().await.unwrap();
    assert_eq!(tokens[1].as_deref(), Some(revoked(&site)[1].1.as_str()));
    call(&site.connect(&oauth("ann")).await.unwrap(), "read")
        .await
        .unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
}

#[tokio::test]
async fn a_logout_forgets_what_is_private_to_the_person() {
    let site = Site::start().await;
    let oauth = app();
    let builder = Client::builder("test", "1.0.0").cache(ResponseCache::new());
    let server = http_client(site.url()).without_proxy().auth(oauth.clone());
    let client = builder.connect(server).await.unwrap();
    client.list_tools().await.unwrap();
    let before = site.state().seen.len();
    client.list_tools().await.unwrap();
    assert_eq!(site.state().seen.len(), before);
    oauth.logout().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
}
