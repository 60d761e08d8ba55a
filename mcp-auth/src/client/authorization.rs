//! The authorization request and the validation of its response.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::client::error::refusal;
use crate::metadata::{AuthorizationServerMetadata, IssuerTemplate};
use crate::util::{RandomError, hash_text, random_text};

/// Parameters of an authorization request for a code (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct AuthorizationRequest<'a> {
    /// The issuer's metadata, already checked.
    pub(crate) metadata: &'a AuthorizationServerMetadata,
    pub(crate) client_id: &'a str,
    pub(crate) redirect_uri: &'a str,
    /// The `resource` of the server's metadata, unchanged; `None` omits the parameter.
    pub(crate) resource: Option<&'a str>,
    /// The scopes to request, separated by spaces; `None` omits the parameter.
    pub(crate) scope: Option<&'a str>,
    pub(crate) extra: &'a [(String, String)],
    /// Matches other identifiers that may be the `iss` of the response.
    pub(crate) template: Option<&'a IssuerTemplate>,
}

/// An authorization request that waits for its response.
///
/// `Debug` shows neither the URL nor the secrets.
pub(crate) struct PendingAuthorization {
    /// The URL to open in a browser. The scheme comes from the metadata and is not checked here.
    pub(super) url: String,
    endpoint: String,
    client_id: String,
    /// The parameters without `client_id`, for a pushed authorization request (RFC 9126 §2.1).
    pub(super) parameters: Vec<(&'static str, String)>,
    state: String,
    /// `code_verifier` of PKCE (RFC 7636): 256 random bits in 43 characters.
    pub(super) verifier: String,
    /// Additional parameters of the user, which are pushed with the others.
    pub(super) extra: Vec<(String, String)>,
    pub(super) issuer: String,
    template: Option<IssuerTemplate>,
    is_issuer_sent: bool,
}

/// A code to redeem at the token endpoint of the issuer that sent it.
///
/// `Debug` does not show the code.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct AuthorizationCode(pub(super) String);

/// The reason why an authorization request can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The metadata has no authorization endpoint, or the endpoint has a fragment (RFC 6749 §3.1).
    #[error("the authorization server `{0}` has no endpoint where people log in")]
    Endpoint(String),
    /// The metadata does not offer PKCE with `S256`. The specification forbids continuing.
    #[error(
        "the authorization server `{0}` does not advertise PKCE with S256, which is required: if \
         its documentation promises PKCE, set `OAuth::assume_s256` and the issuer"
    )]
    Pkce(String),
    /// There are no random bytes for `state` and the verifier.
    #[error(transparent)]
    Random(#[from] RandomError),
}

/// The reason why an authorization response with the right `state` has no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// `iss` names a different issuer from the one that was asked (RFC 9207 §2.4). The rest of the
    /// response is ignored.
    #[error(
        "`iss` of the response names a different authorization server: the response is not used"
    )]
    Issuer,
    /// `iss` is missing although the issuer advertised that it sends it.
    #[error(
        "the response has no `iss`, although the authorization server advertises it: the response \
         is not used"
    )]
    MissingIssuer,
    /// The issuer or the person refused (RFC 6749 §4.1.2.1).
    #[error("the authorization server refused: {}", refusal(.code, .description.as_deref()))]
    Refused {
        /// `error`, a code such as `access_denied`.
        code: String,
        /// `error_description`, an explanation for developers.
        description: Option<String>,
    },
    /// The response has neither a code nor an error, has both, has an empty code, or repeats a
    /// parameter (RFC 6749 §3.1).
    #[error("the authorization server's response has no code and no error")]
    Malformed,
}

