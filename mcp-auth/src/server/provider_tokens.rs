//! Verification of opaque tokens with the proprietary interfaces of providers.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{Request, StatusCode};
use mcp_runtime::transport::http_client::{AuthHttp, retry_after};
use serde_json::{Map, Value, json};

use super::verifier::{TokenVerifier, VerifyError};
use crate::authentication::basic;
use crate::jwt::{Claims, members};
use crate::limits::server::{GITHUB_LIFETIME, ISSUER_PAUSE, MAX_ISSUER_PAUSE};
use crate::util::unix_time;

/// The HTTP client, or the reason why it could not be created.
#[derive(Clone)]
struct ProviderHttp(Result<AuthHttp, Arc<str>>);

impl ProviderHttp {
    pub(super) fn new() -> Self {
        Self(AuthHttp::trusted([]).map_err(|error| error.to_string().into()))
    }

    /// Sends a request to a URL that the program has set, and returns the body of a response with
    /// status 200. A response with one of the statuses `of_token` means that the token is invalid.
    pub(super) async fn send(
        &self,
        request: http::Result<Request<String>>,
        of_token: &[u16],
    ) -> Result<Bytes, VerifyError> {
        let http = self.0.as_ref().map_err(failed)?;
        let request = request.map_err(failed)?;
        let url = request.uri().clone();
        let response = http.send(request).await.map_err(failed)?;
        let status = response.status();
        if status == StatusCode::OK {
            return Ok(response.into_body());
        }
        if of_token.contains(&status.as_u16()) {
            tracing::info!(%url, %status, "the provider refuses a token");
            return Err(VerifyError::Invalid("the token is not active".into()));
        }
        let error = failed(format!("{url}: {status}"));
        let pause = retry_after(response.headers());
        let pause = pause.map_or(ISSUER_PAUSE, |it| it.clamp(ISSUER_PAUSE, MAX_ISSUER_PAUSE));
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS => VerifyError::TokenUnavailable(pause),
            _ => error,
        })
    }
}

fn failed(error: impl Display) -> VerifyError {
    mcp_runtime::log::warn!(%error, "a token can't be looked up at the provider");
    VerifyError::Unavailable(ISSUER_PAUSE)
}

/// Statuses that mean that the token is invalid. 401 and 403 instead mean that GitHub rejects the
/// app.
const REFUSED_BY_GITHUB: [u16; 6] = [400, 404, 413, 414, 422, 431];

/// Verifies the access tokens of one OAuth app or GitHub App. It asks GitHub whether a token
/// belongs to the app, and to which account (REST API, "Check a token").
///
/// Use it with [`Issuer::verifier`](super::Issuer::verifier);
/// [`Issuer::github`](super::Issuer::github) already includes it. The claims are derived from the
/// response: `sub` is the numeric identifier of the account, `login` is its name, `name` is the
/// name of the person, `aud` and `client_id` are the app, and `scope` contains the granted scopes.
/// `exp` is one hour from now, because GitHub is asked again before then.
#[derive(Clone)]
pub struct GitHubTokens {
    api: String,
    issuer: String,
    client_id: String,
    client_secret: String,
    http: ProviderHttp,
}

impl GitHubTokens {
    /// Creates a verifier for the app with this identifier and secret.
    #[must_use]
    pub fn new(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        Self {
            api: "https://api.github.com".to_owned(),
            issuer: "https://github.com/login/oauth".to_owned(),
            client_id: client_id.into(),
            client_secret: client_secret.into(),
            http: ProviderHttp::new(),
        }
    }

    /// Uses the REST API of a GitHub Enterprise Server, such as
    /// `https://github.example.com/api/v3`. `issuer` becomes the issuer of the claims, such as
    /// `https://github.example.com/login/oauth`.
    #[must_use]
    pub fn enterprise(mut self, api: impl Into<String>, issuer: impl Into<String>) -> Self {
        self.api = api.into();
        self.issuer = issuer.into();
        self
    }

