//! Look-up of the tokens of an app at GitHub.

use std::fmt;
use std::time::SystemTime;

use http::Request;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use serde_json::{Map, Value, json};

use super::provider_http::{ProviderHttp, failed};
use super::verifier::{TokenVerifier, VerifyError};
use crate::authentication::basic;
use crate::jwt::{Claims, members};
use crate::limits::server::GITHUB_LIFETIME;
use crate::unix_time::unix_time;

/// Statuses of answers that refuse the token. With 401 and 403, GitHub refuses the app.
const OF_TOKEN: [u16; 6] = [400, 404, 413, 414, 422, 431];

/// Verifies the access tokens of one OAuth app or GitHub App: GitHub is asked whether the token is the
/// app's, and whose it is (REST API, "Check a token").
///
/// For [`Issuer::verifier`](super::Issuer::verifier); [`Issuer::github`](super::Issuer::github) has it. The
/// claims are made up of the answer: `sub` is the number of the account, `login` its name, `name` that
/// of the person, `aud` and `client_id` the app, `scope` the scopes that were granted, and `exp` an hour from
/// now, as GitHub is asked again before.
#[derive(Clone)]
pub struct GitHubTokens {
    api: String,
    issuer: String,
    client_id: String,
    client_secret: String,
    http: ProviderHttp,
}

impl GitHubTokens {
    /// Tokens of the app with this identifier and secret.
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

    /// Asks the REST API of a GitHub Enterprise Server: `https://github.example.com/api/v3`. `issuer` is the
    /// identifier that the claims get: `https://github.example.com/login/oauth`.
    #[must_use]
    pub fn enterprise(mut self, api: impl Into<String>, issuer: impl Into<String>) -> Self {
        self.api = api.into();
        self.issuer = issuer.into();
        self
    }

    fn read(&self, body: &[u8]) -> Result<Claims, VerifyError> {
        let answer = members::parse(body).ok_or_else(|| failed("its answer is no JSON object"))?;
        let user = answer.get("user").unwrap_or(&Value::Null);
        let Some(number) = user.get("id").and_then(Value::as_u64) else {
            return Err(VerifyError::Invalid("the token is nobody's".into()));
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
            // Requests without are refused.
            .header(USER_AGENT, "mcp-auth")
            .header(AUTHORIZATION, basic(&self.client_id, &self.client_secret))
            .body(json!({"access_token": token}).to_string());
        self.read(&self.http.send(request, &OF_TOKEN).await?)
    }
}

impl fmt::Debug for GitHubTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GitHubTokens({})", self.client_id)
    }
}
