//! Access tokens and refresh tokens, and the provider's tokens behind them.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Endpoint, Fault};

use crate::site::{REDIRECT, Site, assert_error, at, provider, tokens};

#[tokio::test]
async fn an_access_token_has_what_rfc_9068_asks_for() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let (access, _) = site.tokens(&client).await;
    let mut parts = access.split('.');
    let mut part = || -> Value {
        serde_json::from_slice(&support::decode(parts.next().unwrap()).unwrap()).unwrap()
    };
    let header = part();
    let claims = part();
    assert_eq!(
        (&header["typ"], &header["alg"]),
        (&json!("at+jwt"), &json!("ES256"))
    );
    assert_eq!(claims["iss"], *site.origin);
    assert_eq!(claims["aud"], *site.url);
    assert_eq!(claims["sub"], "alice");
    assert_eq!(claims["client_id"], *client);
    assert_eq!(claims["scope"], "files:read");
    let time = |name: &str| claims[name].as_u64().unwrap();
    assert_eq!(time("exp") - time("iat"), 600);
}

#[tokio::test]
async fn refresh_tokens_are_rotated_and_a_second_use_ends_the_login() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let (_, first) = site.tokens(&client).await;
    let (_, second) = tokens(site.refresh(&client, &first).await);
    let (access, third) = tokens(site.refresh(&client, &second).await);
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    assert_error(site.refresh(&client, &first).await, "invalid_grant");
    assert_error(site.refresh(&client, &third).await, "invalid_grant");
    assert_eq!(site.call(&access, "whoami").await.0, 401);
}

#[tokio::test]
async fn a_refresh_token_is_its_clients_and_no_stranger_can_end_a_login() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let other = site.client(REDIRECT).await;
    let (_, refresh) = site.tokens(&client).await;
    assert_error(site.refresh(&other, &refresh).await, "invalid_grant");
    for made_up in ["", "a", &refresh[1..], &format!("{refresh}AA")] {
        assert_error(site.refresh(&client, made_up).await, "invalid_grant");
    }
    let resource = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &*refresh),
        ("client_id", &*client),
        ("resource", "https://other.example"),
    ];
    assert_error(site.post("/token", &resource).await, "invalid_target");
    tokens(site.refresh(&client, &refresh).await);
}

#[tokio::test]
async fn a_refresh_may_ask_for_fewer_scopes_only() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let url = site.authorize(&client, &[("scope", "files:read files:write")]);
    let back = site.login(&mut crate::browser::Browser::new(), &url).await;
    let code = back.parameter("code").unwrap();
    let (_, mut refresh) = tokens(site.redeem(&client, &code, &[]).await);
    for (scope, granted) in [
        ("files:read", "files:read"),
        ("files:read admin", "files:read"),
        ("files:write files:read", "files:read files:write"),
    ] {
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", &*refresh),
            ("client_id", &*client),
            ("scope", scope),
        ];
        let answer = site.post("/token", &form).await;
        assert_eq!(answer.1["scope"], granted);
        refresh = tokens(answer).1;
    }
}

/// A site whose provider's access tokens last this many seconds.
async fn short_lived(seconds: u64) -> (Site, String) {
    let provider = provider(|settings| settings.access_lifetime = Duration::from_secs(seconds));
    let provider = provider.await;
    let client = at(&provider);
    let site = Site::of(provider, client, |proxy| proxy).await;
    let client = site.client(REDIRECT).await;
    (site, client)
}

#[tokio::test]
async fn the_providers_token_is_refreshed_only_when_it_would_not_last() {
    for (seconds, requests) in [(3600, 1), (60, 2)] {
        let (site, client) = short_lived(seconds).await;
        let (_, refresh) = site.tokens(&client).await;
        tokens(site.refresh(&client, &refresh).await);
        assert_eq!(site.provider.count(Endpoint::Token), requests);
    }
}

#[tokio::test]
async fn a_login_ends_when_the_provider_refuses_for_good() {
    let (site, client) = short_lived(60).await;
    let (access, refresh) = site.tokens(&client).await;
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    site.provider.revoke_all();
    assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
    assert_eq!(site.call(&access, "whoami").await.0, 401);
    assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
}

#[tokio::test]
async fn while_the_provider_is_down_a_refresh_token_is_not_used_up() {
    let (site, client) = short_lived(60).await;
    let (access, refresh) = site.tokens(&client).await;
    for fault in [
        Fault::Status(500),
        Fault::Garbage,
        Fault::Json(json!({"error": "temporarily_unavailable"}).to_string()),
        Fault::Json(json!({"error": "invalid_client"}).to_string()),
    ] {
        site.provider.fail(Endpoint::Token, fault);
        let (status, answer) = site.refresh(&client, &refresh).await;
        assert_eq!(
            (status, &answer["error"]),
            (503, &json!("temporarily_unavailable"))
        );
    }
    site.provider.heal();
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    tokens(site.refresh(&client, &refresh).await);
}

#[tokio::test]
async fn without_a_refresh_token_of_the_provider_access_ends_with_its_token() {
    let (site, client) = short_lived(60).await;
    site.provider
        .change(|settings| settings.refresh_tokens = false);
    let code = site.code(&client).await;
    let (status, answer) = site.redeem(&client, &code, &[]).await;
    let seconds = answer["expires_in"].as_u64().unwrap();
    assert!((50..=60).contains(&seconds), "{seconds}");
    let (_, refresh) = tokens((status, answer));
    tokens(site.refresh(&client, &refresh).await);
    site.provider
        .change(|settings| settings.access_lifetime = Duration::ZERO);
    let (_, refresh) = {
        let code = site.code(&client).await;
        tokens(site.redeem(&client, &code, &[]).await)
    };
    assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
}

#[tokio::test]
async fn another_person_in_a_refreshed_token_ends_the_login() {
    let (site, client) = short_lived(60).await;
    let (_, refresh) = site.tokens(&client).await;
    site.provider.change(|settings| {
        settings.id_token_claims = json!({"sub": "mallory"});
    });
    assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
}

#[tokio::test]
async fn a_revoked_token_ends_its_login() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let other = site.client(REDIRECT).await;
    for number in 0..2 {
        let (access, refresh) = site.tokens(&client).await;
        assert_eq!(site.call(&access, "whoami").await.0, 200);
        let token = [&access, &refresh][number];
        let by = |client| [("token", &**token), ("client_id", client)];
        let found = site.post("/revoke", &by(&other)).await;
        assert_error(found, "invalid_client");
        assert_eq!(site.call(&access, "whoami").await.0, 200);
        assert_eq!(site.post("/revoke", &by(&client)).await.0, 200);
        assert_eq!(site.call(&access, "whoami").await.0, 401);
        assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
        assert_eq!(site.post("/revoke", &by(&client)).await.0, 200);
    }
    let unknown = [("token", "made up"), ("client_id", &*client)];
    assert_eq!(site.post("/revoke", &unknown).await.0, 200);
}
