//! Tokens of one client for one resource, and where they are kept.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, ErrorKind};

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
use crate::limits::client::{MAX_EARLY_REFRESH, STORE_TIMEOUT};
use crate::util::unix_now;

/// Tokens, and the client that they were issued to. `Debug` shows none.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenSet {
    pub(crate) access_token: String,
    pub(crate) token_type: TokenType,
    /// In seconds since 1970.
    pub(crate) issued_at: u64,
    /// In seconds since 1970; absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_token: Option<String>,
    /// The scopes that were granted; those that were asked for, if the answer has none.
    #[serde(default)]
    pub(crate) scope: Scopes,
    pub(crate) client_id: String,
    /// The credentials of a client that has registered itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) registration: Option<Registration>,
    /// The key that the tokens are bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<ProofKey>,
}

/// The place of a server's tokens: tokens belong to one issuer and one resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Binding {
    pub(crate) issuer: String,
    pub(crate) resource: String,
    /// `resource_metadata` of the server's last challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) announced: Option<String>,
}

impl TokenSet {
    /// The tokens of an answer to a request for `requested` scopes.
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

    /// True if the token expires soon, at `now` in seconds since 1970.
    pub(crate) fn expires_soon(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|expires| {
            let lifetime = expires.saturating_sub(self.issued_at);
            now.saturating_add(MAX_EARLY_REFRESH.min(lifetime / 4)) >= expires
        })
    }
}

impl Binding {
    /// True if `other` is the same issuer and the same resource.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.issuer, &self.resource) == (&other.issuer, &other.resource)
    }
}

/// Notes in the store that there are, or no longer are, tokens for a server.
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
        save(store, &key, &servers).await
    }
}

/// The key of the [`Registration`] at an issuer.
pub(crate) fn registration_key(issuer: &str) -> String {
    format!("client {issuer}")
}

/// Waits for a call of the store. Later than the store itself gives up to wait for a lock, it is an error.
pub(crate) async fn stored<T>(call: BoxFuture<io::Result<T>>) -> Result<T, AuthError> {
    let late = |_| io::Error::new(ErrorKind::TimedOut, "it has not answered in time");
    let outcome = timeout(STORE_TIMEOUT, call).await.map_err(late);
    outcome.and_then(|done| done).map_err(AuthError::store)
}

/// Loads a value. One that can't be read is treated as absent: it is replaced at the next login.
pub(crate) async fn load<T: DeserializeOwned>(
    store: &dyn TokenStore,
    key: &str,
) -> Result<Option<T>, AuthError> {
    let text = stored(store.load(key)).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Saves a value.
pub(crate) async fn save<T: Serialize>(
    store: &dyn TokenStore,
    key: &str,
    value: &T,
) -> Result<(), AuthError> {
    let text = serde_json::to_string(value).map_err(std::io::Error::from);
    let text = text.map_err(AuthError::store)?;
    stored(store.save(key, &text)).await
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