impl AuthorizationRequest<'_> {
    /// Makes the request with a new `state` and a new verifier.
    ///
    /// # Errors
    ///
    /// [`RequestError`].
    pub(crate) fn start(&self) -> Result<PendingAuthorization, RequestError> {
        let issuer = &self.metadata.issuer;
        if !self.metadata.offers_s256() {
            return Err(RequestError::Pkce(issuer.clone()));
        }
        let endpoint = self.metadata.authorization_endpoint.as_deref();
        let endpoint = endpoint.filter(|it| !it.contains('#'));
        let endpoint = endpoint.ok_or_else(|| RequestError::Endpoint(issuer.clone()))?;
        let state = random_text()?;
        let verifier = random_text()?;
        let is_issuer_sent = self.metadata.authorization_response_iss_parameter_supported;
        let parameters = self.parameters(&state, &hash_text(&verifier));
        let extra = self.extra.iter().map(|(name, value)| (&**name, &**value));
        let own = parameters.iter().map(|(name, value)| (*name, &**value));
        Ok(PendingAuthorization {
            url: with_query(
                endpoint,
                own.chain(extra).chain([("client_id", self.client_id)]),
            ),
            endpoint: endpoint.to_owned(),
            client_id: self.client_id.to_owned(),
            parameters,
            state,
            verifier,
            extra: self.extra.to_vec(),
            issuer: issuer.clone(),
            template: self.template.cloned(),
            is_issuer_sent: is_issuer_sent.unwrap_or(false),
        })
    }

    fn parameters(&self, state: &str, challenge: &str) -> Vec<(&'static str, String)> {
        let mut parameters = vec![
            ("response_type", "code"),
            ("redirect_uri", self.redirect_uri),
            ("state", state),
            ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ];
        parameters.extend(self.resource.map(|it| ("resource", it)));
        if let Some(scope) = self.scope {
            parameters.push(("scope", scope));
            // OpenID providers ignore `offline_access` without this prompt (OpenID Connect Core 1.0
            // §11).
            let has_prompt = self.extra.iter().any(|(name, _)| name == "prompt");
            if !has_prompt && scope.split(' ').any(|it| it == "offline_access") {
                parameters.push(("prompt", "consent"));
            }
        }
        let owned = parameters.into_iter();
        owned
            .map(|(name, value)| (name, value.to_owned()))
            .collect()
    }
}

/// Appends parameters to a URL, which may already have a query (RFC 6749 §3.1).
pub(crate) fn with_query<'a>(
    url: &str,
    parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{}", query.finish())
}

impl PendingAuthorization {
    /// The URL to open after the parameters were pushed and the server returned `request_uri` (RFC
    /// 9126 §4).
    pub(crate) fn pushed_url(&self, request_uri: &str) -> String {
        let client = ("client_id", &*self.client_id);
        with_query(&self.endpoint, [client, ("request_uri", request_uri)])
    }

    /// Validates the query of a request to the redirect URI (RFC 6749 §4.1.2, RFC 9207 §2.4).
    ///
    /// Returns `None` if the query does not have the `state` of this request: the query is not the
    /// response, and the caller keeps waiting. Any query with the right `state` is the final
    /// response.
    ///
    /// `iss` is compared character by character before anything else, so errors from another server
    /// are never shown.
    pub(crate) fn response(&self, query: &str) -> Option<Result<AuthorizationCode, ResponseError>> {
        let parameters = Parameters::parse(query);
        let state = parameters.only("state").ok()??;
        let is_ours: bool = state.as_bytes().ct_eq(self.state.as_bytes()).into();
        is_ours.then(|| self.code(&parameters))
    }

    fn is_issuer(&self, iss: &str) -> bool {
        let template = self.template.as_ref();
        iss == self.issuer || template.is_some_and(|it| it.tenant(iss).is_some())
    }

    fn code(&self, parameters: &Parameters) -> Result<AuthorizationCode, ResponseError> {
        match parameters.only("iss")? {
            Some(issuer) if !self.is_issuer(issuer) => return Err(ResponseError::Issuer),
            None if self.is_issuer_sent => return Err(ResponseError::MissingIssuer),
            _ => {}
        }
        match (parameters.only("code")?, parameters.only("error")?) {
            (Some(code), None) if !code.is_empty() => Ok(AuthorizationCode(code.to_owned())),
            (None, Some(error)) => Err(ResponseError::Refused {
                code: error.to_owned(),
                description: parameters.only("error_description")?.map(str::to_owned),
            }),
            _ => Err(ResponseError::Malformed),
        }
    }
}

