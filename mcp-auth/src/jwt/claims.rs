//! Claims of access tokens.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mcp_runtime::ProtocolError;
use mcp_runtime::server::{Context, ContextValue, FromContext, OptionalFromContext};
use mcp_runtime::types::jsonrpc::code;
use serde_json::{Map, Value};

use super::error::TokenError;
use super::members;

/// The claims of a verified access token (RFC 9068 §2.2). Clones share the claims.
///
/// Handlers of a server with a `ResourceServer` take a parameter of type `&Claims`. `Debug` shows
/// only issuer, subject, client and scope, because other claims may be personal.
#[derive(Clone)]
pub struct Claims(Arc<Members>);

struct Members {
    issuer: String,
    subject: Option<String>,
    client_id: Option<String>,
    audience: Vec<String>,
    expires_at: SystemTime,
    not_before: Option<SystemTime>,
    scope: Option<String>,
    key_thumbprint: Option<String>,
    all: Map<String, Value>,
}

impl Claims {
    /// Parses claims and checks the types of the claims that this type exposes.
    pub(crate) fn parse(json: &[u8], audience: &str) -> Result<Self, TokenError> {
        Self::with_audience_of(audience, members::parse(json).ok_or(TokenError::Malformed)?)
    }

    /// Creates the claims of a token that was verified by other means than its signature.
    ///
    /// ```
    /// use mcp_auth::jwt::Claims;
    /// use serde_json::json;
    ///
    /// let found = json!({
    ///     "iss": "https://login.example.com",
    ///     "sub": "alice",
    ///     "aud": "https://mcp.example.com/mcp",
    ///     "exp": 1_900_000_000,
    ///     "scope": "files:read",
    /// });
    /// let claims = Claims::new(found.as_object().cloned().unwrap_or_default())?;
    /// assert_eq!(claims.subject(), Some("alice"));
    /// # Ok::<(), mcp_auth::jwt::TokenError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TokenError::MissingClaim`] if `iss`, `aud`, `exp`, or both `sub` and `client_id` are
    /// missing; [`TokenError::InvalidClaim`] if a claim has the wrong type or `cnf` has anything
    /// but `jkt`.
    pub fn new(all: Map<String, Value>) -> Result<Self, TokenError> {
        Self::with_audience_of("aud", all)
    }

    /// Creates the claims of a token whose audience is in the claim `name`.
    pub(crate) fn with_audience_of(
        name: &str,
        all: Map<String, Value>,
    ) -> Result<Self, TokenError> {
        let claims = Members {
            issuer: text(&all, "iss")?.ok_or(TokenError::MissingClaim("iss"))?,
            subject: text(&all, "sub")?,
            client_id: text(&all, "client_id")?,
            audience: audience(all.get(name))?,
            expires_at: time(&all, "exp")?.ok_or(TokenError::MissingClaim("exp"))?,
            not_before: time(&all, "nbf")?,
            scope: scope(&all)?,
            key_thumbprint: key_thumbprint(&all)?,
            all,
        };
        if claims.subject.is_none() && claims.client_id.is_none() {
            return Err(TokenError::MissingClaim("sub"));
        }
        Ok(Self(Arc::new(claims)))
    }

    #[cfg_attr(not(feature = "proxy"), allow(dead_code))]
    pub(crate) fn members(&self) -> &Map<String, Value> {
        &self.0.all
    }

