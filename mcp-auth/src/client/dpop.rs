//! Proofs of possession (DPoP, RFC 9449), which make a stolen token useless without its key.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::jwt::{SigningKey, SigningKeyError};
use crate::limits::client::{MAX_NONCE_BYTES, MAX_NONCE_ORIGINS};
use crate::util::{base64url, from_base64url, hash_text, lock, random_text, unix_time};

pub(crate) const DPOP: HeaderName = HeaderName::from_static("dpop");

/// The request that a proof is for. A proof is used for one request, so each has its own `jti`.
#[derive(Clone, Copy)]
struct ProofRequest<'a> {
    pub(crate) method: &'a Method,
    /// The URL. Its query is not part of the proof.
    pub(crate) url: &'a Uri,
    /// The nonce that the server handed out last.
    pub(crate) nonce: Option<&'a str>,
    /// The token in the request's `Authorization` header; `None` at a token endpoint.
    pub(crate) access_token: Option<&'a str>,
    pub(crate) now: SystemTime,
}

impl ProofRequest<'_> {
    /// Returns the value of the `DPoP` header (RFC 9449 §4.2), signed with `ES256`.
    ///
    /// # Errors
    ///
    /// [`SigningKeyError::Random`].
    pub(crate) fn sign(&self, key: &SigningKey) -> Result<String, SigningKeyError> {
        let mut header = Map::new();
        header.insert("typ".to_owned(), json!("dpop+jwt"));
        header.insert("jwk".to_owned(), key.public_jwk());
        key.sign(header, &self.claims()?)
    }

    fn claims(&self) -> Result<Map<String, Value>, SigningKeyError> {
        let jti = random_text().map_err(|_| SigningKeyError::Random)?;
        let origin = origin(self.url);
        let path = self.url.path();
        let mut claims = Map::new();
        claims.insert("jti".to_owned(), json!(jti));
        claims.insert("htm".to_owned(), json!(self.method.as_str()));
        claims.insert("htu".to_owned(), json!(format!("{origin}{path}")));
        claims.insert("iat".to_owned(), json!(unix_time(self.now)));
        if let Some(nonce) = self.nonce {
            claims.insert("nonce".to_owned(), json!(nonce));
        }
        if let Some(token) = self.access_token {
            claims.insert("ath".to_owned(), json!(hash_text(token)));
        }
        Ok(claims)
    }
}

/// The key that tokens are bound to. A store keeps it as PKCS#8 in base64url.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ProofKey(Arc<SigningKey>);

#[derive(Clone)]
pub(crate) struct Proving {
    pub(crate) key: ProofKey,
    pub(crate) nonces: Arc<Nonces>,
    /// True if tokens that are not bound to the key are useless.
    pub(crate) is_required: bool,
}

impl ProofKey {
    pub(crate) fn generate() -> Result<Self, SigningKeyError> {
        Ok(Self(Arc::new(SigningKey::generate()?)))
    }

    pub(crate) fn header(
        &self,
        method: &Method,
        url: &Uri,
        nonces: &Nonces,
        access_token: Option<&str>,
    ) -> Result<HeaderValue, SigningKeyError> {
        let nonce = nonces.get(url);
        let request = ProofRequest {
            method,
            url,
            nonce: nonce.as_deref(),
            access_token,
            now: SystemTime::now(),
        };
        let proof = request.sign(&self.0)?;
        // A proof consists of base64url and dots, which are valid in a header.
        HeaderValue::try_from(proof).map_err(|_| SigningKeyError::Random)
    }
}

impl PartialEq for ProofKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_pkcs8() == other.0.to_pkcs8()
    }
}

impl Eq for ProofKey {}

impl TryFrom<String> for ProofKey {
    type Error = SigningKeyError;

    fn try_from(text: String) -> Result<Self, SigningKeyError> {
        let der = from_base64url(text).ok_or(SigningKeyError::Pkcs8)?;
        let key = SigningKey::from_pkcs8(&der)?;
        Ok(Self(Arc::new(key)))
    }
}

impl From<ProofKey> for String {
    fn from(key: ProofKey) -> Self {
        base64url(key.0.to_pkcs8())
    }
}

pub(crate) fn nonce_of(proof: &HeaderValue) -> Option<String> {
    let payload = proof.to_str().ok()?.split('.').nth(1)?;
    let payload = from_base64url(payload)?;
    let claims: Value = serde_json::from_slice(&payload).ok()?;
    Some(claims.get("nonce")?.as_str()?.to_owned())
}

pub(crate) fn has_es256(algorithms: Option<&Vec<String>>) -> bool {
    algorithms.is_some_and(|all| all.iter().any(|it| it == "ES256"))
}

/// The latest nonce of each origin (RFC 9449 §8, §9). Nonces of at most 64 origins are kept.
#[derive(Default)]
pub(crate) struct Nonces(Mutex<VecDeque<(String, String)>>);

impl Nonces {
    pub(crate) fn get(&self, url: &Uri) -> Option<String> {
        let origin = origin(url);
        let nonces = lock(&self.0);
        let found = nonces.iter().find(|(known, _)| *known == origin);
        found.map(|(_, nonce)| nonce.clone())
    }

