//! Signature verification, with examples of the RFCs and keys that are easily confused.

use mcp_auth::jwt::{Algorithm, Jwk, JwkSet, Jws, TokenError};
use serde_json::json;

use crate::issuer::{PrivateKey, hmac_token, parts};
use crate::vectors::{ED25519, ED25519_KEY, ES256, ES256_KEY, HS256, PS384, RS256, rsa};

fn verify(token: &str, keys: &JwkSet) -> Result<Vec<u8>, TokenError> {
    Jws::parse(token)?.verify(keys)
}

fn set(key: &str) -> JwkSet {
    JwkSet::from_iter([Jwk::parse(key.as_bytes()).unwrap()])
}

fn rsa_set() -> JwkSet {
    let key = json!({
        "kty": "RSA", "kid": "bilbo.baggins@hobbiton.example", "use": "sig", "n": rsa::N, "e": rsa::E,
    });
    set(&key.to_string())
}

#[test]
fn the_examples_of_the_rfcs_verify() {
    let payload = verify(ES256, &set(ES256_KEY)).unwrap();
    assert!(payload.starts_with(br#"{"iss":"joe","#));
    let payload = verify(ED25519, &set(ED25519_KEY)).unwrap();
    assert_eq!(payload, b"Example of Ed25519 signing");
    for token in [RS256, PS384] {
        let payload = verify(token, &rsa_set()).unwrap();
        assert!(payload.starts_with("It’s a dangerous business, Frodo".as_bytes()));
    }
}

#[test]
fn a_change_of_any_character_is_noticed() {
    let keys = set(ES256_KEY);
    for at in 0..ES256.len() {
        let other = if ES256.as_bytes()[at] == b'A' {
            "B"
        } else {
            "A"
        };
        let mut changed = ES256.to_owned();
        changed.replace_range(at..=at, other);
        assert!(verify(&changed, &keys).is_err(), "{changed}");
    }
}

#[test]
fn a_token_that_is_cut_anywhere_is_refused() {
    for end in 0..ES256.len() {
        assert!(verify(&ES256[..end], &set(ES256_KEY)).is_err());
    }
}

#[test]
fn every_algorithm_verifies_what_it_has_signed_and_nothing_else() {
    for signed_by in Algorithm::ALL {
        let key = PrivateKey::of(signed_by);
        let keys = JwkSet::from_iter([key.jwk(json!({}))]);
        for claimed in Algorithm::ALL {
            let token = key.token(&json!({"alg": claimed.name()}), &json!({}));
            let verified = verify(&token, &keys).is_ok();
            assert_eq!(
                verified,
                signed_by == claimed,
                "{signed_by:?} as {claimed:?}"
            );
        }
    }
}

#[test]
fn a_public_key_is_not_a_secret() {
    assert_eq!(verify(HS256, &rsa_set()), Err(TokenError::Algorithm));
    let secrets = [rsa::N.as_bytes(), ES256_KEY.as_bytes(), b""];
    for secret in secrets {
        for name in ["HS256", "RS256", "ES256"] {
            let token = hmac_token(secret, &json!({"alg": name}), &json!({}));
            assert!(verify(&token, &rsa_set()).is_err());
            assert!(verify(&token, &set(ES256_KEY)).is_err());
        }
    }
}

#[test]
fn a_token_without_a_signature_is_refused() {
    let keys = set(ES256_KEY);
    let unsigned = |name: &str| format!("{}.", parts(&json!({"alg": name}), &json!({})));
    assert_eq!(verify(&unsigned("none"), &keys), Err(TokenError::Algorithm));
    assert_eq!(
        verify(&unsigned("ES256"), &keys),
        Err(TokenError::Signature)
    );
}

#[test]
fn a_signature_of_zeros_is_refused() {
    let signed = parts(&json!({"alg": "ES256"}), &json!({}));
    let zeros = "A".repeat(86);
    let found = verify(&format!("{signed}.{zeros}"), &set(ES256_KEY));
    assert_eq!(found, Err(TokenError::Signature));
}

#[test]
fn a_key_in_the_header_is_not_used() {
    let mine = PrivateKey::of(Algorithm::Es256);
    for header in [
        json!({"alg": "ES256", "jwk": mine.public()}),
        json!({"alg": "ES256", "jku": "https://attacker.example/keys"}),
        json!({"alg": "ES256", "x5u": "https://attacker.example/chain", "x5c": ["AA=="]}),
    ] {
        let token = mine.token(&header, &json!({}));
        assert_eq!(verify(&token, &set(ES256_KEY)), Err(TokenError::Signature));
    }
}

#[test]
fn the_key_is_chosen_by_its_id() {
    let old = PrivateKey::of(Algorithm::Es256);
    let new = PrivateKey::of(Algorithm::Es256);
    let keys = [
        old.jwk(json!({"kid": "old"})),
        new.jwk(json!({"kid": "new"})),
    ];
    let keys = JwkSet::from_iter(keys);
    let by = |key: &PrivateKey, id: &str| {
        let header = json!({"alg": "ES256", "kid": id});
        verify(&key.token(&header, &json!({})), &keys).map(|_| ())
    };
    assert_eq!(by(&old, "old"), Ok(()));
    assert_eq!(by(&new, "new"), Ok(()));
    assert_eq!(by(&old, "new"), Err(TokenError::Signature));
    for id in ["newer", "", "../../dev/null", "new' OR '1'='1", "NEW"] {
        assert_eq!(by(&new, id), Err(TokenError::UnknownKey), "{id}");
    }
}

#[test]
fn without_an_id_every_key_that_fits_is_tried() {
    let keys = [Algorithm::Es384, Algorithm::Es256, Algorithm::Es256].map(PrivateKey::of);
    let set = keys.iter().map(|key| key.jwk(json!({"kid": "1"})));
    let set = set.collect::<JwkSet>();
    for (key, name) in keys.iter().zip(["ES384", "ES256", "ES256"]) {
        let token = key.token(&json!({"alg": name}), &json!({}));
        assert!(verify(&token, &set).is_ok());
    }
}

#[test]
fn the_algorithm_of_a_key_is_its_only_one() {
    let key = PrivateKey::of(Algorithm::Rs256);
    let token = key.token(&json!({"alg": "RS256"}), &json!({}));
    let set = |name: &str| JwkSet::from_iter([key.jwk(json!({"alg": name}))]);
    assert!(verify(&token, &set("RS256")).is_ok());
    assert_eq!(verify(&token, &set("PS256")), Err(TokenError::UnknownKey));
}

#[test]
fn leading_zeros_of_a_modulus_do_no_harm() {
    // Prepend the zero byte before encoding. Prepending `AA` to the encoded string would shift the
    // other bytes.
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    let mut modulus = vec![0];
    modulus.extend(BASE64_URL_SAFE_NO_PAD.decode(rsa::N).unwrap());
    let modulus = BASE64_URL_SAFE_NO_PAD.encode(modulus);
    let key = json!({"kty": "RSA", "n": modulus, "e": rsa::E}).to_string();
    let keys = set(&key);
    let token = PrivateKey::of(Algorithm::Rs256).token(&json!({"alg": "RS256"}), &json!({}));
    assert!(verify(&token, &keys).is_ok());
}
