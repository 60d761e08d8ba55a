//! Public keys and key sets.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Map, Value};

use super::algorithm::Algorithm;
use super::error::{JwkError, TokenError};
use super::members;
use crate::util::{base64url, from_base64url, hash_text};

/// Members that only private and symmetric keys have.
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// A public key that verifies signatures (RFC 7517 §4): RSA of at least 2048 bits, P-256, P-384 or
/// Ed25519.
#[derive(Clone, Debug)]
pub struct Jwk {
    key_id: Option<String>,
    /// The only algorithm that the key may be used with, if it names one.
    algorithm: Option<Algorithm>,
    /// The issuer that this key belongs to, when a key set serves several issuers, as Entra ID's
    /// does.
    issuer: Option<String>,
    key: PublicKey,
}

#[derive(Clone, Debug)]
enum PublicKey {
    Rsa(RsaPublicKeyComponents<Vec<u8>>),
    /// Uncompressed points.
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// The keys of an issuer (RFC 7517 §5). The default is an empty set.
#[derive(Clone, Debug, Default)]
pub struct JwkSet {
    keys: Vec<Jwk>,
}

impl JwkSet {
    /// Parses a key set. Keys that can't verify signatures are skipped, as RFC 7517 §5 recommends.
    ///
    /// # Errors
    ///
    /// [`JwkError::Malformed`] if the document is not an object with a list `keys`.
    pub fn parse(json: &[u8]) -> Result<Self, JwkError> {
        let set = members::parse(json).ok_or(JwkError::Malformed)?;
        let Some(Value::Array(keys)) = set.get("keys") else {
            return Err(JwkError::Malformed);
        };
        let objects = keys.iter().filter_map(Value::as_object);
        Ok(Self {
            keys: objects.filter_map(|key| Jwk::new(key).ok()).collect(),
        })
    }

    /// The number of keys that can verify signatures.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns true if no key can verify signatures.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys with this `kid`, or all keys without a `kid`. Keys of issuers other than `issuers`
    /// are left out.
    pub(super) fn named(
        &self,
        key_id: Option<&str>,
        issuers: &[&str],
    ) -> impl Iterator<Item = &Jwk> {
        let is_of = |key: &&Jwk| match key.issuer.as_deref() {
            Some(issuer) if !issuers.is_empty() => issuers.contains(&issuer),
            _ => true,
        };
        let named = move |key: &&Jwk| key_id.is_none() || key.key_id() == key_id;
        self.keys.iter().filter(is_of).filter(named)
    }
}

impl FromIterator<Jwk> for JwkSet {
    fn from_iter<I: IntoIterator<Item = Jwk>>(keys: I) -> Self {
        Self {
            keys: keys.into_iter().collect(),
        }
    }
}

impl Jwk {
    /// Parses a key.
    ///
    /// # Errors
    ///
    /// The reason why the key can't verify signatures.
    pub fn parse(json: &[u8]) -> Result<Self, JwkError> {
        Self::new(&members::parse(json).ok_or(JwkError::Malformed)?)
    }

    pub(crate) fn new(members: &Map<String, Value>) -> Result<Self, JwkError> {
        if PRIVATE.iter().any(|name| members.contains_key(*name)) {
            return Err(JwkError::Private);
        }
        if text(members, "use")?.is_some_and(|it| it != "sig") {
            return Err(JwkError::Purpose);
        }
        match members.get("key_ops") {
            None => {}
            Some(Value::Array(operations)) if operations.iter().any(|it| it == "verify") => {}
            Some(_) => return Err(JwkError::Purpose),
        }
        let algorithm = match text(members, "alg")? {
            None => None,
            Some(name) => Some(Algorithm::from_name(name).ok_or(JwkError::Purpose)?),
        };
        Ok(Self {
            key_id: text(members, "kid")?.map(str::to_owned),
            algorithm,
            issuer: text(members, "issuer")?.map(str::to_owned),
            key: PublicKey::new(members)?,
        })
    }

    /// `kid`: the identifier of the key.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// The SHA-256 thumbprint of the key (RFC 7638 §3), which is the `jkt` of tokens that are bound
    /// to the key.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        let curve = |name: &str, point: &[u8]| {
            let (x, y) = point[1..].split_at(point.len() / 2);
            let x = base64url(x);
            let y = base64url(y);
            format!(r#"{{"crv":"{name}","kty":"EC","x":"{x}","y":"{y}"}}"#)
        };
        let members = match &self.key {
            PublicKey::P256(point) => curve("P-256", point),
            PublicKey::P384(point) => curve("P-384", point),
            PublicKey::Ed25519(key) => {
                format!(
                    r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#,
                    base64url(key)
                )
            }
            PublicKey::Rsa(key) => {
                let e = base64url(&key.e);
                let n = base64url(&key.n);
                format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#)
            }
        };
        hash_text(&members)
    }

