//! [`OAuth`], the entry point of a client's authorization.

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
use super::redirect::Redirect;
use super::renewal::{Renewal, Revocation};
use super::session::Session;
use super::store::TokenStore;
use super::token_set::load;
use crate::authentication::AssertionKey;
use crate::util::lock;

/// Logs in at servers that require authorization (2026-07-28, "Authorization") and keeps the
/// tokens. It is an authenticator for
/// [`HttpUrl::auth`](mcp_runtime::transport::http_client::HttpUrl::auth).
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
/// Nothing happens until a server answers a request with 401. The client then discovers the
/// server's authorization server (RFC 9728, RFC 8414), registers there unless it is already
/// registered, opens a page where the person logs in, and sends the request again with the token.
/// Other requests that meet a 401 meanwhile wait for the same login, also in other processes that
/// share the [store](Self::store). Tokens are refreshed before they expire and when a server no
/// longer accepts them. After a 403 that demands more scopes (`insufficient_scope`), the person is
/// asked for them once. Errors are [`AuthError`](super::error::AuthError)s.
///
/// Tokens are sent only over `https` or to this machine. A server at any other `http` URL gets no
/// token, and its challenge is an error (see
/// [`allow_insecure_credentials`](Self::allow_insecure_credentials)). The same holds for the URLs
/// that servers name, whose addresses are checked as [`AuthHttp`] describes. The client considers
/// the first 4 authorization servers of an MCP server, and discovery takes at most 60 seconds.
///
/// Cloning is cheap; clones share tokens and a running login. One `OAuth` can serve several
/// servers. `Debug` shows no secret.
#[derive(Clone)]
#[must_use]
pub struct OAuth {
    pub(super) config: Arc<Config>,
    /// Keyed by the URL of the server.
    sessions: Arc<Mutex<HashMap<String, Arc<Session>>>>,
    pub(super) principal: PrincipalChanges,
    pub(super) nonces: Arc<Nonces>,
}

impl OAuth {
    /// Creates an authenticator for an application with this name, which people may see when they
    /// log in.
    ///
    /// By default, tokens are kept in memory, logins open the default browser, and a
    /// [`Loopback`](super::loopback::Loopback) on any port receives the response.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            config: Arc::new(Config::new(name.into())),
            sessions: Arc::default(),
            principal: PrincipalChanges::default(),
            nonces: Arc::default(),
        }
    }

    /// Sets how the browser returns to the application. Default:
    /// [`Loopback::any_port`](super::loopback::Loopback::any_port).
    pub fn redirect(self, redirect: impl Redirect) -> Self {
        self.with(|config| config.redirect = Some(Arc::new(redirect)))
    }

    /// Disables logins, for a process that no person uses. The process uses and refreshes the
    /// tokens of an earlier login; if they don't suffice, the request fails in the step
    /// [`Login`](super::error::AuthStep::Login).
    pub fn without_login(self) -> Self {
        self.with(|config| config.redirect = None)
    }

    /// Sets a function that opens pages, instead of the program in the environment variable
    /// `BROWSER` or the system's browser.
    ///
    /// The URL is `https`, or `http` on this machine, and is secret until the login has ended. If
    /// the function returns an error, the login fails. Otherwise the login continues independently
    /// of the function.
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

    /// Keeps tokens, and the credentials of a dynamically registered client, in this store.
    /// Default: in memory.
    pub fn store(self, store: impl TokenStore) -> Self {
        self.with(|config| config.store = Arc::new(store))
    }

    /// Sets the identifier of a client that was registered manually at the
    /// [`issuer`](Self::issuer), which must also be set. It takes precedence over all other ways of
    /// registration.
    pub fn client(self, id: impl Into<String>) -> Self {
        self.with(|config| config.client_id = Some(id.into()))
    }

    /// Sets the secret of the [`client`](Self::client).
    pub fn client_secret(self, secret: impl Into<String>) -> Self {
        self.with(|config| config.client_secret = Some(secret.into()))
    }

    /// Sets the private key with which the [`client`](Self::client), or the client of the [metadata
    /// document](Self::client_metadata_url), authenticates instead of using a secret
    /// (`private_key_jwt`, RFC 7523).
    pub fn client_key(self, key: AssertionKey) -> Self {
        self.with(|config| config.client_key = Some(key))
    }

    /// Restricts the client to one authorization server, given by its issuer, such as
    /// `https://login.example.com`.
    ///
    /// The issuer must be written as in the server's metadata, except that an empty path equals
    /// `/`. An MCP server that names only other authorization servers is rejected.
    pub fn issuer(self, issuer: impl Into<String>) -> Self {
        self.with(|config| config.issuer = Some(issuer.into()))
    }

    /// Sets the `https` URL of the client's metadata document. The URL is the client's identifier
    /// at authorization servers that support such documents (2026-07-28, "Client ID Metadata
    /// Documents"). The document must contain the redirect URI.
    pub fn client_metadata_url(self, url: impl Into<String>) -> Self {
        self.with(|config| config.client_metadata_url = Some(url.into()))
    }

    /// Sets scopes to request in every login, in addition to the scopes that the server demands. If
    /// there are neither, the scopes in the server's metadata are requested.
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.with(|config| config.scopes = scopes.into_iter().collect())
    }

    /// Sets how long a person may take to log in. Default: 5 minutes.
    pub fn login_timeout(self, limit: Duration) -> Self {
        self.with(|config| config.login_timeout = limit)
    }

    /// Keeps the tokens of this person apart from other people's tokens in the same store.
    ///
    /// The identifier is any string of the application, such as an account name. A program that
    /// acts for several people needs an `OAuth` with its own `person` for each. Without a `person`,
    /// everybody who uses the same store and server acts as the person who logged in there.
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

    /// Sends tokens, codes and secrets also over plain `http` to MCP servers and authorization
    /// servers on other machines, where anybody on the network path can read them. Use this only in
    /// test networks. Without it, a server at such a URL gets no token, and its challenge is an
    /// error.
    ///
    /// A login page at a plain `http` URL needs a custom [`opener`](Self::opener).
    pub fn allow_insecure_credentials(self) -> Self {
        self.with(|config| config.allows_insecure = true)
    }

    fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(Arc::make_mut(&mut self.config));
        // Clones with other settings must not share the sessions.
        self.sessions = Arc::default();
        self
    }

    /// Returns the URLs of the servers for which the [store](Self::store) has tokens of the
    /// [`person`](Self::person), including tokens that other processes saved.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn servers(&self) -> Result<BTreeSet<String>, AuthError> {
        let saved = load(&*self.config.store, &self.config.keys().servers()).await?;
        Ok(saved.unwrap_or_default())
    }

    /// Logs out everywhere: revokes all tokens of the [`person`](Self::person) in the
    /// [store](Self::store) (RFC 7009), including tokens that other processes saved, and removes
    /// them. The next request that needs a token begins with a login.
    ///
    /// Tokens are removed even if they can't be revoked. A server that this process has not used is
    /// reached with the default settings of [`http_client`]; use [`logout_with`](Self::logout_with)
    /// for other settings.
    ///
    /// # Errors
    ///
    /// The first error of a revocation or of the store. A token that could not be revoked stays
    /// valid at its issuer until it expires.
    pub async fn logout(&self) -> Result<Revocation, AuthError> {
        self.logout_with(http_client).await
    }

    /// Like [`logout`](Self::logout), for servers that need their own root certificates or a proxy.
    /// `client` returns the HTTP client for a server URL, as for a connection.
    ///
    /// # Errors
    ///
    /// The same as for [`logout`](Self::logout).
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

    pub(super) fn session(&self, server: &str, http: AuthHttp) -> Arc<Session> {
        let session = self.session_of(server);
        session.set_http(http);
        session
    }

    pub(super) fn session_of(&self, server: &str) -> Arc<Session> {
        let mut sessions = lock(&self.sessions);
        let session = sessions.entry(server.to_owned()).or_insert_with(|| {
            let principal = self.principal.clone();
            Arc::new(Session::new(server.to_owned(), principal))
        });
        Arc::clone(session)
    }

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

    pub(super) fn is_allowed(&self, server: &str) -> bool {
        is_allowed(server, self.config.allows_insecure)
    }
}

