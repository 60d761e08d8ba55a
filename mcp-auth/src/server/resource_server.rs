//! The access policy of a resource server, and its settings.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::request::Parts;
use mcp_runtime::store::KeyValue;
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy};
use mcp_runtime::transport::http_client::AuthHttp;

use super::admission::Admission;
use super::dpop::Proofs;
use super::error::{ResourceServerError, require};
use super::issuer::Issuer;
use super::layer::ResourceServerLayer;
use super::refusal::Answers;
use super::refusal_log::RefusalLog;
use super::scopes::{self, Implied, with_prefix};
use super::token_cache::TokenCache;
use super::token_issuer::TokenIssuer;
use super::verification::Verification;
use super::verifier::{ErasedVerifier, TokenVerifier};
use crate::jwt::Algorithm;
use crate::metadata::url::ServerUrl;
use crate::metadata::{ProtectedResourceMetadata, resource_metadata_urls};

/// An OAuth 2.1 resource server, which admits requests with a valid access token (RFC 6750, RFC
/// 9449).
///
/// ```
/// use mcp_auth::{Claims, ResourceServer};
/// use mcp_runtime::transport::http::http;
/// use mcp_runtime::{McpServer, mcp_server};
///
/// struct Files;
///
/// #[mcp_server]
/// impl Files {
///     /// Returns the name of the caller.
///     #[tool]
///     fn whoami(&self, claims: &Claims) -> String {
///         claims.subject().unwrap_or("a client").to_owned()
///     }
/// }
///
/// # async fn example() -> Result<(), mcp_runtime::ServeError> {
/// let auth = ResourceServer::new("https://mcp.example.com/mcp")
///     .issuer("https://login.example.com")
///     .scopes(["files:read"])
///     .implies("files:admin", ["files:read", "files:write"]);
/// Files.serve(http("0.0.0.0:8080").auth(auth)).await
/// # }
/// ```
///
/// - The metadata of the resource (RFC 9728) is served at the well-known paths, with and without
///   the path of the resource. A request without a valid token gets a 401 with a challenge that
///   contains the metadata URL.
/// - JWTs (RFC 9068) are verified with the keys of their issuer; the checked members are `iss`,
///   `aud`, `exp`, `nbf` and `typ`. The keys are fetched on first use, again after 5 minutes, and
///   at most every 30 seconds for a token with an unknown key. A key that the issuer no longer
///   publishes is no longer accepted. While the issuer is down, the last keys are used for up to 24
///   hours. Without keys, requests get a 503 with `Retry-After`.
/// - A token with an unknown key gets a 503 with `Retry-After` instead of a 401 until the keys have
///   been fetched after its first use, because its key may be new.
/// - Other tokens are introspected, if the [`Issuer`] has a client for it.
/// - Tokens that are bound to a key (`cnf.jkt`) require a proof of possession (DPoP), which can be
///   used once. Proofs and nonces are remembered in this process, or in the [`store`](Self::store)
///   of all replicas. A token that is bound to anything other than a single key is rejected.
/// - Requests may be for the host of the resource, so
///   [`allowed_hosts`](mcp_runtime::transport::http::HttpOptions::allowed_hosts) need not name it.
/// - Tokens are removed from requests and never appear in responses, errors or logs. The reason why
///   a token is rejected is logged at `warn`, once per reason, with the setting that would accept
///   the token.
/// - Handlers can take [`Claims`](crate::jwt::Claims); the principal consists of issuer and
///   subject. A stream ends when its token expires. The token of an open stream is verified again
///   when its introspection result expires, or every 60 seconds for other tokens. The stream ends
///   if the token is no longer valid or has fewer scopes
///   ([`AccessRevalidation`](mcp_runtime::transport::http::AccessRevalidation)).
///
/// A feature that needs more scopes than [`scopes`](Self::scopes) declares them itself; a tool uses
/// `#[tool(scopes("files:write"))]`. A token without these scopes gets a 403 with
/// `insufficient_scope`.
#[must_use]
pub struct ResourceServer {
    settings: Settings,
    /// Built from the settings on first use.
    admission: OnceLock<Result<Arc<Admission>, ResourceServerError>>,
}

#[derive(Default)]
struct Settings {
    resource: String,
    issuers: Vec<Issuer>,
    verifier: Option<Arc<dyn ErasedVerifier>>,
    scopes: Vec<String>,
    optional_scopes: Vec<String>,
    implied: Implied,
    dpop_required: bool,
    dpop_nonce: bool,
    store: Option<Arc<dyn KeyValue>>,
    roots: Vec<Vec<u8>>,
    allows_http: bool,
}

impl ResourceServer {
    /// Creates a resource server. `resource` is its identifier: the URL of the MCP endpoint as
    /// clients see it, with `https`, or with `http` on the loopback interface.
    ///
    /// Tokens must have the identifier as their `aud`. URLs in proofs of possession are compared
    /// with the identifier, whatever host a proxy puts into requests.
    pub fn new(resource: impl Into<String>) -> Self {
        Self {
            settings: Settings {
                resource: resource.into(),
                ..Settings::default()
            },
            admission: OnceLock::new(),
        }
    }

