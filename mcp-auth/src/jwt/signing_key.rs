//! Signing keys.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Map, Value, json};

use crate::util::{base64url, hash_text};

/// A private key that signs with `ES256`, for client assertions (RFC 7523) and proofs of possession
/// (RFC 9449).
///
/// ```
/// use mcp_auth::jwt::SigningKey;
///
/// let key = SigningKey::generate()?;
/// let kept = key.to_pkcs8().to_vec();
/// assert_eq!(SigningKey::from_pkcs8(&kept)?.thumbprint(), key.thumbprint());
/// # Ok::<(), mcp_auth::jwt::SigningKeyError>(())
/// ```
///
/// `Debug` shows only the thumbprint.
pub struct SigningKey {
    pair: EcdsaKeyPair,
    pkcs8: Vec<u8>,
}

/// The reason why a key can't be created or can't sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SigningKeyError {
    /// The string does not contain a PEM block `-----BEGIN PRIVATE KEY-----` with base64.
    #[error("the key is not in the PEM form of PKCS#8 (`BEGIN PRIVATE KEY`)")]
    Pem,
    /// The key is not a private key on P-256 in PKCS#8 with its public key, as OpenSSL writes it.
    #[error("the key is not a private key on P-256 in PKCS#8")]
    Pkcs8,
    /// The operating system provides no random bytes.
    #[error("the operating system provides no random bytes")]
    Random,
}

impl SigningKey {
    /// Generates a new key.
    ///
    /// # Errors
    ///
    /// [`SigningKeyError::Random`].
    pub fn generate() -> Result<Self, SigningKeyError> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        Self::from_pkcs8(document.map_err(|_| SigningKeyError::Random)?.as_ref())
    }

    /// Reads the key from a PKCS#8 document (DER).
    ///
    /// # Errors
    ///
    /// [`SigningKeyError::Pkcs8`].
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, SigningKeyError> {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, der, &SystemRandom::new());
        Ok(Self {
            pair: pair.map_err(|_| SigningKeyError::Pkcs8)?,
            pkcs8: der.to_vec(),
        })
    }

    /// Reads the key from a PKCS#8 document in PEM. Text around the PEM block is ignored.
    ///
    /// # Errors
    ///
    /// [`SigningKeyError::Pem`], [`SigningKeyError::Pkcs8`].
    pub fn from_pem(pem: &str) -> Result<Self, SigningKeyError> {
        let begin = pem.split_once("-----BEGIN PRIVATE KEY-----");
        let body = begin.and_then(|(_, rest)| rest.split_once("-----END PRIVATE KEY-----"));
        let (body, _) = body.ok_or(SigningKeyError::Pem)?;
        let body: String = body.split_ascii_whitespace().collect();
        let der = BASE64_STANDARD.decode(body);
        Self::from_pkcs8(&der.map_err(|_| SigningKeyError::Pem)?)
    }

    /// The key as a PKCS#8 document (DER), which must be kept secret.
    #[must_use]
    pub fn to_pkcs8(&self) -> &[u8] {
        &self.pkcs8
    }

    /// The public key as a JSON Web Key with the members `crv`, `kty`, `x` and `y`.
    #[must_use]
    pub fn public_jwk(&self) -> Value {
        // An uncompressed point: the byte 4 and two coordinates of 32 bytes.
        let point = self.pair.public_key().as_ref();
        let x = base64url(&point[1..33]);
        let y = base64url(&point[33..]);
        json!({"crv": "P-256", "kty": "EC", "x": x, "y": y})
    }

    /// The SHA-256 thumbprint of the public key (RFC 7638), which is the `jkt` of tokens that are
    /// bound to the key.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        thumbprint(&self.public_jwk())
    }

    /// Signs a token with these claims and header members. `alg` is added to the header.
    ///
    /// # Errors
    ///
    /// [`SigningKeyError::Random`].
    pub fn sign(
        &self,
        mut header: Map<String, Value>,
        claims: &Map<String, Value>,
    ) -> Result<String, SigningKeyError> {
        header.insert("alg".to_owned(), json!("ES256"));
        let header = base64url(Value::Object(header).to_string());
        let claims = base64url(json!(claims).to_string());
        let signed = format!("{header}.{claims}");
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = signature.map_err(|_| SigningKeyError::Random)?;
        Ok(format!("{signed}.{}", base64url(signature)))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("thumbprint", &self.thumbprint())
            .finish_non_exhaustive()
    }
}

