//! Logins, refreshes and logouts with a store that fails or stalls at each of its calls.

use std::collections::HashSet;

use mcp_auth::OAuth;
use support::Recorded;

use crate::faulty_store::{FaultyStore, StoreFault};
use crate::limits::Clock;
use crate::site::{Site, app, call};

/// Connects, calls, refreshes twice and logs out. Returns the errors.
async fn use_store(site: &Site, oauth: &OAuth) -> Vec<String> {
    let mut errors = Vec::new();
    match site.connect(oauth).await {
        Err(error) => errors.push(text(&error)),
        Ok(client) => {
            errors.extend(call(&client, "read").await.err());
            for _ in 0..2 {
                site.revoke_seen();
                errors.extend(call(&client, "read").await.err());
                // The new token is used even if it could not be saved.
                errors.extend(call(&client, "read").await.err());
            }
        }
    }
    errors.extend(oauth.logout().await.err().map(|error| text(&error)));
    errors
}

/// The messages of an error and its causes, one per line.
fn text(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(|it| format!("{it}\n")).collect()
}

/// The refresh tokens that were redeemed. The issuer accepts each of them once.
fn redeemed(site: &Site) -> Vec<Option<String>> {
    let requests = site.issuer.requests_to(support::Endpoint::Token);
    let token = |it: Recorded| it.parameter("refresh_token").map(str::to_owned);
    let tokens = requests.into_iter().map(token);
    tokens.filter(Option::is_some).collect()
}

#[tokio::test]
async fn each_call_of_a_store_may_fail() {
    for fault in [StoreFault::At, StoreFault::From] {
        let mut number = 0;
        loop {
            let site = Site::start().await;
            let store = FaultyStore::default();
            let oauth = app().store(store.clone());
            store.set(Some(fault(number)));
            let errors = use_store(&site, &oauth).await;
            let is_over = store.calls() <= number;
            let what = fault(number);
            for error in &errors {
                assert!(error.contains("the disk is full"), "{what:?}: {error}");
            }
            assert_eq!(errors.is_empty(), is_over, "{what:?}: {errors:?}");
            // The store works again: the person gets access, whatever is left of the tokens.
            store.set(None);
            let client = site.connect(&oauth).await.unwrap();
            assert_eq!(call(&client, "read").await.unwrap(), "read", "{what:?}");
            oauth.logout().await.unwrap();
            let redeemed = redeemed(&site);
            let different: HashSet<_> = redeemed.iter().collect();
            assert_eq!(different.len(), redeemed.len(), "{what:?}");
            if is_over {
                break;
            }
            number += 1;
        }
        assert!(number > 10, "{number}");
    }
}

#[tokio::test]
async fn a_store_that_stalls_ends_what_waits_for_it() {
    let count = {
        let site = Site::start().await;
        let store = FaultyStore::default();
        use_store(&site, &app().store(store.clone())).await;
        store.calls()
    };
    for number in 0..count {
        let site = Site::start().await;
        let store = FaultyStore::default();
        let oauth = app().store(store.clone());
        store.set(Some(StoreFault::StallsAt(number)));
        let (errors, _) = Clock::stopped().run(use_store(&site, &oauth)).await;
        tokio::time::resume();
        assert!(!errors.is_empty(), "{number}");
        for error in errors {
            assert!(error.contains("using the token store"), "{number}: {error}");
        }
        store.set(None);
        let client = site.connect(&oauth).await.unwrap();
        assert_eq!(call(&client, "read").await.unwrap(), "read", "{number}");
    }
}