    /// Returns true if the algorithm matches the key's type and the key's `alg`, if there is one.
    #[must_use]
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        let is_of_type = match algorithm {
            Algorithm::Es256 => matches!(self.key, PublicKey::P256(_)),
            Algorithm::Es384 => matches!(self.key, PublicKey::P384(_)),
            Algorithm::EdDsa => matches!(self.key, PublicKey::Ed25519(_)),
            _ => matches!(self.key, PublicKey::Rsa(_)),
        };
        is_of_type && self.algorithm.is_none_or(|only| only == algorithm)
    }

    /// Verifies the signature of `message`. Elliptic curve signatures have the fixed length of RFC
    /// 7518 §3.4.
    ///
    /// # Errors
    ///
    /// [`TokenError::UnknownKey`] if the key does not [fit](Self::fits) the algorithm,
    /// [`TokenError::Signature`] if the signature is wrong.
    pub fn verify(
        &self,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), TokenError> {
        if !self.fits(algorithm) {
            return Err(TokenError::UnknownKey);
        }
        let by = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(message, signature)
        };
        let verified = match &self.key {
            PublicKey::P256(point) => by(&ECDSA_P256_SHA256_FIXED, point),
            PublicKey::P384(point) => by(&ECDSA_P384_SHA384_FIXED, point),
            PublicKey::Ed25519(key) => by(&ED25519, key),
            PublicKey::Rsa(key) => {
                let parameters = rsa_parameters(algorithm).ok_or(TokenError::UnknownKey)?;
                key.verify(parameters, message, signature)
            }
        };
        verified.map_err(|_| TokenError::Signature)
    }
}

impl PublicKey {
    fn new(members: &Map<String, Value>) -> Result<Self, JwkError> {
        let curve = || text(members, "crv")?.ok_or(JwkError::Member("crv"));
        match text(members, "kty")?.ok_or(JwkError::Member("kty"))? {
            "RSA" => {
                let n = integer(members, "n")?;
                if n.len() < 2048 / 8 {
                    return Err(JwkError::Weak);
                }
                let e = integer(members, "e")?;
                Ok(Self::Rsa(RsaPublicKeyComponents { n, e }))
            }
            "EC" => match curve()? {
                "P-256" => Ok(Self::P256(point(members, 32)?)),
                "P-384" => Ok(Self::P384(point(members, 48)?)),
                _ => Err(JwkError::Unsupported),
            },
            "OKP" if curve()? == "Ed25519" => Ok(Self::Ed25519(coordinate(members, "x", 32)?)),
            _ => Err(JwkError::Unsupported),
        }
    }
}

fn rsa_parameters(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    match algorithm {
        Algorithm::Rs256 => Some(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::Rs384 => Some(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::Rs512 => Some(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::Ps256 => Some(&RSA_PSS_2048_8192_SHA256),
        Algorithm::Ps384 => Some(&RSA_PSS_2048_8192_SHA384),
        Algorithm::Ps512 => Some(&RSA_PSS_2048_8192_SHA512),
        Algorithm::Es256 | Algorithm::Es384 | Algorithm::EdDsa => None,
    }
}

fn text<'a>(
    members: &'a Map<String, Value>,
    name: &'static str,
) -> Result<Option<&'a str>, JwkError> {
    match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(JwkError::Member(name)),
    }
}

fn bytes(members: &Map<String, Value>, name: &'static str) -> Result<Vec<u8>, JwkError> {
    let text = text(members, name)?.ok_or(JwkError::Member(name))?;
    from_base64url(text).ok_or(JwkError::Member(name))
}

/// Parses an unsigned integer, dropping the leading zeros that some issuers send.
fn integer(members: &Map<String, Value>, name: &'static str) -> Result<Vec<u8>, JwkError> {
    let mut bytes = bytes(members, name)?;
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.drain(..zeros);
    Ok(bytes)
}

fn coordinate(
    members: &Map<String, Value>,
    name: &'static str,
    length: usize,
) -> Result<Vec<u8>, JwkError> {
    let bytes = bytes(members, name)?;
    if bytes.len() == length {
        Ok(bytes)
    } else {
        Err(JwkError::Member(name))
    }
}

