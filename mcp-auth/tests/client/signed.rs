//! Proofs and assertions of a client, as a server verifies them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::Method;
use mcp_auth::client::assertion::AssertionKey;
use mcp_auth::client::dpop::ProofRequest;
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
fn a_proof_is_verified_by_the_key_in_its_header() {
    let key = SigningKey::generate().unwrap();
    let request = ProofRequest {
        method: &Method::POST,
        url: &"https://mcp.example.com/mcp?a=b".parse().unwrap(),
        nonce: Some("n-1"),
        access_token: Some("token"),
        now: now(),
    };
    let proof = request.sign(&key).unwrap();
    let header = BASE64_URL_SAFE_NO_PAD.decode(proof.split('.').next().unwrap());
    let header: Value = serde_json::from_slice(&header.unwrap()).unwrap();
    assert_eq!(header["typ"], "dpop+jwt");
    // The public part alone.
    assert_eq!(header["jwk"].as_object().unwrap().len(), 4);
    let keys = JwkSet::from_iter([Jwk::parse(header["jwk"].to_string().as_bytes()).unwrap()]);
    let (header, claims) = verified(&proof, &keys);
    assert_eq!(header.algorithm(), Algorithm::Es256);
    assert!(header.is_of_type("dpop+jwt"));
    assert_eq!(claims["htm"], "POST");
    assert_eq!(claims["htu"], "https://mcp.example.com/mcp");
    assert_eq!(claims["iat"], 1_700_000_000);
    assert_eq!(claims["nonce"], "n-1");
    assert!(claims["ath"].is_string() && claims["jti"].is_string());
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
