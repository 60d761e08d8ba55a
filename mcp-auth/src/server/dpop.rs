//! Proofs that the sender of a token has the key that it is bound to (DPoP, RFC 9449 §4.3).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::{HeaderValue, Method};
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::htu::BaseUrl;
use super::nonce::Nonces;
use super::refusal::Refusal;
use super::replay::{ProofId, Replay, ReplayError};
use crate::jwt::{Jwk, Jws, members};
use crate::limits::server::{MAX_JTI_BYTES, PROOF_LIFETIME, PROOF_WINDOW, PROOFS_FULL_PAUSE};

/// Checks proofs.
pub(super) struct Proofs {
    pub(super) base: BaseUrl,
    /// Absent where proofs need no nonce.
    pub(super) nonces: Option<Nonces>,
    pub(super) replay: Replay,
}

/// A request with a token, and the present time.
pub(super) struct ProvenRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    /// The hash of the token by SHA-256.
    pub(super) token_hash: &'a [u8],
    /// The thumbprint of the key that the token is bound to.
    pub(super) thumbprint: &'a str,
    pub(super) now: SystemTime,
}

impl Proofs {
    /// Checks the proof of a request, which then can't be used again.
    pub(super) fn check(
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
        self.check_claims(&claims, request)
    }

    fn check_claims(
        &self,
        claims: &Map<String, Value>,
        request: &ProvenRequest<'_>,
    ) -> Result<(), Refusal> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("htm") != Some(request.method.as_str()) {
            return Err(Refusal::Proof("`htm` is not the method of the request"));
        }
        let htu = text("htu").unwrap_or_default();
        if !self.base.is_at(htu, request.path) {
            return Err(Refusal::Proof("`htu` is not the URL of the request"));
        }
        let hash = BASE64_URL_SAFE_NO_PAD.encode(request.token_hash);
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
        match &self.nonces {
            // The nonce tells the age better than the client's clock.
            Some(nonces) => {
                let nonce = text("nonce").unwrap_or_default();
                if !nonces.accepts(nonce, Instant::now()) {
                    return Err(Refusal::Nonce);
                }
            }
            None if age > PROOF_WINDOW => {
                return Err(Refusal::Proof(
                    "`iat` is not within a minute of the server's time",
                ));
            }
            None => {}
        }
        let mut id = ProofId::default();
        id.copy_from_slice(digest(&SHA256, jti.as_bytes()).as_ref());
        let key = request.thumbprint;
        let now = (Instant::now(), request.now);
        let remembered = self.replay.remember(key, id, PROOF_LIFETIME, now);
        remembered.map_err(|error| match error {
            ReplayError::Used => Refusal::Proof("the proof was used before"),
            ReplayError::Full => Refusal::Unavailable(PROOFS_FULL_PAUSE),
        })
    }
}

/// The claims of a proof by the key with this thumbprint; none if it is malformed.
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
        let text = "the proof is by another key than the one that the token is bound to";
        return Some(Err(Refusal::Proof(text)));
    }
    let Ok(payload) = jws.verify_by(&key) else {
        return Some(Err(Refusal::Proof("the signature of the proof is wrong")));
    };
    members::parse(&payload).map(Ok)
}

/// The time between `iat` and now.
fn distance(iat: &Value, now: SystemTime) -> Option<Duration> {
    let iat = Duration::try_from_secs_f64(iat.as_f64()?).ok()?;
    let now = now.duration_since(UNIX_EPOCH).ok()?;
    Some(now.abs_diff(iat))
}