fn point(members: &Map<String, Value>, length: usize) -> Result<Vec<u8>, JwkError> {
    let mut point = vec![4];
    point.extend(coordinate(members, "x", length)?);
    point.extend(coordinate(members, "y", length)?);
    Ok(point)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The public key of RFC 7515 A.3.
    fn p256() -> Value {
        json!({
            "kty": "EC",
            "crv": "P-256",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        })
    }

    /// The key of [`p256`] with these members replaced; null removes a member.
    fn with(members: Value) -> Result<Jwk, JwkError> {
        let mut key = p256();
        for (name, value) in members.as_object().unwrap() {
            key[name] = value.clone();
        }
        let key = key.as_object().unwrap().clone();
        let key = key.into_iter().filter(|(_, value)| !value.is_null());
        Jwk::new(&key.collect())
    }

    #[test]
    fn keys_are_for_what_they_say() {
        assert!(with(json!({"use": "sig", "key_ops": ["verify"], "alg": "ES256"})).is_ok());
        for purpose in [
            json!({"use": "enc"}),
            json!({"key_ops": ["sign"]}),
            json!({"key_ops": "verify"}),
            json!({"alg": "ECDH-ES"}),
            json!({"alg": "HS256"}),
        ] {
            assert_eq!(
                with(purpose.clone()).unwrap_err(),
                JwkError::Purpose,
                "{purpose}"
            );
        }
    }

    #[test]
    fn thumbprints_are_those_of_the_rfcs() {
        // RFC 9449 §4.1 and §6.1; RFC 8037 A.2 and A.3; RFC 7638 §3.1.
        for (key, thumbprint) in [
            (
                json!({
                    "kty": "EC", "crv": "P-256", "use": "sig",
                    "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
                    "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
                }),
                "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
            ),
            (
                json!({
                    "kty": "OKP", "crv": "Ed25519",
                    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                }),
                "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
            ),
            (
                json!({
                    "kty": "RSA", "alg": "RS256", "kid": "2011-04-29", "e": "AQAB",
                    "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aP\
                          FFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl9\
                          3lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdA\
                          ZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3\
                          XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
                }),
                "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
            ),
        ] {
            let key = Jwk::new(key.as_object().unwrap()).unwrap();
            assert_eq!(key.thumbprint(), thumbprint);
        }
    }

    #[test]
    fn a_key_fits_its_type_and_its_algorithm() {
        let fitting = |key: &Jwk| {
            Algorithm::ALL
                .into_iter()
                .filter(|it| key.fits(*it))
                .count()
        };
        let key = with(json!({})).unwrap();
        assert!(key.fits(Algorithm::Es256));
        assert_eq!(fitting(&key), 1);
        assert_eq!(fitting(&with(json!({"alg": "RS256"})).unwrap()), 0);
    }

    #[test]
    fn keys_that_verify_nothing_are_refused() {
        for (members, error) in [
            (json!({"kty": null}), JwkError::Member("kty")),
            (json!({"kty": 1}), JwkError::Member("kty")),
            (json!({"kid": 1}), JwkError::Member("kid")),
            (json!({"crv": null}), JwkError::Member("crv")),
            (json!({"x": "AQ"}), JwkError::Member("x")),
            (json!({"y": null}), JwkError::Member("y")),
            (json!({"y": "+/=="}), JwkError::Member("y")),
            (json!({"crv": "secp256k1"}), JwkError::Unsupported),
            (json!({"crv": "P-384"}), JwkError::Member("x")),
            (json!({"kty": "oct"}), JwkError::Unsupported),
            (
                json!({"kty": "OKP", "crv": "X25519"}),
                JwkError::Unsupported,
            ),
            (json!({"kty": "oct", "k": "AQ"}), JwkError::Private),
            (json!({"d": "AQ"}), JwkError::Private),
            (
                json!({"kty": "RSA", "n": "AQAB", "e": "AQAB"}),
                JwkError::Weak,
            ),
        ] {
            assert_eq!(with(members.clone()).unwrap_err(), error, "{members}");
        }
    }

    #[test]
    fn a_set_leaves_out_what_it_can_not_use() {
        let set =
            json!({"keys": [{"kty": "oct", "k": "AQ"}, p256(), 1, {"kty": "new"}], "more": 1});
        let set = JwkSet::parse(set.to_string().as_bytes()).unwrap();
        assert_eq!(set.len(), 1);
        for json in ["", "[]", "{}", r#"{"keys":{}}"#] {
            let found = JwkSet::parse(json.as_bytes());
            assert_eq!(found.unwrap_err(), JwkError::Malformed, "{json}");
        }
    }
}
