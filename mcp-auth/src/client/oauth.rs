//! `OAuth`, the entry to a client's authorization.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use mcp_runtime::transport::PrincipalChanges;
use mcp_runtime::transport::http_client::AuthHttp;

use super::assertion::AssertionKey;
use super::config::Config;
use super::dpop::Nonces;
use super::error::AuthError;
use super::redirect::Redirect;
use super::renewal::Renewal;
use super::session::Session;
use super::store::TokenStore;

/// Logs in at servers that ask for it (2026-07-28, "Authorization"), and keeps the tokens: an
/// authenticator for [`HttpUrl::auth`](mcp_runtime::transport::http_client::HttpUrl::auth).
///
/// ```no_run
/// use mcp_auth::{Loopback, OAuth};
/// use mcp_runtime::Client;
/// use mcp_runtime::transport::http_client::http_client;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let oauth = OAuth::new("my-app").redirect(Loopback::any_port());
/// let client = Client::builder("my-app", "1.0")
///     .connect(http_client("https://mcp.example.com/mcp").auth(oauth))
///     .await?;
/// # client.close().await;
/// # Ok(())
/// # }
/// ```
///
/// Nothing happens until a server answers a request with 401. Then its authorization server is
/// found (RFC 9728, RFC 8414), the client is registered there unless it is known, a page is opened
/// in which the person logs in, and the request is sent again with the token. Requests that meet a 401
/// meanwhile wait for the same login. Tokens are refreshed before they expire, and when a server no
/// longer accepts them. After a 403 that asks for more scopes (`insufficient_scope`), the person is asked
/// for them once. Errors are [`AuthError`](super::error::AuthError).
///
/// URLs that servers name must be `https`, or `http` on this machine; their addresses are checked
/// as [`AuthHttp`] describes.
///
/// Cloning is cheap; clones share tokens in use, and a login. One `OAuth` may serve several servers.
/// `Debug` shows no secret.
#[derive(Clone)]
#[must_use]
pub struct OAuth {
    config: Arc<Config>,
    /// By the URL of the server.
    sessions: Arc<Mutex<HashMap<String, Arc<Session>>>>,
    pub(super) principal: PrincipalChanges,
    nonces: Arc<Nonces>,
}

impl OAuth {
    /// An application with this name, which people may see when they log in. Tokens are kept in memory,
    /// the default browser is opened, and a [`Loopback`](super::loopback::Loopback) on any port receives
    /// its answer.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            config: Arc::new(Config::new(name.into())),
            sessions: Arc::default(),
            principal: PrincipalChanges::default(),
            nonces: Arc::default(),
        }
    }

    /// The way back from the browser: by default [`Loopback::any_port`](super::loopback::Loopback::any_port).
    pub fn redirect(self, redirect: impl Redirect) -> Self {
        self.with(|config| config.redirect = Arc::new(redirect))
    }

    /// Opens pages by a function of one's own; by default, the program that the variable `BROWSER`
    /// names, or the system's browser. The URL is secret until the login has ended, and is `https`, or `http` on
    /// this machine. An error ends the login; otherwise the result of the function does not matter.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    ///
    /// let oauth = OAuth::new("my-app").opener(async |url| {
    ///     eprintln!("Log in at {url}");
    ///     Ok(())
    /// });
    /// # drop(oauth);
    /// ```
    pub fn opener<F>(self, opener: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        self.with(|config| config.opener = Arc::new(move |url| Box::pin(opener(url))))
    }

    /// Keeps tokens, and the credentials of a client that has registered itself, in this store; by
    /// default in memory.
    pub fn store(self, store: impl TokenStore) -> Self {
        self.with(|config| config.store = Arc::new(store))
    }

    /// The identifier of a client that was registered by hand, at the [`issuer`](Self::issuer) that must
    /// be set as well. It is used in preference to other ways of registration.
    pub fn client(self, id: impl Into<String>) -> Self {
        self.with(|config| config.client_id = Some(id.into()))
    }

    /// The secret of the [`client`](Self::client).
    pub fn client_secret(self, secret: impl Into<String>) -> Self {
        self.with(|config| config.client_secret = Some(secret.into()))
    }

    /// The private key by which the [`client`](Self::client), or the client of the
    /// [metadata document](Self::client_metadata_url), authenticates in the place of a secret
    /// (`private_key_jwt`, RFC 7523).
    pub fn client_key(self, key: AssertionKey) -> Self {
        self.with(|config| config.client_key = Some(key))
    }

    /// The only authorization server that is used, by its issuer, as `https://login.example.com`,
    /// character by character as in its metadata. A server that names others is refused.
    pub fn issuer(self, issuer: impl Into<String>) -> Self {
        self.with(|config| config.issuer = Some(issuer.into()))
    }

    /// The `https` URL of the client's metadata document, which is its identifier wherever authorization
    /// servers support that (2026-07-28, "Client ID Metadata Documents"). The redirect URI must be in the document.
    pub fn client_metadata_url(self, url: impl Into<String>) -> Self {
        self.with(|config| config.client_metadata_url = Some(url.into()))
    }

    /// Scopes to ask for in each login, beside those that the server asks for. If there are none, and
    /// the server asks for none, those of its metadata are taken.
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.with(|config| config.scopes = scopes.into_iter().collect())
    }

    /// Time for a person to log in; 5 minutes by default.
    pub fn login_timeout(self, limit: Duration) -> Self {
        self.with(|config| config.login_timeout = limit)
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(Arc::make_mut(&mut self.config));
        // What clones with other settings have is not shared.
        self.sessions = Arc::default();
        self
    }

    /// Logs out: revokes the tokens of all servers that this `OAuth` and its clones were used with
    /// (RFC 7009), and removes them from the store. The next request that needs a token begins with a login.
    ///
    /// Tokens are removed even if they can't be revoked.
    ///
    /// # Errors
    ///
    /// The first error of a revocation or of the store.
    pub async fn logout(&self) -> Result<(), AuthError> {
        let sessions: Vec<_> = {
            let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.values().cloned().collect()
        };
        let mut outcome = Ok(());
        for session in sessions {
            let Some(http) = session.http() else { continue };
            let renewal = self.renewal(&session, http);
            let done = session.once(|_| None, || renewal.log_out()).await;
            outcome = outcome.and(done);
        }
        outcome
    }

    /// The session of the server at a URL.
    pub(super) fn session(&self, server: &str, http: AuthHttp) -> Arc<Session> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.entry(server.to_owned()).or_insert_with(|| {
            let principal = self.principal.clone();
            Arc::new(Session::new(server.to_owned(), principal))
        });
        session.set_http(http);
        Arc::clone(session)
    }

    /// The session of the server at a URL, if something was sent to it before.
    pub(super) fn known_session(&self, server: &str) -> Option<Arc<Session>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(server).cloned()
    }

    pub(super) fn renewal(&self, session: &Arc<Session>, http: AuthHttp) -> Renewal {
        Renewal {
            config: Arc::clone(&self.config),
            session: Arc::clone(session),
            http,
            nonces: Arc::clone(&self.nonces),
        }
    }

    /// The nonces for proofs of possession.
    pub(super) fn nonces(&self) -> &Nonces {
        &self.nonces
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("name", &self.config.name)
            .field("client", &self.config.client_id)
            .field("issuer", &self.config.issuer)
            .field("grant", &self.config.grant)
            .finish_non_exhaustive()
    }
}
