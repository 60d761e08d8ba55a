//! Proofs of possession.

use http::request::Parts;
use mcp_auth::ResourceServer;
use mcp_auth::jwt::SigningKey;
use mcp_runtime::transport::http::ResponseHeaders;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use support::{AuthorizationServer, encode, hmac_token, unsigned_token};

use crate::asking::{Denied, RESOURCE, ask, bear, guard, in_seconds, refuses, token, token_with};

/// A client with a key, and a token that is bound to the key.
pub struct Holder {
    key: SigningKey,
    pub token: String,
    number: std::cell::Cell<u32>,
}

impl Holder {
    pub fn new(issuer: &AuthorizationServer) -> Self {
        let key = SigningKey::generate().unwrap();
        let bound = json!({"cnf": {"jkt": key.thumbprint()}, "scope": "files:read"});
        Self {
            token: token_with(issuer, &bound),
            key,
            number: 0.into(),
        }
    }

    fn header(&self) -> Value {
        json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.key.public_jwk()})
    }

    fn claims(&self) -> Value {
        self.number.set(self.number.get() + 1);
        json!({
            "jti": self.number.get().to_string(),
            "htm": "POST",
            "htu": RESOURCE,
            "iat": in_seconds(0),
            "ath": encode(digest(&SHA256, self.token.as_bytes())),
        })
    }

    /// A proof with these members replaced; null removes a member.
    pub fn proof(&self, header: &Value, claims: &Value) -> String {
        let merged = |mut all: Value, other: &Value| {
            for (name, value) in other.as_object().unwrap() {
                all[name] = value.clone();
            }
            let all = all.as_object().unwrap().clone();
            all.into_iter()
                .filter(|(_, value)| !value.is_null())
                .collect()
        };
        let claims = merged(self.claims(), claims);
        self.key
            .sign(merged(self.header(), header), &claims)
            .unwrap()
    }

    pub async fn send(&self, policy: &ResourceServer, proof: &str) -> Result<Parts, Denied> {
        let value = format!("DPoP {}", self.token);
        ask(policy, &[("authorization", &value), ("dpop", proof)]).await
    }

    pub async fn is_refused(&self, policy: &ResourceServer, proof: &str, what: &str) {
        let denied = self.send(policy, proof).await.unwrap_err();
        assert_eq!(denied.status, 401, "{what}: {denied:?}");
        let challenge = denied.challenge("DPoP");
        assert_eq!(challenge.error(), Some("invalid_dpop_proof"), "{what}");
    }
}

#[tokio::test]
async fn a_proof_serves_once() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let holder = Holder::new(&issuer);
    let proof = holder.proof(&json!({}), &json!({}));
    let parts = holder.send(&policy, &proof).await.unwrap();
    assert!(parts.headers.is_empty());
    holder.is_refused(&policy, &proof, "replayed").await;
    for claims in [
        json!({}),
        json!({"htu": "HTTPS://MCP.example.com:443/mcp?a=b"}),
        json!({"iat": in_seconds(-50)}),
        json!({"iat": in_seconds(50)}),
        json!({"jti": "j".repeat(256)}),
    ] {
        let proof = holder.proof(&json!({}), &claims);
        holder.send(&policy, &proof).await.unwrap();
    }
}

#[tokio::test]
async fn proofs_for_something_else_are_refused() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let holder = Holder::new(&issuer);
    for claims in [
        json!({"htm": "GET"}),
        json!({"htm": "post"}),
        json!({"htm": null}),
        json!({"htu": "https://mcp.example.com/other"}),
        json!({"htu": "http://mcp.example.com/mcp"}),
        json!({"htu": "https://other.example.com/mcp"}),
        json!({"htu": null}),
        json!({"iat": in_seconds(-70)}),
        json!({"iat": in_seconds(70)}),
        json!({"iat": null}),
        json!({"iat": "0"}),
        json!({"ath": encode(digest(&SHA256, b"other"))}),
        json!({"ath": null}),
        json!({"jti": null}),
        json!({"jti": ""}),
        json!({"jti": 1}),
        json!({"jti": "j".repeat(257)}),
        json!({"jti": "j".repeat(100_000)}),
    ] {
        let proof = holder.proof(&json!({}), &claims);
        holder
            .is_refused(&policy, &proof, &claims.to_string())
            .await;
    }
    holder.is_refused(&policy, "garbage", "garbage").await;
    let other = Holder::new(&issuer);
    let by_other = other.proof(&json!({}), &holder.claims());
    holder.is_refused(&policy, &by_other, "another key").await;
}

