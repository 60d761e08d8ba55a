//! Issuers that are down, slow or broken.

use std::time::Duration;

use serde_json::json;
use support::{AuthorizationServer, Endpoint, Fault};

use crate::asking::{RESOURCE, bear, guard, refuses, token, token_with, unavailable};
use crate::clock::Clock;

/// Waits until the pause after a failed attempt is over.
async fn later(clock: &Clock) {
    clock.pass(Duration::from_secs(2)).await;
}

#[tokio::test]
async fn a_server_starts_while_its_issuer_is_down() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let token = token(&issuer);
    issuer.stop().await;
    let clock = Clock::stopped();
    unavailable(&policy, &token).await;
    // No further attempt is made during the pause.
    issuer.restart().await;
    unavailable(&policy, &token).await;
    assert!(issuer.requests().is_empty());
    later(&clock).await;
    bear(&policy, &token).await.unwrap();
}

#[tokio::test]
async fn the_last_keys_serve_for_a_day() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let token = token_with(&issuer, &json!({"exp": 9_999_999_999_u64}));
    bear(&policy, &token).await.unwrap();
    issuer.stop().await;
    let clock = Clock::stopped();
    for hours in [1, 22] {
        clock.pass(Duration::from_secs(hours * 3600)).await;
        bear(&policy, &token).await.unwrap();
        // Tokens that were not seen before are also accepted.
        let other = token_with(&issuer, &json!({"sub": hours.to_string()}));
        bear(&policy, &other).await.unwrap();
    }
    clock.pass(Duration::from_secs(3600)).await;
    unavailable(&policy, &token).await;
    issuer.restart().await;
    later(&clock).await;
    bear(&policy, &token).await.unwrap();
}

#[tokio::test]
async fn a_key_that_may_be_new_is_not_refused_while_the_issuer_is_down() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    bear(&policy, &token(&issuer)).await.unwrap();
    issuer.rotate_keys();
    issuer.fail(Endpoint::Jwks, Fault::Status(500));
    let new = token(&issuer);
    let clock = Clock::stopped();
    unavailable(&policy, &new).await;
    unavailable(&policy, &new).await;
    assert_eq!(issuer.count(Endpoint::Jwks), 2);
    issuer.heal();
    clock.pass(Duration::from_secs(31)).await;
    bear(&policy, &new).await.unwrap();
}

#[tokio::test]
async fn broken_answers_are_an_outage() {
    let another =
        json!({"issuer": "https://evil.example.com", "jwks_uri": "https://evil.example.com"});
    let plain = |issuer: &AuthorizationServer| {
        json!({"issuer": issuer.issuer(), "jwks_uri": "http://192.0.2.1/jwks"}).to_string()
    };
    let issuer = AuthorizationServer::start().await;
    let elsewhere = AuthorizationServer::start().await;
    let moved = Fault::Redirect(elsewhere.url(Endpoint::Jwks));
    let none = json!({"issuer": issuer.issuer()}).to_string();
    for (endpoint, fault) in [
        (Endpoint::Metadata, Fault::Status(500)),
        (Endpoint::Metadata, Fault::Garbage),
        (Endpoint::Metadata, Fault::Json(another.to_string())),
        (Endpoint::Metadata, Fault::Json(plain(&issuer))),
        (Endpoint::Metadata, Fault::Json(none)),
        (Endpoint::Metadata, Fault::Large(2 << 20)),
        (Endpoint::Metadata, moved.clone()),
        (Endpoint::Jwks, Fault::Status(404)),
        (Endpoint::Jwks, Fault::Garbage),
        (Endpoint::Jwks, Fault::Json("{}".to_owned())),
        (Endpoint::Jwks, Fault::Large(2 << 20)),
        (Endpoint::Jwks, moved),
    ] {
        let policy = guard(&issuer);
        let first = token(&issuer);
        let second = token_with(&issuer, &json!({"sub": "bob"}));
        issuer.fail(endpoint, fault.clone());
        unavailable(&policy, &first).await;
        issuer.heal();
        let clock = Clock::stopped();
        later(&clock).await;
        bear(&policy, &first).await.unwrap();
        // The cached keys are used when the fault happens again.
        issuer.fail(endpoint, fault);
        clock.pass(Duration::from_secs(1000)).await;
        bear(&policy, &second).await.unwrap();
        issuer.heal();
        clock.go_on();
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn an_empty_key_set_is_not_an_outage() {
    let issuer = AuthorizationServer::start().await;
    issuer.fail(Endpoint::Jwks, Fault::Json(r#"{"keys":[]}"#.to_owned()));
    refuses(&guard(&issuer), &token(&issuer), "no keys").await;
}

#[tokio::test]
async fn an_issuer_that_does_not_answer_is_given_up() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let token = token(&issuer);
    issuer.fail(Endpoint::Jwks, Fault::Hang);
    let clock = Clock::stopped();
    let started = tokio::time::Instant::now();
    let asked = unavailable(&policy, &token);
    clock.run_until(Duration::from_millis(100), asked).await;
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_request_that_is_given_up_does_not_stop_the_fetch() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let token = issuer.mint(&json!({"aud": RESOURCE}));
    let hold = issuer.hold(Endpoint::Jwks);
    tokio::select! {
        _ = bear(&policy, &token) => unreachable!("the keys are held back"),
        () = issuer.arrived(Endpoint::Jwks, 1) => {}
    }
    drop(hold);
    bear(&policy, &token).await.unwrap();
    assert_eq!(issuer.count(Endpoint::Jwks), 1);
}
