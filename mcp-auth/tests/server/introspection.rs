//! Opaque tokens.

use std::sync::Arc;
use std::time::Duration;

use mcp_auth::{Issuer, ResourceServer};
use serde_json::{Value, json};
use support::{AuthorizationServer, Client, Endpoint, Fault, Metadata};

use crate::asking::{
    RESOURCE, bear, guard, in_seconds, introspecting, refuses, together, token, unavailable,
};
use crate::clock::Clock;

async fn issuer() -> AuthorizationServer {
    AuthorizationServer::with(|it| {
        it.clients = vec![Client::secret("resource server", "a:b/ü")];
    })
    .await
}

fn opaque(issuer: &AuthorizationServer, claims: &Value) -> String {
    let mut all = json!({"aud": RESOURCE});
    for (name, value) in claims.as_object().unwrap() {
        all[name] = value.clone();
    }
    issuer.mint_opaque(&all)
}

#[tokio::test]
async fn opaque_tokens_are_introspected() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    let opaque = opaque(&issuer, &json!({"scope": "files:read", "sub": "bob"}));
    let claims = bear(&policy, &opaque).await.unwrap();
    assert_eq!(claims.subject(), Some("bob"));
    assert_eq!(claims.issuer(), issuer.issuer());
    assert_eq!(claims.scopes().collect::<Vec<_>>(), ["files:read"]);
    // JWTs are verified with keys instead.
    bear(&policy, &token(&issuer)).await.unwrap();
    assert_eq!(issuer.count(Endpoint::Introspect), 1);
    refuses(&guard(&issuer), &opaque, "no client").await;
}

#[tokio::test]
async fn tokens_that_are_not_active_for_the_resource_are_refused() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    refuses(&policy, "unknown", "unknown").await;
    for claims in [
        json!({"aud": "https://other.example.com/mcp"}),
        json!({"aud": null}),
        json!({"iss": "https://login.example.com"}),
        json!({"exp": in_seconds(-70)}),
        json!({"exp": null}),
    ] {
        let token = opaque(&issuer, &claims);
        refuses(&policy, &token, &claims.to_string()).await;
    }
}

#[tokio::test]
async fn answers_are_kept_for_a_minute() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    let token = opaque(&issuer, &json!({}));
    let clock = Clock::stopped();
    bear(&policy, &token).await.unwrap();
    issuer.revoke_all();
    clock.pass(Duration::from_secs(59)).await;
    bear(&policy, &token).await.unwrap();
    assert_eq!(issuer.count(Endpoint::Introspect), 1);
    clock.pass(Duration::from_secs(1)).await;
    refuses(&policy, &token, "revoked").await;
    assert_eq!(issuer.count(Endpoint::Introspect), 2);
}

#[tokio::test]
async fn an_issuer_that_can_not_be_asked_is_an_outage() {
    let issuer = issuer().await;
    let token = opaque(&issuer, &json!({}));
    let wrong = Issuer::new(issuer.issuer()).introspection("resource server", "wrong");
    let wrong = ResourceServer::new(RESOURCE).issuer(wrong);
    unavailable(&wrong, &token).await;
    for fault in [
        Fault::Status(500),
        Fault::Garbage,
        Fault::Json("[]".to_owned()),
    ] {
        issuer.fail(Endpoint::Introspect, fault);
        unavailable(&introspecting(&issuer), &token).await;
        issuer.heal();
    }
    let policy = introspecting(&issuer);
    bear(&policy, &token).await.unwrap();
    issuer.stop().await;
    // A token with a cached result is still accepted.
    bear(&policy, &token).await.unwrap();
    unavailable(&policy, "other").await;
    unavailable(&introspecting(&issuer), &token).await;
    issuer.restart().await;
    issuer.change(|it| it.metadata = Metadata::None);
    unavailable(&introspecting(&issuer), &token).await;
}

#[tokio::test]
async fn each_issuer_is_asked_until_one_knows_the_token() {
    let first = issuer().await;
    let second = issuer().await;
    let with = |issuer: &AuthorizationServer| {
        Issuer::new(issuer.issuer()).introspection("resource server", "a:b/ü")
    };
    let policy = ResourceServer::new(RESOURCE)
        .issuer(with(&first))
        .issuer(with(&second));
    let token = opaque(&second, &json!({}));
    let claims = bear(&policy, &token).await.unwrap();
    assert_eq!(claims.issuer(), second.issuer());
    refuses(&policy, "unknown", "unknown").await;
    first.stop().await;
    unavailable(&policy, "another").await;
    let other = opaque(&second, &json!({}));
    bear(&policy, &other).await.unwrap();
}

#[tokio::test]
async fn a_token_that_is_not_active_is_remembered_for_5_seconds() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    let elsewhere = opaque(&issuer, &json!({"aud": "https://other.example.com/mcp"}));
    let clock = Clock::stopped();
    for (token, count) in [("unknown", 1), (&*elsewhere, 3)] {
        for _ in 0..50 {
            refuses(&policy, token, token).await;
        }
        assert_eq!(issuer.count(Endpoint::Introspect), count, "{token}");
        clock.pass(Duration::from_secs(5)).await;
        refuses(&policy, token, token).await;
        assert_eq!(issuer.count(Endpoint::Introspect), count + 1, "{token}");
    }
}

