//! The access policy, and its settings.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::request::Parts;
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

/// An OAuth 2.1 resource server: admits requests with a valid access token (RFC 6750, RFC 9449).
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
///     /// Answers who calls.
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
/// - The metadata of the resource (RFC 9728) is at the well-known paths, with the resource's path and
///   without. Requests without a valid token are answered with 401 and a challenge that has its URL.
/// - JWTs (RFC 9068) are verified by the keys of their issuer: `iss`, `aud`, `exp`, `nbf`, `typ`. The
///   keys are fetched when they are first needed, again after 5 minutes, and for a token with an
///   unknown key, at most every 30 seconds. A key that is no longer there does not count any more.
///   While the issuer is down, the last keys serve for 24 hours; without keys, requests are answered
///   with 503 and `Retry-After`.
/// - A token by an unknown key is answered with 503 and `Retry-After`, not with 401, until the keys
///   were fetched after it came first: its key may be new.
/// - Other tokens are introspected, if the [`Issuer`] has a client for that.
/// - Tokens that are bound to a key (`cnf.jkt`) need a proof of possession (DPoP), which serves once.
///   Proofs and nonces are remembered in this process. A token that is bound by anything else, or
///   also by anything else, is refused.
/// - The host of the resource is one of those that requests may be for, so
///   [`allowed_hosts`](mcp_runtime::transport::http::HttpOptions::allowed_hosts) need not name it.
/// - Tokens are removed from requests, and are in no answer, error or log. Why a token is refused is
///   logged at `warn`, once for each reason, with the setting that would accept it.
/// - Handlers take [`Claims`](crate::jwt::Claims); the principal is issuer and subject. A stream ends
///   when the token does. Its token is verified again when the answer of an introspection has lapsed,
///   others after 60 seconds each, and the stream ends if it is not valid any more, or has fewer scopes
///   ([`AccessRevalidation`](mcp_runtime::transport::http::AccessRevalidation)).
///
/// What needs a scope beyond those of [`scopes`](Self::scopes) says so itself: tools by
/// `#[tool(scopes("files:write"))]`. A token without it is answered with 403 and `insufficient_scope`.
#[must_use]
pub struct ResourceServer {
    settings: Settings,
    /// Made of the settings when it is first needed.
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
    roots: Vec<Vec<u8>>,
    allows_http: bool,
}

impl ResourceServer {
    /// A server whose identifier is the URL of its MCP endpoint, as clients see it: `https`, or `http` on
    /// the loopback interface. Tokens must have it
    /// as their `aud`. URLs in proofs of possession are compared with it, whatever host a proxy asks
    /// for.
    pub fn new(resource: impl Into<String>) -> Self {
        Self {
            settings: Settings {
                resource: resource.into(),
                ..Settings::default()
            },
            admission: OnceLock::new(),
        }
    }

    /// Accepts tokens of this issuer: its URL, or an [`Issuer`] with settings of its own. There may be
    /// several; a token is verified only by the one that it names.
    pub fn issuer(self, issuer: impl Into<Issuer>) -> Self {
        self.with(|it| it.issuers.push(issuer.into()))
    }

    /// Has all tokens verified by code of your own, instead of keys and introspection. Issuers are then
    /// only named in the metadata.
    pub fn verifier(self, verifier: impl TokenVerifier) -> Self {
        self.with(|it| it.verifier = Some(Arc::new(verifier)))
    }

    /// Scopes that every request needs. Challenges and metadata name them.
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|it| it.scopes.extend(scopes.into_iter().map(Into::into)))
    }

    /// Scopes that the metadata names as well (`scopes_supported`), and not every request needs. Clients
    /// may ask for all of them at once: what few need is better left to the challenges of tools.
    pub fn optional_scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|it| {
            it.optional_scopes
                .extend(scopes.into_iter().map(Into::into));
        })
    }

    /// A token with the scope `broad` counts as one that has the others, too, and what these imply.
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

    /// Requires a nonce of this process in proofs of possession (RFC 9449 §9), which is another one each
    /// minute. Clients then need no right clock, and no proof can be made beforehand. Where several
    /// processes serve one URL, each client must stay at one of them.
    pub fn dpop_nonce(self) -> Self {
        self.with(|it| it.dpop_nonce = true)
    }

    /// Trusts one more root certificate, in DER, in requests to issuers.
    pub fn root_certificate(self, der: impl Into<Vec<u8>>) -> Self {
        self.with(|it| it.roots.push(der.into()))
    }

    /// Allows a resource whose URL is `http` on another host than the loopback interface, which RFC 9728
    /// §1.2 forbids: whoever is on the way can read and use the tokens of all callers. For tests in a
    /// network of containers, for example.
    pub fn allow_insecure_resource(self) -> Self {
        self.with(|it| it.allows_http = true)
    }

    /// Checks the settings. With a mistake in them, serving ends with this error.
    ///
    /// # Errors
    ///
    /// The first mistake.
    pub fn check(&self) -> Result<(), ResourceServerError> {
        self.admission().map(drop)
    }

    /// A layer that admits requests to any HTTP service, such as routes of axum, as this policy does.
    ///
    /// # Errors
    ///
    /// The first mistake in the settings.
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
    /// Logs what is allowed and dangerous. MCP is at `path`, if that is known.
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
        let proofs = Proofs::new(&self.resource, self.dpop_nonce).ok_or_else(invalid)?;
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

    /// What stands before scopes in challenges and metadata.
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

/// Warns of a resource that clients reach only if a proxy rewrites paths.
const OTHER_PATH: &str = "the resource has another path than MCP: only a proxy can make that right";

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