/// Settings for an issuer that deviates from the specifications. They apply only to the issuer that
/// was set with [`issuer`](Self::issuer); without it, a login fails.
impl OAuth {
    /// Uses PKCE with `S256` although the issuer's metadata does not mention PKCE.
    ///
    /// The specification requires a client to stop if PKCE is not advertised. Use this setting only
    /// for an issuer whose documentation promises PKCE. If the metadata lists only other methods,
    /// the login fails nevertheless.
    pub fn assume_s256(self) -> Self {
        self.with(|config| config.issuer_settings.assumes_s256 = true)
    }

    /// Omits the `resource` parameter (RFC 8707), for an issuer that rejects it.
    ///
    /// Limitation: the issuer does not learn which server a token is for, except from the scopes.
    pub fn without_resource_parameter(self) -> Self {
        self.with(|config| config.issuer_settings.omits_resource = true)
    }

    /// Adds an issuer-specific parameter to the authorization request, such as `audience`.
    ///
    /// A `prompt` replaces the one that the scope `offline_access` implies. Other parameters of
    /// OAuth and OpenID Connect can't be set; they make the login fail.
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

    /// Adds an issuer-specific parameter to all token requests. Parameters of OAuth can't be set;
    /// they make the login fail.
    pub fn token_parameter(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let parameter = (name.into(), value.into());
        self.with(|config| config.issuer_settings.token_parameters.push(parameter))
    }

    /// Accepts this template as the `issuer` of the metadata
    /// ([`IssuerTemplate`](crate::metadata::IssuerTemplate)) and its tenants as the `iss` of a
    /// login response. Use it for an issuer whose tenants share metadata, such as
    /// `https://login.example.com/{tenant}/v2.0`.
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

/// Clients that work without a person. Each needs the [`issuer`](OAuth::issuer) where it is
/// registered. Its credentials are sent only to that issuer, whatever an MCP server names.
impl OAuth {
    /// Creates an authenticator for a program that acts on its own behalf, using client credentials
    /// with a secret (MCP extension `io.modelcontextprotocol/oauth-client-credentials`; RFC 6749
    /// §4.4).
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

    /// Creates an authenticator for a program that acts on its own behalf, using client credentials
    /// with a private key (`private_key_jwt`). The extension recommends a key over a secret.
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

    /// Creates an authenticator for an application in an enterprise whose identity provider decides
    /// what people may use (MCP extension
    /// `io.modelcontextprotocol/enterprise-managed-authorization`).
    ///
    /// No user interaction is needed. The client exchanges the person's identity token at the
    /// identity provider for an assertion (ID-JAG), and the assertion at the authorization server
    /// for an access token.
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

    /// Creates an authenticator for a workload whose platform provides tokens that the
    /// authorization server trusts (RFC 7523 §2.1), such as Kubernetes service account tokens.
    ///
    /// `source` is called for the platform's token whenever an access token is needed. If the
    /// authorization server refuses the token, the request fails; there is no fallback.
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
    /// The request names a [`client`](OAuth::client) only if one is set.
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
