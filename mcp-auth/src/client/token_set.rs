//! The tokens of one client for one resource, and how they are stored.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, ErrorKind};
use std::time::Duration;

use mcp_runtime::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::config::PersonKeys;
use super::dpop::ProofKey;
use super::error::AuthError;
use super::registration::Registration;
use super::scopes::Scopes;
use super::store::TokenStore;
use super::token_response::{TokenResponse, TokenType};
use crate::limits::client::{MAX_EARLY_REFRESH, MIN_TOKEN_TTL, STORE_TIMEOUT};
use crate::util::unix_now;

/// Tokens, and the client that they were issued to. `Debug` does not show the tokens.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenSet {
    pub(crate) access_token: String,
    pub(crate) token_type: TokenType,
    /// In seconds since 1970.
    pub(crate) issued_at: u64,
    /// In seconds since 1970, if the lifetime is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_token: Option<String>,
    /// The granted scopes, or the requested scopes if the response does not name any.
    #[serde(default)]
    pub(crate) scope: Scopes,
    pub(crate) client_id: String,
    /// The credentials of a dynamically registered client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) registration: Option<Registration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<ProofKey>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Binding {
    pub(crate) issuer: String,
    pub(crate) resource: String,
    /// `resource_metadata` of the server's last challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) announced: Option<String>,
}

impl TokenSet {
    pub(crate) fn new(
        response: TokenResponse,
        requested: &Scopes,
        client_id: String,
        registration: Option<Registration>,
        key: Option<ProofKey>,
    ) -> Self {
        let now = unix_now();
        Self {
            access_token: response.access_token,
            token_type: response.token_type,
            issued_at: now,
            expires_at: response.expires_in.map(|it| now.saturating_add(it)),
            refresh_token: response.refresh_token,
            scope: response.scope.unwrap_or_else(|| requested.clone()),
            client_id,
            registration,
            key: key.filter(|_| response.token_type == TokenType::DPoP),
        }
    }

    /// Returns true if the token expires soon. `now` is in seconds since 1970.
    pub(crate) fn expires_soon(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|expires| {
            let lifetime = expires.saturating_sub(self.issued_at);
            now.saturating_add(MAX_EARLY_REFRESH.min(lifetime / 4)) >= expires
        })
    }

    /// How long the tokens are useful. The end of a refresh token is not known.
    pub(crate) fn ttl(&self) -> Option<Duration> {
        let expires_at = self.expires_at.filter(|_| self.refresh_token.is_none())?;
        let left = expires_at.saturating_sub(unix_now());
        Some(Duration::from_secs(left.max(MIN_TOKEN_TTL)))
    }
}

impl Binding {
    /// Returns true if issuer and resource are equal, whatever was announced.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.issuer, &self.resource) == (&other.issuer, &other.resource)
    }
}

/// Adds a server to the stored list of servers that have tokens, or removes it.
pub(crate) async fn list_server(
    store: &dyn TokenStore,
    keys: PersonKeys<'_>,
    server: &str,
    is_listed: bool,
) -> Result<(), AuthError> {
    let key = keys.servers();
    let servers: BTreeSet<String> = load(store, &key).await?.unwrap_or_default();
    if servers.contains(server) == is_listed {
        return Ok(());
    }
    let _lock = stored(store.lock(&key)).await?;
    let mut servers: BTreeSet<String> = load(store, &key).await?.unwrap_or_default();
    if is_listed {
        servers.insert(server.to_owned());
    } else {
        servers.remove(server);
    }
    if servers.is_empty() {
        stored(store.remove(&key)).await
    } else {
        save(store, &key, &servers, None).await
    }
}

pub(crate) fn registration_key(issuer: &str) -> String {
    format!("client {issuer}")
}

/// Waits for a call of the store, with a time limit that is longer than the limit for locks.
pub(crate) async fn stored<T>(call: BoxFuture<io::Result<T>>) -> Result<T, AuthError> {
    let late = |_| io::Error::new(ErrorKind::TimedOut, "it did not answer in time");
    let outcome = timeout(STORE_TIMEOUT, call).await.map_err(late);
    outcome.and_then(|done| done).map_err(AuthError::store)
}

/// Loads a value. An unreadable value is treated as missing, because the next login replaces it.
pub(crate) async fn load<T: DeserializeOwned>(
    store: &dyn TokenStore,
    key: &str,
) -> Result<Option<T>, AuthError> {
    let text = stored(store.load(key)).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

pub(crate) async fn save<T: Serialize>(
    store: &dyn TokenStore,
    key: &str,
    value: &T,
    ttl: Option<Duration>,
) -> Result<(), AuthError> {
    let text = serde_json::to_string(value).map_err(std::io::Error::from);
    let text = text.map_err(AuthError::store)?;
    stored(store.save(key, &text, ttl)).await
}

impl fmt::Debug for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSet")
            .field("client_id", &self.client_id)
            .field("expires_at", &self.expires_at)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(lifetime: Option<u64>) -> TokenSet {
        TokenSet {
            access_token: "secret".to_owned(),
            token_type: TokenType::Bearer,
            issued_at: 1000,
            expires_at: lifetime.map(|it| 1000 + it),
            refresh_token: Some("secret".to_owned()),
            scope: "a".into(),
            client_id: "me".to_owned(),
            registration: None,
            key: None,
        }
    }

    #[test]
    fn a_token_is_refreshed_before_its_end() {
        for (lifetime, early) in [(3600, 60), (240, 60), (100, 25), (3, 0), (0, 0)] {
            let tokens = tokens(Some(lifetime));
            let begin = 1000 + lifetime - early;
            assert!(tokens.expires_soon(begin), "{lifetime}");
            assert!(!tokens.expires_soon(begin - 1), "{lifetime}");
        }
        assert!(!tokens(None).expires_soon(u64::MAX));
    }

    #[test]
    fn what_is_kept_is_read_again_and_not_shown() {
        let tokens = tokens(Some(60));
        let json = serde_json::to_string(&tokens).unwrap();
        assert_eq!(serde_json::from_str::<TokenSet>(&json).unwrap(), tokens);
        assert!(!format!("{tokens:?}").contains("secret"));
    }
}
