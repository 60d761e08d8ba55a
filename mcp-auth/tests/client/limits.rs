//! Time limits, each of which ends a wait for a silent server.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use mcp_auth::OAuth;
use mcp_auth::client::store::{FileStore, TokenStore};
use serde_json::json;
use support::{Endpoint, Fault};
use tokio::time::Instant;

use crate::site::{METADATA, Site, app, call};

const SECOND: Duration = Duration::from_secs(1);

/// A stopped clock that advances in steps while sockets are awaited.
///
/// The paused clock of tokio advances whenever no task is ready, although a socket may become ready
/// in a moment. A task that runs all the time prevents this.
pub(crate) struct Clock(#[expect(dead_code, reason = "ends what runs beside")] Sender<()>);

impl Clock {
    pub(crate) fn stopped() -> Self {
        tokio::time::pause();
        let (alive, dropped) = channel();
        tokio::task::spawn_blocking(move || dropped.recv());
        Self(alive)
    }

    /// Returns the output of `future`, and the seconds that passed until it was ready.
    pub(crate) async fn run<T>(&self, future: impl Future<Output = T>) -> (T, u64) {
        let begun = Instant::now();
        let mut future = std::pin::pin!(future);
        loop {
            tokio::select! {
                biased;
                output = &mut future => return (output, begun.elapsed().as_secs()),
                () = Self::pass() => {}
            }
            assert!(begun.elapsed() < 1000 * SECOND, "nothing ends it");
        }
    }

    async fn pass() {
        tokio::time::advance(SECOND).await;
        for _ in 0..64 {
            tokio::task::yield_now().await;
            std::thread::yield_now();
        }
    }
}

/// Connects while an endpoint does not respond. Returns the error and the seconds that passed.
async fn hung(endpoint: Endpoint) -> (String, u64) {
    let site = Site::start().await;
    site.issuer.fail(endpoint, Fault::Hang);
    let outcome = Clock::stopped().run(site.refused(&app())).await;
    tokio::time::resume();
    outcome
}

/// Returns true if `seconds` is `limit` or somewhat more, because time passes while a socket is
/// awaited, and much of it on a busy machine.
fn is_about(seconds: u64, limit: u64) -> bool {
    (limit..limit + 100).contains(&seconds)
}

#[tokio::test]
async fn an_endpoint_that_does_not_answer_ends_the_login() {
    for (endpoint, text) in [
        (Endpoint::Register, "registering the client at"),
        (Endpoint::Token, "getting a token at"),
    ] {
        let (error, seconds) = hung(endpoint).await;
        assert!(
            error.contains(text) && error.contains("within 30s"),
            "{error}"
        );
        assert!(is_about(seconds, 30), "{endpoint:?}: {seconds}");
    }
}

#[tokio::test]
async fn a_refresh_and_a_revocation_end_where_nobody_answers() {
    let site = Site::start().await;
    let oauth = app();
    let client = site.connect(&oauth).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    site.issuer.fail(Endpoint::Token, Fault::Hang);
    site.issuer.fail(Endpoint::Revoke, Fault::Hang);
    let clock = Clock::stopped();
    let (error, seconds) = clock.run(call(&client, "read")).await;
    let error = error.unwrap_err();
    assert!(error.contains("refreshing the token at"), "{error}");
    assert!(is_about(seconds, 30), "{seconds}");
    let (error, seconds) = clock.run(oauth.logout()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("revoking the token at"), "{error}");
    // Both tokens are revoked.
    assert!(is_about(seconds, 60), "{seconds}");
}

#[tokio::test]
async fn a_discovery_ends_however_many_issuers_are_silent() {
    let site = Site::start().await;
    let issuers: Vec<_> = (0..40)
        .map(|n| format!("{}/{n}", site.issuer.issuer()))
        .collect();
    site.set_metadata(&json!({"authorization_servers": issuers}));
    site.issuer.fail(Endpoint::Other, Fault::Hang);
    site.issuer.fail(Endpoint::Metadata, Fault::Hang);
    let clock = Clock::stopped();
    let (error, seconds) = clock.run(site.refused(&app())).await;
    assert!(
        error.contains("no authorization server was found within 60s"),
        "{error}"
    );
    assert!(is_about(seconds, 60), "{seconds}");
}

#[tokio::test]
async fn no_more_than_four_issuers_are_asked() {
    let site = Site::start().await;
    let issuers: Vec<_> = (0..2000).map(|n| format!("{}/{n}", site.origin)).collect();
    site.set_metadata(&json!({"authorization_servers": issuers}));
    site.refused(&app()).await;
    let asked = site.state().asked.clone();
    let metadata: Vec<_> = asked.iter().filter(|path| *path != METADATA).collect();
    let named = |n: usize| metadata.iter().any(|path| path.contains(&format!("/{n}")));
    assert!((0..4).all(named) && !named(4), "{metadata:?}");
    assert_eq!(metadata.len(), 12, "{metadata:?}");
}

#[tokio::test]
async fn a_person_who_does_not_log_in_ends_the_login() {
    let site = Site::start().await;
    let away = OAuth::new("test-app").opener(async |_| Ok(()));
    let clock = Clock::stopped();
    let (error, seconds) = clock.run(site.refused(&away)).await;
    assert!(
        error.contains("nobody has logged in within 300s"),
        "{error}"
    );
    assert!(is_about(seconds, 300), "{seconds}");
}

#[tokio::test]
async fn a_lock_of_a_store_ends_the_refresh() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileStore::new(folder.path().join("tokens"));
    let site = Site::start().await;
    let client = site.connect(&app().store(store.clone())).await.unwrap();
    call(&client, "read").await.unwrap();
    site.revoke_seen();
    let key = format!("tokens {} {}", site.issuer.issuer(), site.url());
    let _held = store.lock(&key).await.unwrap();
    let clock = Clock::stopped();
    let (error, seconds) = clock.run(call(&client, "read")).await;
    let error = error.unwrap_err();
    assert!(error.contains("using the token store"), "{error}");
    assert!(is_about(seconds, 60), "{seconds}");
}
