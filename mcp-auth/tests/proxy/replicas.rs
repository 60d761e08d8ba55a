//! Logins over three replicas that share a key-value store.

use http::Request;
use mcp_auth::client::store::SharedTokens;
use tokio::task::JoinSet;

use crate::browser::{Browser, encoded};
use crate::site::{REDIRECT, Site, assert_error, at, provider, tokens};
use crate::watched_store::WatchedStore;

/// Three replicas of one site, each with a port of its own. The URL of the first is the site's.
async fn replicas(store: &WatchedStore) -> [Site; 3] {
    let provider = provider(|_| ()).await;
    let own = at(&provider);
    let tokens = || SharedTokens::new(store.clone());
    let first = Site::of(provider, own, |it| it.store(tokens())).await;
    let second = first.replica(&first.url, |it| it.store(tokens())).await;
    let third = first.replica(&first.url, |it| it.store(tokens())).await;
    [first, second, third]
}

/// The URL at another replica.
fn moved(url: &str, from: &Site, to: &Site) -> String {
    let rest = url.strip_prefix(&from.origin);
    format!("{}{}", to.origin, rest.unwrap_or_else(|| panic!("{url}")))
}

/// Logs in. Each step is at another replica than the one before. Returns the code.
async fn code(replicas: &[Site; 3], client: &str) -> String {
    let [first, second, third] = replicas;
    let mut browser = Browser::new();
    let page = browser.get(&second.authorize(client, &[])).await;
    let callback = third.consent(&mut browser, &page).await;
    let back = browser.get(&moved(&callback, first, second)).await;
    back.parameter("code").unwrap_or_else(|| panic!("{back:?}"))
}

#[tokio::test]
async fn each_step_of_a_login_may_be_at_another_replica() {
    let replicas = replicas(&WatchedStore::default()).await;
    let [first, second, third] = &replicas;
    for _ in 0..6 {
        let client = first.client(REDIRECT).await;
        let code = code(&replicas, &client).await;
        let (access, refresh) = tokens(third.redeem(&client, &code, &[]).await);
        for replica in &replicas {
            assert_eq!(replica.call(&access, "whoami").await.0, 200);
        }
        let (access, refresh) = tokens(first.refresh(&client, &refresh).await);
        let revoked = [("token", &*refresh), ("client_id", &*client)];
        assert_eq!(second.post("/revoke", &revoked).await.0, 200);
        for replica in &replicas {
            assert_eq!(replica.call(&access, "whoami").await.0, 401);
        }
    }
}

/// Sends a form to `/token` 32 times at the same time, and returns the responses that have tokens.
async fn race(replicas: &[Site; 3], form: &[(&str, &str)]) -> usize {
    let mut racing = JoinSet::new();
    for number in 0..32 {
        let site = &replicas[number % 3];
        let http = site.http.clone();
        let request = Request::post(site.at("/token"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(form));
        racing.spawn(async move { http.send(request.unwrap()).await.unwrap().status() });
    }
    let statuses = racing.join_all().await;
    let others = |it: &&http::StatusCode| ![200, 400].contains(&it.as_u16());
    assert_eq!(statuses.iter().find(others), None);
    statuses.iter().filter(|it| it.as_u16() == 200).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_32_requests_with_one_code_or_refresh_token_one_gets_tokens() {
    let replicas = replicas(&WatchedStore::default()).await;
    let [first, second, third] = &replicas;
    let client = first.client(REDIRECT).await;
    let raced = code(&replicas, &client).await;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &raced),
        ("client_id", &client),
        ("code_verifier", crate::site::VERIFIER),
    ];
    assert_eq!(race(&replicas, &form).await, 1);
    let unused = code(&replicas, &client).await;
    let (_, refresh) = tokens(third.redeem(&client, &unused, &[]).await);
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &refresh),
        ("client_id", &client),
    ];
    assert_eq!(race(&replicas, &form).await, 1);
    // A second use ends the login at all replicas.
    assert_error(second.refresh(&client, &refresh).await, "invalid_grant");
}

#[tokio::test]
async fn without_the_store_logins_are_answered_with_503_and_nothing_ends() {
    let store = WatchedStore::default();
    let replicas = replicas(&store).await;
    let [first, second, third] = &replicas;
    let client = first.client(REDIRECT).await;
    let unused = code(&replicas, &client).await;
    let given = code(&replicas, &client).await;
    let (access, refresh) = tokens(first.redeem(&client, &given, &[]).await);
    let mut browser = Browser::new();
    let page = browser.get(&first.authorize(&client, &[])).await;
    let callback = first.consent(&mut browser, &page).await;

    store.set_away(true);
    store.calls();
    let back = browser.get(&callback).await;
    assert_eq!(
        back.parameter("error").as_deref(),
        Some("temporarily_unavailable")
    );
    let code = [
        ("grant_type", "authorization_code"),
        ("code", &*unused),
        ("client_id", &*client),
    ];
    let renewal = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &*refresh),
        ("client_id", &*client),
    ];
    let revoked = [("token", &*refresh), ("client_id", &*client)];
    store.calls();
    for (path, form) in [
        ("/token", &code[..]),
        ("/token", &renewal[..]),
        ("/revoke", &revoked[..]),
    ] {
        let page = Browser::new().post(&second.at(path), form).await;
        assert_eq!(
            (page.status(), page.header("retry-after")),
            (503, Some("5")),
            "{page:?}"
        );
        // Each call may take half a second.
        assert_eq!(store.calls(), 1);
    }
    assert_eq!(third.call(&access, "whoami").await.0, 503);
    assert_eq!(store.calls(), 1);
    // The steps before the provider's login need no store.
    assert_eq!(
        browser.get(&first.authorize(&client, &[])).await.status(),
        200
    );

    store.set_away(false);
    assert_eq!(third.call(&access, "whoami").await.0, 200);
    tokens(second.refresh(&client, &refresh).await);
    tokens(second.redeem(&client, &unused, &[]).await);
}
