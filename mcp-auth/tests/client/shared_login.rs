//! Logins of several processes that share a store, and of a program that shows the page itself.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_auth::OAuth;
use mcp_auth::client::LoginWatch;
use mcp_auth::client::store::{FileStore, SharedTokens, TokenStore};
use mcp_runtime::store::MemoryKeyValue;
use mcp_runtime::{Client, ConnectError};
use support::{Endpoint, browser};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::limits::Clock;
use crate::site::{Site, app, call};

/// The processes of one user: each has its own `OAuth` and its own store in the same folder.
struct User {
    site: Site,
    folder: TempDir,
}

impl User {
    async fn new() -> Self {
        Self {
            site: Site::start().await,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn store(&self) -> FileStore {
        FileStore::new(self.folder.path().join("tokens"))
    }

    fn process(&self, oauth: OAuth) -> (OAuth, LoginWatch) {
        self.process_with(oauth, self.store())
    }

    fn process_with(&self, oauth: OAuth, store: impl TokenStore) -> (OAuth, LoginWatch) {
        let oauth = oauth.store(store);
        let watch = oauth.watch_login(&self.site.url());
        (oauth, watch)
    }

    fn connect(&self, oauth: OAuth) -> JoinHandle<Result<Client, ConnectError>> {
        let site = self.site.clone();
        tokio::spawn(async move { site.connect(&oauth).await })
    }

    fn count(&self, endpoint: Endpoint) -> usize {
        self.site.issuer.count(endpoint)
    }
}

/// Waits until a login shows its page.
async fn page(watch: &mut LoginWatch) -> String {
    loop {
        if let Some(page) = watch.page() {
            return page;
        }
        watch.changed().await;
    }
}

#[tokio::test]
async fn one_of_three_processes_asks_the_person() {
    let user = User::new().await;
    one_asks(&user, || user.store()).await;
    let store = MemoryKeyValue::new();
    one_asks(&User::new().await, || SharedTokens::new(store.clone())).await;
}

async fn one_asks<S: TokenStore>(user: &User, store: impl Fn() -> S) {
    let hold = user.site.issuer.hold(Endpoint::Authorize);
    let mut processes = Vec::new();
    for _ in 0..3 {
        let (oauth, watch) = user.process_with(app(), store());
        processes.push((user.connect(oauth), watch));
    }
    // All of them show the page of the process that asks.
    let mut pages = Vec::new();
    for (_, watch) in &mut processes {
        pages.push(page(watch).await);
    }
    assert!(pages[0].starts_with(&user.site.issuer.url(Endpoint::Authorize)));
    assert!(pages.iter().all(|it| *it == pages[0]), "{pages:?}");
    drop(hold);
    for (connecting, watch) in processes {
        let client = connecting.await.unwrap().unwrap();
        assert_eq!(call(&client, "read").await.unwrap(), "read");
        assert_eq!(watch.page(), None);
    }
    for endpoint in [Endpoint::Register, Endpoint::Authorize, Endpoint::Token] {
        assert_eq!(user.count(endpoint), 1, "{endpoint:?}");
    }
}

#[tokio::test]
async fn the_next_process_asks_where_the_first_fails() {
    let user = User::new().await;
    let fails = Arc::new(Notify::new());
    let failing = Arc::clone(&fails);
    let opener = move |_| {
        let failing = Arc::clone(&failing);
        async move {
            failing.notified().await;
            Err(io::Error::other("no display"))
        }
    };
    let (first, mut watch) = user.process(OAuth::new("test-app").opener(opener));
    let first = user.connect(first);
    let of_first = page(&mut watch).await;
    let (second, mut watch) = user.process(app());
    let second = user.connect(second);
    assert_eq!(page(&mut watch).await, of_first);
    fails.notify_one();
    assert!(first.await.unwrap().is_err());
    second.await.unwrap().unwrap();
    assert_eq!(user.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn the_next_process_asks_where_the_first_ends() {
    let user = User::new().await;
    let (oauth, mut watch) = user.process(OAuth::new("test-app").opener(async |_| Ok(())));
    let site = user.site.clone();
    // The tasks of a runtime end with it, like those of a process.
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(1).enable_all().build().unwrap();
    runtime.spawn(async move { site.connect(&oauth).await });
    page(&mut watch).await;
    let (second, mut second_watch) = user.process(app());
    let second = user.connect(second);
    page(&mut second_watch).await;
    runtime.shutdown_background();
    second.await.unwrap().unwrap();
    assert_eq!(user.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn processes_that_need_the_same_scope_step_up_once() {
    let user = User::new().await;
    let (first, mut watch) = user.process(app());
    let (second, mut second_watch) = user.process(app());
    let first = user.connect(first).await.unwrap().unwrap();
    let second = user.connect(second).await.unwrap().unwrap();
    user.site.state().write_scope = Some("admin");
    let hold = user.site.issuer.hold(Endpoint::Authorize);
    let calls = [first, second].map(|it| tokio::spawn(async move { call(&it, "write").await }));
    assert_eq!(page(&mut watch).await, page(&mut second_watch).await);
    drop(hold);
    for written in calls {
        assert_eq!(written.await.unwrap().unwrap(), "written");
    }
    assert_eq!(user.count(Endpoint::Authorize), 2);
}

#[tokio::test]
async fn a_program_shows_the_page_itself() {
    let user = User::new().await;
    let (oauth, mut watch) = user.process(OAuth::new("test-app").opener(async |_| Ok(())));
    assert_eq!(watch.page(), None);
    let connecting = user.connect(oauth);
    let page = watch.changed().await.unwrap();
    assert!(!format!("{watch:?}").contains("state="));
    browser::visit(&page).await;
    assert_eq!(watch.changed().await, None);
    connecting.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_process_without_logins_does_not_wait_for_one() {
    let user = User::new().await;
    let (oauth, mut watch) = user.process(OAuth::new("test-app").opener(async |_| Ok(())));
    let connecting = user.connect(oauth);
    let shown = page(&mut watch).await;
    let (without, _) = user.process(app().without_login());
    let error = user.site.refused(&without).await;
    assert!(error.contains("a person at a terminal"), "{error}");
    // After the login, the same process uses its tokens.
    browser::visit(&shown).await;
    connecting.await.unwrap().unwrap();
    user.site.connect(&without).await.unwrap();
}

#[tokio::test]
async fn the_wait_for_another_login_is_as_long_as_a_login_and_ends() {
    let user = User::new().await;
    let key = format!("login {} {}", user.site.issuer.issuer(), user.site.url());
    let (oauth, _) = user.process(app());
    let held = user.store().lock(&key).await.unwrap();
    let clock = Clock::stopped();
    let (error, seconds) = clock.run(user.site.refused(&oauth)).await;
    assert!(error.contains("another process has waited"), "{error}");
    assert!(seconds >= 720, "{seconds}");
    let released = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(300)).await;
        drop(held);
    });
    let (connected, seconds) = clock.run(user.site.connect(&oauth)).await;
    connected.unwrap();
    assert!((300..720).contains(&seconds), "{seconds}");
    released.await.unwrap();
}

#[tokio::test]
async fn tokens_of_another_login_without_the_needed_scope_do_not_replace_a_login() {
    let user = User::new().await;
    let (oauth, mut watch) = user.process(app());
    let client = user.connect(oauth).await.unwrap().unwrap();
    user.site.state().write_scope = Some("admin");
    let store = user.store();
    let resource = format!("{} {}", user.site.issuer.issuer(), user.site.url());
    let held = store.lock(&format!("login {resource}")).await.unwrap();
    let shown = "\"https://as.example.com/page\"";
    store
        .save(&format!("login {resource}"), shown, None)
        .await
        .unwrap();
    let writing = tokio::spawn(async move { call(&client, "write").await });
    assert_eq!(page(&mut watch).await, "https://as.example.com/page");
    // The other process gets a token with fewer scopes.
    let key = format!("tokens {resource}");
    let kept = store.load(&key).await.unwrap().unwrap();
    let mut tokens: serde_json::Value = serde_json::from_str(&kept).unwrap();
    tokens["access_token"] = "other".into();
    store.save(&key, &tokens.to_string(), None).await.unwrap();
    drop(held);
    assert_eq!(writing.await.unwrap().unwrap(), "written");
    let logins = user.site.issuer.requests_to(Endpoint::Authorize);
    assert_eq!(logins.len(), 2);
    assert_eq!(logins[1].parameter("scope"), Some("admin"));
}
