//! JSON Web Signatures in the compact form.

use serde_json::{Map, Value};

use super::algorithm::Algorithm;
use super::error::TokenError;
use super::jwk::{Jwk, JwkSet};
use super::members;
use crate::limits::server::MAX_TRIED_KEYS;
use crate::util::from_base64url;

/// A signature in the compact form (RFC 7515 §3.1) that was parsed but not yet verified.
///
/// Only [`verify`](Self::verify) returns the payload.
pub struct Jws<'a> {
    header: Header,
    /// Header and payload, as they were signed.
    signed: &'a str,
    payload: &'a str,
    signature: Vec<u8>,
}

/// The header of a signature. Keys in the header (`jwk`, `jku`, `x5c`, `x5u`) never verify an
/// access token.
#[derive(Clone, Debug)]
pub struct Header {
    algorithm: Algorithm,
    key_id: Option<String>,
    media_type: Option<String>,
    /// `jwk`, which is used only to verify a proof of possession.
    embedded_key: Option<Map<String, Value>>,
    /// True if the header contains a key or the URL of a key.
    brings_key: bool,
}

impl<'a> Jws<'a> {
    /// Parses `HEADER.PAYLOAD.SIGNATURE`.
    ///
    /// # Errors
    ///
    /// [`Malformed`](TokenError::Malformed) if a part can't be decoded,
    /// [`Algorithm`](TokenError::Algorithm) if the algorithm is never accepted,
    /// [`Critical`](TokenError::Critical) if the header has `crit`.
    pub fn parse(token: &'a str) -> Result<Self, TokenError> {
        let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(TokenError::Malformed)?;
        if payload.contains('.') {
            return Err(TokenError::Malformed);
        }
        Ok(Self {
            header: Header::parse(&decode(header)?)?,
            signed,
            payload,
            signature: decode(signature)?,
        })
    }

    /// The unverified header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Verifies the signature with a key that matches `kid` and `alg`, and returns the payload.
    ///
    /// Without a `kid`, the first eight keys that match `alg` are tried.
    ///
    /// # Errors
    ///
    /// - [`UnknownKey`](TokenError::UnknownKey) if no key matches.
    /// - [`WrongKey`](TokenError::WrongKey) if no key matches and new keys of the issuer can't
    ///   help.
    /// - [`Signature`](TokenError::Signature) if no matching key made the signature.
    /// - [`Malformed`](TokenError::Malformed) if the payload is not base64url.
    pub fn verify(&self, keys: &JwkSet) -> Result<Vec<u8>, TokenError> {
        self.verify_of(&[], keys)
    }

    /// Verifies the signature with a key of one of these issuers, or of any issuer if the list is
    /// empty.
    pub(super) fn verify_of(&self, issuers: &[&str], keys: &JwkSet) -> Result<Vec<u8>, TokenError> {
        let Header {
            algorithm, key_id, ..
        } = &self.header;
        let mut keys = keys.named(key_id.as_deref(), issuers).peekable();
        let is_known = key_id.is_some() && keys.peek().is_some();
        let mut result = Err(if is_known || self.header.brings_key {
            TokenError::WrongKey
        } else {
            TokenError::UnknownKey
        });
        for key in keys.filter(|key| key.fits(*algorithm)).take(MAX_TRIED_KEYS) {
            result = key.verify(*algorithm, self.signed.as_bytes(), &self.signature);
            if result.is_ok() {
                break;
            }
        }
        result?;
        decode(self.payload)
    }
}

impl Jws<'_> {
    pub(crate) fn verify_by(&self, key: &Jwk) -> Result<Vec<u8>, TokenError> {
        key.verify(
            self.header.algorithm,
            self.signed.as_bytes(),
            &self.signature,
        )?;
        decode(self.payload)
    }
}