    /// Keeps the nonce of a response, whatever its status (RFC 9449 §8.2). Returns true if the
    /// nonce differs from the previous one, so a repeated request may succeed.
    ///
    /// A nonce that does not have the form of RFC 9449 §8.1, a nonce above 4096 bytes, and repeated
    /// nonces are ignored.
    pub(crate) fn observe(&self, url: &Uri, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all("dpop-nonce").iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return false;
        };
        let Some(nonce) = value.to_str().ok().filter(|it| is_nonce(it)) else {
            return false;
        };
        let origin = origin(url);
        let mut nonces = lock(&self.0);
        if let Some((_, last)) = nonces.iter_mut().find(|(known, _)| *known == origin) {
            let is_new = last != nonce;
            nonce.clone_into(last);
            return is_new;
        }
        if nonces.len() == MAX_NONCE_ORIGINS {
            nonces.pop_front();
        }
        nonces.push_back((origin, nonce.to_owned()));
        true
    }
}

impl fmt::Debug for Nonces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nonces").finish_non_exhaustive()
    }
}

/// Returns true for `1*NQCHAR`: printable characters except quotes, backslashes and spaces.
fn is_nonce(text: &str) -> bool {
    let is_nqchar = |it: u8| it.is_ascii_graphic() && it != b'"' && it != b'\\';
    (1..=MAX_NONCE_BYTES).contains(&text.len()) && text.bytes().all(is_nqchar)
}

/// The scheme, the host in lower case, and the port unless it is the default port.
fn origin(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let host = url.host().unwrap_or_default().to_ascii_lowercase();
    let default_port = if scheme == "https" { 443 } else { 80 };
    match url.port_u16() {
        Some(port) if port != default_port => format!("{scheme}://{host}:{port}"),
        _ => format!("{scheme}://{host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(url: &str, nonce: Option<&str>, access_token: Option<&str>) -> Map<String, Value> {
        let request = ProofRequest {
            method: &Method::POST,
            url: &url.parse().unwrap(),
            nonce,
            access_token,
            now: SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(1_562_262_618_900),
        };
        request.claims().unwrap()
    }

    #[test]
    fn claims_are_those_of_rfc_9449() {
        let mut found = claims("https://server.example.com/token", None, None);
        let jti = found.remove("jti").unwrap();
        assert!(jti.as_str().unwrap().len() >= 43);
        let expected = json!({
            "htm": "POST", "htu": "https://server.example.com/token", "iat": 1_562_262_618,
        });
        assert_eq!(Value::Object(found), expected);
        // The token and its hash from RFC 9449 §7.1.
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";
        let found = claims("https://a", Some("n"), Some(token));
        assert_eq!(found["ath"], "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
        assert_eq!(found["nonce"], "n");
    }

    #[test]
    fn the_url_is_as_the_server_sees_it() {
        for (url, htu) in [
            ("https://a/mcp?b=c", "https://a/mcp"),
            ("HTTPS://A.Example:443/Mcp", "https://a.example/Mcp"),
            ("http://a:80", "http://a/"),
            ("http://[::1]:8080/%7Ea", "http://[::1]:8080/%7Ea"),
        ] {
            assert_eq!(claims(url, None, None)["htu"], htu, "{url}");
        }
    }

    #[test]
    fn no_two_proofs_are_the_same() {
        let jti = || claims("https://a", None, None)["jti"].clone();
        assert_ne!(jti(), jti());
    }

    fn answer(nonces: &[&str]) -> HeaderMap {
        let values = nonces.iter().map(|it| HeaderValue::from_str(it).unwrap());
        values
            .map(|value| ("dpop-nonce".parse().unwrap(), value))
            .collect()
    }

    #[test]
    fn a_nonce_is_for_its_origin_until_the_next_one() {
        let nonces = Nonces::default();
        let server = &"https://a/mcp".parse().unwrap();
        let issuer = &"https://b".parse().unwrap();
        assert!(nonces.observe(server, &answer(&["1"])));
        assert_eq!(nonces.get(issuer), None);
        assert!(nonces.observe(issuer, &answer(&["2"])));
        assert!(!nonces.observe(issuer, &answer(&["2"])));
        assert!(nonces.observe(issuer, &answer(&["3"])));
        assert_eq!(
            nonces.get(&"https://A:443/b".parse().unwrap()).as_deref(),
            Some("1")
        );
        assert_eq!(nonces.get(issuer).as_deref(), Some("3"));
    }

    #[test]
    fn other_nonces_are_ignored() {
        let nonces = Nonces::default();
        let url = &"https://a".parse().unwrap();
        let long = "a".repeat(MAX_NONCE_BYTES + 1);
        for values in [
            &["a b"][..],
            &["a\"b"],
            &["a\\b"],
            &[""],
            &[&long],
            &["a", "b"],
            &[],
        ] {
            assert!(!nonces.observe(url, &answer(values)), "{values:?}");
        }
        assert_eq!(nonces.get(url), None);
    }

    #[test]
    fn the_oldest_origin_is_forgotten() {
        let nonces = Nonces::default();
        let url = |n: usize| format!("https://a{n}").parse().unwrap();
        for n in 0..=MAX_NONCE_ORIGINS {
            nonces.observe(&url(n), &answer(&["a"]));
        }
        assert_eq!(nonces.get(&url(0)), None);
        assert!(nonces.get(&url(1)).is_some() && nonces.get(&url(MAX_NONCE_ORIGINS)).is_some());
        assert!(!format!("{nonces:?}").contains("a1"));
    }
}