    /// `iss`: the authorization server that issued the token.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// `sub`: the subject on whose behalf the token is used. It is unique only together with the
    /// issuer. A token without a subject has a [`client_id`](Self::client_id).
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.0.subject.as_deref()
    }

    /// `client_id`: the client that the token was issued to.
    #[must_use]
    pub fn client_id(&self) -> Option<&str> {
        self.0.client_id.as_deref()
    }

    /// `aud`, or the claim that replaces it ([`AccessTokenRules::audience_claim`]): the resources
    /// that the token is for.
    ///
    /// [`AccessTokenRules::audience_claim`]: super::AccessTokenRules::audience_claim
    #[must_use]
    pub fn audience(&self) -> &[String] {
        &self.0.audience
    }

    /// `exp`: the time at which the token expires.
    #[must_use]
    pub fn expires_at(&self) -> SystemTime {
        self.0.expires_at
    }

    /// `nbf`: the time from which the token is valid.
    #[must_use]
    pub fn not_before(&self) -> Option<SystemTime> {
        self.0.not_before
    }

    /// The granted scopes from `scope` (RFC 6749 §3.3), or from `scp` if there is no `scope`. Both
    /// may be a string or, at some issuers, a list.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        let scope = self.0.scope.as_deref().unwrap_or_default();
        scope.split(' ').filter(|it| !it.is_empty())
    }

    /// `cnf.jkt`: the thumbprint of the key that the token is bound to (RFC 9449 §6.1). Only the
    /// holder of the key may use the token, so it is not a bearer token.
    ///
    /// Tokens with any other confirmation (RFC 7800 §3.1), such as the hash of a certificate (RFC
    /// 8705 §3.1), or with several, are rejected.
    #[must_use]
    pub fn key_thumbprint(&self) -> Option<&str> {
        self.0.key_thumbprint.as_deref()
    }

    /// Returns any claim of the token by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.all.get(name)
    }
}

/// Extracts the claims of the caller's token. A call without a token, as over stdio, fails.
#[diagnostic::do_not_recommend]
impl FromContext for Claims {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        let none = || ProtocolError::new(code::INVALID_REQUEST, "This needs an access token");
        cx.identity().cloned().ok_or_else(none)
    }
}

/// Extracts the claims of the caller's token, or `None` for a call without a token.
#[diagnostic::do_not_recommend]
impl OptionalFromContext for Claims {
    fn optional(cx: &Context) -> Result<Option<ContextValue<Self>>, ProtocolError> {
        Ok(cx.identity().cloned().map(ContextValue::made))
    }
}

impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claims")
            .field("issuer", &self.0.issuer)
            .field("subject", &self.0.subject)
            .field("client_id", &self.0.client_id)
            .field("scope", &self.0.scope)
            .finish_non_exhaustive()
    }
}

fn text(claims: &Map<String, Value>, name: &'static str) -> Result<Option<String>, TokenError> {
    match claims.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(TokenError::InvalidClaim(name)),
    }
}

/// Parses an audience, which is a string or a list of strings (RFC 7519 §4.1.3).
fn audience(claim: Option<&Value>) -> Result<Vec<String>, TokenError> {
    let invalid = || TokenError::InvalidClaim("aud");
    match claim.ok_or(TokenError::MissingClaim("aud"))? {
        Value::String(only) => Ok(vec![only.clone()]),
        Value::Array(all) => {
            let all = all.iter().map(|it| it.as_str().map(str::to_owned));
            all.collect::<Option<_>>().ok_or_else(invalid)
        }
        _ => Err(invalid()),
    }
}

/// Returns the scopes separated by spaces.
fn scope(claims: &Map<String, Value>) -> Result<Option<String>, TokenError> {
    let name = if claims.contains_key("scope") {
        "scope"
    } else {
        "scp"
    };
    let Some(Value::Array(scopes)) = claims.get(name) else {
        return text(claims, name);
    };
    let scopes: Option<Vec<_>> = scopes.iter().map(Value::as_str).collect();
    let scopes = scopes.ok_or(TokenError::InvalidClaim(name))?;
    Ok(Some(scopes.join(" ")))
}

/// Parses a time in seconds since 1970, with or without a fraction (RFC 7519 §2).
fn time(claims: &Map<String, Value>, name: &'static str) -> Result<Option<SystemTime>, TokenError> {
    let Some(value) = claims.get(name) else {
        return Ok(None);
    };
    let fraction = || Duration::try_from_secs_f64(value.as_f64()?).ok();
    let since = value.as_u64().map(Duration::from_secs).or_else(fraction);
    let time = since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    time.map(Some).ok_or(TokenError::InvalidClaim(name))
}

