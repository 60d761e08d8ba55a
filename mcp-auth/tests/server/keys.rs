//! When the keys of issuers are fetched.

use std::time::Duration;

use http::HeaderMap;
use mcp_auth::jwt::SigningKey;
use serde_json::json;
use std::sync::Arc;
use support::{Algorithm, AuthorizationServer, Endpoint, Metadata};

use crate::asking::{
    RESOURCE, bear, guard, in_seconds, refuses, together, token, token_with, unavailable,
};
use crate::clock::Clock;

#[tokio::test]
async fn metadata_is_found_in_each_place() {
    for (metadata, path) in [
        (Metadata::Rfc8414, ""),
        (Metadata::Rfc8414, "/tenant1"),
        (Metadata::OpenId, ""),
        (Metadata::OpenId, "/tenant1"),
        (Metadata::OpenIdBehind, "/tenant1"),
    ] {
        let issuer = AuthorizationServer::with(|it| {
            it.metadata = metadata;
            it.path = path.to_owned();
        });
        let issuer = issuer.await;
        bear(&guard(&issuer), &token(&issuer)).await.unwrap();
    }
}

#[tokio::test]
async fn two_hundred_requests_fetch_the_keys_once() {
    let issuer = AuthorizationServer::start().await;
    let policy = Arc::new(guard(&issuer));
    let token = token(&issuer);
    let hold = issuer.hold(Endpoint::Jwks);
    let asking = together(&policy, &token, 200);
    let (statuses, ()) = tokio::join!(asking, async {
        issuer.arrived(Endpoint::Jwks, 1).await;
        drop(hold);
    });
    assert_eq!(statuses, [200; 200]);
    assert_eq!(issuer.count(Endpoint::Metadata), 1);
    assert_eq!(issuer.count(Endpoint::Jwks), 1);
}

#[tokio::test]
async fn a_new_key_is_fetched_and_the_old_one_does_not_count() {
    let issuer = AuthorizationServer::start().await;
    let policy = Arc::new(guard(&issuer));
    let old = token(&issuer);
    bear(&policy, &old).await.unwrap();
    issuer.rotate_keys();
    // The cached result is used, because keys are not fetched for each request.
    bear(&policy, &old).await.unwrap();
    let new = token(&issuer);
    let hold = issuer.hold(Endpoint::Jwks);
    let (statuses, ()) = tokio::join!(together(&policy, &new, 200), async {
        issuer.arrived(Endpoint::Jwks, 2).await;
        drop(hold);
    });
    assert_eq!(statuses, [200; 200]);
    assert_eq!(issuer.count(Endpoint::Jwks), 2);
    for _ in 0..2 {
        // The old key is known, so no further fetch is needed.
        refuses(&policy, &old, "the key is gone").await;
    }
}

#[tokio::test]
async fn keys_are_fetched_for_unknown_ones_once_in_30_seconds() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    bear(&policy, &token(&issuer)).await.unwrap();
    let clock = Clock::stopped();
    let unknown = |number: usize| {
        let header = json!({"kid": format!("unknown-{number}")});
        issuer.mint_with(&header, &json!({"aud": RESOURCE}))
    };
    let tokens: Vec<_> = (0..20).map(unknown).collect();
    clock.pass(Duration::from_secs(1)).await;
    refuses(&policy, &tokens[0], "unknown").await;
    clock.pass(Duration::from_secs(1)).await;
    for token in &tokens[1..] {
        // The key may have been published after the last fetch.
        unavailable(&policy, token).await;
    }
    refuses(&policy, &tokens[0], "still unknown").await;
    assert_eq!(issuer.count(Endpoint::Jwks), 2);
    clock.pass(Duration::from_secs(29)).await;
    for token in &tokens {
        refuses(&policy, token, "unknown").await;
    }
    assert_eq!(issuer.count(Endpoint::Jwks), 3);
    // The pause does not affect known keys.
    bear(&policy, &token(&issuer)).await.unwrap();
}

#[tokio::test]
async fn a_forged_key_name_does_not_make_a_new_key_fail() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let old = token(&issuer);
    bear(&policy, &old).await.unwrap();
    let forged = issuer.mint_with(&json!({"kid": "forged"}), &json!({"aud": RESOURCE}));
    let clock = Clock::stopped();
    refuses(&policy, &forged, "forged").await;
    clock.pass(Duration::from_secs(10)).await;
    issuer.add_key();
    let new = token(&issuer);
    bear(&policy, &old).await.unwrap();
    let denied = bear(&policy, &new).await.unwrap_err();
    assert_eq!(denied.status, 503, "{denied:?}");
    assert_eq!(denied.headers["retry-after"], "20");
    clock.pass(Duration::from_secs(20)).await;
    bear(&policy, &new).await.unwrap();
}

