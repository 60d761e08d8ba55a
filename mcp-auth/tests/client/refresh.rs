//! Tokens: refresh, stores, logout.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_auth::client::store::{FileStore, MemoryStore, StoreLock, TokenStore};
use mcp_runtime::Client;
use mcp_runtime::client::ResponseCache;
use mcp_runtime::transport::http_client::{BoxFuture, http_client};
use support::{Endpoint, Fault, Recorded};
use tokio::task::JoinSet;

use crate::site::{Site, app, call};

fn refreshes(site: &Site) -> Vec<Recorded> {
    let requests = site.issuer.requests_to(Endpoint::Token).into_iter();
    requests
        .filter(|it| it.parameter("grant_type") == Some("refresh_token"))
        .collect()
}

#[tokio::test]
async fn two_hundred_calls_that_meet_a_401_refresh_once() {
    let site = Site::start().await;
    let client = site.connect(&app()).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    let hold = site.issuer.hold(Endpoint::Token);
    let mut calls = JoinSet::new();
    for _ in 0..200 {
        let client = client.clone();
        calls.spawn(async move { call(&client, "read").await });
    }
    site.challenged(200).await;
    drop(hold);
    while let Some(done) = calls.join_next().await {
        assert_eq!(done.unwrap().unwrap(), "read");
    }
    let refreshes = refreshes(&site);
    assert_eq!(refreshes.len(), 1);
    assert_eq!(
        refreshes[0].parameter("resource"),
        Some(site.url().as_str())
    );
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn a_token_is_refreshed_before_it_expires() {
    let site = Site::start().await;
    site.issuer
        .change(|settings| settings.access_lifetime = Duration::ZERO);
    site.state().ignores_expiry = true;
    let client = site.connect(&app()).await.unwrap();
    site.issuer
        .change(|settings| settings.access_lifetime = Duration::from_secs(300));
    let (before, refreshed) = (site.state().seen.len(), refreshes(&site).len());
    call(&client, "read").await.unwrap();
    call(&client, "read").await.unwrap();
    assert_eq!(refreshes(&site).len(), refreshed + 1);
    let seen = site.state().seen.split_off(before);
    assert!(seen.iter().all(|token| *token == seen[0]));
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn a_refresh_that_fails_early_does_no_harm() {
    let site = Site::start().await;
    site.issuer
        .change(|settings| settings.access_lifetime = Duration::ZERO);
    site.state().ignores_expiry = true;
    let client = site.connect(&app()).await.unwrap();
    site.issuer.fail(Endpoint::Token, Fault::Status(503));
    let before = site.issuer.count(Endpoint::Token);
    for _ in 0..3 {
        assert_eq!(call(&client, "read").await.unwrap(), "read");
    }
    assert_eq!(site.issuer.count(Endpoint::Token), before + 1);
}

#[tokio::test]
async fn a_refresh_token_that_is_no_longer_good_leads_to_a_login() {
    let site = Site::start().await;
    let client = site.connect(&app()).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    site.issuer.revoke_all();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_eq!(refreshes(&site).len(), 1);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
    assert_eq!(site.issuer.count(Endpoint::Register), 1);
}

#[tokio::test]
async fn a_refresh_that_fails_is_an_error_and_no_login() {
    let site = Site::start().await;
    let client = site.connect(&app()).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    site.issuer.fail(Endpoint::Token, Fault::Status(503));
    let error = call(&client, "read").await.unwrap_err();
    assert!(error.contains("refreshing the token at"), "{error}");
    site.issuer.heal();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn a_client_that_the_issuer_forgot_is_registered_anew_once() {
    let site = Site::start().await;
    let client = site.connect(&app()).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    site.issuer.forget_clients();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_eq!(site.issuer.count(Endpoint::Register), 2);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 2);
}

#[tokio::test]
async fn a_refresh_without_a_new_refresh_token_keeps_the_old_one() {
    let site = Site::start().await;
    let client = site.connect(&app()).await.unwrap();
    for n in 1..=2 {
        call(&client, "read").await.unwrap();
        site.revoke_seen();
        let token = site
            .issuer
            .mint(&serde_json::json!({"aud": site.url(), "n": n}));
        let answer = format!(r#"{{"access_token":"{token}","token_type":"Bearer"}}"#);
        site.issuer.fail(Endpoint::Token, Fault::Json(answer));
    }
    call(&client, "read").await.unwrap();
    let refreshes = refreshes(&site);
    assert_eq!(refreshes.len(), 2);
    assert_eq!(
        refreshes[0].parameter("refresh_token"),
        refreshes[1].parameter("refresh_token")
    );
}

#[tokio::test]
async fn the_next_process_needs_no_login() {
    let folder = tempfile::tempdir().unwrap();
    let store = || FileStore::new(folder.path().join("tokens.json"));
    let site = Site::start().await;
    let client = site.connect(&app().store(store())).await.unwrap();
    call(&client, "read").await.unwrap();
    // With the token, without a 401 before it.
    let before = site.state().seen.len();
    let client = site.connect(&app().store(store())).await.unwrap();
    call(&client, "read").await.unwrap();
    assert!(site.state().seen[before..].iter().all(Option::is_some));
    // With the refresh token.
    site.revoke_seen();
    let client = site.connect(&app().store(store())).await.unwrap();
    call(&client, "read").await.unwrap();
    assert_eq!(refreshes(&site).len(), 1);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    // Tokens are those of one client.
    let oauth = app()
        .store(store())
        .client("other")
        .issuer(site.issuer.issuer());
    let error = site
        .connect(&oauth.login_timeout(Duration::from_millis(10)))
        .await;
    assert!(error.is_err());
}

#[tokio::test]
async fn processes_that_share_a_store_redeem_a_refresh_token_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = || FileStore::new(folder.path().join("tokens.json"));
    let site = Site::start().await;
    let mut clients = Vec::new();
    for _ in 0..3 {
        let client = site.connect(&app().store(store())).await.unwrap();
        call(&client, "read").await.unwrap();
        clients.push(client);
    }
    site.revoke_seen();
    let hold = site.issuer.hold(Endpoint::Token);
    let mut calls = JoinSet::new();
    for client in clients {
        calls.spawn(async move { call(&client, "read").await });
    }
    site.challenged(3).await;
    drop(hold);
    while let Some(done) = calls.join_next().await {
        assert_eq!(done.unwrap().unwrap(), "read");
    }
    assert_eq!(refreshes(&site).len(), 1);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

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
    // Also where the issuer does not answer.
    site.issuer.fail(Endpoint::Revoke, Fault::Status(500));
    let error = oauth.logout().await.unwrap_err();
    assert!(
        error.to_string().contains("revoking the token at"),
        "{error}"
    );
    assert_eq!(store.load(&key).await.unwrap(), None);
    oauth.logout().await.unwrap();
}

#[tokio::test]
async fn a_store_that_does_not_work_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    std::fs::write(&path, "no JSON").unwrap();
    let site = Site::start().await;
    let error = site.refused(&app().store(FileStore::new(&path))).await;
    assert!(
        error.contains("using the token store") && error.contains("tokens.json"),
        "{error}"
    );
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
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

/// A store that notes whether tokens are saved while their lock is held.
#[derive(Clone, Default)]
struct Watched {
    store: MemoryStore,
    held: Arc<AtomicBool>,
    unlocked: Arc<AtomicBool>,
}

/// Releases the lock with its note.
struct Held(
    Arc<AtomicBool>,
    #[expect(dead_code, reason = "held")] StoreLock,
);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl TokenStore for Watched {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        self.store.load(key)
    }

    fn save(&self, key: &str, secret: &str) -> BoxFuture<io::Result<()>> {
        if key.starts_with("tokens ") && !self.held.load(Ordering::SeqCst) {
            self.unlocked.store(true, Ordering::SeqCst);
        }
        self.store.save(key, secret)
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        self.store.remove(key)
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        let (held, lock) = (Arc::clone(&self.held), self.store.lock(key));
        Box::pin(async move {
            let lock = lock.await?;
            held.store(true, Ordering::SeqCst);
            Ok(StoreLock::new(Held(held, lock)))
        })
    }
}

#[tokio::test]
async fn tokens_are_saved_under_their_lock() {
    let site = Site::start().await;
    let store = Watched::default();
    let client = site.connect(&app().store(store.clone())).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    call(&client, "read").await.unwrap();
    assert_eq!(refreshes(&site).len(), 1);
    assert!(!store.unlocked.load(Ordering::SeqCst));
}