#[tokio::test]
async fn two_hundred_requests_introspect_their_token_once() {
    let issuer = issuer().await;
    let policy = Arc::new(introspecting(&issuer));
    let valid = opaque(&issuer, &json!({}));
    for (token, status, count) in [(&*valid, 200, 1), ("unknown", 401, 2)] {
        let hold = issuer.hold(Endpoint::Introspect);
        let (statuses, ()) = tokio::join!(together(&policy, token, 200), async {
            issuer.arrived(Endpoint::Introspect, count).await;
            drop(hold);
        });
        assert_eq!(statuses, [status; 200]);
        assert_eq!(issuer.count(Endpoint::Introspect), count);
    }
}

#[tokio::test]
async fn a_request_that_is_given_up_does_not_stop_the_introspection() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    let token = opaque(&issuer, &json!({}));
    let hold = issuer.hold(Endpoint::Introspect);
    tokio::select! {
        _ = bear(&policy, &token) => unreachable!("the answer is held back"),
        () = issuer.arrived(Endpoint::Introspect, 1) => {}
    }
    drop(hold);
    bear(&policy, &token).await.unwrap();
    assert_eq!(issuer.count(Endpoint::Introspect), 1);
}

#[tokio::test]
async fn there_is_a_pause_after_a_failure() {
    let issuer = issuer().await;
    let policy = Arc::new(introspecting(&issuer));
    let tokens: Vec<_> = (0..20).map(|_| opaque(&issuer, &json!({}))).collect();
    issuer.fail(Endpoint::Introspect, Fault::Status(500));
    let clock = Clock::stopped();
    for failures in 1..4 {
        for token in &tokens {
            unavailable(&policy, token).await;
        }
        assert_eq!(issuer.count(Endpoint::Introspect), failures);
        assert_eq!(issuer.count(Endpoint::Metadata), failures);
        clock.pass(Duration::from_secs(1)).await;
    }
    issuer.heal();
    for token in &tokens {
        bear(&policy, token).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_that_the_issuer_can_not_read_concerns_no_other() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    let valid = opaque(&issuer, &json!({}));
    for (status, is_refused) in [
        (400, false),
        (413, true),
        (414, true),
        (422, true),
        (431, true),
    ] {
        issuer.fail(Endpoint::Introspect, Fault::Status(status));
        let unreadable = format!("unreadable-{status}");
        for _ in 0..10 {
            if is_refused {
                refuses(&policy, &unreadable, &status.to_string()).await;
            } else {
                unavailable(&policy, &unreadable).await;
            }
        }
        issuer.heal();
        let other = opaque(&issuer, &json!({}));
        bear(&policy, &other).await.unwrap();
    }
    bear(&policy, &valid).await.unwrap();
    assert_eq!(issuer.count(Endpoint::Introspect), 11);
    assert_eq!(issuer.count(Endpoint::Metadata), 1);
}

#[tokio::test]
async fn a_client_that_the_issuer_refuses_is_an_outage() {
    let issuer = issuer().await;
    for status in [401, 403, 404] {
        let policy = introspecting(&issuer);
        issuer.fail(Endpoint::Introspect, Fault::Status(status));
        unavailable(&policy, "token").await;
        issuer.heal();
        unavailable(&policy, &opaque(&issuer, &json!({}))).await;
    }
}

#[tokio::test]
async fn too_many_requests_concern_others_only_after_several_in_a_row() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    let too_many = || issuer.fail(Endpoint::Introspect, Fault::Status(429));
    let clock = Clock::stopped();
    for round in 0..3 {
        too_many();
        for number in 0..2 {
            unavailable(&policy, &format!("odd-{round}-{number}")).await;
        }
        issuer.heal();
        bear(&policy, &opaque(&issuer, &json!({}))).await.unwrap();
    }
    too_many();
    for number in 0..3 {
        unavailable(&policy, &format!("limited-{number}")).await;
    }
    issuer.heal();
    let next = opaque(&issuer, &json!({}));
    unavailable(&policy, &next).await;
    clock.pass(Duration::from_secs(1)).await;
    bear(&policy, &next).await.unwrap();
}

#[tokio::test]
async fn tokens_that_are_bound_by_other_means_are_refused() {
    let issuer = issuer().await;
    let policy = introspecting(&issuer);
    for (number, cnf) in [
        json!({"x5t#S256": "a"}),
        json!({"jwk": {}}),
        json!({"kid": "a"}),
        json!({}),
        json!({"jkt": "a", "kid": "b"}),
    ]
    .into_iter()
    .enumerate()
    {
        let aud = RESOURCE;
        let exp = in_seconds(60);
        let answer = json!({"active": true, "sub": "bob", "aud": aud, "exp": exp, "cnf": cnf});
        issuer.fail(Endpoint::Introspect, Fault::Json(answer.to_string()));
        refuses(&policy, &number.to_string(), &cnf.to_string()).await;
    }
}
