//! Logins of the proxy with a store that fails at each of its calls.

use crate::browser::Browser;
use crate::faulty_store::{FaultyStore, StoreFault};
use crate::site::{REDIRECT, Site, tokens};

#[tokio::test]
async fn each_call_of_a_store_may_fail() {
    let store = FaultyStore::default();
    let site = Site::with(|it| it.store(store.clone())).await;
    let client = site.client(REDIRECT).await;
    for fault in [StoreFault::At, StoreFault::From] {
        let mut number = 0;
        loop {
            // During a login, the browser returns with a code or with a server error.
            store.set(Some(fault(number)));
            let url = site.authorize(&client, &[]);
            let back = site.login(&mut Browser::new(), &url).await;
            let calls_of_login = store.calls();
            let what = format!("{:?} {back:?}", fault(number));
            let is_over = calls_of_login <= number;
            if !is_over {
                assert_eq!(back.parameter("code"), None, "{what}");
                let error = back.parameter("error");
                assert_eq!(error.as_deref(), Some("temporarily_unavailable"), "{what}");
            }
            // After the login, each response is correct or says that the store is unavailable.
            store.set(None);
            let (access, refresh) = site.tokens(&client).await;
            store.set(Some(fault(number)));
            let called = site.call(&access, "whoami").await.0;
            let (refreshed, answer) = site.refresh(&client, &refresh).await;
            let calls = store.calls();
            store.set(None);
            for status in [called, refreshed] {
                assert!([200, 503].contains(&status), "{what}: {status}");
            }
            if calls > number {
                assert!(called == 503 || refreshed == 503, "{what}");
            }
            // A refresh token works once, even if its response was lost.
            if refreshed == 200 {
                let (access, _) = tokens((refreshed, answer));
                assert_eq!(site.call(&access, "whoami").await.0, 200, "{what}");
                assert_eq!(site.refresh(&client, &refresh).await.0, 400, "{what}");
            }
            site.tokens(&client).await;
            if is_over && calls <= number {
                break;
            }
            number += 1;
        }
        assert!(number > 3, "{number}");
    }
}
