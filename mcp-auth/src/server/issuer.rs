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
/// The metadata and keys are discovered (RFC 8414, then OpenID Connect). The issuer is trusted
/// configuration and may have a private address. By default, tokens must follow RFC 9068. Each
/// setting that accepts other tokens documents its limitations.
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
/// Some providers have their own constructors, such as [`entra`](Self::entra).
#[derive(Clone)]
#[must_use]
pub struct Issuer {
    pub(super) rules: AccessTokenRules,
    pub(super) keys: KeySource,
    pub(super) introspection: Option<IntrospectionClient>,
    pub(super) verifier: Option<Arc<dyn ErasedVerifier>>,
    pub(super) scope_prefix: String,
    /// A mistake that the other settings do not reveal.
    mistake: Option<ResourceServerError>,
}

impl Issuer {
    /// Creates an issuer from its identifier, which must be exactly the `issuer` of its metadata
    /// and the `iss` of its tokens. A trailing `/` makes a difference.
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

    /// Creates an issuer that has a different identifier for each tenant ([`IssuerTemplate`]).
    ///
    /// The metadata and the keys of all tenants are under the name `shared`, which must not be the
    /// name of a tenant. Clients are sent there. A key that names its issuer, as the keys of Entra
    /// ID do, verifies only the tokens of that issuer.
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

    /// Replaces the identifier, and thereby the location of metadata and keys. Use it for another
    /// deployment of a provider, such as a national cloud of Entra ID, with the provider's
    /// settings. It does not work for a [`template`](Self::template).
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

    /// Fetches the keys from this URL instead of the URL in the issuer's metadata, which is then
    /// not needed.
    ///
    /// Use it for issuers without metadata, and if the server reaches the issuer under a different
    /// name than clients do, as in containers. Anybody who can answer requests for this URL can
    /// forge tokens, so a warning is logged for plain `http` to another machine.
    pub fn keys_url(mut self, url: impl Into<String>) -> Self {
        self.keys = KeySource::Url(url.into());
        self
    }

    /// Verifies tokens only with these keys. Nothing is fetched, so new keys of the issuer go
    /// unnoticed.
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

    /// Introspects tokens that are not JWTs (RFC 7662), with a client that the issuer knows. The
    /// client authenticates with a secret, an [`AssertionKey`](crate::authentication::AssertionKey)
    /// or nothing.
    ///
    /// Responses must have `aud` and `exp`. A response is used for 60 seconds after the lookup
    /// began, so a revocation may be noticed that late, also by open streams. The response for an
    /// invalid token is used for 5 seconds. Lookups of the same token are shared, and at most 1024
    /// lookups run at a time. After a failed lookup, no others start for one second: requests with
    /// unknown tokens are then answered with 503 and `Retry-After`.
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

    /// Introspects at this URL instead of the URL in the issuer's metadata, which is then not
    /// needed. A secret is sent with `client_secret_basic`.
    pub fn introspection_url(mut self, url: impl Into<String>) -> Self {
        self.introspection.get_or_insert_default().url = Some(url.into());
        self
    }

    /// Also introspects JWTs, instead of verifying them with keys. The revocation of a token is
    /// then noticed within 60 seconds, but each new token costs a request.
    pub fn introspect_jwts(mut self) -> Self {
        self.introspection.get_or_insert_default().takes_jwts = true;
        self
    }

    /// Accepts introspection responses without an audience, as if the tokens were for this server.
    ///
    /// Limitation: tokens that the issuer issued for other servers are accepted here, so the
    /// operator of any such server can use the tokens that are sent to it. Require a scope that
    /// only this server has.
    pub fn introspection_without_audience(mut self) -> Self {
        let client = self.introspection.get_or_insert_default();
        client.allows_any_audience = true;
        self
    }

    /// Verifies tokens that are not JWTs with custom code instead of introspection. Its results are
    /// cached and its calls shared as with [`introspection`](Self::introspection). The returned
    /// claims are checked by the rules of this issuer.
    pub fn verifier(mut self, verifier: impl TokenVerifier) -> Self {
        self.verifier = Some(Arc::new(verifier));
        self
    }

