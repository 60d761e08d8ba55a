//! `OAuth`, the entry to a client's authorization.

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, io};

use mcp_runtime::transport::PrincipalChanges;
use mcp_runtime::transport::http_client::{AuthHttp, AuthResult, HttpUrl, http_client};

use super::config::Config;
use super::dpop::Nonces;
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::exchange::{CredentialHttp, is_allowed};
use super::grant::{Grant, IdentityProvider, TokenSource};
use super::redirect::{NoLogin, Redirect};
use super::renewal::{Renewal, Revocation};
use super::session::Session;
use super::store::TokenStore;
use super::token_set::load;
use crate::authentication::AssertionKey;
use crate::util::lock;

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
/// Tokens are sent over `https`, or to this machine; a server at another `http` URL gets none, and its
/// challenge is an error ([`allow_insecure_credentials`](Self::allow_insecure_credentials)). URLs that
/// servers name must be such as well; their addresses are checked as [`AuthHttp`] describes. Of the
/// authorization servers that a server names, the first 4 are considered; to find one may take 60 seconds.
///
/// Cloning is cheap; clones share tokens in use, and a login. One `OAuth` may serve several servers.
/// `Debug` shows no secret.
#[derive(Clone)]
#[must_use]
pub struct OAuth {
    pub(super) config: Arc<Config>,
    /// By the URL of the server.
    sessions: Arc<Mutex<HashMap<String, Arc<Session>>>>,
    pub(super) principal: PrincipalChanges,
    pub(super) nonces: Arc<Nonces>,
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

    /// Never logs in: for a process without a person, which uses and refreshes the tokens of an earlier
    /// login. Where those do not suffice, the request fails at the step [`Login`](super::error::AuthStep::Login).
    pub fn without_login(self) -> Self {
        self.redirect(NoLogin)
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

    /// The only authorization server that is used, by its issuer, as `https://login.example.com`. It must be written
    /// as in its metadata, except that an empty path equals `/`. A server that names others is refused.
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

    /// Keeps the tokens of this person apart from those of others in the store: a text of the application's
    /// own, such as the identifier of an account. A program that acts for several people gives each an
    /// `OAuth` with their own `person`; without one, whoever uses the same store and server acts as the
    /// person who has logged in there.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    /// use mcp_auth::client::store::FileStore;
    ///
    /// let store = FileStore::new("/var/lib/my-app/tokens");
    /// let ann = OAuth::new("my-app").store(store.clone()).person("ann");
    /// let bob = OAuth::new("my-app").store(store).person("bob");
    /// # drop((ann, bob));
    /// ```
    pub fn person(self, id: impl Into<String>) -> Self {
        self.with(|config| config.person = Some(id.into()))
    }

    /// Sends tokens, codes and secrets over plain `http` as well, to MCP servers and authorization servers on
    /// other machines: anybody on the way can read them. For test networks only. Without it, a server
    /// at such a URL gets no token, and its challenge is an error.
    ///
    /// The page of a login at a plain `http` URL needs an [`opener`](Self::opener) of one's own.
    pub fn allow_insecure_credentials(self) -> Self {
        self.with(|config| config.allows_insecure = true)
    }

    fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(Arc::make_mut(&mut self.config));
        // What clones with other settings have is not shared.
        self.sessions = Arc::default();
        self
    }

    /// The URLs of the servers for which the [store](Self::store) has tokens of the
    /// [`person`](Self::person), whichever process has put them there.
    ///
    /// # Errors
    ///
    /// The error of the store.
    pub async fn servers(&self) -> Result<BTreeSet<String>, AuthError> {
        let saved = load(&*self.config.store, &self.config.keys().servers()).await?;
        Ok(saved.unwrap_or_default())
    }

    /// Logs out everywhere: revokes all tokens of the [`person`](Self::person) that are in the
    /// [store](Self::store), whichever process has put them there (RFC 7009), and removes them. The next
    /// request that needs a token begins with a login.
    ///
    /// Tokens are removed even if they can't be revoked. Servers that this process has not used are reached
    /// as [`http_client`] does without settings: see [`logout_with`](Self::logout_with).
    ///
    /// # Errors
    ///
    /// The first error of a revocation or of the store. Tokens that could not be revoked are valid at
    /// their issuer until they expire.
    pub async fn logout(&self) -> Result<Revocation, AuthError> {
        self.logout_with(http_client).await
    }

