//! Verification of proofs that the sender possesses the key of a token (DPoP, RFC 9449 §4.3).

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderValue, Method};
use mcp_runtime::store::{KeyValue, MemoryKeyValue, PutMode};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::nonces::Nonces;
use super::refusal::Refusal;
use super::replay::{Replay, ReplayError};
use crate::jwt::{Jwk, Jws, members};
use crate::limits::server::{MAX_JTI_BYTES, PROOF_LIFETIME, PROOF_WINDOW, PROOFS_FULL_PAUSE};
use crate::metadata::url::ServerUrl;
use crate::util::{StoreLog, base64url, hash_text, sha256};

pub(super) struct Proofs {
    base: BaseUrl,
    /// `None` if proofs need no nonce.
    nonces: Option<Nonces>,
    replay: Replay,
    /// The proofs that were used at any replica.
    store: Option<Arc<dyn KeyValue>>,
    log: StoreLog,
}

/// The properties of a request that a proof must match.
pub(super) struct ProvenRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    /// The SHA-256 hash of the token.
    pub(super) token_hash: &'a [u8],
    /// The thumbprint of the key that the token is bound to.
    pub(super) thumbprint: &'a str,
    pub(super) now: SystemTime,
}

impl Proofs {
    /// Creates a verifier of proofs for requests to a resource. Returns `None` if the resource is
    /// not a URL.
    pub(super) fn new(
        resource: &str,
        need_nonces: bool,
        store: Option<Arc<dyn KeyValue>>,
    ) -> Option<Self> {
        let own = || -> Arc<dyn KeyValue> { Arc::new(MemoryKeyValue::new()) };
        let of_nonces = || store.clone().unwrap_or_else(own);
        Some(Self {
            base: BaseUrl::new(resource)?,
            nonces: need_nonces.then(|| Nonces::new(of_nonces())),
            replay: Replay::default(),
            store,
            log: StoreLog::default(),
        })
    }

    /// Returns the nonce to hand out. Without the store, there is no nonce.
    pub(super) async fn nonce(&self) -> Option<HeaderValue> {
        let nonce = self.nonces.as_ref()?.current().await;
        HeaderValue::try_from(self.log.checked(nonce).ok()?).ok()
    }

    /// Checks the proof of a request and marks it as used.
    pub(super) async fn check(
        &self,
        proofs: &[HeaderValue],
        request: &ProvenRequest<'_>,
    ) -> Result<(), Refusal> {
        let [proof] = proofs else {
            return Err(Refusal::Proof(if proofs.is_empty() {
                "the header `DPoP` is missing"
            } else {
                "there are several headers `DPoP`"
            }));
        };
        let malformed = Refusal::Proof("the proof is not a signed JWT of the type `dpop+jwt`");
        let proof = proof.to_str().map_err(|_| malformed.clone())?;
        let claims = verified(proof, request.thumbprint).ok_or(malformed)??;
        let jti = self.check_claims(&claims, request)?;
        if let Some(nonces) = &self.nonces {
            let nonce = claims.get("nonce").and_then(Value::as_str);
            let accepted = nonces.accepts(nonce.unwrap_or_default()).await;
            if !self.log.checked(accepted)? {
                return Err(Refusal::Nonce);
            }
        }
        self.use_once(jti, request).await
    }

    /// Checks the claims except the nonce. Returns the `jti`.
    fn check_claims<'a>(
        &self,
        claims: &'a Map<String, Value>,
        request: &ProvenRequest<'_>,
    ) -> Result<&'a str, Refusal> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("htm") != Some(request.method.as_str()) {
            return Err(Refusal::Proof("`htm` is not the method of the request"));
        }
        let htu = text("htu").unwrap_or_default();
        if !self.base.is_at(htu, request.path) {
            return Err(Refusal::Proof("`htu` is not the URL of the request"));
        }
        let hash = base64url(request.token_hash);
        if text("ath") != Some(&hash) {
            return Err(Refusal::Proof("`ath` is not the hash of the token"));
        }
        let jti = text("jti").unwrap_or_default();
        if jti.is_empty() {
            return Err(Refusal::Proof("`jti` is missing"));
        }
        if jti.len() > MAX_JTI_BYTES {
            return Err(Refusal::Proof("`jti` is longer than 256 bytes"));
        }
        let age = claims.get("iat").and_then(|iat| distance(iat, request.now));
        let age = age.ok_or(Refusal::Proof("`iat` is missing or invalid"))?;
        // A nonce limits the age more reliably than the client's clock.
        if self.nonces.is_none() && age > PROOF_WINDOW {
            return Err(Refusal::Proof(
                "`iat` is not within a minute of the server's time",
            ));
        }
        Ok(jti)
    }

    /// Marks a proof as used: first in this process, which detects most replays and limits the
    /// proofs of each key, and then in the store.
    async fn use_once(&self, jti: &str, request: &ProvenRequest<'_>) -> Result<(), Refusal> {
        let key = request.thumbprint;
        let now = (Instant::now(), request.now);
        let remembered = self.replay.remember(key, sha256(jti), PROOF_LIFETIME, now);
        let used = Refusal::Proof("the proof was used before");
        remembered.map_err(|error| match error {
            ReplayError::Used => used.clone(),
            ReplayError::Full => Refusal::Unavailable(PROOFS_FULL_PAUSE),
        })?;
        if let Some(store) = &self.store {
            let key = format!("proof:{}", hash_text(&format!("{key} {jti}")));
            let put = store.put(&key, Bytes::new(), PROOF_LIFETIME, PutMode::Create);
            self.log.checked(put.await)?.ok_or(used)?;
        }
        Ok(())
    }
}

