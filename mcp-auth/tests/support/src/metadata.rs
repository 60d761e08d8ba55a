//! The metadata document, and the paths of the endpoints.

use serde_json::{Value, json};

use crate::record::Endpoint;
use crate::settings::{Dpop, Metadata};
use crate::state::State;

impl State {
    pub(crate) fn endpoint(&self, path: &str) -> Endpoint {
        if Some(path) == self.metadata_path().as_deref() {
            return Endpoint::Metadata;
        }
        let path = path.strip_prefix(&self.settings.path).unwrap_or_default();
        let found = Endpoint::PATHS.iter().find(|(_, it)| *it == path);
        found.map_or(Endpoint::Other, |(endpoint, _)| *endpoint)
    }

    pub(crate) fn url(&self, endpoint: Endpoint) -> String {
        if endpoint == Endpoint::Metadata {
            let path = self.metadata_path().unwrap_or_default();
            return format!("{}{path}", self.origin);
        }
        let found = Endpoint::PATHS.iter().find(|(it, _)| *it == endpoint);
        format!("{}{}", self.issuer, found.map_or("/", |(_, path)| path))
    }

    fn metadata_path(&self) -> Option<String> {
        let path = &self.settings.path;
        match self.settings.metadata {
            Metadata::Rfc8414 => Some(format!("/.well-known/oauth-authorization-server{path}")),
            Metadata::OpenId => Some(format!("/.well-known/openid-configuration{path}")),
            Metadata::OpenIdBehind => Some(format!("{path}/.well-known/openid-configuration")),
            Metadata::None => None,
        }
    }

    pub(crate) fn metadata(&self) -> Value {
        let settings = &self.settings;
        let url = |endpoint, offered: bool| offered.then(|| self.url(endpoint));
        let has_dpop = settings.dpop != Dpop::Off;
        let mut metadata = json!({
            "issuer": settings.claimed_issuer.as_ref().unwrap_or(&self.issuer),
            "authorization_endpoint": url(Endpoint::Authorize, true),
            "pushed_authorization_request_endpoint": url(Endpoint::Push, settings.pushed_requests),
            "require_pushed_authorization_requests": settings.only_pushed_requests.then_some(true),
            "token_endpoint": url(Endpoint::Token, true),
            "jwks_uri": url(Endpoint::Jwks, true),
            "registration_endpoint": url(Endpoint::Register, settings.registration),
            "introspection_endpoint": url(Endpoint::Introspect, settings.introspection),
            "revocation_endpoint": url(Endpoint::Revoke, settings.revocation),
            "scopes_supported": (!settings.scopes.is_empty()).then_some(&settings.scopes),
            "response_types_supported": ["code"],
            "grant_types_supported": [
                "authorization_code",
                "refresh_token",
                "client_credentials",
                "urn:ietf:params:oauth:grant-type:jwt-bearer",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ],
            "code_challenge_methods_supported": settings.advertise_s256.then_some(["S256"]),
            "token_endpoint_auth_methods_supported": settings.auth_methods,
            "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
            "dpop_signing_alg_values_supported": has_dpop.then_some(["ES256"]),
            "authorization_response_iss_parameter_supported":
                settings.advertise_iss.then_some(true),
            "client_id_metadata_document_supported":
                settings.client_metadata_documents.then_some(true),
        });
        crate::key::merge(&mut metadata, &json!({}));
        metadata
    }
}
