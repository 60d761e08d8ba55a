//! Settings of a client's authorization.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::BoxFuture;

use super::browser;
use super::error::AuthErrorKind;
use super::grant::Grant;
use super::issuer_settings::{IssuerSettings, STRICT};
use super::loopback::Loopback;
use super::redirect::Redirect;
use super::scopes::Scopes;
use super::store::{MemoryStore, TokenStore};
use crate::authentication::AssertionKey;
use crate::limits::client::LOGIN_TIMEOUT;
use crate::metadata::url::is_same_issuer;

type Opener = dyn Fn(String) -> BoxFuture<io::Result<()>> + Send + Sync;

#[derive(Clone)]
pub(crate) struct Config {
    /// The name of the application, which is shown to people.
    pub(crate) name: String,
    /// `None` if nobody can log in.
    pub(crate) redirect: Option<Arc<dyn Redirect>>,
    pub(crate) opener: Arc<Opener>,
    pub(crate) store: Arc<dyn TokenStore>,
    /// The owner of the tokens, where several people share the store.
    pub(crate) person: Option<String>,
    pub(crate) allows_insecure: bool,
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
    pub(crate) client_key: Option<AssertionKey>,
    pub(crate) client_metadata_url: Option<String>,
    pub(crate) issuer: Option<String>,
    /// The settings apply only to `issuer`.
    pub(crate) issuer_settings: IssuerSettings,
    pub(crate) scopes: Scopes,
    pub(crate) login_timeout: Duration,
    pub(crate) grant: Grant,
}

impl Config {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            redirect: Some(Arc::new(Loopback::any_port())),
            opener: Arc::new(|url| Box::pin(async move { browser::open(&url).await })),
            store: Arc::new(MemoryStore::new()),
            person: None,
            allows_insecure: false,
            client_id: None,
            client_secret: None,
            client_key: None,
            client_metadata_url: None,
            issuer: None,
            issuer_settings: IssuerSettings::default(),
            scopes: Scopes::default(),
            login_timeout: LOGIN_TIMEOUT,
            grant: Grant::Login,
        }
    }

    /// The settings for an issuer. The user's settings apply only to the issuer that the user has
    /// set.
    pub(crate) fn settings_of(&self, issuer: &str) -> &IssuerSettings {
        if self.has_issuer(issuer) {
            &self.issuer_settings
        } else {
            &STRICT
        }
    }

    pub(crate) fn has_issuer(&self, issuer: &str) -> bool {
        let set = self.issuer.as_deref();
        set.is_some_and(|set| is_same_issuer(set, issuer))
    }

    /// # Errors
    ///
    /// Returns [`Redirection`](AuthErrorKind::Redirection) if nobody can log in.
    pub(crate) fn redirect(&self) -> Result<&dyn Redirect, AuthErrorKind> {
        let reason = "a login needs a person at a terminal";
        let error = || io::Error::new(io::ErrorKind::Unsupported, reason);
        let redirect = self.redirect.as_deref().ok_or_else(error);
        redirect.map_err(AuthErrorKind::Redirection)
    }

    pub(crate) fn keys(&self) -> PersonKeys<'_> {
        PersonKeys(self.person.as_deref())
    }
}

/// Store keys for the data of one person, or of all people if they are not distinguished.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonKeys<'a>(Option<&'a str>);

impl PersonKeys<'_> {
    pub(crate) fn tokens(self, issuer: &str, resource: &str) -> String {
        self.of(format!("tokens {issuer} {resource}"))
    }

    pub(crate) fn login(self, issuer: &str, resource: &str) -> String {
        self.of(format!("login {issuer} {resource}"))
    }

    pub(crate) fn binding(self, server: &str) -> String {
        self.of(format!("server {server}"))
    }

    pub(crate) fn servers(self) -> String {
        self.of("servers".to_owned())
    }

    /// URLs contain no spaces, so keys of different people never collide.
    fn of(self, key: String) -> String {
        match self.0 {
            Some(person) => format!("{key} {person}"),
            None => key,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn settings_are_for_the_issuer_of_the_user_alone() {
        let mut config = Config::new("app".to_owned());
        config.issuer_settings.omits_resource = true;
        let omits = |config: &Config, issuer: &str| config.settings_of(issuer).omits_resource;
        assert!(!omits(&config, "https://login.example.com"));
        config.issuer = Some("https://login.example.com".to_owned());
        assert!(omits(&config, "https://login.example.com"));
        assert!(omits(&config, "https://login.example.com/"));
        assert!(!omits(&config, "https://login.example.com/a"));
        assert!(!omits(&config, "https://other.example.com"));
    }

    #[test]
    fn the_keys_of_persons_differ() {
        let mut keys = BTreeSet::new();
        for person in [None, Some(""), Some("ann"), Some("https://mcp ann")] {
            let person = PersonKeys(person);
            keys.insert(person.tokens("https://as", "https://mcp"));
            keys.insert(person.login("https://as", "https://mcp"));
            keys.insert(person.binding("https://mcp"));
            keys.insert(person.servers());
        }
        assert_eq!(keys.len(), 16, "{keys:?}");
    }
}
