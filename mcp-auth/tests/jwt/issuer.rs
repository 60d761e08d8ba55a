//! An issuer that signs anything with any algorithm.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use mcp_auth::jwt::{Algorithm, Jwk};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair as RsaKeyPair, KeyPairComponents, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384,
    RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512, RsaEncoding,
};
use serde_json::{Value, json};

use crate::vectors::rsa;

pub(crate) enum PrivateKey {
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
}

impl PrivateKey {
    /// Creates a key for an algorithm. The RSA key is the key of RFC 7520.
    pub(crate) fn of(algorithm: Algorithm) -> Self {
        let ec = |algorithm: &'static EcdsaSigningAlgorithm| {
            let random = SystemRandom::new();
            let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
            Self::Ec(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap())
        };
        match algorithm {
            Algorithm::Es256 => ec(&ECDSA_P256_SHA256_FIXED_SIGNING),
            Algorithm::Es384 => ec(&ECDSA_P384_SHA384_FIXED_SIGNING),
            Algorithm::EdDsa => {
                let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
                Self::Ed(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
            }
            Algorithm::Rs256 => Self::Rsa(rsa_key(), &RSA_PKCS1_SHA256),
            Algorithm::Rs384 => Self::Rsa(rsa_key(), &RSA_PKCS1_SHA384),
            Algorithm::Rs512 => Self::Rsa(rsa_key(), &RSA_PKCS1_SHA512),
            Algorithm::Ps256 => Self::Rsa(rsa_key(), &RSA_PSS_SHA256),
            Algorithm::Ps384 => Self::Rsa(rsa_key(), &RSA_PSS_SHA384),
            Algorithm::Ps512 => Self::Rsa(rsa_key(), &RSA_PSS_SHA512),
            other => panic!("no key for {other:?}"),
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Ec(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed(pair) => pair.sign(message).as_ref().to_vec(),
            Self::Rsa(pair, encoding) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(*encoding, &random, message, &mut signature)
                    .unwrap();
                signature
            }
        }
    }

    /// The public key as a JSON Web Key.
    pub(crate) fn public(&self) -> Value {
        match self {
            Self::Ec(pair) => {
                let point = &pair.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                let curve = if x.len() == 32 { "P-256" } else { "P-384" };
                json!({"kty": "EC", "crv": curve, "x": encode(x), "y": encode(y)})
            }
            Self::Ed(pair) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": encode(pair.public_key())})
            }
            Self::Rsa(..) => json!({"kty": "RSA", "n": rsa::N, "e": rsa::E}),
        }
    }

    /// The public key with these additional members.
    pub(crate) fn jwk(&self, members: Value) -> Jwk {
        let mut key = self.public();
        for (name, value) in members.as_object().unwrap() {
            key[name] = value.clone();
        }
        Jwk::parse(key.to_string().as_bytes()).unwrap()
    }

    pub(crate) fn token(&self, header: &Value, claims: &Value) -> String {
        let signed = parts(header, claims);
        format!("{signed}.{}", encode(self.sign(signed.as_bytes())))
    }
}

/// A token that is authenticated with `HS256`, using any bytes as the secret.
pub(crate) fn hmac_token(secret: &[u8], header: &Value, claims: &Value) -> String {
    let signed = parts(header, claims);
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    format!("{signed}.{}", encode(hmac::sign(&key, signed.as_bytes())))
}

/// The encoded header and payload, joined by a dot.
pub(crate) fn parts(header: &Value, claims: &Value) -> String {
    format!(
        "{}.{}",
        encode(header.to_string()),
        encode(claims.to_string())
    )
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn rsa_key() -> RsaKeyPair {
    let decode = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
    let components = KeyPairComponents {
        public_key: PublicKeyComponents {
            n: decode(rsa::N),
            e: decode(rsa::E),
        },
        d: decode(rsa::D),
        p: decode(rsa::P),
        q: decode(rsa::Q),
        dP: decode(rsa::DP),
        dQ: decode(rsa::DQ),
        qInv: decode(rsa::QI),
    };
    RsaKeyPair::from_components(&components).unwrap()
}
