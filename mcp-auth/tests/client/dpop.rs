//! Tokens that are bound to a key (RFC 9449).

use std::sync::Arc;

use mcp_auth::OAuth;
use mcp_auth::challenge::Challenge;
use mcp_auth::client::store::FileStore;
use serde_json::json;
use support::{AuthorizationServer, Client, Dpop, Endpoint, Recorded, decode};

use crate::proofs::Proofs;
use crate::site::{Site, app, call};

/// A server that accepts only bound tokens, with an issuer that can issue such tokens.
async fn site() -> (Site, Arc<Proofs>) {
    let issuer = AuthorizationServer::with(|settings| settings.dpop = Dpop::Offered).await;
    let site = Site::with(issuer).await;
    let proofs = Arc::new(Proofs::new(site.url()));
    site.state().proofs = Some(Arc::clone(&proofs));
    site.state().challenge = Challenge::dpop().with_algorithms("ES256");
    (site, proofs)
}

fn proof(request: &Recorded) -> Option<serde_json::Value> {
    let payload = decode(request.header("dpop")?.split('.').nth(1)?)?;
    serde_json::from_slice(&payload).ok()
}

#[tokio::test]
async fn tokens_are_bound_where_the_server_asks_for_it() {
    let (site, proofs) = site().await;
    let client = site.connect(&app()).await.unwrap();
    for _ in 0..3 {
        assert_eq!(call(&client, "read").await.unwrap(), "read");
    }
    assert!(proofs.count() >= 4);
    let tokens = site.issuer.requests_to(Endpoint::Token);
    assert_eq!(tokens.len(), 1);
    let proof = proof(&tokens[0]).unwrap();
    assert_eq!(proof["htu"], site.issuer.url(Endpoint::Token));
    assert!(proof["ath"].is_null());
    let text = format!("{:?}", app());
    assert!(!text.contains("key"), "{text}");
}

#[tokio::test]
async fn tokens_are_bound_where_metadata_asks_for_it_or_offers_it() {
    for members in [
        json!({"dpop_bound_access_tokens_required": true}),
        json!({"dpop_signing_alg_values_supported": ["RS256", "ES256"]}),
    ] {
        let (site, proofs) = site().await;
        site.state().challenge = Challenge::bearer();
        site.set_metadata(&members);
        site.connect(&app()).await.unwrap();
        assert!(proofs.count() > 0, "{members}");
    }
}

#[tokio::test]
async fn tokens_are_not_bound_where_the_server_knows_nothing_of_it() {
    let (site, _) = site().await;
    site.state().challenge = Challenge::bearer();
    site.state().proofs = None;
    site.set_metadata(&json!({"dpop_signing_alg_values_supported": ["RS256"]}));
    site.connect(&app()).await.unwrap();
    assert_eq!(
        site.issuer.requests_to(Endpoint::Token)[0].header("dpop"),
        None
    );
}

#[tokio::test]
async fn nobody_logs_in_for_a_bound_token_that_the_issuer_does_not_have() {
    let (site, _) = site().await;
    site.issuer.change(|settings| settings.dpop = Dpop::Off);
    let error = site.refused(&app()).await;
    assert!(error.contains("DPoP"), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
}

#[tokio::test]
async fn nonces_of_both_servers_are_used() {
    let (site, proofs) = site().await;
    site.issuer.change(|settings| settings.dpop_nonces = true);
    proofs.require_nonce("first");
    let client = site.connect(&app()).await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    let tokens = site.issuer.requests_to(Endpoint::Token);
    let nonces: Vec<_> = tokens
        .iter()
        .map(|it| proof(it).unwrap()["nonce"].clone())
        .collect();
    assert!(nonces.len() == 2 && nonces[0].is_null() && nonces[1].is_string());
    // One nonce comes with a refusal, the other with a successful response.
    proofs.require_nonce("second");
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let refused = proofs.refused();
    assert_eq!(refused, 2);
    proofs.announce_nonce("third");
    call(&client, "read").await.unwrap();
    proofs.require_nonce("third");
    call(&client, "read").await.unwrap();
    assert_eq!(proofs.refused(), refused);
    assert_eq!(site.issuer.count(Endpoint::Token), 2);
}

#[tokio::test]
async fn a_nonce_that_is_asked_for_again_and_again_ends_the_request() {
    let (site, proofs) = site().await;
    let client = site.connect(&app()).await.unwrap();
    proofs.change_nonce_each_time();
    let error = call(&client, "read").await.unwrap_err();
    assert!(error.contains("401"), "{error}");
    assert!(proofs.refused() <= 6);
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn requests_that_lack_a_nonce_together_are_sent_again_without_a_login() {
    let (site, proofs) = site().await;
    let client = site.connect(&app()).await.unwrap();
    proofs.require_nonce("new");
    let calls = (0..20).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { call(&client, "read").await })
    });
    for answer in calls.collect::<Vec<_>>() {
        assert_eq!(answer.await.unwrap().unwrap(), "read");
    }
    assert_eq!(site.issuer.count(Endpoint::Token), 1);
}

#[tokio::test]
async fn the_key_stays_with_the_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let store = || FileStore::new(folder.path().join("tokens"));
    let (site, proofs) = site().await;
    site.connect(&app().store(store())).await.unwrap();
    let client = site.connect(&app().store(store())).await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    // The key survives a refresh, because the refresh token of a public client is bound to it.
    let before = proofs.keys();
    site.revoke_seen();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let tokens = site.issuer.requests_to(Endpoint::Token);
    assert_eq!(tokens[1].parameter("grant_type"), Some("refresh_token"));
    assert_eq!((before, proofs.keys()), (1, 1));
}

#[tokio::test]
async fn programs_without_a_person_have_bound_tokens_too() {
    let (site, proofs) = site().await;
    let client = Client::secret("robot", "secret");
    site.issuer
        .change(|settings| settings.clients = vec![client]);
    let oauth = OAuth::client_credentials("robot", "secret").issuer(site.issuer.issuer());
    site.connect(&oauth).await.unwrap();
    assert!(proofs.count() > 0);
}

#[tokio::test]
async fn a_bearer_token_in_the_place_of_a_bound_one_is_not_sent() {
    let (site, _) = site().await;
    let token = site.issuer.mint(&json!({"aud": site.url()}));
    let answer = json!({"access_token": token, "token_type": "Bearer"}).to_string();
    site.issuer
        .fail(Endpoint::Token, support::Fault::Json(answer));
    let error = site.refused(&app()).await;
    assert!(error.contains("DPoP"), "{error}");
    assert_eq!(site.last_token(), None);
    // A bound token that was not requested is not used either.
    site.state().challenge = Challenge::bearer();
    let answer = json!({"access_token": token, "token_type": "DPoP"}).to_string();
    site.issuer
        .fail(Endpoint::Token, support::Fault::Json(answer));
    let error = site.refused(&app()).await;
    assert!(error.contains("was not requested"), "{error}");
}
