//! Proofs and nonces of replicas that share a store.

use std::sync::Arc;

use mcp_auth::ResourceServer;
use mcp_runtime::transport::http::ResponseHeaders;
use serde_json::json;
use support::AuthorizationServer;
use tokio::task::JoinSet;
use tracing::Level;

use crate::asking::{ask, bear, guard, in_seconds, token};
use crate::log::Log;
use crate::proofs::Holder;
use crate::watched_store::WatchedStore;

/// Three replicas that share `store`.
fn replicas(
    issuer: &AuthorizationServer,
    store: &WatchedStore,
    change: impl Fn(ResourceServer) -> ResourceServer,
) -> [Arc<ResourceServer>; 3] {
    [(); 3].map(|()| Arc::new(change(guard(issuer).store(store.clone()))))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_32_requests_with_one_proof_one_is_admitted() {
    let issuer = AuthorizationServer::start().await;
    let replicas = replicas(&issuer, &WatchedStore::default(), |it| it);
    let holder = Holder::new(&issuer);
    let value = format!("DPoP {}", holder.token);
    for _ in 0..10 {
        let proof = holder.proof(&json!({}), &json!({}));
        let mut asking = JoinSet::new();
        for number in 0..32 {
            let replica = Arc::clone(&replicas[number % 3]);
            let headers = [("authorization", value.clone()), ("dpop", proof.clone())];
            asking.spawn(async move {
                let headers = headers.each_ref().map(|(name, value)| (*name, &**value));
                match ask(&replica, &headers).await {
                    Ok(_) => true,
                    Err(denied) => {
                        let error = denied.challenge("DPoP");
                        assert_eq!(error.error(), Some("invalid_dpop_proof"), "{denied:?}");
                        false
                    }
                }
            });
        }
        let admitted = asking.join_all().await;
        assert_eq!(admitted.into_iter().filter(|it| *it).count(), 1);
    }
}

#[tokio::test]
async fn a_nonce_of_one_replica_is_good_at_all() {
    let issuer = AuthorizationServer::start().await;
    let replicas = replicas(
        &issuer,
        &WatchedStore::default(),
        ResourceServer::dpop_nonce,
    );
    let holder = Holder::new(&issuer);
    let proof = holder.proof(&json!({}), &json!({}));
    let denied = holder.send(&replicas[0], &proof).await.unwrap_err();
    assert_eq!(denied.challenge("DPoP").error(), Some("use_dpop_nonce"));
    let nonce = denied.headers["dpop-nonce"].to_str().unwrap();
    let claims = json!({"nonce": nonce, "iat": in_seconds(-5000)});
    for replica in &replicas {
        let proof = holder.proof(&json!({}), &claims);
        let parts = holder.send(replica, &proof).await.unwrap();
        let ResponseHeaders(headers) = parts.extensions.get().unwrap();
        assert_eq!(headers["dpop-nonce"], nonce);
        for other in &replicas {
            holder.is_refused(other, &proof, "replayed").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_begin_at_the_same_time_agree_on_a_nonce() {
    let issuer = AuthorizationServer::start().await;
    let store = WatchedStore::default();
    let mut asking = JoinSet::new();
    for _ in 0..32 {
        let [replica, ..] = replicas(&issuer, &store, ResourceServer::dpop_nonce);
        asking.spawn(async move {
            let denied = ask(&replica, &[]).await.unwrap_err();
            denied.headers["dpop-nonce"].clone()
        });
    }
    let nonces = asking.join_all().await;
    assert!(nonces.iter().all(|it| *it == nonces[0]), "{nonces:?}");
}

/// The numbers are in docs/authorization.md.
#[tokio::test]
async fn a_request_needs_few_calls_of_the_store() {
    let issuer = AuthorizationServer::start().await;
    let store = WatchedStore::default();
    let holder = Holder::new(&issuer);
    let [plain, ..] = replicas(&issuer, &store, |it| it);
    let [first, second, _] = replicas(&issuer, &store, ResourceServer::dpop_nonce);
    bear(&plain, &token(&issuer)).await.unwrap();
    assert_eq!(store.calls(), 0);
    holder
        .send(&plain, &holder.proof(&json!({}), &json!({})))
        .await
        .unwrap();
    assert_eq!(store.calls(), 1);
    // The first replica creates the nonce, which is not the missing nonce of the proof.
    let proof = holder.proof(&json!({}), &json!({}));
    let denied = holder.send(&first, &proof).await.unwrap_err();
    assert_eq!(store.calls(), 4);
    let nonce = denied.headers["dpop-nonce"].to_str().unwrap();
    for (replica, calls) in [(&first, 1), (&second, 2), (&second, 1)] {
        let proof = holder.proof(&json!({}), &json!({"nonce": nonce}));
        holder.send(replica, &proof).await.unwrap();
        assert_eq!(store.calls(), calls);
    }
}

#[tokio::test]
async fn without_the_store_requests_with_a_proof_wait_and_others_do_not() {
    let issuer = AuthorizationServer::start().await;
    let store = WatchedStore::default();
    let holder = Holder::new(&issuer);
    for nonces in [false, true] {
        let [replica, ..] = replicas(&issuer, &store, |it| match nonces {
            true => it.dpop_nonce(),
            false => it,
        });
        bear(&replica, &token(&issuer)).await.unwrap();
        store.set_away(true);
        store.calls();
        let (log, _listening) = Log::listening(Level::WARN);
        for _ in 0..5 {
            let proof = holder.proof(&json!({}), &json!({}));
            let denied = holder.send(&replica, &proof).await.unwrap_err();
            assert_eq!(denied.status, 503);
            assert_eq!(denied.headers["retry-after"], "5");
            // Each call may take half a second.
            assert_eq!(store.calls(), 1);
        }
        let text = log.text();
        assert_eq!(text.matches("it does not answer").count(), 1, "{text}");
        bear(&replica, &token(&issuer)).await.unwrap();
        let denied = ask(&replica, &[]).await.unwrap_err();
        assert_eq!(denied.status, 401);
        store.set_away(false);
        let proof = holder.proof(&json!({}), &json!({}));
        let nonce = match holder.send(&replica, &proof).await {
            Ok(_) => continue,
            Err(denied) => denied.headers["dpop-nonce"].to_str().unwrap().to_owned(),
        };
        let proof = holder.proof(&json!({}), &json!({"nonce": nonce}));
        holder.send(&replica, &proof).await.unwrap();
    }
}