#[tokio::test]
async fn proofs_of_other_forms_are_refused() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let holder = Holder::new(&issuer);
    let mut private = holder.key.public_jwk();
    private["d"] = json!("AAAA");
    for header in [
        json!({"typ": "JWT"}),
        json!({"typ": null}),
        json!({"jwk": null}),
        json!({"jwk": "a"}),
        json!({"jwk": private}),
        json!({"jwk": SigningKey::generate().unwrap().public_jwk()}),
        json!({"crit": ["b64"]}),
    ] {
        let proof = holder.proof(&header, &json!({}));
        holder
            .is_refused(&policy, &proof, &header.to_string())
            .await;
    }
    for alg in ["none", "HS256"] {
        let mut header = holder.header();
        header["alg"] = json!(alg);
        let unsigned = unsigned_token(&header, &holder.claims());
        holder.is_refused(&policy, &unsigned, alg).await;
        let secret = holder.key.public_jwk().to_string();
        let hmac = hmac_token(secret.as_bytes(), &header, &holder.claims());
        holder.is_refused(&policy, &hmac, alg).await;
    }
    let value = format!("DPoP {}", holder.token);
    let a = holder.proof(&json!({}), &json!({}));
    let b = holder.proof(&json!({}), &json!({}));
    for proofs in [&[][..], &[("dpop", &*a), ("dpop", &*b)]] {
        let mut headers = vec![("authorization", &*value)];
        headers.extend_from_slice(proofs);
        let denied = ask(&policy, &headers).await.unwrap_err();
        let challenge = denied.challenge("DPoP");
        assert_eq!(challenge.error(), Some("invalid_dpop_proof"));
    }
}

#[tokio::test]
async fn a_bound_token_is_not_a_bearer_token_and_the_other_way_round() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let holder = Holder::new(&issuer);
    refuses(&policy, &holder.token, "bound").await;
    let unbound = Holder {
        token: token(&issuer),
        ..Holder::new(&issuer)
    };
    let proof = unbound.proof(&json!({}), &json!({}));
    let denied = unbound.send(&policy, &proof).await.unwrap_err();
    let challenge = denied.challenge("DPoP");
    assert_eq!(challenge.error(), Some("invalid_token"));
    assert_eq!(denied.challenge("Bearer").error(), None);
}

#[tokio::test]
async fn bound_tokens_can_be_required() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer).dpop_required();
    let holder = Holder::new(&issuer);
    let denied = bear(&policy, &token(&issuer)).await.unwrap_err();
    assert_eq!(denied.status, 401);
    assert_eq!(denied.challenge("DPoP").error(), Some("invalid_token"));
    assert_eq!(denied.headers.get_all("www-authenticate").iter().count(), 1);
    let proof = holder.proof(&json!({}), &json!({}));
    holder.send(&policy, &proof).await.unwrap();
}

#[tokio::test]
async fn nonces_are_handed_out_and_required() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer).dpop_nonce();
    let holder = Holder::new(&issuer);
    for nonce in [Value::Null, json!(""), json!("other"), json!(1)] {
        let proof = holder.proof(&json!({}), &json!({"nonce": nonce}));
        let denied = holder.send(&policy, &proof).await.unwrap_err();
        assert_eq!(denied.status, 401);
        let challenge = denied.challenge("DPoP");
        assert_eq!(challenge.error(), Some("use_dpop_nonce"), "{nonce}");
        let nonce = denied.headers["dpop-nonce"].to_str().unwrap();
        // With a nonce, the client's clock does not matter.
        let claims = json!({"nonce": nonce, "iat": in_seconds(-5000)});
        let proof = holder.proof(&json!({}), &claims);
        let parts = holder.send(&policy, &proof).await.unwrap();
        let ResponseHeaders(headers) = parts.extensions.get().unwrap();
        assert_eq!(headers["dpop-nonce"], nonce);
        holder.is_refused(&policy, &proof, "replayed").await;
    }
}

#[tokio::test]
async fn missing_scopes_are_told_in_the_scheme_of_the_token() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer).scopes(["files:write"]);
    let holder = Holder::new(&issuer);
    let proof = holder.proof(&json!({}), &json!({}));
    let denied = holder.send(&policy, &proof).await.unwrap_err();
    assert_eq!(denied.status, 403);
    let challenge = denied.challenge("DPoP");
    assert_eq!(challenge.error(), Some("insufficient_scope"));
    assert_eq!(challenge.scope(), Some("files:write"));
}
