//! Responses to requests that are not admitted (RFC 6750 §3, RFC 9449 §7.1).

use std::borrow::Cow;
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use mcp_runtime::transport::http::AccessDenied;

use super::credentials::Scheme;
use super::scopes::with_prefix;
use super::verifier::VerifyError;
use crate::challenge::Challenge;
use crate::jwt::{Algorithm, TokenError};
use crate::limits::server::STORE_PAUSE;
use crate::util::StoreFailed;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    NoToken,
    /// The request is malformed or has tokens in several places.
    Malformed(&'static str),
    Token(Cow<'static, str>),
    /// The introspection endpoint or the provider does not consider the token active.
    NotActive,
    Rule(TokenError),
    /// The proof of possession is missing or wrong.
    Proof(&'static str),
    /// The proof lacks the server's nonce.
    Nonce,
    /// The token lacks one of these scopes.
    Scopes(Vec<String>),
    /// The server can't tell whether the token is valid. The caller may try again after this time.
    Unavailable(Duration),
}

impl From<TokenError> for Refusal {
    fn from(error: TokenError) -> Self {
        Self::Rule(error)
    }
}

impl From<StoreFailed> for Refusal {
    fn from(_: StoreFailed) -> Self {
        Self::Unavailable(STORE_PAUSE)
    }
}

impl From<VerifyError> for Refusal {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Invalid(text) => Self::Token(text),
            error => Self::Unavailable(error.pause()),
        }
    }
}

impl From<Refusal> for VerifyError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unavailable(time) => Self::Unavailable(time),
            refusal => Self::Invalid(refusal.text()),
        }
    }
}

impl Refusal {
    fn text(&self) -> Cow<'static, str> {
        match self {
            Self::Token(text) => text.clone(),
            Self::Rule(error) => error.to_string().into(),
            _ => "the token is not active".into(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub(super) metadata_url: String,
    /// Scopes that every request needs, separated by spaces, in the form that clients request.
    pub(super) scope: String,
    pub(super) scope_prefix: String,
    pub(super) dpop_required: bool,
}

impl Answers {
    pub(super) fn answer(&self, refusal: &Refusal, scheme: Scheme) -> AccessDenied {
        let denied = |status: StatusCode, text: &Cow<'static, str>| {
            AccessDenied::new(status).message(text.clone())
        };
        let (code, text, status) = match refusal {
            Refusal::NoToken => {
                let text = "an access token is needed".into();
                let denied = denied(StatusCode::UNAUTHORIZED, &text);
                return self.challenged(denied, scheme, None);
            }
            Refusal::Unavailable(time) => {
                let text = "the token can't be verified for now: try again later";
                return AccessDenied::unavailable(*time).message(text);
            }
            Refusal::Malformed(text) => {
                ("invalid_request", (*text).into(), StatusCode::BAD_REQUEST)
            }
            Refusal::Token(_) | Refusal::NotActive | Refusal::Rule(_) => {
                ("invalid_token", refusal.text(), StatusCode::UNAUTHORIZED)
            }
            Refusal::Proof(text) => (
                "invalid_dpop_proof",
                (*text).into(),
                StatusCode::UNAUTHORIZED,
            ),
            Refusal::Nonce => {
                let text = "the proof needs the nonce of the header `DPoP-Nonce`".into();
                ("use_dpop_nonce", text, StatusCode::UNAUTHORIZED)
            }
            Refusal::Scopes(needed) => return self.insufficient_scope(needed, scheme),
        };
        self.challenged(denied(status, &text), scheme, Some((code, &text)))
    }

    /// Adds a challenge for each scheme. The error goes into the challenge of the scheme that was
    /// used.
    fn challenged(
        &self,
        mut denied: AccessDenied,
        used: Scheme,
        error: Option<(&str, &str)>,
    ) -> AccessDenied {
        let offered = [Scheme::Bearer, Scheme::Dpop];
        for scheme in offered.into_iter().skip(usize::from(self.dpop_required)) {
            let mut challenge = self.challenge(scheme);
            if !self.scope.is_empty() {
                challenge = challenge.with_scope(&self.scope);
            }
            let is_told = scheme == used || self.dpop_required;
            if let Some((code, text)) = error.filter(|_| is_told) {
                challenge = challenge.with_error(code).with_error_description(text);
            }
            denied = denied.header(WWW_AUTHENTICATE, challenge.to_header_value());
        }
        denied
    }

    /// A 403 response that names all needed scopes (RFC 6750 §3.1).
    fn insufficient_scope(&self, needed: &[String], scheme: Scheme) -> AccessDenied {
        let mut all: Vec<_> = self.scope.split(' ').filter(|it| !it.is_empty()).collect();
        let needed = needed.iter().map(|it| with_prefix(&self.scope_prefix, it));
        let needed: Vec<_> = needed.collect();
        for scope in &needed {
            if !all.contains(&scope.as_str()) {
                all.push(scope);
            }
        }
        let all = all.join(" ");
        let text = format!("the token must have the scopes: {all}");
        let challenge = self
            .challenge(scheme)
            .with_scope(&all)
            .with_error("insufficient_scope")
            .with_error_description(&text);
        let denied = AccessDenied::forbidden().message(text);
        denied.header(WWW_AUTHENTICATE, challenge.to_header_value())
    }

    fn challenge(&self, scheme: Scheme) -> Challenge {
        let challenge = match scheme {
            Scheme::Bearer => Challenge::bearer(),
            Scheme::Dpop => Challenge::dpop().with_algorithms(algorithms()),
        };
        challenge.with_resource_metadata(&self.metadata_url)
    }
}

/// The names of the algorithms for proofs, separated by spaces.
fn algorithms() -> String {
    Algorithm::ALL.map(Algorithm::name).join(" ")
}

/// The header that hands out a nonce (RFC 9449 §8.1).
pub(super) const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

pub(super) fn with_nonce(denied: AccessDenied, nonce: Option<HeaderValue>) -> AccessDenied {
    match nonce {
        Some(nonce) => denied.header(DPOP_NONCE, nonce),
        None => denied,
    }
}
