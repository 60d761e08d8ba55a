//! Responses of the token endpoint.

use http::header::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scopes::Scopes;
use crate::limits::client::MAX_TOKEN_LIFETIME;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TokenType {
    Bearer,
    DPoP,
}

/// A checked response of the token endpoint (RFC 6749 §5.1).
#[derive(Clone)]
pub(crate) struct TokenResponse {
    pub(crate) access_token: String,
    pub(crate) token_type: TokenType,
    /// In seconds.
    pub(crate) expires_in: Option<u64>,
    pub(crate) refresh_token: Option<String>,
    pub(crate) scope: Option<Scopes>,
}

#[derive(Deserialize)]
struct Members {
    access_token: String,
    token_type: Option<String>,
    expires_in: Option<Value>,
    refresh_token: Option<String>,
    scope: Option<String>,
}

impl TokenResponse {
    /// Parses a response. A missing `token_type` means a bearer token, and the lifetime may be a
    /// number or a string.
    ///
    /// # Errors
    ///
    /// The reason why the response can't be used, without the secrets in it.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, String> {
        // serde's errors may repeat a value.
        let members: Members = serde_json::from_slice(json)
            .map_err(|_| "it is not a JSON object with an `access_token`".to_owned())?;
        let token_type = members.token_type.as_deref().unwrap_or("Bearer");
        let token_type = match token_type.to_ascii_lowercase().as_str() {
            "bearer" => TokenType::Bearer,
            "dpop" => TokenType::DPoP,
            _ => return Err("its `token_type` is neither `Bearer` nor `DPoP`".to_owned()),
        };
        let token = members.access_token;
        if token.is_empty() || !token.bytes().all(|it| it.is_ascii_graphic()) {
            return Err(
                "its `access_token` is empty or has characters that can't be sent".to_owned(),
            );
        }
        let expires_in = members.expires_in.as_ref().and_then(seconds);
        Ok(Self {
            access_token: token,
            token_type,
            expires_in: expires_in.map(|it| it.min(MAX_TOKEN_LIFETIME)),
            refresh_token: members.refresh_token.filter(|it| !it.is_empty()),
            scope: members.scope.map(Scopes::from),
        })
    }
}

impl TokenType {
    /// The value of the `Authorization` header, marked as sensitive.
    pub(crate) fn authorization(self, token: &str) -> Option<HeaderValue> {
        let scheme = match self {
            Self::Bearer => "Bearer",
            Self::DPoP => "DPoP",
        };
        let mut value = HeaderValue::try_from(format!("{scheme} {token}")).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// Parses a number of seconds, which may be a number or a string.
fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number
            .as_u64()
            .or_else(|| number.as_f64().map(|it| it as u64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<TokenResponse, String> {
        TokenResponse::parse(json.as_bytes())
    }

    #[test]
    fn answers_are_read_in_the_forms_that_are_about() {
        let found = parse(
            r#"{"access_token":"a.b","token_type":"bEARER","expires_in":"3600","refresh_token":"",
            "scope":"b a","id_token":"c"}"#,
        );
        let found = found.unwrap();
        assert_eq!(
            (found.access_token.as_str(), found.expires_in),
            ("a.b", Some(3600))
        );
        assert_eq!(found.scope.unwrap().to_string(), "b a");
        assert_eq!(
            (found.token_type, found.refresh_token),
            (TokenType::Bearer, None)
        );
        for (lifetime, expected) in [
            ("60", Some(60)),
            ("60.9", Some(60)),
            ("-1", Some(0)),
            ("1e300", Some(MAX_TOKEN_LIFETIME)),
            ("null", None),
            ("\"soon\"", None),
            ("[]", None),
        ] {
            let json =
                format!(r#"{{"access_token":"a","token_type":"dpop","expires_in":{lifetime}}}"#);
            let found = parse(&json).unwrap();
            assert_eq!(found.expires_in, expected, "{lifetime}");
            assert_eq!(found.token_type, TokenType::DPoP);
        }
    }

    #[test]
    fn other_answers_are_refused_without_repeating_them() {
        for json in [
            "",
            "secret",
            "[]",
            r#"{"token_type":"Bearer"}"#,
            r#"{"access_token":"","token_type":"Bearer"}"#,
            r#"{"access_token":"sec ret"}"#,
            r#"{"access_token":"secret\r\nHost: a"}"#,
            r#"{"access_token":"secret","token_type":"mac"}"#,
            r#"{"access_token":["secret"]}"#,
        ] {
            let Err(error) = parse(json) else {
                panic!("{json} is accepted");
            };
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
