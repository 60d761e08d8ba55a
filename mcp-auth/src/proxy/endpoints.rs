//! The endpoints of the authorization server.

use std::sync::Arc;

use bytes::Bytes;
use http::header::ALLOW;
use http::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::client::ClientMetadata;
use super::documents::Documents;
use super::http_message::{OAuthError, OAuthResult, has_type, json, with_header};
use super::keys::Sealer;
use super::logins::Logins;
use super::upstream::Upstream;
use crate::jwt::{AccessTokenRules, JwkSet};
use crate::limits::proxy::ANSWER_TIMEOUT;
use crate::util::unix_now;

const AUTHORIZE: &str = "/authorize";
pub(super) const CONSENT: &str = "/consent";
pub(super) const CALLBACK: &str = "/callback";
const TOKEN: &str = "/token";
const REGISTER: &str = "/register";
const REVOKE: &str = "/revoke";

pub(super) const ALL: [&str; 6] = [AUTHORIZE, CONSENT, CALLBACK, TOKEN, REGISTER, REVOKE];

#[derive(Clone, Default)]
pub(super) struct Settings {
    pub(super) resource: String,
    pub(super) issuer: String,
    pub(super) scopes: Vec<String>,
    pub(super) optional_scopes: Vec<String>,
    pub(super) schemes: Vec<String>,
}

pub(super) struct Endpoints {
    pub(super) settings: Settings,
    /// The path of the issuer's URL.
    pub(super) path: String,
    pub(super) supported: Vec<String>,
    pub(super) sealer: Sealer,
    pub(super) documents: Arc<Documents>,
    pub(super) upstream: Upstream,
    pub(super) logins: Logins,
    /// The rules for this server's own access tokens, and the keys that verify them.
    pub(super) rules: AccessTokenRules,
    pub(super) public: JwkSet,
}

impl Endpoints {
    /// The metadata of the authorization server (RFC 8414 §2).
    pub(super) fn metadata(&self) -> Value {
        let url = |endpoint: &str| format!("{}{endpoint}", self.settings.issuer);
        json!({
            "issuer": self.settings.issuer,
            "authorization_endpoint": url(AUTHORIZE),
            "token_endpoint": url(TOKEN),
            "registration_endpoint": url(REGISTER),
            "revocation_endpoint": url(REVOKE),
            "scopes_supported": self.supported,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "client_id_metadata_document_supported": true,
        })
    }

    /// Responds to a request. The work continues if the client disconnects, because otherwise
    /// tokens that the provider issued would be lost.
    pub(super) async fn respond(self: Arc<Self>, request: Request<Bytes>) -> Response<Bytes> {
        let answer = async move { timeout(ANSWER_TIMEOUT, self.answer(&request)).await };
        let error = OAuthError::new("server_error", "internal error of the server");
        let answer = tokio::spawn(answer).await.ok().and_then(Result::ok);
        answer.unwrap_or_else(|| error.response())
    }

    async fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let path = request.uri().path();
        let endpoint = path.strip_prefix(&self.path).unwrap_or_default();
        let result = match (request.method(), endpoint) {
            (&Method::GET, AUTHORIZE) => return self.authorize(request).await,
            (&Method::GET, CALLBACK) => return self.callback(request).await,
            (&Method::POST, CONSENT) => return self.consent(request).await,
            (&Method::POST, TOKEN) => self.token(request).await,
            (&Method::POST, REVOKE) => self.revoke(request).await,
            (&Method::POST, REGISTER) => self.register(request),
            _ => {
                let is_get = [AUTHORIZE, CALLBACK].contains(&endpoint);
                let allowed = if is_get { "GET" } else { "POST" };
                return with_header(StatusCode::METHOD_NOT_ALLOWED, ALLOW, allowed);
            }
        };
        let created = (endpoint == REGISTER).then_some(StatusCode::CREATED);
        let ok = |value| json(created.unwrap_or(StatusCode::OK), &value);
        result.map_or_else(|error| error.response(), ok)
    }

    /// Registers a client (RFC 7591 §3). The identifier contains the sealed metadata (Appendix
    /// A.5.2), so nothing is stored and nobody can fill the memory or the store with registrations.
    fn register(&self, request: &Request<Bytes>) -> OAuthResult<Value> {
        let text = "`Content-Type` must be application/json";
        let is_json = has_type(request, "application/json");
        OAuthError::new("invalid_request", text).unless(is_json)?;
        let client = ClientMetadata::parse(request.body())?.client(&self.settings.schemes)?;
        Ok(json!({
            "client_id": self.sealer.seal("registration", u64::MAX, &client)?,
            "client_id_issued_at": unix_now(),
            "client_name": client.name,
            "redirect_uris": client.redirect_uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }))
    }
}
