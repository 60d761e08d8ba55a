//! Keys and JSON Web Tokens.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::{KeyPair as RsaKeyPair, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey,
};
use serde_json::{Value, json};

use crate::settings::Algorithm;

const RSA: [&[u8]; 2] = [
    include_bytes!("../keys/rsa-1.der"),
    include_bytes!("../keys/rsa-2.der"),
];

pub(crate) struct Key {
    pub(crate) id: String,
    pair: Pair,
}

enum Pair {
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl Key {
    /// Creates a key. `number` selects one of the fixed RSA keys.
    pub(crate) fn new(algorithm: Algorithm, number: usize) -> Self {
        let pair = match algorithm {
            Algorithm::Es256 => {
                let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
                let random = SystemRandom::new();
                let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
                Pair::Ec(EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap())
            }
            Algorithm::Rs256 => Pair::Rsa(RsaKeyPair::from_der(RSA[number % RSA.len()]).unwrap()),
        };
        Self {
            id: format!("key-{number}"),
            pair,
        }
    }

    pub(crate) fn jwk(&self) -> Value {
        let mut jwk = match &self.pair {
            Pair::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y), "alg": "ES256"})
            }
            Pair::Rsa(pair) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                let n = encode(public.n);
                let e = encode(public.e);
                json!({"kty": "RSA", "n": n, "e": e, "alg": "RS256"})
            }
        };
        jwk["kid"] = json!(self.id);
        jwk["use"] = json!("sig");
        jwk
    }

    /// Signs a token with these header members in addition to `alg` and `kid`. Null omits `kid`.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let mut all = json!({"alg": self.jwk()["alg"], "kid": self.id});
        merge(&mut all, header);
        let signed = joined(&all, claims);
        let signature = match &self.pair {
            Pair::Ec(pair) => {
                let signature = pair.sign(&SystemRandom::new(), signed.as_bytes());
                signature.unwrap().as_ref().to_vec()
            }
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let random = SystemRandom::new();
                let done = pair.sign(
                    &RSA_PKCS1_SHA256,
                    &random,
                    signed.as_bytes(),
                    &mut signature,
                );
                done.unwrap();
                signature
            }
        };
        format!("{signed}.{}", encode(signature))
    }

    pub(crate) fn has_signed(&self, token: &str) -> bool {
        let Some((signed, signature)) = signature(token) else {
            return false;
        };
        let signed = signed.as_bytes();
        let signature = &signature;
        match &self.pair {
            Pair::Ec(pair) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key())
                .verify(signed, signature)
                .is_ok(),
            Pair::Rsa(pair) => PublicKeyComponents::<Vec<u8>>::from(pair.public())
                .verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
                .is_ok(),
        }
    }
}

/// Creates a token that is authenticated with `HS256`, using any bytes as the secret.
pub fn hmac_token(secret: &[u8], header: &Value, claims: &Value) -> String {
    let signed = joined(header, claims);
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    format!("{signed}.{}", encode(hmac::sign(&key, signed.as_bytes())))
}

/// Creates a token with an empty signature.
pub fn unsigned_token(header: &Value, claims: &Value) -> String {
    format!("{}.", joined(header, claims))
}

/// The unverified header and claims of a token.
pub(crate) fn parts(token: &str) -> Option<(Value, Value)> {
    let mut parts = token.split('.').map(|part| {
        let decoded = decode(part)?;
        serde_json::from_slice(&decoded).ok()
    });
    Some((parts.next()??, parts.next()??))
}

/// Returns true if the key in the JWK signed the token with `ES256`.
pub(crate) fn is_signed_by(token: &str, jwk: &Value) -> bool {
    let coordinate = |name: &str| jwk[name].as_str().and_then(decode);
    let alg = parts(token).map(|(header, _)| header["alg"].clone());
    let found = (coordinate("x"), coordinate("y"), signature(token));
    let (Some(x), Some(y), Some((signed, signature))) = found else {
        return false;
    };
    let point = [vec![4], x, y].concat();
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    alg == Some(json!("ES256")) && key.verify(signed.as_bytes(), &signature).is_ok()
}

/// The thumbprint of an elliptic curve key (RFC 7638).
pub(crate) fn thumbprint(jwk: &Value) -> String {
    let crv = &jwk["crv"];
    let kty = &jwk["kty"];
    let x = &jwk["x"];
    let y = &jwk["y"];
    sha256(&format!(r#"{{"crv":{crv},"kty":{kty},"x":{x},"y":{y}}}"#))
}

/// The SHA-256 hash of a string, in base64url.
pub(crate) fn sha256(text: &str) -> String {
    encode(digest(&SHA256, text.as_bytes()))
}

pub(crate) fn random() -> String {
    let mut bytes = [0; 24];
    SystemRandom::new().fill(&mut bytes).unwrap();
    encode(bytes)
}

/// Encodes bytes in base64url without padding.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url without padding.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

/// Sets members of an object; null removes a member.
pub(crate) fn merge(object: &mut Value, members: &Value) {
    let object = object.as_object_mut().expect("an object");
    for (name, value) in members.as_object().expect("an object") {
        object.insert(name.clone(), value.clone());
    }
    object.retain(|_, value| !value.is_null());
}

fn joined(header: &Value, claims: &Value) -> String {
    format!(
        "{}.{}",
        encode(header.to_string()),
        encode(claims.to_string())
    )
}

fn signature(token: &str) -> Option<(&str, Vec<u8>)> {
    let (signed, signature) = token.rsplit_once('.')?;
    Some((signed, decode(signature)?))
}
