//! The authorization endpoint.

use axum::response::Response;
use serde_json::{Value, json};

use crate::key;
use crate::record::Recorded;
use crate::reply::{OAuthError, redirect, text};
use crate::settings::{Decision, Iss};
use crate::state::{Code, Grant, State};

impl State {
    /// Redirects the person back immediately, with a code or an error. Shows a page if the redirect
    /// URI does not belong to the client.
    pub(crate) fn authorize(&mut self, request: &Recorded) -> Response {
        let pushed = request.parameter("request_uri").map(|uri| {
            let found = self.pushed.remove(uri);
            found.filter(|it| it.parameter("client_id") == request.parameter("client_id"))
        });
        let request = match &pushed {
            Some(Some(pushed)) => pushed,
            None if !self.settings.only_pushed_requests => request,
            _ => return text(400, "the request was not pushed"),
        };
        let client = request
            .parameter("client_id")
            .and_then(|id| self.client(id));
        let Some(client) = client else {
            return text(400, "unknown client");
        };
        let uri = request.parameter("redirect_uri").unwrap_or_default();
        if !client.may_redirect_to(uri) {
            return text(400, "this redirect URI is not the client's");
        }
        let mut response = form_urlencoded::Serializer::new(String::new());
        match self.code(request, client.id, uri) {
            Ok(code) => response.append_pair("code", &code),
            Err((code, description)) => response
                .append_pair("error", &code)
                .append_pair("error_description", &description),
        };
        if let Some(state) = request.parameter("state") {
            response.append_pair("state", state);
        }
        match &self.settings.iss {
            Iss::Sent => response.append_pair("iss", &self.issuer),
            Iss::Is(other) => response.append_pair("iss", other),
            Iss::Missing => &mut response,
        };
        let separator = if uri.contains('?') { '&' } else { '?' };
        redirect(&format!("{uri}{separator}{}", response.finish()))
    }

    /// Stores a request for the authorization endpoint (RFC 9126 §2).
    pub(crate) fn push(&mut self, request: &Recorded) -> Result<Value, OAuthError> {
        let client = self.authenticate(request)?;
        let mut request = request.clone();
        request.parameters.retain(|(name, _)| name != "client_id");
        request.parameters.push(("client_id".to_owned(), client.id));
        let uri = format!("urn:ietf:params:oauth:request_uri:{}", key::random());
        self.pushed.insert(uri.clone(), request);
        Ok(json!({"request_uri": uri, "expires_in": 60}))
    }

    fn code(
        &mut self,
        request: &Recorded,
        client_id: String,
        uri: &str,
    ) -> Result<String, (String, String)> {
        let error = |code: &str, text: &str| Err((code.to_owned(), text.to_owned()));
        if request.parameter("response_type") != Some("code") {
            return error("unsupported_response_type", "only codes");
        }
        let challenge = request.parameter("code_challenge");
        let is_s256 = request.parameter("code_challenge_method") == Some("S256");
        let Some(challenge) = challenge.filter(|_| is_s256) else {
            return error("invalid_request", "PKCE with S256 is required");
        };
        let of_error = |it: OAuthError| (it.code.to_owned(), it.description);
        let mut scope = self.scope(request.parameter("scope")).map_err(of_error)?;
        let resource = self.resource(request).map_err(of_error)?;
        match &self.settings.decision {
            Decision::Grant => {}
            Decision::Narrow(scopes) => scope = Some(scopes.join(" ")),
            Decision::Refuse(code, description) => return error(code, description),
        }
        let grant = Grant {
            client_id,
            subject: Some(self.settings.subject.clone()),
            scope,
            resource,
            thumbprint: request.parameter("dpop_jkt").map(str::to_owned),
            nonce: request.parameter("nonce").map(str::to_owned),
            login: key::random(),
        };
        let code = key::random();
        let kept = Code {
            grant,
            redirect_uri: uri.to_owned(),
            challenge: challenge.to_owned(),
        };
        self.codes.insert(code.clone(), kept);
        Ok(code)
    }

    /// The requested scopes, if the server supports all of them.
    pub(crate) fn scope(&self, scope: Option<&str>) -> Result<Option<String>, OAuthError> {
        let supported = &self.settings.scopes;
        let mut wanted = scope.unwrap_or_default().split_ascii_whitespace();
        let is_known = |it: &str| it == "openid" || supported.iter().any(|known| known == it);
        if !supported.is_empty() && !wanted.all(is_known) {
            return Err(OAuthError::new(400, "invalid_scope", "unknown scope"));
        }
        Ok(scope.map(str::to_owned))
    }

    /// The requested resource (RFC 8707).
    pub(crate) fn resource(&self, request: &Recorded) -> Result<Option<String>, OAuthError> {
        let resource = request.parameter("resource").map(str::to_owned);
        let known = &self.settings.resources;
        match &resource {
            Some(it) if !known.is_empty() && !known.contains(it) => {
                Err(OAuthError::new(400, "invalid_target", "unknown resource"))
            }
            _ => Ok(resource),
        }
    }
}