    /// As [`logout`](Self::logout), for a person whose servers need root certificates or a proxy of
    /// their own. `client` returns the client of the server at a URL, as for a connection.
    ///
    /// # Errors
    ///
    /// As for [`logout`](Self::logout).
    pub async fn logout_with(
        &self,
        client: impl Fn(String) -> HttpUrl,
    ) -> Result<Revocation, AuthError> {
        let store = &*self.config.store;
        let key = self.config.keys().servers();
        let mut servers: BTreeSet<String> = load(store, &key).await?.unwrap_or_default();
        {
            let sessions = lock(&self.sessions);
            servers.extend(sessions.keys().cloned());
        }
        let mut outcome = Ok(Revocation::Done);
        for server in servers {
            let done = self.logout_from(&server, &client).await;
            outcome = match (outcome, done) {
                (Ok(Revocation::Done), done) => done,
                (Ok(Revocation::NotOffered), Err(error)) => Err(error),
                (outcome, _) => outcome,
            };
        }
        outcome
    }

    /// Logs out from the server at a URL.
    async fn logout_from(
        &self,
        server: &str,
        client: impl Fn(String) -> HttpUrl,
    ) -> Result<Revocation, AuthError> {
        let known = self.known_session(server).and_then(|it| it.http());
        let http = match known {
            Some(http) => http,
            None => client(server.to_owned()).auth_http().map_err(|error| {
                AuthError::new(AuthStep::Revocation, server, AuthErrorKind::Network(error))
            })?,
        };
        let session = self.session(server, http.clone());
        let renewal = self.renewal(&session, http);
        session.once(|_| None, || renewal.log_out()).await
    }

    /// The session of the server at a URL.
    pub(super) fn session(&self, server: &str, http: AuthHttp) -> Arc<Session> {
        let mut sessions = lock(&self.sessions);
        let session = sessions.entry(server.to_owned()).or_insert_with(|| {
            let principal = self.principal.clone();
            Arc::new(Session::new(server.to_owned(), principal))
        });
        session.set_http(http);
        Arc::clone(session)
    }

    /// The session of the server at a URL, if something was sent to it before.
    pub(super) fn known_session(&self, server: &str) -> Option<Arc<Session>> {
        let sessions = lock(&self.sessions);
        sessions.get(server).cloned()
    }

    pub(super) fn renewal(&self, session: &Arc<Session>, http: AuthHttp) -> Renewal {
        Renewal {
            config: Arc::clone(&self.config),
            session: Arc::clone(session),
            http: CredentialHttp::new(http, self.config.allows_insecure),
            nonces: Arc::clone(&self.nonces),
        }
    }

    /// True if credentials may be sent to the server at a URL.
    pub(super) fn is_allowed(&self, server: &str) -> bool {
        is_allowed(server, self.config.allows_insecure)
    }
}

/// Settings for an issuer that does not follow the rules, which the program has set by
/// [`issuer`](Self::issuer). They are for no other issuer: without one, a login ends with an error.
impl OAuth {
    /// Uses PKCE by `S256` although the issuer's metadata does not mention it. The specification demands that
    /// a client goes on only where it is announced: set this for an issuer whose documentation tells that it
    /// has it. Where the metadata names other methods, the login ends with an error all the same.
    pub fn assume_s256(self) -> Self {
        self.with(|config| config.issuer_settings.assumes_s256 = true)
    }

    /// Sends no `resource` to the issuer (RFC 8707), for one that refuses the parameter. Given up: the
    /// issuer does not know the server that tokens are for, unless by their scopes.
    pub fn without_resource_parameter(self) -> Self {
        self.with(|config| config.issuer_settings.omits_resource = true)
    }

    /// Adds a parameter of the issuer's own to the authorization request, such as `audience`. A `prompt`
    /// takes the place of the one that the scope `offline_access` brings along. Other parameters of OAuth and
    /// OpenID Connect can't be set: the login ends with an error.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    ///
    /// let oauth = OAuth::new("my-app")
    ///     .issuer("https://login.example.com/")
    ///     .client("client-id")
    ///     .authorization_parameter("audience", "https://mcp.example.com/mcp");
    /// # drop(oauth);
    /// ```
    pub fn authorization_parameter(
        self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        let parameter = (name.into(), value.into());
        self.with(|config| {
            let parameters = &mut config.issuer_settings.authorization_parameters;
            parameters.push(parameter);
        })
    }

