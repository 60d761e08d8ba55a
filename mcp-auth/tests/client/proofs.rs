//! A server's validation of proofs of possession (RFC 9449 §4.3).

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::header::HeaderMap;
use axum::http::request::Parts;
use mcp_auth::challenge::Challenge;
use mcp_auth::jwt::{Jwk, JwkSet, Jws};
use mcp_runtime::transport::http::{AccessDenied, ResponseHeaders};
use ring::digest::{SHA256, digest};
use serde_json::Value;
use support::{decode, encode};

/// Checks proofs, and records the valid ones.
pub(crate) struct Proofs {
    url: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    nonce: Option<String>,
    /// The nonce in responses, if it differs from the required one.
    announced: Option<String>,
    changes: Option<usize>,
    seen: HashSet<String>,
    keys: HashSet<String>,
    refused: usize,
}

impl Proofs {
    pub(crate) fn new(url: String) -> Self {
        Self {
            url,
            state: Mutex::default(),
        }
    }

    /// The number of valid proofs.
    pub(crate) fn count(&self) -> usize {
        self.state().seen.len()
    }

    /// The number of different keys in valid proofs.
    pub(crate) fn keys(&self) -> usize {
        self.state().keys.len()
    }

    /// The number of proofs that were rejected because of their nonce.
    pub(crate) fn refused(&self) -> usize {
        self.state().refused
    }

    pub(crate) fn require_nonce(&self, nonce: &str) {
        let mut state = self.state();
        state.nonce = Some(nonce.to_owned());
        state.announced = None;
    }

    pub(crate) fn announce_nonce(&self, nonce: &str) {
        self.state().announced = Some(nonce.to_owned());
    }

    pub(crate) fn change_nonce_each_time(&self) {
        self.state().changes = Some(0);
    }

    fn announced(&self) -> Option<String> {
        let state = self.state();
        state.announced.clone().or(state.nonce.clone())
    }

    pub(crate) fn admit(&self, request: &mut Parts, token: &str) -> Result<(), AccessDenied> {
        let checked = self.check(request, token);
        let mut headers = HeaderMap::new();
        if let Some(nonce) = self.announced() {
            headers.insert("dpop-nonce", nonce.parse().unwrap());
        }
        let Err(error) = checked else {
            request.extensions.insert(ResponseHeaders(headers));
            return Ok(());
        };
        let challenge = Challenge::dpop().with_error(error).to_header_value();
        let denied = AccessDenied::unauthorized(challenge);
        Err(match headers.remove("dpop-nonce") {
            Some(nonce) => denied.header("dpop-nonce".parse().unwrap(), nonce),
            None => denied,
        })
    }

    /// Returns the error code for the challenge if the proof is invalid.
    fn check(&self, request: &Parts, token: &str) -> Result<(), &'static str> {
        let proof = proof(&request.headers);
        let (thumbprint, claims) = proof.ok_or("invalid_dpop_proof")?;
        let payload = decode(token.split('.').nth(1).unwrap()).unwrap();
        let bound: Value = serde_json::from_slice(&payload).unwrap();
        let hash = encode(digest(&SHA256, token.as_bytes()));
        let is_right = claims["htm"] == request.method.as_str()
            && claims["htu"] == self.url.as_str()
            && claims["ath"] == hash.as_str()
            && bound["cnf"]["jkt"] == thumbprint.as_str();
        if !is_right {
            return Err("invalid_dpop_proof");
        }
        let mut state = self.state();
        if let Some(changes) = &mut state.changes {
            *changes += 1;
            state.nonce = state.changes.map(|number| format!("nonce-{number}"));
        }
        if state.nonce.is_some() && claims["nonce"].as_str() != state.nonce.as_deref() {
            state.refused += 1;
            return Err("use_dpop_nonce");
        }
        assert!(
            state
                .seen
                .insert(claims["jti"].as_str().unwrap().to_owned()),
            "a proof was used twice"
        );
        state.keys.insert(thumbprint);
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thumbprint of the key and the claims of a correctly signed proof.
fn proof(headers: &HeaderMap) -> Option<(String, Value)> {
    let mut proofs = headers.get_all("dpop").iter();
    let proof = proofs.next()?.to_str().ok()?;
    let header: Value = serde_json::from_slice(&decode(proof.split('.').next()?)?).ok()?;
    let jwk = &header["jwk"];
    let key = Jwk::parse(jwk.to_string().as_bytes()).ok()?;
    let payload = Jws::parse(proof).ok()?.verify(&JwkSet::from_iter([key]));
    let [x, y] = ["x", "y"].map(|name| jwk[name].clone());
    let members = format!(r#"{{"crv":"P-256","kty":"EC","x":{x},"y":{y}}}"#);
    let thumbprint = encode(digest(&SHA256, members.as_bytes()));
    let is_right = proofs.next().is_none() && header["typ"] == "dpop+jwt";
    is_right.then_some((thumbprint, serde_json::from_slice(&payload.ok()?).ok()?))
}