    fn read(&self, body: &[u8]) -> Result<Claims, VerifyError> {
        let answer =
            members::parse(body).ok_or_else(|| failed("its response is not a JSON object"))?;
        let user = answer.get("user").unwrap_or(&Value::Null);
        let Some(number) = user.get("id").and_then(Value::as_u64) else {
            return Err(VerifyError::Invalid(
                "the token does not belong to an account".into(),
            ));
        };
        let scopes = answer.get("scopes").and_then(Value::as_array);
        let scopes = scopes.into_iter().flatten().filter_map(Value::as_str);
        let mut claims = Map::new();
        let mut insert = |name: &str, value: Value| claims.insert(name.to_owned(), value);
        insert("iss", json!(self.issuer));
        insert("sub", json!(number.to_string()));
        insert("aud", json!(self.client_id));
        insert("client_id", json!(self.client_id));
        insert("exp", json!(unix_time(SystemTime::now() + GITHUB_LIFETIME)));
        insert("scope", json!(scopes.collect::<Vec<_>>()));
        for name in ["login", "name"] {
            insert(name, user.get(name).cloned().unwrap_or_default());
        }
        Ok(Claims::new(claims)?)
    }
}

impl TokenVerifier for GitHubTokens {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let url = format!("{}/applications/{}/token", self.api, self.client_id);
        let request = Request::post(&*url)
            .header(ACCEPT, "application/vnd.github+json")
            .header(CONTENT_TYPE, "application/json")
            // GitHub rejects requests without a user agent.
            .header(USER_AGENT, "mcp-auth")
            .header(AUTHORIZATION, basic(&self.client_id, &self.client_secret))
            .body(json!({"access_token": token}).to_string());
        self.read(&self.http.send(request, &REFUSED_BY_GITHUB).await?)
    }
}

impl fmt::Debug for GitHubTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GitHubTokens({})", self.client_id)
    }
}

/// Statuses that mean that the token is invalid. They include 401 and 403, because the token is the
/// only credential in the request.
const REFUSED_BY_GOOGLE: [u16; 8] = [400, 401, 403, 404, 413, 414, 422, 431];

/// Verifies opaque access tokens with a *tokeninfo* endpoint like Google's, which returns the
/// owner, the client and the lifetime of a token. `aud` is the client.
///
/// Use it with [`Issuer::verifier`](super::Issuer::verifier);
/// [`Issuer::google`](super::Issuer::google) already includes it. Tokens without `sub`, which lack
/// the scope `openid`, are rejected because they don't identify the person.
#[derive(Clone)]
pub struct TokenInfo {
    url: String,
    issuer: String,
    http: ProviderHttp,
}

impl TokenInfo {
    /// Creates a verifier that asks the endpoint at `url`, such as
    /// `https://oauth2.googleapis.com/tokeninfo`, about tokens of `issuer`, such as
    /// `https://accounts.google.com`.
    #[must_use]
    pub fn new(url: impl Into<String>, issuer: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            issuer: issuer.into(),
            http: ProviderHttp::new(),
        }
    }

    /// Parses a response. Google sends `exp` as a string.
    fn read(&self, body: &[u8]) -> Result<Claims, VerifyError> {
        let mut claims =
            members::parse(body).ok_or_else(|| failed("its response is not a JSON object"))?;
        number(&mut claims, "exp");
        let client = claims.get("azp").or(claims.get("aud")).cloned();
        if let Some(client) = client {
            claims.insert("client_id".to_owned(), client);
        }
        claims.insert("iss".to_owned(), self.issuer.clone().into());
        if !claims.contains_key("sub") {
            let text = "the token does not identify its owner: request the scope `openid`";
            return Err(VerifyError::Invalid(text.into()));
        }
        Ok(Claims::new(claims)?)
    }
}

impl TokenVerifier for TokenInfo {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let request = Request::post(&*self.url)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form(token));
        self.read(&self.http.send(request, &REFUSED_BY_GOOGLE).await?)
    }
}

impl fmt::Debug for TokenInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenInfo({})", self.url)
    }
}

fn form(token: &str) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("access_token", token).finish()
}

/// Converts a member from a string to a number.
fn number(claims: &mut Map<String, Value>, name: &str) {
    let number = claims
        .get(name)
        .and_then(|it| it.as_str()?.parse::<u64>().ok());
    if let Some(number) = number {
        claims.insert(name.to_owned(), number.into());
    }
}