impl fmt::Debug for PendingAuthorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingAuthorization")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for AuthorizationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AuthorizationCode").finish_non_exhaustive()
    }
}

struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn parse(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Self(pairs.into_owned().collect())
    }

    /// The parameter with this name, which may occur only once.
    fn only(&self, name: &str) -> Result<Option<&str>, ResponseError> {
        let mut found = self.0.iter().filter(|(it, _)| it == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(ResponseError::Malformed),
            (first, None) => Ok(first.map(|(_, value)| value.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://as.example.com";

    fn metadata(is_issuer_sent: Option<bool>) -> AuthorizationServerMetadata {
        AuthorizationServerMetadata {
            issuer: ISSUER.to_owned(),
            authorization_endpoint: Some("https://as.example.com/authorize".to_owned()),
            code_challenge_methods_supported: Some(vec!["S256".to_owned()]),
            authorization_response_iss_parameter_supported: is_issuer_sent,
            ..AuthorizationServerMetadata::default()
        }
    }

    fn request(metadata: &AuthorizationServerMetadata) -> AuthorizationRequest<'_> {
        AuthorizationRequest {
            metadata,
            client_id: "my app",
            redirect_uri: "http://127.0.0.1:3000/callback",
            resource: Some("https://mcp.example.com"),
            scope: Some("files:read files:write"),
            extra: &[],
            template: None,
        }
    }

    fn pending(is_issuer_sent: Option<bool>) -> PendingAuthorization {
        request(&metadata(is_issuer_sent)).start().unwrap()
    }

    fn response(
        pending: &PendingAuthorization,
        parameters: &str,
    ) -> Result<AuthorizationCode, ResponseError> {
        let query = format!("{parameters}&state={}", pending.state);
        pending.response(&query).expect("the state is right")
    }

    #[test]
    fn the_url_has_all_parameters_once() {
        let pending = pending(None);
        let (endpoint, query) = pending.url.split_once('?').unwrap();
        assert_eq!(endpoint, "https://as.example.com/authorize");
        assert!(query.contains("&resource=https%3A%2F%2Fmcp.example.com&"));
        let parameters = Parameters::parse(query);
        for (name, value) in [
            ("response_type", "code"),
            ("client_id", "my app"),
            ("redirect_uri", "http://127.0.0.1:3000/callback"),
            ("state", &pending.state),
            ("code_challenge", &hash_text(&pending.verifier)),
            ("code_challenge_method", "S256"),
            ("resource", "https://mcp.example.com"),
            ("scope", "files:read files:write"),
        ] {
            assert_eq!(parameters.only(name), Ok(Some(value)), "{name}");
        }
        assert_eq!(parameters.0.len(), 8);
        assert!(!pending.url.contains(&pending.verifier));
    }

    #[test]
    fn an_endpoint_keeps_its_query_and_no_scope_is_left_out() {
        let mut metadata = metadata(None);
        metadata.authorization_endpoint = Some("https://as.example.com/?tenant=1".to_owned());
        let mut request = request(&metadata);
        request.scope = None;
        let url = request.start().unwrap().url;
        assert!(url.starts_with("https://as.example.com/?tenant=1&response_type=code&"));
        assert!(!url.contains("scope"));
    }

    #[test]
    fn requests_differ_in_their_secrets() {
        let one = pending(None);
        let other = pending(None);
        assert_ne!(one.state, other.state);
        assert_ne!(one.verifier, other.verifier);
    }

    #[test]
    fn no_request_is_made_without_pkce_or_endpoint() {
        let mut without = metadata(None);
        without.code_challenge_methods_supported = Some(vec!["plain".to_owned()]);
        let found = request(&without).start().unwrap_err();
        assert_eq!(found, RequestError::Pkce(ISSUER.to_owned()));
        for endpoint in [None, Some("https://as.example.com/#a".to_owned())] {
            let mut without = metadata(None);
            without.authorization_endpoint = endpoint;
            let found = request(&without).start().unwrap_err();
            assert_eq!(found, RequestError::Endpoint(ISSUER.to_owned()));
        }
    }

    #[test]
    fn only_the_right_state_ends_the_wait() {
        let pending = pending(None);
        let state = &pending.state;
        for query in [
            String::new(),
            "code=a".to_owned(),
            "code=a&state=".to_owned(),
            format!("code=a&state={}", &state[1..]),
            format!("code=a&state={state}a"),
            format!("code=a&state={state}&state={state}"),
            format!("error=access_denied&state=b&state={state}"),
        ] {
            assert_eq!(pending.response(&query), None, "{query}");
        }
        for query in ["", "code=a", "error=a", "iss=a"] {
            assert!(
                pending
                    .response(&format!("{query}&state={state}"))
                    .is_some(),
                "{query}"
            );
        }
    }

    #[test]
    fn every_row_of_the_table_of_iss() {
        const RIGHT: &str = "&iss=https%3A%2F%2Fas.example.com";
        const WRONG: &str = "&iss=https%3A%2F%2Fattacker.example";
        for is_issuer_sent in [Some(true), Some(false), None] {
            let pending = pending(is_issuer_sent);
            let absent = match is_issuer_sent {
                Some(true) => Err(ResponseError::MissingIssuer),
                _ => Ok("a".to_owned()),
            };
            for (issuer, expected) in [
                (RIGHT, Ok("a".to_owned())),
                (WRONG, Err(ResponseError::Issuer)),
                ("", absent),
            ] {
                let found = response(&pending, &format!("code=a{issuer}"));
                let found = found.map(|code| code.0);
                assert_eq!(found, expected, "{is_issuer_sent:?} {issuer}");
            }
        }
    }

    #[test]
    fn issuers_are_not_normalized() {
        let pending = pending(None);
        for other in [
            "https://as.example.com/",
            "https://AS.example.com",
            "HTTPS://as.example.com",
            "https://as.example.com:443",
            "https://as.ex%2561mple.com",
            "",
        ] {
            let found = response(&pending, &format!("code=a&iss={other}"));
            assert_eq!(found, Err(ResponseError::Issuer), "{other}");
        }
    }

    #[test]
    fn an_error_from_elsewhere_is_not_shown() {
        let error = "error=access_denied&error_description=secret";
        let found = response(
            &pending(None),
            &format!("{error}&iss=https://attacker.example"),
        );
        assert_eq!(found, Err(ResponseError::Issuer));
        let found = response(&pending(Some(true)), error);
        assert_eq!(found, Err(ResponseError::MissingIssuer));
        assert!(!found.unwrap_err().to_string().contains("secret"));
    }

    #[test]
    fn a_refusal_is_shown_on_one_line() {
        let found = response(
            &pending(None),
            "error=access_denied&error_description=No%0A%1B[1m",
        );
        assert_eq!(
            found.unwrap_err().to_string(),
            "the authorization server refused: access_denied: No  [1m"
        );
        let found = response(&pending(None), &format!("error={}", "a".repeat(5000)));
        assert!(found.unwrap_err().to_string().len() < 600);
    }

    #[test]
    fn responses_of_other_forms_have_no_code() {
        for parameters in ["", "code=a&code=b", "code=a&error=b", "iss=a&iss=a&code=b"] {
            let found = response(&pending(None), parameters);
            assert_eq!(found, Err(ResponseError::Malformed), "{parameters}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let pending = pending(None);
        let shown = format!("{pending:?}");
        assert!(!shown.contains(&pending.state) && !shown.contains(&pending.verifier));
        let code = response(&pending, "code=secret").unwrap();
        assert!(!format!("{code:?}").contains("secret"));
    }
}