    /// Also accepts tokens for this audience, for issuers that can't put the URL of the resource
    /// into `aud`. Tokens for other servers must not have this audience.
    pub fn audience(self, audience: impl Into<String>) -> Self {
        self.with(|rules| rules.audience(audience))
    }

    /// Uses the claim with this name instead of `aud`, for issuers whose tokens have no audience.
    /// For example, use `client_id`, with the identifier of each client as an
    /// [`audience`](Self::audience).
    ///
    /// Limitation: a token that such a client got for a different server is accepted here.
    pub fn audience_claim(self, name: impl Into<String>) -> Self {
        self.with(|rules| rules.audience_claim(name))
    }

    /// Requires a claim to have this value.
    pub fn require_claim(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|rules| rules.require_claim(name, value))
    }

    /// Requires `check` to return true for the claims. It is called after all other rules and must
    /// not block.
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

    /// Sets a prefix that clients must put before the scopes of this server, such as `api://app/`,
    /// while the issuer's tokens contain the scopes without it.
    ///
    /// Challenges and metadata name the scopes with the prefix, except the scopes of OpenID Connect
    /// (`openid`, `profile`, `email`, `offline_access`) and scopes that are URLs. Tokens may
    /// contain the scopes with or without the prefix. If there are several issuers, challenges use
    /// the prefix of the first.
    pub fn scope_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.scope_prefix = prefix.into();
        self
    }

    /// Sets the algorithms that JWTs may be signed with. Default: all of [`Algorithm`].
    pub fn algorithms(self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.with(|rules| rules.algorithms(algorithms))
    }

    /// Sets the tolerated clock difference for `exp` and `nbf`. Default: 60 seconds.
    pub fn leeway(self, leeway: Duration) -> Self {
        self.with(|rules| rules.leeway(leeway))
    }

    /// Accepts JWTs whose `typ` is `JWT` or missing, for issuers that do not follow RFC 9068.
    /// Without this setting, only the `typ` `at+jwt` is accepted.
    ///
    /// ID tokens and other tokens are then rejected by their claims (see
    /// [`AccessTokenRules::accept_generic_type`]). Limitation: such a token passes if it has none
    /// of these claims but the audience of the resource. ID tokens have no scopes, so require a
    /// scope with [`ResourceServer::scopes`](super::ResourceServer::scopes), or a claim with
    /// [`require`](Self::require). A warning is logged if there is neither.
    pub fn accept_generic_type(self) -> Self {
        self.with(AccessTokenRules::accept_generic_type)
    }

    /// Records a mistake that later settings would hide, unless one is already recorded.
    pub(super) fn checked(mut self, check: Result<(), ResourceServerError>) -> Self {
        self.mistake = self.mistake.or(check.err());
        self
    }

    fn with(mut self, change: impl FnOnce(AccessTokenRules) -> AccessTokenRules) -> Self {
        self.rules = change(self.rules);
        self
    }

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
        require(
            has_names,
            "`Issuer::audience`",
            "",
            "give the value that tokens have",
        )?;
        let has_any = self.rules.has_algorithms();
        require(has_any, "`Issuer::algorithms`", "[]", "name one")?;
        match self.urls().find(|url| ServerUrl::parse(url).is_err()) {
            Some(url) => Err(ResourceServerError::Url(url.to_owned())),
            None => Ok(()),
        }
    }

    /// The configured URLs that replace URLs in the metadata.
    fn urls(&self) -> impl Iterator<Item = &str> {
        let keys = match &self.keys {
            KeySource::Url(url) => Some(&**url),
            KeySource::Discovery | KeySource::Given(_) => None,
        };
        let introspection = self.introspection.as_ref().and_then(|it| it.url.as_deref());
        keys.into_iter().chain(introspection)
    }

    /// Logs settings that are allowed but dangerous. `has_scopes` is true if every token must have
    /// a scope.
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
                "plain `http` to another machine: anybody on the network path can forge tokens",
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
