//! The access policy of the proxy, and its settings.

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{fmt, io};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, Uri};
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy};
use mcp_runtime::transport::http_client::AuthHttp;

use super::client::Destination;
use super::documents::Documents;
use super::endpoints::{ALL, CALLBACK, Endpoints, Settings};
use super::http_message::OAuthError;
use super::keys::{ProxyKeys, Sealer};
use super::logins::Logins;
use super::provider::Provider;
use super::token::Verifier;
use super::upstream::Upstream;
use crate::client::store::{MemoryStore, TokenStore};
use crate::jwt::{AccessTokenRules, Algorithm};
use crate::metadata::url::ServerUrl;
use crate::metadata::{authorization_server_metadata_urls, resource_metadata_urls};
use crate::server::{Issuer, ResourceServer, ResourceServerError, check_client, require};
use crate::util::StoreLog;

/// An access policy for servers whose provider does not register MCP clients. It is an
/// authorization server for MCP clients and a single client of the provider.
///
/// ```no_run
/// use mcp_auth::client::store::FileStore;
/// use mcp_auth::proxy::{OAuthProxy, Provider, ProxyKeys};
/// use mcp_runtime::transport::http::http;
/// # use mcp_runtime::{Server, ServeError};
///
/// # async fn example(files: Server, keys: ProxyKeys) -> Result<(), ServeError> {
/// let provider = Provider::new("https://login.example.com", "client-id")
///     .secret("secret")
///     .scopes(["openid", "email", "offline_access"]);
/// let proxy = OAuthProxy::new("https://mcp.example.com/mcp", provider, keys)
///     .store(FileStore::new("/var/lib/files/logins"))
///     .scopes(["files:read"]);
/// files.serve(http("0.0.0.0:8080").auth(proxy)).await
/// # }
/// ```
///
/// - MCP clients discover the proxy from the metadata of the resource (RFC 9728) and of the
///   authorization server (RFC 8414). They register (RFC 7591), which stores nothing, or use the
///   URL of their metadata document. All are public clients that use PKCE with `S256`.
/// - At each login, the person is asked whether the client may have access and then logs in at the
///   provider. Cookies with the prefix `__Host-` ensure that both happen in the same browser. The
///   cookies are secure ones, which some browsers do not accept on `http://localhost` (Chromium and
///   Firefox do).
/// - Access tokens are only for this resource (`aud`) and last 10 minutes. A refresh token can be
///   used once: a second use ends the login.
/// - The provider's tokens stay in the proxy's store, sealed. They are refreshed when a client
///   refreshes its own tokens. If the provider refuses permanently, the login ends.
/// - Handlers get the provider's claims about the person as [`Claims`](crate::jwt::Claims), with
///   `aud`, `scope`, `client_id` and `exp` of the client's token. The principal consists of the
///   provider's issuer and the subject.
///
/// The limits are listed in `docs/authorization.md`.
#[must_use]
pub struct OAuthProxy {
    settings: Settings,
    provider: Provider,
    keys: Arc<ProxyKeys>,
    store: Arc<dyn TokenStore>,
    private_hosts: Vec<String>,
    roots: Vec<Vec<u8>>,
    /// Built from the settings on first use.
    built: OnceLock<Result<Built, ResourceServerError>>,
}

type Built = (ResourceServer, Arc<Endpoints>);

impl OAuthProxy {
    /// Creates a proxy for a resource, whose identifier is the URL of its MCP endpoint as clients
    /// see it.
    pub fn new(resource: impl Into<String>, provider: Provider, keys: ProxyKeys) -> Self {
        let resource = resource.into();
        let origin = ServerUrl::parse(&resource).map(|it| it.origin());
        Self {
            settings: Settings {
                issuer: origin.unwrap_or_default(),
                resource,
                ..Settings::default()
            },
            provider,
            keys: Arc::new(keys),
            store: Arc::new(MemoryStore::new()),
            private_hosts: Vec::new(),
            roots: Vec::new(),
            built: OnceLock::new(),
        }
    }

