//! Issuers of tokens.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::error::{ResourceServerError, check_client, require};
use super::introspection::IntrospectionClient;
use super::keys::KeySource;
use super::verifier::{ErasedVerifier, TokenVerifier};
use crate::authentication::ClientCredential;
use crate::jwt::{AccessTokenRules, Algorithm, Claims, JwkSet, Tenants};
use crate::metadata::url::ServerUrl;
use crate::metadata::{IssuerTemplate, authorization_server_metadata_urls};

/// An authorization server whose tokens a [`ResourceServer`](super::ResourceServer) accepts.
///
/// Its metadata and keys are found by discovery (RFC 8414, then OpenID Connect). It is trusted
/// configuration, and may have a private address. Without settings, tokens are accepted as RFC 9068 has them.
/// Each setting that accepts others says what is given up.
///
/// ```
/// use mcp_auth::jwt::Algorithm;
/// use mcp_auth::server::Issuer;
///
/// let issuer = Issuer::new("https://login.example.com")
///     .introspection("mcp-server", "secret")
///     .algorithms([Algorithm::Es256, Algorithm::Rs256]);
/// # drop(issuer);
/// ```
///
/// There is a function for each of some providers, such as [`entra`](Self::entra).
#[derive(Clone)]
#[must_use]
pub struct Issuer {
    pub(super) rules: AccessTokenRules,
    pub(super) keys: KeySource,
    pub(super) introspection: Option<IntrospectionClient>,
    pub(super) verifier: Option<Arc<dyn ErasedVerifier>>,
    pub(super) scope_prefix: String,
    /// A mistake that can't be seen in the other settings.
    mistake: Option<ResourceServerError>,
}