    /// Accepts tokens of this issuer, which is its URL or an [`Issuer`] with settings. If there are
    /// several issuers, each token is verified only by the issuer that it names.
    pub fn issuer(self, issuer: impl Into<Issuer>) -> Self {
        self.with(|it| it.issuers.push(issuer.into()))
    }

    /// Verifies all tokens with custom code, instead of with keys and introspection. Issuers are
    /// then only named in the metadata.
    pub fn verifier(self, verifier: impl TokenVerifier) -> Self {
        self.with(|it| it.verifier = Some(Arc::new(verifier)))
    }

    /// Sets the scopes that every request needs. Challenges and metadata name them.
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|it| it.scopes.extend(scopes.into_iter().map(Into::into)))
    }

    /// Sets further scopes that the metadata names in `scopes_supported`. Not every request needs
    /// them.
    ///
    /// Clients may request all scopes in the metadata together, so leave scopes that few clients
    /// need to the challenges of tools.
    pub fn optional_scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|it| {
            it.optional_scopes
                .extend(scopes.into_iter().map(Into::into));
        })
    }

    /// Treats a token with the scope `broad` as if it also had `others` and all scopes that these
    /// imply.
    pub fn implies(
        self,
        broad: impl Into<String>,
        others: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let others = others.into_iter().map(Into::into);
        self.with(|it| it.implied.add(broad.into(), others))
    }

    /// Accepts only tokens that are bound to a key by DPoP.
    pub fn dpop_required(self) -> Self {
        self.with(|it| it.dpop_required = true)
    }

    /// Requires a nonce of the server in proofs of possession (RFC 9449 §9). The nonce changes every
    /// minute, and is accepted for two minutes.
    ///
    /// With a nonce, clients don't need a correct clock, and proofs can't be made in advance. If
    /// several processes serve one URL, set their [`store`](Self::store).
    pub fn dpop_nonce(self) -> Self {
        self.with(|it| it.dpop_nonce = true)
    }

    /// Keeps used proofs of possession and nonces in a store that all replicas share. Default: in
    /// this process, so each replica accepts a proof once, and only its own nonces.
    ///
    /// ```
    /// use mcp_auth::ResourceServer;
    /// use mcp_runtime::store::MemoryKeyValue;
    ///
    /// // Replace it with the store of all replicas, such as `Redis` of `mcp-stores`.
    /// let store = MemoryKeyValue::new();
    /// let auth = ResourceServer::new("https://mcp.example.com/mcp")
    ///     .issuer("https://login.example.com")
    ///     .store(store);
    /// # drop(auth);
    /// ```
    ///
    /// A request with a proof needs one call of the store. With [`dpop_nonce`](Self::dpop_nonce), a
    /// nonce that was replaced needs another call, and each replica reads the current nonce every
    /// 10 seconds. Requests without a proof need no call. While the store is unavailable, requests
    /// with a proof get a 503 with `Retry-After`, and the log has one warning a minute. If the store
    /// loses its records, a proof of the last two minutes may be accepted again.
    pub fn store(self, store: impl KeyValue) -> Self {
        self.with(|it| it.store = Some(Arc::new(store)))
    }

    /// Trusts an additional root certificate (DER) for requests to issuers.
    pub fn root_certificate(self, der: impl Into<Vec<u8>>) -> Self {
        self.with(|it| it.roots.push(der.into()))
    }

    /// Allows a resource whose URL is `http` on a host other than the loopback interface, which RFC
    /// 9728 §1.2 forbids. Anybody on the network path can then read and use the tokens of all
    /// callers. Use it only for tests, such as in a network of containers.
    pub fn allow_insecure_resource(self) -> Self {
        self.with(|it| it.allows_http = true)
    }

    /// Checks the settings. If a setting is wrong, serving fails with the same error.
    ///
    /// # Errors
    ///
    /// The first wrong setting.
    pub fn check(&self) -> Result<(), ResourceServerError> {
        self.admission().map(drop)
    }

    /// Returns a tower layer that applies this policy to any HTTP service, such as the routes of an
    /// axum application.
    ///
    /// # Errors
    ///
    /// The first wrong setting.
    pub fn layer(self) -> Result<ResourceServerLayer, ResourceServerError> {
        self.check()?;
        self.settings.warn(None);
        Ok(ResourceServerLayer::new(self))
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self.admission = OnceLock::new();
        self
    }

    pub(super) fn admission(&self) -> Result<&Arc<Admission>, ResourceServerError> {
        let admission = self
            .admission
            .get_or_init(|| self.settings.admission().map(Arc::new));
        admission.as_ref().map_err(Clone::clone)
    }
}

impl AccessPolicy for ResourceServer {
    fn start(&self, path: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.admission()?;
        self.settings.warn(path);
        Ok(())
    }

    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let admission = self.admission().map_err(|error| error.denied())?;
        admission.admit(request).await
    }

    fn allows_host(&self, host: &str) -> bool {
        let url = ServerUrl::parse(&self.settings.resource);
        url.is_ok_and(|url| url.host().eq_ignore_ascii_case(host))
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        self.admission().ok()?.document(path)
    }
}