#[tokio::test]
async fn tokens_of_other_issuers_have_no_keys_fetched() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let claims = json!({"aud": RESOURCE, "iss": "https://login.example.com"});
    let token = issuer.mint_with(&json!({"kid": "unknown"}), &claims);
    refuses(&policy, &token, "another issuer").await;
    assert!(issuer.requests().is_empty());
}

#[tokio::test]
async fn a_key_without_a_name_is_fetched_as_well() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    bear(&policy, &token(&issuer)).await.unwrap();
    issuer.rotate_keys();
    let nameless = issuer.mint_with(&json!({"kid": null}), &json!({"aud": RESOURCE}));
    bear(&policy, &nameless).await.unwrap();
}

#[tokio::test]
async fn keys_are_fetched_again_after_five_minutes() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let old = token_with(&issuer, &json!({"exp": 9_999_999_999_u64}));
    bear(&policy, &old).await.unwrap();
    issuer.rotate_keys();
    let clock = Clock::stopped();
    clock.pass(Duration::from_secs(299)).await;
    bear(&policy, &old).await.unwrap();
    assert_eq!(issuer.count(Endpoint::Jwks), 1);
    clock.pass(Duration::from_secs(2)).await;
    // The refresh runs in the background of this request.
    bear(&policy, &old).await.unwrap();
    issuer.arrived(Endpoint::Jwks, 2).await;
    clock.go_on();
    for _ in 0..1000 {
        if bear(&policy, &old).await.is_err() {
            break;
        }
        tokio::task::yield_now().await;
    }
    refuses(&policy, &old, "the key is gone").await;
}

#[tokio::test]
async fn after_a_quiet_time_keys_are_fetched_first() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let old = token_with(&issuer, &json!({"exp": 9_999_999_999_u64}));
    bear(&policy, &old).await.unwrap();
    issuer.rotate_keys();
    let clock = Clock::stopped();
    clock.pass(Duration::from_secs(600)).await;
    refuses(&policy, &old, "the key is gone").await;
}

#[tokio::test]
async fn the_token_goes_to_no_issuer() {
    let issuer = AuthorizationServer::start().await;
    let token = token(&issuer);
    bear(&guard(&issuer), &token).await.unwrap();
    for sent in issuer.requests() {
        let all = format!("{sent:?}");
        assert!(!all.contains(&token), "{all}");
        assert_eq!(sent.headers.get("authorization"), HeaderMap::new().get("a"));
    }
}

#[tokio::test]
async fn a_key_that_is_known_to_be_wrong_needs_no_fetch() {
    let issuer = AuthorizationServer::with(|it| it.algorithm = Algorithm::Rs256).await;
    let policy = guard(&issuer);
    bear(&policy, &token(&issuer)).await.unwrap();
    let clock = Clock::stopped();
    let unknown = issuer.mint_with(&json!({"kid": "unknown"}), &json!({"aud": RESOURCE}));
    let signing = SigningKey::generate().unwrap();
    let kid = issuer.jwks()["keys"][0]["kid"].clone();
    let url = "https://evil.example.com/jwks";
    let claims =
        json!({"iss": issuer.issuer(), "aud": RESOURCE, "sub": "eve", "exp": in_seconds(60)});
    for is_spent in [false, true] {
        for header in [
            // The issuer's key is for RS256, but the token claims ES256.
            json!({"kid": kid}),
            json!({"kid": "other", "jwk": signing.public_jwk()}),
            json!({"kid": "other", "jku": url}),
            json!({"kid": "other", "x5u": url}),
            json!({"kid": "other", "x5c": ["AA=="]}),
            json!({"jwk": signing.public_jwk()}),
        ] {
            let claims = claims.as_object().unwrap();
            let token = signing
                .sign(header.as_object().unwrap().clone(), claims)
                .unwrap();
            refuses(&policy, &token, &header.to_string()).await;
        }
        assert_eq!(issuer.count(Endpoint::Jwks), 1 + usize::from(is_spent));
        clock.pass(Duration::from_secs(1)).await;
        refuses(&policy, &unknown, "unknown").await;
    }
}

#[tokio::test]
async fn a_key_in_the_header_does_not_invalidate_a_token_of_the_issuer() {
    let issuer = AuthorizationServer::start().await;
    let header = json!({"jku": "https://login.example.com/keys"});
    let token = issuer.mint_with(&header, &json!({"aud": RESOURCE}));
    bear(&guard(&issuer), &token).await.unwrap();
}