impl Issuer {
    /// The issuer with this identifier, which must be exactly the `issuer` of its metadata and the
    /// `iss` of its tokens: a `/` at the end makes a difference.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            rules: AccessTokenRules::of_issuer(url.into()),
            keys: KeySource::Discovery,
            introspection: None,
            verifier: None,
            scope_prefix: String::new(),
            mistake: None,
        }
    }

    /// An issuer that has another identifier for each tenant
    /// ([`IssuerTemplate`]), and metadata and keys for all of them under the name `shared`, which is not
    /// the name of one. Clients are sent there. Keys that name the issuer that they are of, as those of
    /// Entra ID do, verify only its tokens.
    ///
    /// ```
    /// use mcp_auth::Issuer;
    /// use mcp_auth::jwt::Tenants;
    ///
    /// let template = "https://login.example.com/{tenant}/v2.0";
    /// let listed = Issuer::template(template, "all", ["acme", "globex"]);
    /// let checked = Issuer::template(template, "all", Tenants::matching(|it| it.starts_with("eu-")));
    /// # drop((listed, checked));
    /// ```
    pub fn template(
        template: impl Into<String>,
        shared: impl Into<String>,
        tenants: impl Into<Tenants>,
    ) -> Self {
        let template = template.into();
        match IssuerTemplate::parse(&*template) {
            Ok(parsed) => {
                let issuer = Self::new(parsed.issuer(&shared.into()));
                issuer.with(|rules| rules.tenants(parsed, tenants.into()))
            }
            Err(_) => Self {
                mistake: Some(ResourceServerError::Template(template.clone())),
                ..Self::new(template)
            },
        }
    }

    /// Replaces the identifier, and with it the place of metadata and keys: for a provider of which there
    /// are several, such as the national clouds of Entra ID, behind the settings of one. Not for
    /// a [`template`](Self::template).
    ///
    /// ```
    /// use mcp_auth::Issuer;
    ///
    /// let tenant = "11111111-2222-3333-4444-555555555555";
    /// let issuer = Issuer::entra(tenant, "66666666-7777-8888-9999-000000000000")
    ///     .identifier(format!("https://login.microsoftonline.us/{tenant}/v2.0"));
    /// # drop(issuer);
    /// ```
    pub fn identifier(self, url: impl Into<String>) -> Self {
        self.with(|rules| rules.issued_by(url.into()))
    }

    /// Fetches the keys from this URL, instead of the one in the issuer's metadata, which is then not
    /// needed: for issuers without metadata, and where the server reaches the issuer under another name
    /// than clients do, as in containers. Whoever can answer there can make tokens: with plain `http`
    /// to another machine, a warning is logged.
    pub fn keys_url(mut self, url: impl Into<String>) -> Self {
        self.keys = KeySource::Url(url.into());
        self
    }

    /// Verifies tokens by these keys alone. Nothing is fetched, and new keys of the issuer are not
    /// noticed.
    ///
    /// ```
    /// use mcp_auth::Issuer;
    /// use mcp_auth::jwt::JwkSet;
    ///
    /// let keys = JwkSet::parse(br#"{"keys":[]}"#)?;
    /// let issuer = Issuer::new("https://login.example.com").keys(keys);
    /// # drop(issuer);
    /// # Ok::<(), mcp_auth::jwt::JwkError>(())
    /// ```
    pub fn keys(mut self, keys: JwkSet) -> Self {
        self.keys = KeySource::Given(Arc::new(keys));
        self
    }

    /// Has tokens that are no JWT introspected (RFC 7662), by a client that the issuer knows, with a
    /// secret, an [`AssertionKey`](crate::authentication::AssertionKey) or nothing. The answers must have
    /// `aud` and `exp`. They count for 60 seconds from the time of the question, which is how late a
    /// revocation may be noticed, also by a stream that is open; those about tokens that are not valid
    /// count for 5 seconds. A token is introspected once at a time, and 1024 at most. After an
    /// introspection that failed, there is no other for a second: requests with unknown tokens are
    /// answered with 503 and `Retry-After`.
    pub fn introspection(
        mut self,
        client_id: impl Into<String>,
        credential: impl Into<ClientCredential>,
    ) -> Self {
        let client = self.introspection.get_or_insert_default();
        client.id = client_id.into();
        client.credential = credential.into();
        self
    }

    /// Introspects at this URL, instead of the one in the issuer's metadata, which is then not needed. A
    /// secret is sent by `client_secret_basic`.
    pub fn introspection_url(mut self, url: impl Into<String>) -> Self {
        self.introspection.get_or_insert_default().url = Some(url.into());
        self
    }

    /// Has JWTs introspected as well, instead of verified by keys: a token that was revoked is noticed
    /// within 60 seconds, and each new token costs a request.
    pub fn introspect_jwts(mut self) -> Self {
        self.introspection.get_or_insert_default().takes_jwts = true;
        self
    }

    /// Accepts answers of an introspection without an audience, as if they had that of this server. Given
    /// up: tokens that the issuer has issued for other servers are accepted here, and whoever runs one of
    /// those can use what is sent there. Require a scope that only this server has.
    pub fn introspection_without_audience(mut self) -> Self {
        let client = self.introspection.get_or_insert_default();
        client.allows_any_audience = true;
        self
    }

    /// Has tokens that are no JWT verified by code of your own, instead of an introspection. Its answers
    /// are kept and its calls shared as those of an [`introspection`](Self::introspection), and the claims
    /// that it returns are checked by the rules of this issuer.
    pub fn verifier(mut self, verifier: impl TokenVerifier) -> Self {
        self.verifier = Some(Arc::new(verifier));
        self
    }

    /// Accepts tokens for this audience, too, for issuers that can't put the URL of the resource
    /// into `aud`. Tokens for another server must not have it.
    pub fn audience(self, audience: impl Into<String>) -> Self {
        self.with(|rules| rules.audience(audience))
    }

    /// Takes the claim of this name for `aud`, for issuers that name no audience: `client_id`, with the
    /// identifiers of the clients as each [`audience`](Self::audience). Given up: a token that such a
    /// client got for another server is accepted here.
    pub fn audience_claim(self, name: impl Into<String>) -> Self {
        self.with(|rules| rules.audience_claim(name))
    }

    /// Requires that a claim has this value.
    pub fn require_claim(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|rules| rules.require_claim(name, value))
    }

    /// Requires that `check` returns true for the claims, after all other rules. It must answer at once.
    ///
    /// ```
    /// use mcp_auth::Issuer;
    ///
    /// let issuer = Issuer::new("https://login.example.com")
    ///     .require(|claims| claims.get("email_verified") == Some(&true.into()));
    /// # drop(issuer);
    /// ```
    pub fn require(self, check: impl Fn(&Claims) -> bool + Send + Sync + 'static) -> Self {
        self.with(|rules| rules.require(check))
    }

    /// The text that clients have to put before the scopes of this server, such as `api://app/`, where the
    /// issuer's tokens have them without. Challenges and metadata name the scopes with it, except those of
    /// OpenID Connect (`openid`, `profile`, `email`, `offline_access`) and those that are URLs; tokens are
    /// checked without, whether they have it or not. Where there are several issuers, that of the first
    /// one stands in challenges.
    pub fn scope_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.scope_prefix = prefix.into();
        self
    }

    /// The algorithms by which JWTs may be signed. Default: all that [`Algorithm`] has.
    pub fn algorithms(self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.with(|rules| rules.algorithms(algorithms))
    }

    /// By how much the issuer's clock may differ in `exp` and `nbf`. Default: 60 s.
    pub fn leeway(self, leeway: Duration) -> Self {
        self.with(|rules| rules.leeway(leeway))
    }

    /// Accepts JWTs whose `typ` is `JWT` or missing, beside `at+jwt`, for issuers that do not follow
    /// RFC 9068. ID tokens and others are then refused by their claims
    /// ([`AccessTokenRules::accept_generic_type`]), and pass if they have none of these and the audience
    /// of the resource. They have no scopes, so require one by
    /// [`ResourceServer::scopes`](super::ResourceServer::scopes), or a claim by
    /// [`require`](Self::require); a warning is logged where there is neither.
    pub fn accept_generic_type(self) -> Self {
        self.with(AccessTokenRules::accept_generic_type)
    }

    /// Keeps a mistake in a setting that later ones do not show, unless there is one already.
    pub(super) fn checked(mut self, check: Result<(), ResourceServerError>) -> Self {
        self.mistake = self.mistake.or(check.err());
        self
    }

    fn with(mut self, change: impl FnOnce(AccessTokenRules) -> AccessTokenRules) -> Self {
        self.rules = change(self.rules);
        self
    }

    /// Checks the settings.
    pub(crate) fn check(&self) -> Result<(), ResourceServerError> {
        if let Some(mistake) = &self.mistake {
            return Err(mistake.clone());
        }
        let url = self.rules.issuer();
        let is_url = authorization_server_metadata_urls(url).is_ok();
        let is_full = |it: &ServerUrl<'_>| it.is_secure() && !it.path.contains("//");
        if !ServerUrl::parse(url).is_ok_and(|parsed| is_url && is_full(&parsed)) {
            return Err(ResourceServerError::Issuer(url.to_owned()));
        }
        if let Some(client) = &self.introspection {
            if client.id.is_empty() {
                return Err(ResourceServerError::NoIntrospectionClient(url.to_owned()));
            }
            check_client("`Issuer::introspection`", &client.id, &client.credential)?;
        }
        let (audiences, claim) = self.rules.audiences();
        let has_names = !claim.is_empty() && audiences.iter().all(|it| !it.is_empty());
        require(has_names, "`Issuer::audience`", "", "give what tokens have")?;
        let has_any = self.rules.has_algorithms();
        require(has_any, "`Issuer::algorithms`", "[]", "name one")?;
        match self.urls().find(|url| ServerUrl::parse(url).is_err()) {
            Some(url) => Err(ResourceServerError::Url(url.to_owned())),
            None => Ok(()),
        }
    }

    /// The URLs that take the place of those in metadata.
    fn urls(&self) -> impl Iterator<Item = &str> {
        let keys = match &self.keys {
            KeySource::Url(url) => Some(&**url),
            KeySource::Discovery | KeySource::Given(_) => None,
        };
        let introspection = self.introspection.as_ref().and_then(|it| it.url.as_deref());
        keys.into_iter().chain(introspection)
    }

    /// Logs what is allowed and dangerous. `has_scopes` is true if every token must have a scope.
    pub(super) fn warn(&self, has_scopes: bool) {
        let issuer = self.rules.issuer();
        if self.rules.accepts_generic_type() && !self.rules.has_checks() && !has_scopes {
            mcp_runtime::log::warn!(
                issuer,
                "`accept_generic_type` without `scopes`: an ID token for the audience of this server \
                 may pass for an access token; require a scope, which ID tokens do not have",
            );
        }
        let is_secure = |url: &str| ServerUrl::parse(url).is_ok_and(|url| url.is_secure());
        if let Some(url) = self.urls().find(|url| !is_secure(url)) {
            mcp_runtime::log::warn!(
                issuer,
                url,
                "plain `http` to another machine: whoever is on the way can have any token accepted",
            );
        }
    }
}

impl<T: Into<String>> From<T> for Issuer {
    fn from(url: T) -> Self {
        Self::new(url)
    }
}

impl fmt::Debug for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issuer")
            .field("rules", &self.rules)
            .field("introspection", &self.introspection)
            .finish_non_exhaustive()
    }
}
