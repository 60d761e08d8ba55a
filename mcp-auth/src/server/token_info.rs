//! Look-up of opaque tokens at Google.

use std::fmt;

use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::{Map, Value};

use super::provider_http::{ProviderHttp, failed};
use super::verifier::{TokenVerifier, VerifyError};
use crate::jwt::{Claims, members};

/// Statuses of answers that refuse the token. The request has no other credentials.
const OF_TOKEN: [u16; 8] = [400, 401, 403, 404, 413, 414, 422, 431];

/// Verifies opaque access tokens as Google's does: by their *tokeninfo*, which answers whose they are, for which
/// client, and how long they last. `aud` is the client.
///
/// For [`Issuer::verifier`](super::Issuer::verifier); [`Issuer::google`](super::Issuer::google) has it.
/// Tokens without `sub`, which are those without the scope `openid`, are refused: they do not tell people
/// apart.
#[derive(Clone)]
pub struct TokenInfo {
    url: String,
    issuer: String,
    http: ProviderHttp,
}

impl TokenInfo {
    /// Asks at this URL, `https://oauth2.googleapis.com/tokeninfo`, about the tokens of this issuer,
    /// `https://accounts.google.com`.
    #[must_use]
    pub fn new(url: impl Into<String>, issuer: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            issuer: issuer.into(),
            http: ProviderHttp::new(),
        }
    }

    /// The claims of an answer, whose numbers are texts.
    fn read(&self, body: &[u8]) -> Result<Claims, VerifyError> {
        let mut claims =
            members::parse(body).ok_or_else(|| failed("its answer is no JSON object"))?;
        number(&mut claims, "exp");
        let client = claims.get("azp").or(claims.get("aud")).cloned();
        if let Some(client) = client {
            claims.insert("client_id".to_owned(), client);
        }
        claims.insert("iss".to_owned(), self.issuer.clone().into());
        if !claims.contains_key("sub") {
            let text = "the token does not tell whose it is: ask for the scope `openid`";
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
        self.read(&self.http.send(request, &OF_TOKEN).await?)
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

/// Makes a number of a text.
fn number(claims: &mut Map<String, Value>, name: &str) {
    let number = claims
        .get(name)
        .and_then(|it| it.as_str()?.parse::<u64>().ok());
    if let Some(number) = number {
        claims.insert(name.to_owned(), number.into());
    }
}