    /// Sets the identifier of the authorization server. Its endpoints are below this URL
    /// (`/authorize`, `/consent`, `/callback`, `/token`, `/register`, `/revoke`).
    ///
    /// Default: the origin of the resource. The identifier must have the same origin and no
    /// trailing `/`.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.settings.issuer = issuer.into();
        self
    }

    /// Sets the store of logins. Default: in memory. All secrets are sealed. Each request with a
    /// token loads its login from the store.
    ///
    /// Replicas must have the same keys and share the store, such as a
    /// [`SharedTokens`](crate::client::store::SharedTokens). Each step of a login may then be at
    /// another replica. While the store is unavailable, requests are answered with 503 and
    /// `Retry-After`, and a login that returns from the provider ends with the error
    /// `temporarily_unavailable`.
    pub fn store(mut self, store: impl TokenStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets the scopes of this server that every request needs. Every person can grant them. The
    /// scopes to request from the provider are [`Provider::scopes`].
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets additional scopes that clients can request, such as scopes of individual tools. No other
    /// scopes are granted.
    pub fn optional_scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.optional_scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Allows redirect URIs with a private-use scheme that has no dot, such as `cursor`. The scheme
    /// must be in lower case.
    ///
    /// Any app can claim a scheme. Schemes with a dot are always allowed, because they begin with a
    /// domain (RFC 8252 §7.1).
    pub fn redirect_scheme(mut self, scheme: impl Into<String>) -> Self {
        self.settings.schemes.push(scheme.into());
        self
    }

    /// Allows metadata documents of clients on a host that has no public address.
    pub fn allow_private_host(mut self, host: impl Into<String>) -> Self {
        self.private_hosts.push(host.into());
        self
    }

    /// Trusts an additional root certificate (DER) for requests to the provider and for the
    /// metadata documents of clients.
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.push(der.into());
        self
    }

    /// The redirect URI to register at the provider.
    #[must_use]
    pub fn redirect_uri(&self) -> String {
        format!("{}{CALLBACK}", self.settings.issuer)
    }

    /// The paths that the proxy serves in addition to the MCP endpoint. If the service is mounted
    /// in a router, it must also be mounted at these paths; in axum, call
    /// `router.route_service(&path, service.clone())` for each `path`.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let issuer = &self.settings.issuer;
        let resource = resource_metadata_urls(&self.settings.resource).unwrap_or_default();
        let own = authorization_server_metadata_urls(issuer).unwrap_or_default();
        let urls = ALL.iter().map(|endpoint| format!("{issuer}{endpoint}"));
        let urls = urls.chain(own.into_iter().take(1));
        let urls = urls.chain(resource.iter().map(|it| it.url().to_owned()));
        let paths = urls.filter_map(|url| Some(url.parse::<Uri>().ok()?.path().to_owned()));
        paths.collect()
    }

    /// Checks the settings. If a setting is wrong, serving fails with the same error.
    ///
    /// # Errors
    ///
    /// The first wrong setting.
    pub fn check(&self) -> Result<(), ResourceServerError> {
        self.build().map(drop)
    }

    fn built(&self) -> Result<&Built, ResourceServerError> {
        let built = self.built.get_or_init(|| self.build());
        built.as_ref().map_err(Clone::clone)
    }

    /// Checks the settings that the resource server does not check.
    fn check_settings(&self) -> Result<(), ResourceServerError> {
        let provider = &self.provider;
        Issuer::new(&provider.issuer).check()?;
        check_client("`Provider::new`", &provider.client_id, &provider.credential)?;
        let scopes = provider.scopes.join(" ");
        let is_right = provider.verifier.is_some() || scopes.split(' ').any(|it| it == "openid");
        let advice = "without `openid` there are no ID tokens: add it, or set a `verifier`";
        require(is_right, "`Provider::scopes`", &scopes, advice)?;
        let metadata = provider.metadata.iter();
        for url in metadata.flat_map(|it| [&it.authorization_endpoint, &it.token_endpoint]) {
            let url = url.as_deref().unwrap_or_default();
            let is_url = ServerUrl::parse(url).is_ok_and(|it| it.is_secure());
            let advice = "it needs both endpoints, with `https`";
            require(is_url, "`Provider::metadata`", url, advice)?;
        }
        for scheme in &self.settings.schemes {
            let found = Destination::of(&format!("{scheme}:/"), &self.settings.schemes);
            let is_right = found.is_some_and(|it| it.name == format!("{scheme}:"));
            let advice = "give the scheme of an app in lower case, without `:`, such as `cursor`";
            require(is_right, "`OAuthProxy::redirect_scheme`", scheme, advice)?;
        }
        Ok(())
    }

    fn build(&self) -> Result<Built, ResourceServerError> {
        let settings = &self.settings;
        let resource = &settings.resource;
        let issuer = &settings.issuer;
        self.check_settings()?;
        Issuer::new(issuer).check()?;
        let origin = ServerUrl::parse(resource).map(|it| it.origin());
        let path = issuer.strip_prefix(&origin.unwrap_or_default());
        let is_path = |it: &&str| it.is_empty() || it.starts_with('/') && !it.ends_with('/');
        let invalid = || ResourceServerError::Issuer(issuer.clone());
        let path = path.filter(is_path).ok_or_else(invalid)?.to_owned();
        let sealer = Sealer {
            keys: Arc::clone(&self.keys),
            resource: resource.clone(),
        };
        let certificate = |error: io::Error| ResourceServerError::Certificate(error.to_string());
        let trusted = AuthHttp::trusted(self.roots.clone()).map_err(certificate)?;
        let public = AuthHttp::public(self.roots.clone(), self.private_hosts.clone());
        let rules = AccessTokenRules::new(issuer, resource).algorithms([Algorithm::Es256]);
        let endpoints = Arc::new(Endpoints {
            path,
            supported: [&settings.scopes[..], &settings.optional_scopes].concat(),
            documents: Documents::new(public.map_err(certificate)?, settings.schemes.clone()),
            upstream: Upstream::new(self.provider.clone(), self.redirect_uri(), trusted),
            logins: Logins {
                store: Arc::clone(&self.store),
                sealer: sealer.clone(),
                log: StoreLog::default(),
            },
            // This server issues the tokens, so there is no clock difference.
            rules: rules.leeway(Duration::ZERO),
            public: self.keys.public(),
            sealer,
            settings: settings.clone(),
        });
        let server = ResourceServer::new(resource)
            .issuer(&**issuer)
            .verifier(Verifier(Arc::clone(&endpoints)))
            .scopes(settings.scopes.clone())
            .optional_scopes(settings.optional_scopes.clone());
        server.check()?;
        Ok((server, endpoints))
    }
}