/// The thumbprint in `{"jkt": …}`. Any other or additional confirmation is an error, because
/// ignoring it would turn a bound token into a bearer token.
fn key_thumbprint(claims: &Map<String, Value>) -> Result<Option<String>, TokenError> {
    let Some(confirmation) = claims.get("cnf") else {
        return Ok(None);
    };
    let only = confirmation.as_object().filter(|it| it.len() == 1);
    let thumbprint = only.and_then(|it| it.get("jkt")?.as_str());
    let thumbprint = thumbprint.ok_or(TokenError::InvalidClaim("cnf"))?;
    Ok(Some(thumbprint.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The claims of a token with these members replaced; `"-"` removes a member.
    fn with(members: Value) -> Result<Claims, TokenError> {
        let mut all = json!({"iss": "i", "sub": "s", "aud": "a", "exp": 100});
        for (name, value) in members.as_object().unwrap() {
            all[name] = value.clone();
        }
        let all = all.as_object().unwrap().clone();
        let all: Map<_, _> = all.into_iter().filter(|(_, value)| value != "-").collect();
        Claims::parse(Value::Object(all).to_string().as_bytes(), "aud")
    }

    #[test]
    fn claims_are_read() {
        let claims = with(json!({
            "client_id": "c", "aud": ["a", "b"], "nbf": 50.5, "scope": " files:read  files:write",
            "cnf": {"jkt": "t"}, "role": "admin",
        }));
        let claims = claims.unwrap();
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs_f64(seconds);
        assert_eq!(claims.issuer(), "i");
        assert_eq!(claims.subject(), Some("s"));
        assert_eq!(claims.client_id(), Some("c"));
        assert_eq!(claims.audience(), ["a", "b"]);
        assert_eq!(claims.expires_at(), at(100.0));
        assert_eq!(claims.not_before(), Some(at(50.5)));
        assert_eq!(
            claims.scopes().collect::<Vec<_>>(),
            ["files:read", "files:write"]
        );
        assert_eq!(claims.key_thumbprint(), Some("t"));
        assert_eq!(claims.get("role"), Some(&json!("admin")));
    }

    #[test]
    fn a_wrong_type_is_an_error_in_every_claim() {
        for (name, value) in [
            ("iss", json!(1)),
            ("sub", json!(["s"])),
            ("client_id", json!(null)),
            ("aud", json!(1)),
            ("aud", json!(["a", 1])),
            ("aud", json!({"a": 1})),
            ("exp", json!("100")),
            ("exp", json!(null)),
            ("exp", json!(true)),
            ("exp", json!([100])),
            ("exp", json!(-1)),
            ("exp", json!(1e300)),
            ("exp", json!(u64::MAX)),
            ("nbf", json!("0")),
            ("scope", json!(1)),
            ("scope", json!(["a", 1])),
            ("scp", json!(1)),
            ("scp", json!(["a", 1])),
            ("cnf", json!("t")),
            ("cnf", json!(null)),
            ("cnf", json!({})),
            ("cnf", json!({"jkt": 1})),
            ("cnf", json!({"x5t#S256": "t"})),
            ("cnf", json!({"jwk": {"kty": "EC"}})),
            ("cnf", json!({"kid": "t"})),
            ("cnf", json!({"jkt": "t", "x5t#S256": "t"})),
        ] {
            let found = with(json!({name: value.clone()}));
            assert_eq!(
                found.unwrap_err(),
                TokenError::InvalidClaim(name),
                "{name}: {value}"
            );
        }
    }

    #[test]
    fn scopes_have_another_name_at_some_issuers() {
        for (members, scopes) in [
            (json!({"scp": "a b"}), vec!["a", "b"]),
            (json!({"scp": ["a", "b"]}), vec!["a", "b"]),
            (json!({"scp": ["a"], "scope": "b"}), vec!["b"]),
            (json!({"scope": ["a", "b"]}), vec!["a", "b"]),
            (json!({}), vec![]),
        ] {
            let claims = with(members).unwrap();
            assert_eq!(claims.scopes().collect::<Vec<_>>(), scopes);
        }
    }

    #[test]
    fn claims_that_every_token_has_may_not_be_missing() {
        for name in ["iss", "sub", "aud", "exp"] {
            let found = with(json!({name: "-"}));
            assert_eq!(found.unwrap_err(), TokenError::MissingClaim(name));
        }
        assert!(with(json!({"sub": "-", "client_id": "c"})).is_ok());
    }

    #[test]
    fn a_claim_that_is_there_twice_is_refused() {
        let claims = br#"{"iss":"i","sub":"s","aud":"a","exp":1,"exp":9}"#;
        assert_eq!(
            Claims::parse(claims, "aud").unwrap_err(),
            TokenError::Malformed
        );
    }
}