/// The claims of a proof made with the key that has this thumbprint, or `None` if the proof is
/// malformed.
fn verified(proof: &str, thumbprint: &str) -> Option<Result<Map<String, Value>, Refusal>> {
    let jws = Jws::parse(proof).ok()?;
    if !jws.header().is_of_type("dpop+jwt") {
        return None;
    }
    let Ok(key) = Jwk::new(jws.header().embedded_key()?) else {
        return Some(Err(Refusal::Proof(
            "`jwk` is not a public key that can be used",
        )));
    };
    if key.thumbprint() != thumbprint {
        let text = "the proof was made with another key than the one that the token is bound to";
        return Some(Err(Refusal::Proof(text)));
    }
    let Ok(payload) = jws.verify_by(&key) else {
        return Some(Err(Refusal::Proof("the signature of the proof is wrong")));
    };
    members::parse(&payload).map(Ok)
}

fn distance(iat: &Value, now: SystemTime) -> Option<Duration> {
    let iat = Duration::try_from_secs_f64(iat.as_f64()?).ok()?;
    let now = now.duration_since(UNIX_EPOCH).ok()?;
    Some(now.abs_diff(iat))
}

/// The URL of the resource. The URLs of requests are derived from it, because a proxy may have
/// changed the host of a request.
#[derive(Clone, Debug)]
struct BaseUrl {
    origin: String,
    path: String,
}

impl BaseUrl {
    pub(super) fn new(resource: &str) -> Option<Self> {
        let (origin, path) = normalized(resource)?;
        Some(Self { origin, path })
    }

    /// Returns true if `htu` is the URL of a request with this path. The query is ignored.
    ///
    /// If the path is not below the path of the resource, a proxy or a router has probably stripped
    /// its first segments. `htu` may then also be the URL of the resource.
    fn is_at(&self, htu: &str, path: &str) -> bool {
        let Some((origin, found)) = normalized(htu) else {
            return false;
        };
        let path = normalized_path(path);
        let base = self.path.trim_end_matches('/');
        let rest = path.strip_prefix(base);
        let is_below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        origin == self.origin && (found == path || !is_below && found == self.path)
    }
}

/// The normalized origin and path of a URL.
fn normalized(url: &str) -> Option<(String, String)> {
    let url = ServerUrl::parse(url).ok()?;
    Some((url.origin(), normalized_path(url.path)))
}

/// Normalizes the percent-encoding of a path (RFC 3986 §6.2.2, §6.2.3): unreserved characters are
/// decoded, and other encodings are in upper case.
fn normalized_path(path: &str) -> String {
    let mut normalized = String::with_capacity(path.len().max(1));
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        let (before, encoded) = rest.split_at(at);
        normalized.push_str(before);
        let digits = encoded.get(1..3);
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                normalized.push(char::from(byte));
            }
            _ => normalized.push_str(&encoded.get(..3).unwrap_or(encoded).to_ascii_uppercase()),
        }
        rest = encoded.get(3..).unwrap_or_default();
    }
    normalized.push_str(rest);
    if normalized.is_empty() {
        normalized.push('/');
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_at(resource: &str, htu: &str, path: &str) -> bool {
        BaseUrl::new(resource).unwrap().is_at(htu, path)
    }

    #[test]
    fn a_url_has_several_forms() {
        let resource = "https://Example.com:443/mcp";
        for htu in [
            "https://example.com/mcp",
            "HTTPS://EXAMPLE.COM:443/mcp",
            "https://example.com/mcp?a=b",
            "https://example.com/%6Dcp",
        ] {
            assert!(is_at(resource, htu, "/mcp"), "{htu}");
        }
        for htu in [
            "http://example.com/mcp",
            "https://example.com:8443/mcp",
            "https://example.com.evil.example/mcp",
            "https://example.com/mcp/",
            "https://example.com/MCP",
            "https://example.com/other",
            "https://example.com",
            "/mcp",
            "",
        ] {
            assert!(!is_at(resource, htu, "/mcp"), "{htu}");
        }
        assert!(is_at("https://a", "https://a/", "/"));
        assert!(is_at("https://a", "https://a", "/"));
        assert!(is_at("https://a/%c3%a9", "https://a/%C3%A9", "/%c3%A9"));
        assert!(!is_at("https://a/b", "https://a/%", "/b"));
        assert!(!is_at("https://a/b", "https://a/b%2Fc", "/b/c"));
    }

    #[test]
    fn the_path_of_the_request_counts_below_the_resource() {
        assert!(is_at("https://a/b", "https://a/b/c", "/b/c"));
        assert!(!is_at("https://a/b", "https://a/b", "/b/c"));
        assert!(is_at("https://a", "https://a/c", "/c"));
        assert!(!is_at("https://a", "https://a/", "/c"));
    }

    #[test]
    fn a_path_without_its_first_segments_is_the_resources() {
        assert!(is_at("https://a/b", "https://a/b", "/"));
        assert!(is_at("https://a/b", "https://a/", "/"));
        assert!(!is_at("https://a/b", "https://a/c", "/"));
    }
}