impl AccessPolicy for OAuthProxy {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let (server, _) = self.built().map_err(|error| error.denied())?;
        server.admit(request).await
    }

    fn start(&self, path: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (server, _) = self.built()?;
        server.start(path)
    }

    fn allows_host(&self, host: &str) -> bool {
        self.built()
            .is_ok_and(|(server, _)| server.allows_host(host))
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        let (server, endpoints) = self.built().ok()?;
        let of = path.strip_prefix("/.well-known/oauth-authorization-server");
        let own = of.filter(|of| *of == endpoints.path);
        let own = own.map(|_| endpoints.metadata().to_string().into());
        own.or_else(|| server.document(path))
    }

    fn has_endpoint(&self, path: &str) -> bool {
        self.built().is_ok_and(|(_, endpoints)| {
            let endpoint = path.strip_prefix(&endpoints.path);
            endpoint.is_some_and(|it| ALL.contains(&it))
        })
    }

    async fn respond(&self, request: Request<Bytes>) -> Response<Bytes> {
        match self.built() {
            Ok((_, endpoints)) => Arc::clone(endpoints).respond(request).await,
            Err(error) => OAuthError::internal(error).response(),
        }
    }
}

impl fmt::Debug for OAuthProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OAuthProxy({})", self.settings.resource)
    }
}