/// The thumbprint of an elliptic curve key: the hash of its required members, sorted by name and
/// without white space.
fn thumbprint(jwk: &Value) -> String {
    let member = |name: &str| format!("{}:{}", json!(name), jwk[name]);
    let members = ["crv", "kty", "x", "y"].map(member).join(",");
    hash_text(&format!("{{{members}}}"))
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;
    use crate::util::from_base64url;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn decode(text: &str) -> Vec<u8> {
        from_base64url(text).unwrap()
    }

    #[test]
    fn the_thumbprint_is_that_of_rfc_9449() {
        // The key of RFC 9449 §4.1 and its `jkt` in §6.1.
        let jwk = json!({
            "kty": "EC",
            "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
            "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
            "crv": "P-256",
        });
        assert_eq!(
            thumbprint(&jwk),
            "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
        );
    }

    #[test]
    fn a_token_is_signed_by_the_public_key() {
        let key = SigningKey::generate().unwrap();
        let claims = object(json!({"iss": "a"}));
        let header = object(json!({"typ": "dpop+jwt", "alg": "none"}));
        let token = key.sign(header, &claims).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (header, payload) = signed.split_once('.').unwrap();
        let header: Value = serde_json::from_slice(&decode(header)).unwrap();
        assert_eq!(header, json!({"typ": "dpop+jwt", "alg": "ES256"}));
        assert_eq!(decode(payload), br#"{"iss":"a"}"#);
        let jwk = key.public_jwk();
        let mut point = vec![4];
        point.extend(
            ["x", "y"]
                .iter()
                .flat_map(|name| decode(jwk[name].as_str().unwrap())),
        );
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        public
            .verify(signed.as_bytes(), &decode(signature))
            .unwrap();
    }

    #[test]
    fn keys_are_read_from_pem() {
        let key = SigningKey::generate().unwrap();
        let lines: Vec<_> = BASE64_STANDARD.encode(key.to_pkcs8()).into_bytes();
        let lines: Vec<_> = lines.chunks(64).map(String::from_utf8_lossy).collect();
        for end in ["\n", "\r\n"] {
            let body = lines.join(end);
            let pem = format!(
                "a{end}-----BEGIN PRIVATE KEY-----{end}{body}{end}-----END PRIVATE KEY-----{end}"
            );
            assert_eq!(
                SigningKey::from_pem(&pem).unwrap().thumbprint(),
                key.thumbprint()
            );
        }
        let pem =
            |body: &str| format!("-----BEGIN PRIVATE KEY-----{body}-----END PRIVATE KEY-----");
        for (pem, error) in [
            (String::new(), SigningKeyError::Pem),
            (pem("!"), SigningKeyError::Pem),
            (pem(""), SigningKeyError::Pkcs8),
            (pem(&lines[0]), SigningKeyError::Pkcs8),
            (
                pem("").replace("PRIVATE", "EC PRIVATE"),
                SigningKeyError::Pem,
            ),
        ] {
            assert_eq!(SigningKey::from_pem(&pem).unwrap_err(), error, "{pem}");
        }
    }

    #[test]
    fn the_private_key_is_not_shown() {
        let key = SigningKey::generate().unwrap();
        let shown = format!("SigningKey {{ thumbprint: \"{}\", .. }}", key.thumbprint());
        assert_eq!(format!("{key:?}"), shown);
    }
}
