//! Proofs and assertions of a client as a server verifies them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_auth::authentication::AssertionKey;
use mcp_auth::jwt::{Algorithm, Header, Jwk, JwkSet, Jws, SigningKey};
use serde_json::{Value, json};

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

fn public_keys(key: &SigningKey) -> JwkSet {
    let mut jwk = key.public_jwk();
    jwk["kid"] = json!("1");
    JwkSet::from_iter([Jwk::parse(jwk.to_string().as_bytes()).unwrap()])
}

fn verified(token: &str, keys: &JwkSet) -> (Header, Value) {
    let jws = Jws::parse(token).unwrap();
    let payload = jws.verify(keys).unwrap();
    (
        jws.header().clone(),
        serde_json::from_slice(&payload).unwrap(),
    )
}

#[test]
fn an_assertion_names_the_client_and_the_issuer() {
    let key = SigningKey::generate().unwrap();
    let keys = public_keys(&key);
    let key = AssertionKey::new(key).key_id("1");
    let assertion = || {
        key.assertion("my-app", "https://as.example.com/a", now())
            .unwrap()
    };
    let (header, mut claims) = verified(&assertion(), &keys);
    assert_eq!(header.algorithm(), Algorithm::Es256);
    assert_eq!(header.key_id(), Some("1"));
    let jti = claims.as_object_mut().unwrap().remove("jti").unwrap();
    assert_eq!(
        claims,
        json!({
            "iss": "my-app",
            "sub": "my-app",
            "aud": "https://as.example.com/a",
            "iat": 1_700_000_000,
            "exp": 1_700_000_060,
        })
    );
    let (_, other) = verified(&assertion(), &keys);
    assert_ne!(other["jti"], jti);
}
