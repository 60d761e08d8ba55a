//! Refreshing and storing tokens.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_auth::AuthError;
use mcp_auth::client::error::AuthStep;
use mcp_auth::client::store::{FileStore, MemoryStore, SharedTokens, StoreLock, TokenStore};
use mcp_runtime::BoxFuture;
use mcp_runtime::CallError;
use mcp_runtime::store::MemoryKeyValue;
use support::{Endpoint, Fault, Recorded};
use tokio::task::JoinSet;

use crate::logout::revoked;
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
    let before = site.state().seen.len();
    let refreshed = refreshes(&site).len();
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
async fn a_passing_error_keeps_the_tokens_and_asks_nobody() {
    let site = Site::start().await;
    let client = site.connect(&app()).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    for (status, pause, answer) in [
        (500, None, r#"{"error":"Internal Server Error"}"#),
        (429, Some(7), r#"{"error":"too_many_requests"}"#),
        (503, Some(60), r#"{"error":"temporarily_unavailable"}"#),
        (503, None, r#"{"error":"invalid_grant"}"#),
        (400, None, r#"{"error":"invalid_request"}"#),
        (200, None, r#"{"error":"invalid_grant"}"#),
    ] {
        let fault = Fault::Refusal(status, pause, answer);
        site.issuer.fail(Endpoint::Token, fault);
        let error = client.call_tool("read", ()).await.unwrap_err();
        let CallError::Authentication { error, .. } = error else {
            panic!("{error}");
        };
        let error = error.downcast_ref::<AuthError>().unwrap();
        assert_eq!(error.step(), AuthStep::Refresh, "{answer}");
        let code = answer.split('"').nth(3);
        assert_eq!(
            (error.code(), error.retry_after().map(|it| it.as_secs())),
            (code, pause)
        );
    }
    site.issuer.heal();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    assert_eq!(refreshes(&site).len(), 7);
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
    let store = || FileStore::new(folder.path().join("tokens"));
    let site = Site::start().await;
    let client = site.connect(&app().store(store())).await.unwrap();
    call(&client, "read").await.unwrap();
    // The stored access token is sent, without a 401 before.
    let before = site.state().seen.len();
    let client = site.connect(&app().store(store())).await.unwrap();
    call(&client, "read").await.unwrap();
    assert!(site.state().seen[before..].iter().all(Option::is_some));
    // The stored refresh token is used.
    site.revoke_seen();
    let client = site.connect(&app().store(store())).await.unwrap();
    call(&client, "read").await.unwrap();
    assert_eq!(refreshes(&site).len(), 1);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    // Tokens belong to one client.
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
    redeems_once(|| FileStore::new(folder.path().join("tokens"))).await;
    let store = MemoryKeyValue::new();
    redeems_once(|| SharedTokens::new(store.clone())).await;
}

async fn redeems_once<S: TokenStore>(store: impl Fn() -> S) {
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

/// A store whose saves can be made to fail.
#[derive(Clone, Default)]
struct Full {
    store: MemoryStore,
    is_full: Arc<AtomicBool>,
}

impl TokenStore for Full {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        self.store.load(key)
    }

    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>> {
        if self.is_full.load(Ordering::SeqCst) {
            Box::pin(async { Err(io::Error::other("it is full")) })
        } else {
            self.store.save(key, secret, ttl)
        }
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        self.store.remove(key)
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        self.store.lock(key)
    }
}

#[tokio::test]
async fn a_refresh_token_is_not_redeemed_again_where_its_successor_was_not_saved() {
    let site = Site::start().await;
    let store = Full::default();
    let oauth = app().store(store.clone());
    let client = site.connect(&oauth).await.unwrap();
    call(&client, "read").await.unwrap();
    store.is_full.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        site.revoke_seen();
        let error = call(&client, "read").await.unwrap_err();
        assert!(
            error.contains("using the token store: it is full"),
            "{error}"
        );
        // The tokens are used nevertheless.
        assert_eq!(call(&client, "read").await.unwrap(), "read");
    }
    store.is_full.store(false, Ordering::SeqCst);
    site.revoke_seen();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let redeemed = refreshes(&site);
    let redeemed: HashSet<_> = redeemed
        .iter()
        .map(|it| it.parameter("refresh_token"))
        .collect();
    assert_eq!(redeemed.len(), 3);
    // They are saved again, and the next process uses them.
    let next = site.connect(&app().store(store.clone())).await.unwrap();
    call(&next, "read").await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    // A logout also revokes tokens that could not be saved.
    store.is_full.store(true, Ordering::SeqCst);
    site.revoke_seen();
    call(&client, "read").await.unwrap_err();
    call(&client, "read").await.unwrap();
    let live = site.last_token();
    oauth.logout().await.unwrap();
    let last = revoked(&site).pop().unwrap();
    assert_eq!(live, Some(last.1));
}

/// The newer tokens are recognized even if the clock was set back between two refreshes.
#[tokio::test]
async fn a_clock_that_was_set_back_has_no_refresh_token_redeemed_again() {
    let site = Site::start().await;
    let store = Full::default();
    let oauth = || app().store(store.clone());
    let client = site.connect(&oauth()).await.unwrap();
    call(&client, "read").await.unwrap();
    // Save the tokens as a process would whose clock is an hour ahead.
    let key = format!("tokens {} {}", site.issuer.issuer(), site.url());
    let kept = store.load(&key).await.unwrap().unwrap();
    let mut kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    for name in ["issued_at", "expires_at"] {
        kept[name] = (kept[name].as_u64().unwrap() + 3600).into();
    }
    store.save(&key, &kept.to_string(), None).await.unwrap();
    let client = site.connect(&oauth()).await.unwrap();
    call(&client, "read").await.unwrap();
    store.is_full.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        site.revoke_seen();
        call(&client, "read").await.unwrap_err();
        assert_eq!(call(&client, "read").await.unwrap(), "read");
    }
    let redeemed = refreshes(&site);
    let redeemed: HashSet<_> = redeemed
        .iter()
        .map(|it| it.parameter("refresh_token"))
        .collect();
    assert_eq!(redeemed.len(), 2);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn a_store_that_does_not_work_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    std::fs::write(&path, "no JSON").unwrap();
    let site = Site::start().await;
    let error = site.refused(&app().store(FileStore::new(&path))).await;
    assert!(
        error.contains("using the token store") && error.contains("tokens"),
        "{error}"
    );
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
}

/// A store that records whether tokens are saved while their lock is held.
#[derive(Clone, Default)]
struct Watched {
    store: MemoryStore,
    held: Arc<AtomicBool>,
    unlocked: Arc<AtomicBool>,
}

/// A lock that is recorded as held until it is dropped.
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

    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>> {
        if key.starts_with("tokens ") && !self.held.load(Ordering::SeqCst) {
            self.unlocked.store(true, Ordering::SeqCst);
        }
        self.store.save(key, secret, ttl)
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        if key.starts_with("tokens ") && !self.held.load(Ordering::SeqCst) {
            self.unlocked.store(true, Ordering::SeqCst);
        }
        self.store.remove(key)
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        if !key.starts_with("tokens ") {
            return self.store.lock(key);
        }
        let held = Arc::clone(&self.held);
        let lock = self.store.lock(key);
        Box::pin(async move {
            let lock = lock.await?;
            held.store(true, Ordering::SeqCst);
            Ok(StoreLock::new(Held(held, lock)))
        })
    }
}

#[tokio::test]
async fn tokens_are_saved_and_removed_under_their_lock() {
    let site = Site::start().await;
    let store = Watched::default();
    let oauth = app().store(store.clone());
    let client = site.connect(&oauth).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    call(&client, "read").await.unwrap();
    assert_eq!(refreshes(&site).len(), 1);
    oauth.logout().await.unwrap();
    assert!(!store.unlocked.load(Ordering::SeqCst));
}
