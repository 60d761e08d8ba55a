//! Introspection of opaque tokens (RFC 7662).

use std::time::{Duration, SystemTime};

use form_urlencoded::Serializer;
use http::Request;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::discovery::{Discovery, FetchError};
use super::issuer::IntrospectionClient;
use super::refusal::Refusal;
use crate::basic::basic;
use crate::jwt::{AccessTokenRules, Claims, TokenError, members};

/// Time limit of an introspection, metadata included. Below that of an access policy.
const TIME_LIMIT: Duration = Duration::from_secs(8);
/// Longest time for which a token that was introspected counts as valid.
pub(super) const LIFETIME: Duration = Duration::from_secs(60);
/// `Retry-After` when the issuer can't be asked.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Asks an issuer about a token. Returns no claims if it is not valid there.
pub(super) async fn introspect(
    discovery: &Discovery,
    client: &IntrospectionClient,
    rules: &AccessTokenRules,
    token: &str,
    now: SystemTime,
) -> Result<Option<Claims>, Refusal> {
    let asked = timeout(TIME_LIMIT, ask(discovery, client, token)).await;
    let asked = asked.unwrap_or_else(|_| {
        let cause = format!("it has not introspected a token within {TIME_LIMIT:?}");
        Err(FetchError::network(&discovery.issuer, cause))
    });
    let answer = match asked {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(%error, "a token can't be introspected");
            discovery.expire().await;
            return Err(Refusal::Unavailable(RETRY_AFTER));
        }
    };
    if answer.get("active") != Some(&Value::Bool(true)) {
        return Ok(None);
    }
    Ok(Some(claims(answer, rules, now)?))
}

async fn ask(
    discovery: &Discovery,
    client: &IntrospectionClient,
    token: &str,
) -> Result<Map<String, Value>, FetchError> {
    let metadata = discovery.metadata().await?;
    let url = metadata.introspection_endpoint.as_deref();
    let url = discovery.endpoint("introspection_endpoint", url)?;
    let request = Request::post(url)
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(AUTHORIZATION, basic(&client.id, &client.secret))
        .body(form(token));
    let answer = discovery.send(url, request).await?;
    let answer = members::parse(&answer);
    answer.ok_or_else(|| FetchError::answer(url, "its answer is no JSON object"))
}

fn form(token: &str) -> String {
    let mut form = Serializer::new(String::new());
    form.append_pair("token", token);
    form.append_pair("token_type_hint", "access_token");
    form.finish()
}

/// The claims of a token that is active.
fn claims(
    mut answer: Map<String, Value>,
    rules: &AccessTokenRules,
    now: SystemTime,
) -> Result<Claims, TokenError> {
    let kind = match answer.get("token_type") {
        None => None,
        Some(Value::String(kind)) => Some(kind.to_ascii_lowercase()),
        Some(_) => return Err(TokenError::InvalidClaim("token_type")),
    };
    // Who has answered is its issuer, if it names none.
    let issuer = || Value::String(rules.issuer().to_owned());
    answer.entry("iss").or_insert_with(issuer);
    let claims = Claims::new(answer)?;
    let is_bound = claims.key_thumbprint().is_some();
    match kind.as_deref() {
        None | Some("bearer") => {}
        Some("dpop") if is_bound => {}
        Some(_) => return Err(TokenError::InvalidClaim("token_type")),
    }
    rules.check(&claims, now)?;
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(members: Value) -> Result<Claims, TokenError> {
        let mut answer = json!({"active": true, "sub": "s", "aud": "r", "exp": 1000});
        for (name, value) in members.as_object().unwrap() {
            answer[name] = value.clone();
        }
        let rules = AccessTokenRules::new("https://issuer", "r");
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(500);
        claims(answer.as_object().unwrap().clone(), &rules, now)
    }

    #[test]
    fn the_issuer_that_answers_is_the_tokens() {
        assert_eq!(read(json!({})).unwrap().issuer(), "https://issuer");
        let other = read(json!({"iss": "https://other"}));
        assert_eq!(other.unwrap_err(), TokenError::Issuer);
    }

    #[test]
    fn active_tokens_are_checked_all_the_same() {
        for (members, error) in [
            (json!({"aud": "other"}), TokenError::Audience),
            (json!({"aud": null}), TokenError::InvalidClaim("aud")),
            (json!({"exp": 1}), TokenError::Expired),
            (json!({"nbf": 900}), TokenError::NotYetValid),
            (
                json!({"token_type": "N_A"}),
                TokenError::InvalidClaim("token_type"),
            ),
            (
                json!({"token_type": 1}),
                TokenError::InvalidClaim("token_type"),
            ),
            // A token that is bound to a key which is not named.
            (
                json!({"token_type": "DPoP"}),
                TokenError::InvalidClaim("token_type"),
            ),
        ] {
            assert_eq!(read(members.clone()).unwrap_err(), error, "{members}");
        }
        let bound = read(json!({"token_type": "dpop", "cnf": {"jkt": "k"}}));
        assert_eq!(bound.unwrap().key_thumbprint(), Some("k"));
        assert!(read(json!({"token_type": "bearer"})).is_ok());
    }
}