impl Header {
    fn parse(json: &[u8]) -> Result<Self, TokenError> {
        let mut members = members::parse(json).ok_or(TokenError::Malformed)?;
        let text = |name: &str| match members.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(TokenError::Malformed),
        };
        if members.contains_key("crit") {
            return Err(TokenError::Critical);
        }
        let name = text("alg")?.ok_or(TokenError::Malformed)?;
        let keys = ["jwk", "jku", "x5c", "x5u"];
        Ok(Self {
            brings_key: keys.iter().any(|name| members.contains_key(*name)),
            algorithm: Algorithm::from_name(&name).ok_or(TokenError::Algorithm)?,
            key_id: text("kid")?,
            media_type: text("typ")?,
            embedded_key: match members.remove("jwk") {
                None => None,
                Some(Value::Object(key)) => Some(key),
                Some(_) => return Err(TokenError::Malformed),
            },
        })
    }

    /// `alg`: the signature algorithm.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// `kid`: the identifier of the issuer's key that made the signature.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// `typ`: a media type, whose prefix `application/` is optional. The case is not significant.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Returns true if a newly published key may have made the signature: the header neither names
    /// nor contains a key.
    pub(crate) fn may_be_by_new_key(&self) -> bool {
        self.key_id.is_none() && !self.brings_key
    }

    pub(crate) fn embedded_key(&self) -> Option<&Map<String, Value>> {
        self.embedded_key.as_ref()
    }

    /// Returns true if `typ` is the media type `application/{subtype}`, with or without its prefix
    /// (RFC 7515 §4.1.9).
    #[must_use]
    pub fn is_of_type(&self, subtype: &str) -> bool {
        self.media_type().is_some_and(|found| {
            let prefix = found.get(..12);
            let prefixed = prefix.is_some_and(|it| it.eq_ignore_ascii_case("application/"));
            let found = if prefixed { &found[12..] } else { found };
            found.eq_ignore_ascii_case(subtype)
        })
    }
}

/// Decodes base64url without padding. Only the canonical encoding of a value is accepted.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, TokenError> {
    from_base64url(text).ok_or(TokenError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::base64url;

    fn header(json: &str) -> Result<Header, TokenError> {
        let encoded = base64url(json);
        Jws::parse(&format!("{encoded}.e30.")).map(|jws| jws.header)
    }

    #[test]
    fn a_header_has_its_members() {
        let header = header(r#"{"alg":"ES256","kid":"1","typ":"Application/AT+JWT"}"#).unwrap();
        assert_eq!(header.algorithm(), Algorithm::Es256);
        assert_eq!(header.key_id(), Some("1"));
        assert!(header.is_of_type("at+jwt"));
        assert!(!header.is_of_type("jwt"));
    }

    #[test]
    fn types_that_are_not_ascii_fit_nothing() {
        let header = header(r#"{"alg":"ES256","typ":"applicationé/jwt"}"#).unwrap();
        assert!(!header.is_of_type("jwt"));
    }

    #[test]
    fn algorithms_that_prove_nothing_are_refused() {
        for name in ["none", "NONE", "HS256", "HS512"] {
            let found = header(&format!(r#"{{"alg":"{name}"}}"#));
            assert_eq!(found.unwrap_err(), TokenError::Algorithm, "{name}");
        }
    }

    #[test]
    fn extensions_are_refused_whatever_they_are() {
        for crit in [r#"["b64"]"#, "[]", "null"] {
            let found = header(&format!(r#"{{"alg":"ES256","crit":{crit}}}"#));
            assert_eq!(found.unwrap_err(), TokenError::Critical, "{crit}");
        }
    }

    #[test]
    fn headers_of_other_forms_are_malformed() {
        for json in [
            "",
            "[]",
            "{}",
            r#"{"alg":1}"#,
            r#"{"alg":"ES256","kid":1}"#,
            r#"{"alg":"ES256","typ":["at+jwt"]}"#,
            r#"{"alg":"ES256","alg":"RS256"}"#,
        ] {
            assert_eq!(header(json).unwrap_err(), TokenError::Malformed, "{json}");
        }
    }

    #[test]
    fn tokens_of_other_forms_are_malformed() {
        let keys = JwkSet::default();
        for token in [
            "",
            ".",
            "..",
            "opaque",
            "e30",
            "e30.e30",
            "e30=.e30.",
            "e 30.e30.",
            "!.e30.",
        ] {
            let found = Jws::parse(token).and_then(|jws| jws.verify(&keys));
            assert_eq!(found.unwrap_err(), TokenError::Malformed, "{token}");
        }
    }

    #[test]
    fn encrypted_tokens_are_malformed() {
        let of_three = "eyJhbGciOiJFUzI1NiJ9.e30.e30";
        assert!(Jws::parse(of_three).is_ok());
        let of_five = format!("{of_three}.e30.e30");
        assert_eq!(Jws::parse(&of_five).err(), Some(TokenError::Malformed));
    }
}
