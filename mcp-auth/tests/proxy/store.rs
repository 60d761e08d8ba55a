//! Stored logins are sealed, survive restarts and are shared between replicas.

use std::io;
use std::path::Path;
use std::time::Duration;

use mcp_auth::client::store::{FileStore, MemoryStore, StoreLock, TokenStore};
use mcp_auth::jwt::SigningKey;
use mcp_auth::proxy::ProxyKeys;
use mcp_runtime::BoxFuture;
use support::Endpoint;
use tokio::sync::watch;

use crate::browser::Browser;
use crate::site::{REDIRECT, Site, assert_error, at, keys, provider, signing_key, tokens};

fn contents(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let texts = paths
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap());
    texts.collect()
}

#[tokio::test]
async fn logins_last_over_a_restart_and_nothing_secret_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("logins");
    let mut site = Site::with(|proxy| proxy.store(FileStore::new(&path))).await;
    let client = site.client(REDIRECT).await;
    let (access, refresh) = site.tokens(&client).await;
    let listener = site.kill().await;
    let text = contents(&path);
    for secret in ["alice", "access", "files:read", &*refresh] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let provider = site.provider.clone();
    let own = at(&site.provider);
    let site = Site::on(listener, provider, own, |it| {
        it.store(FileStore::new(&path))
    });
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    tokens(site.refresh(&client, &refresh).await);
    site.tokens(&client).await;
}

/// If the process is killed after the provider issued its code and before the proxy issues its own,
/// only this login is lost, and nothing is left that can be used twice.
#[tokio::test]
async fn a_login_that_is_cut_off_is_lost_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("logins");
    let mut site = Site::with(|proxy| proxy.store(FileStore::new(&path))).await;
    let client = site.client(REDIRECT).await;
    let (access, refresh) = site.tokens(&client).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let callback = site.consent(&mut browser, &page).await;
    let hold = site.provider.hold(Endpoint::Token);
    let cut = {
        let callback = callback.clone();
        let cookies = browser.cookies.clone();
        tokio::spawn(async move {
            let mut browser = Browser::new();
            browser.cookies = cookies;
            browser.get(&callback).await
        })
    };
    site.provider.arrived(Endpoint::Token, 2).await;
    let before = contents(&path);
    let listener = site.kill().await;
    cut.abort();
    let provider = site.provider.clone();
    let own = at(&site.provider);
    let site = Site::on(listener, provider, own, |it| {
        it.store(FileStore::new(&path))
    });
    drop(hold);
    assert_eq!(contents(&path), before);
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    tokens(site.refresh(&client, &refresh).await);
    // The browser returns: the provider may accept its code only once.
    let back = browser.get(&callback).await;
    let again = browser.get(&callback).await;
    assert!(back.location().starts_with(REDIRECT));
    assert_eq!(again.status(), 403);
    site.tokens(&client).await;
}

#[tokio::test]
async fn replicas_share_logins_and_registrations() {
    let provider = provider(|_| ()).await;
    let store = MemoryStore::new();
    let first = Site::of(provider.clone(), at(&provider), |it| {
        it.store(store.clone())
    })
    .await;
    let client = first.client(REDIRECT).await;
    let code = first.code(&client).await;
    let other = first.replica(&first.url, |it| it.store(store)).await;
    let (access, refresh) = tokens(other.redeem(&client, &code, &[]).await);
    assert_eq!(first.call(&access, "whoami").await.0, 200);
    let (_, second) = tokens(first.refresh(&client, &refresh).await);
    let (status, answer) = other.refresh(&client, &refresh).await;
    assert_error((status, answer), "invalid_grant");
    assert_error(first.refresh(&client, &second).await, "invalid_grant");
}

#[tokio::test]
async fn former_keys_still_open_and_verify() {
    let store = MemoryStore::new();
    let mut site = Site::with(|it| it.store(store.clone())).await;
    let client = site.client(REDIRECT).await;
    let (access, refresh) = site.tokens(&client).await;
    let newer = |secret| ProxyKeys::new(SigningKey::generate().unwrap(), [secret; 32]);
    let rotated = newer(8).old(signing_key(), [7; 32]);
    let listener = site.kill().await;
    let mut site = site.again(listener, rotated, |it| it.store(store.clone()));
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    site.tokens(&client).await;
    let (_, refresh) = tokens(site.refresh(&client, &refresh).await);
    let listener = site.kill().await;
    let site = site.again(listener, newer(9), |it| it.store(store.clone()));
    assert_eq!(site.call(&access, "whoami").await.0, 401);
    assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
}

/// A store that never finishes saving a login while it is stuck.
#[derive(Clone)]
struct Stuck {
    store: MemoryStore,
    is_stuck: watch::Sender<bool>,
}

impl TokenStore for Stuck {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        self.store.load(key)
    }

    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>> {
        if *self.is_stuck.borrow() && key.contains(" login ") {
            Box::pin(std::future::pending())
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

/// The process is killed after it redeemed the provider's code and before the tokens are saved.
#[tokio::test]
async fn a_code_of_the_provider_that_is_lost_serves_nobody() {
    let store = MemoryStore::new();
    let is_stuck = watch::Sender::new(false);
    let stuck = Stuck { store, is_stuck };
    let mut site = Site::with(|it| it.store(stuck.clone())).await;
    let client = site.client(REDIRECT).await;
    let (access, _) = site.tokens(&client).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let callback = site.consent(&mut browser, &page).await;
    stuck.is_stuck.send_replace(true);
    let begun = tokio::spawn({
        let callback = callback.clone();
        let cookies = browser.cookies.clone();
        async move {
            let mut browser = Browser::new();
            browser.cookies = cookies;
            browser.get(&callback).await
        }
    });
    site.provider.arrived(Endpoint::Token, 2).await;
    let listener = site.kill().await;
    begun.abort();
    stuck.is_stuck.send_replace(false);
    let site = site.again(listener, keys(), |it| it.store(stuck.clone()));
    let back = browser.get(&callback).await;
    assert_eq!(back.parameter("code"), None);
    assert_eq!(back.parameter("error").as_deref(), Some("server_error"));
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    site.tokens(&client).await;
}

#[tokio::test]
async fn a_person_has_so_many_logins_and_ends_only_their_own() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    site.provider
        .change(|settings| settings.subject = "bob".to_owned());
    let (of_bob, _) = site.tokens(&client).await;
    site.provider
        .change(|settings| settings.subject = "alice".to_owned());
    let (oldest, _) = site.tokens(&client).await;
    let (second, _) = site.tokens(&client).await;
    for _ in 0..31 {
        site.code(&client).await;
    }
    assert_eq!(site.call(&oldest, "whoami").await.0, 401);
    assert_eq!(site.call(&second, "whoami").await.0, 200);
    assert_eq!(site.call(&of_bob, "whoami").await.0, 200);
}

#[tokio::test]
async fn logins_that_were_revoked_end_no_other() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let (oldest, _) = site.tokens(&client).await;
    for _ in 0..32 {
        let (_, refresh) = site.tokens(&client).await;
        let revoked = [("token", &*refresh), ("client_id", &*client)];
        assert_eq!(site.post("/revoke", &revoked).await.0, 200);
    }
    assert_eq!(site.call(&oldest, "whoami").await.0, 200);
}
