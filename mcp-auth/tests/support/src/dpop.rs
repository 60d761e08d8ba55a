//! Verification of proofs of possession at the token endpoint (RFC 9449 §4.3).

use crate::key;
use crate::record::{Endpoint, Recorded};
use crate::reply::OAuthError;
use crate::settings::Dpop;
use crate::state::State;

impl State {
    /// Verifies the proof of a request and returns the thumbprint of the key.
    pub(crate) fn proof(&mut self, request: &Recorded) -> Result<Option<String>, OAuthError> {
        let invalid = |text: &str| OAuthError::new(400, "invalid_dpop_proof", text);
        if request.headers.get_all("dpop").iter().count() > 1 {
            return Err(invalid("two proofs"));
        }
        let proof = match (request.header("dpop"), self.settings.dpop) {
            (_, Dpop::Off) | (None, Dpop::Offered) => return Ok(None),
            (None, Dpop::Required) => return Err(invalid("no proof")),
            (Some(proof), _) => proof,
        };
        let (header, claims) = key::parts(proof).ok_or_else(|| invalid("no JWT"))?;
        let jwk = &header["jwk"];
        if header["typ"] != "dpop+jwt" || jwk["d"].is_string() {
            return Err(invalid("`typ` is another one, or the key is private"));
        }
        if !key::is_signed_by(proof, jwk) {
            return Err(invalid("wrong signature"));
        }
        if claims["htm"] != request.method || claims["htu"] != self.url(Endpoint::Token) {
            return Err(invalid("the proof is for another request"));
        }
        let age = claims["iat"].as_i64().map(|iat| self.now() - iat);
        if age.is_none_or(|age| age.abs() > 60) {
            return Err(invalid("`iat` is missing or not now"));
        }
        if self.settings.dpop_nonces && claims["nonce"] != self.nonce.as_str() {
            let mut error = OAuthError::new(400, "use_dpop_nonce", "use the server's nonce");
            error.nonce = Some(self.nonce.clone());
            return Err(error);
        }
        let jti = claims["jti"].as_str().ok_or_else(|| invalid("no `jti`"))?;
        if !self.seen.insert(format!("proof {jti}")) {
            return Err(invalid("the proof was used before"));
        }
        Ok(Some(key::thumbprint(jwk)))
    }
}