impl Settings {
    /// Logs settings that are allowed but dangerous. `path` is the path of the MCP endpoint, if
    /// known.
    fn warn(&self, path: Option<&str>) {
        let own = ServerUrl::parse(&self.resource).map_or("", |url| url.path);
        let is_own = |path: &str| path.trim_end_matches('/') == own.trim_end_matches('/');
        if let Some(path) = path.filter(|path| !is_own(path)) {
            mcp_runtime::log::warn!(resource = %self.resource, path, "{OTHER_PATH}");
        }
        for issuer in &self.issuers {
            issuer.warn(!self.scopes.is_empty());
        }
    }

    fn admission(&self) -> Result<Admission, ResourceServerError> {
        let invalid = || ResourceServerError::Resource(self.resource.clone());
        let urls = resource_metadata_urls(&self.resource).map_err(|_| invalid())?;
        let proofs = Proofs::new(&self.resource, self.dpop_nonce, self.store.clone());
        let proofs = proofs.ok_or_else(invalid)?;
        let metadata_url = urls.first().ok_or_else(invalid)?.url().to_owned();
        if self.issuers.is_empty() && self.verifier.is_none() {
            return Err(ResourceServerError::NoIssuer);
        }
        let is_secure = ServerUrl::parse(&self.resource).is_ok_and(|url| url.is_secure());
        let advice = "it needs `https`; in a network that you trust, see `allow_insecure_resource`";
        let setting = "`ResourceServer::new`";
        let is_right = is_secure || self.allows_http;
        require(is_right, setting, &self.resource, advice)?;
        self.issuers.iter().try_for_each(Issuer::check)?;
        let named = self.scopes.iter().chain(&self.optional_scopes);
        named
            .chain(self.implied.scopes())
            .try_for_each(|it| scopes::check(it))?;
        let prefix = self.scope_prefix();
        scopes::check(&format!("{prefix}scope"))?;
        let asked = self.scopes.iter().map(|it| with_prefix(prefix, it));
        let answers = Arc::new(Answers {
            metadata_url,
            scope: asked.collect::<Vec<_>>().join(" "),
            scope_prefix: prefix.to_owned(),
            dpop_required: self.dpop_required,
        });
        let paths = urls.iter().filter_map(|url| path(url.url()));
        Ok(Admission {
            paths: paths.collect(),
            document: self.document(),
            scopes: self.scopes.clone(),
            proofs,
            verification: self.verification(Arc::clone(&answers))?,
            answers,
        })
    }

    fn scope_prefix(&self) -> &str {
        self.issuers.first().map_or("", |it| &it.scope_prefix)
    }

    fn verification(&self, answers: Arc<Answers>) -> Result<Verification, ResourceServerError> {
        let http = AuthHttp::trusted(self.roots.iter().cloned());
        let http = http.map_err(|error| ResourceServerError::Certificate(error.to_string()))?;
        let issuers = self.issuers.iter();
        let issuers = issuers.map(|it| TokenIssuer::new(it, &self.resource, http.clone()));
        Ok(Verification {
            resource: self.resource.clone(),
            issuers: issuers.collect(),
            verifier: self.verifier.clone(),
            implied: self.implied.clone(),
            answers,
            cache: TokenCache::default(),
            log: RefusalLog::default(),
        })
    }

    /// The metadata of the resource (RFC 9728 §2).
    fn document(&self) -> Bytes {
        let issuers = self.issuers.iter().map(|it| it.rules.issuer());
        let mut metadata = ProtectedResourceMetadata::new(&self.resource, issuers);
        let scopes: Vec<_> = self
            .scopes
            .iter()
            .chain(&self.optional_scopes)
            .map(|it| with_prefix(self.scope_prefix(), it))
            .collect();
        metadata.scopes_supported = (!scopes.is_empty()).then_some(scopes);
        let algorithms = Algorithm::ALL.map(|it| it.name().to_owned());
        metadata.dpop_signing_alg_values_supported = Some(algorithms.to_vec());
        metadata.dpop_bound_access_tokens_required = self.dpop_required.then_some(true);
        serde_json::to_vec(&metadata).unwrap_or_default().into()
    }
}

/// Logged because clients reach such a resource only if a proxy rewrites paths.
const OTHER_PATH: &str = "the path of the resource is not the path of the MCP endpoint: clients \
                          reach it only if a proxy rewrites paths";

fn path(url: &str) -> Option<String> {
    let url: http::Uri = url.parse().ok()?;
    Some(url.path().to_owned())
}

impl fmt::Debug for ResourceServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceServer")
            .field("resource", &self.settings.resource)
            .field("issuers", &self.settings.issuers)
            .field("verifier", &self.settings.verifier.is_some())
            .field("scopes", &self.settings.scopes)
            .finish_non_exhaustive()
    }
}