    /// Adds a parameter of the issuer's own to all token requests. Those of OAuth can't be set: the login
    /// ends with an error.
    pub fn token_parameter(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let parameter = (name.into(), value.into());
        self.with(|config| config.issuer_settings.token_parameters.push(parameter))
    }

    /// Accepts this template as the `issuer` of the metadata
    /// ([`IssuerTemplate`](crate::metadata::IssuerTemplate)), and its tenants as `iss` of a login, for an
    /// issuer whose tenants share metadata: `https://login.example.com/{tenant}/v2.0`.
    pub fn issuer_template(self, template: impl Into<String>) -> Self {
        let template = template.into();
        self.with(|config| config.issuer_settings.template = Some(template))
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

/// Clients that work without a person. Each of them needs the [`issuer`](OAuth::issuer) that it is
/// known to: its credentials are sent to no other one, whatever an MCP server names.
impl OAuth {
    /// A program that acts for itself: client credentials with a secret (MCP extension
    /// `io.modelcontextprotocol/oauth-client-credentials`; RFC 6749 §4.4).
    ///
    /// ```
    /// use mcp_auth::OAuth;
    ///
    /// let oauth = OAuth::client_credentials("nightly-report", "secret")
    ///     .issuer("https://login.example.com")
    ///     .scopes(["files:read"]);
    /// # drop(oauth);
    /// ```
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        let oauth = Self::by(Grant::ClientCredentials);
        oauth.client(id).client_secret(secret)
    }

    /// A program that acts for itself: client credentials with a private key in the place of the
    /// secret (`private_key_jwt`), which the extension recommends.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    /// use mcp_auth::authentication::AssertionKey;
    /// use mcp_auth::jwt::SigningKey;
    ///
    /// # fn example(pem: &str) -> Result<OAuth, Box<dyn std::error::Error>> {
    /// let key = AssertionKey::new(SigningKey::from_pem(pem)?);
    /// let oauth = OAuth::client_credentials_with_key("nightly-report", key)
    ///     .issuer("https://login.example.com");
    /// # Ok(oauth)
    /// # }
    /// ```
    pub fn client_credentials_with_key(id: impl Into<String>, key: AssertionKey) -> Self {
        Self::by(Grant::ClientCredentials)
            .client(id)
            .client_key(key)
    }

    /// An application in an enterprise whose identity provider decides what its people may use (MCP
    /// extension `io.modelcontextprotocol/enterprise-managed-authorization`). No user interaction is needed. The
    /// person's identity token is exchanged at the identity provider for an assertion (ID-JAG), which
    /// is exchanged at the authorization server for an access token.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    /// use mcp_auth::client::IdentityProvider;
    ///
    /// # async fn id_token_of_the_person() -> std::io::Result<String> { Ok(String::new()) }
    /// let provider = IdentityProvider::new("https://acme.idp.example", "my-app", async || {
    ///     Ok(id_token_of_the_person().await?)
    /// });
    /// let oauth = OAuth::enterprise(provider)
    ///     .client("my-app-at-chat")
    ///     .client_secret("secret")
    ///     .issuer("https://auth.chat.example");
    /// # drop(oauth);
    /// ```
    pub fn enterprise(provider: IdentityProvider) -> Self {
        Self::by(Grant::Enterprise(provider))
    }

    /// A workload whose platform gives it tokens, such as a Kubernetes service account, that the
    /// authorization server trusts (RFC 7523 §2.1). `source` is asked for the token each time that an
    /// access token is needed. If the server refuses it, that is the result: nothing else is tried.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    ///
    /// let oauth = OAuth::workload(async || {
    ///     Ok(std::fs::read_to_string("/var/run/secrets/tokens/mcp")?)
    /// })
    /// .issuer("https://login.example.com");
    /// # drop(oauth);
    /// ```
    ///
    /// A [`client`](OAuth::client) is named in the request only if it is set.
    pub fn workload<F>(source: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = AuthResult<String>> + Send + 'static,
    {
        Self::by(Grant::Workload(TokenSource::new(source)))
    }

    fn by(grant: Grant) -> Self {
        Self::new("").with(|config| config.grant = grant)
    }
}
