//! Renewal of a token from the store, with a refresh token or with a login.

use std::sync::Arc;

use http::StatusCode;
use mcp_runtime::transport::http_client::AfterChallenge;

use super::config::Config;
use super::discovery::{Discoverer, Discovery};
use super::dpop::{Nonces, ProofKey, Proving, has_es256};
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::exchange::CredentialHttp;
use super::scopes::Scopes;
use super::session::{Session, TokenOrigin};
use super::token_grant::TokenGrant;
use super::token_request::IssuerClient;
use super::token_set::{Binding, TokenSet, list_server, load, registration_key, save, stored};
use crate::authentication::ClientCredentials;
use crate::metadata::AuthorizationServerMetadata;

/// The result of revoking tokens at their issuers during a logout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Revocation {
    /// All tokens were revoked, or there were no tokens.
    Done,
    /// An issuer does not offer revocation (RFC 7009), or not for this kind of token (§2.2.1,
    /// `unsupported_token_type`). The tokens are removed locally but stay valid until they expire.
    NotOffered,
}

/// One renewal of the token of a session. A session has at most one running renewal.
pub(crate) struct Renewal {
    pub(crate) config: Arc<Config>,
    pub(crate) session: Arc<Session>,
    pub(crate) http: CredentialHttp,
    pub(crate) nonces: Arc<Nonces>,
}

/// The parts of a challenge that a renewal depends on (RFC 6750 §3, RFC 9728 §5.1).
#[derive(Clone, Debug, Default)]
pub(crate) struct Demand {
    /// `resource_metadata`.
    pub(crate) announced: Option<String>,
    pub(crate) scopes: Scopes,
    /// `error` and `error_description`.
    pub(crate) reason: Option<String>,
    /// The challenge names the scheme `Bearer`.
    pub(crate) bearer: bool,
    pub(crate) dpop: bool,
}

impl Renewal {
    /// Loads the tokens that an earlier process saved.
    pub(crate) async fn load(self) -> Result<(), AuthError> {
        let store = &*self.config.store;
        let binding =
            load::<Binding>(store, &self.config.keys().binding(&self.session.server)).await?;
        let tokens = match &binding {
            Some(binding) => self.kept(binding).await?,
            None => None,
        };
        let tokens = tokens.map(|tokens| (tokens, TokenOrigin::Stored));
        self.session.set(binding, tokens, true);
        Ok(())
    }

    /// Renews a token before it expires. If the renewal fails, the old token is used as long as the
    /// server accepts it.
    pub(crate) async fn refresh_early(self) -> Result<(), AuthError> {
        match self.renew_early().await {
            Ok(true) => {}
            Ok(false) => self.session.postpone_refresh(),
            Err(error) => {
                tracing::debug!(%error, "the token was not renewed early");
                self.session.postpone_refresh();
            }
        }
        Ok(())
    }

    /// Returns false if only a person can renew the token.
    async fn renew_early(&self) -> Result<bool, AuthError> {
        let known = self.session.binding();
        let announced = known.as_ref().and_then(|known| known.announced.clone());
        let (discovery, binding) = self.discover(announced).await?;
        if known.is_none_or(|known| !known.is_same(&binding)) {
            return Ok(false);
        }
        if self.refresh(&discovery, &binding).await? {
            return Ok(true);
        }
        let is_unattended = self.config.grant.is_unattended();
        if is_unattended {
            self.grant(&discovery, binding, Demand::default()).await?;
        }
        Ok(is_unattended)
    }

    pub(crate) async fn after_unauthorized(
        self,
        demand: Demand,
    ) -> Result<AfterChallenge, AuthError> {
        let (discovery, binding) = self.discover(demand.announced.clone()).await?;
        let known = self.session.binding();
        let token = self.session.token();
        let is_same = known.is_some_and(|known| known.is_same(&binding));
        match token.filter(|_| is_same) {
            Some(token) if token.may_be_old() => {
                if self.refresh(&discovery, &binding).await? {
                    return Ok(AfterChallenge::SendAgain);
                }
            }
            // The token is removed, so the next request begins with a login.
            Some(token)
                if token.origin == TokenOrigin::Grant
                    && self.session.has_requested(&demand.scopes) =>
            {
                self.forget(&binding).await?;
                let cause = AuthErrorKind::TokenRefused(demand.reason);
                let server = &self.session.server;
                return Err(AuthError::new(AuthStep::Access, server, cause));
            }
            Some(_) => {}
            // The server has changed its authorization server, or this is the first request.
            None => {
                if let Some(tokens) = self.kept(&binding).await? {
                    self.adopt(binding, tokens, TokenOrigin::Stored).await?;
                    return Ok(AfterChallenge::SendAgain);
                }
            }
        }
        self.grant(&discovery, binding, demand).await?;
        Ok(AfterChallenge::SendAgain)
    }

    /// Gets a token with more scopes after the server answered with 403 (2026-07-28,
    /// "Authorization", section Step-Up Authorization Flow). Gives up if an earlier login already
    /// requested these scopes.
    pub(crate) async fn step_up(self, demand: Demand) -> Result<AfterChallenge, AuthError> {
        if demand.scopes.is_empty() || self.session.has_requested(&demand.scopes) {
            return Ok(AfterChallenge::GiveUp);
        }
        let (discovery, binding) = self.discover(demand.announced.clone()).await?;
        self.grant(&discovery, binding, demand).await?;
        Ok(AfterChallenge::SendAgain)
    }

    /// Revokes the tokens in the store (RFC 7009) and any tokens that could not be saved. Removes
    /// them even if the revocation fails.
    pub(crate) async fn log_out(self) -> Result<Revocation, AuthError> {
        let store = &*self.config.store;
        let server = &self.session.server;
        let kept = load::<Binding>(store, &self.config.keys().binding(server)).await?;
        let mut outcome = Ok(Revocation::Done);
        if let Some(binding) = kept.or_else(|| self.session.binding()) {
            // Another process may be redeeming the refresh token.
            let _lock = stored(store.lock(&self.key_of(&binding))).await?;
            outcome = self.revoke_all(&binding).await;
            self.forget(&binding).await?;
        }
        stored(store.remove(&self.config.keys().binding(server))).await?;
        list_server(store, self.config.keys(), server, false).await?;
        outcome
    }

    /// Revokes all tokens of a binding, including tokens that could not be saved.
    async fn revoke_all(&self, binding: &Binding) -> Result<Revocation, AuthError> {
        let unsaved = self.session.token().filter(|token| !token.is_saved);
        let unsaved = unsaved.map(|token| token.tokens.clone());
        let kept = self.kept(binding).await?;
        let all: Vec<_> = kept.into_iter().chain(unsaved).collect();
        if all.is_empty() {
            return Ok(Revocation::Done);
        }
        let issuer = self.discoverer(None).issuer(&binding.issuer).await;
        let issuer = match issuer {
            // A server of 2025-03-26 without metadata has only the default endpoints.
            Err(error) if matches!(error.kind(), AuthErrorKind::NoMetadata) => {
                return Ok(Revocation::NotOffered);
            }
            issuer => issuer?,
        };
        if issuer.revocation_endpoint.is_none() {
            return Ok(Revocation::NotOffered);
        }
        let mut outcome = Ok(Revocation::Done);
        for tokens in &all {
            let revoked = self.revoke(&issuer, tokens).await;
            let revoked = match revoked {
                Ok(()) => Ok(Revocation::Done),
                Err(error) if is_unsupported(&error) => Ok(Revocation::NotOffered),
                Err(error) => Err(error),
            };
            outcome = match (outcome, revoked) {
                (Ok(Revocation::NotOffered), Ok(_)) => Ok(Revocation::NotOffered),
                (outcome, revoked) => outcome.and(revoked),
            };
        }
        outcome
    }

    async fn revoke(
        &self,
        issuer: &AuthorizationServerMetadata,
        tokens: &TokenSet,
    ) -> Result<(), AuthError> {
        let Some(client) = self.client(tokens, issuer)? else {
            return Ok(());
        };
        let issuer = IssuerClient {
            http: &self.http,
            metadata: issuer,
            client: &client,
            settings: self.config.settings_of(&issuer.issuer),
            proving: None,
        };
        let refresh_token = match &tokens.refresh_token {
            Some(token) => issuer.revoke(token, "refresh_token").await,
            None => Ok(()),
        };
        let access_token = issuer.revoke(&tokens.access_token, "access_token").await;
        // Report any other error in preference to an unsupported token type.
        match refresh_token {
            Err(error) if !is_unsupported(&error) => Err(error),
            refresh_token => access_token.and(refresh_token),
        }
    }

    pub(super) async fn discover(
        &self,
        announced: Option<String>,
    ) -> Result<(Discovery, Binding), AuthError> {
        let discovery = self.discoverer(announced.as_deref()).discover().await?;
        let binding = Binding {
            issuer: discovery.issuer.issuer.clone(),
            resource: discovery.resource.resource.clone(),
            announced,
        };
        Ok((discovery, binding))
    }

    fn discoverer<'a>(&'a self, announced: Option<&'a str>) -> Discoverer<'a> {
        Discoverer {
            http: &self.http,
            server: &self.session.server,
            announced,
            config: &self.config,
        }
    }

    /// Gets new tokens, saves them and starts using them.
    pub(super) async fn obtain(
        &self,
        discovery: &Discovery,
        binding: Binding,
        demand: Demand,
    ) -> Result<(), AuthError> {
        let proving = self.proving(discovery, &demand)?;
        let scopes = self.scopes(discovery, demand.scopes);
        let requested = scopes.clone();
        let grant = TokenGrant {
            config: &self.config,
            http: &self.http,
            discovery,
            scopes,
            proving,
            session: &self.session,
        };
        let tokens = grant.run().await?;
        self.session.requested(&requested);
        // Another process may be refreshing tokens and would overwrite these.
        let lock = stored(self.config.store.lock(&self.key_of(&binding))).await;
        let saved = self.adopt(binding, tokens, TokenOrigin::Grant).await;
        lock.and(saved)
    }

    /// The key to bind new tokens to (RFC 9449).
    /// Tokens are bound if the issuer supports `ES256` and the MCP server requires or offers bound
    /// tokens in its challenge or its metadata. Tokens that were bound before stay bound.
    fn proving(
        &self,
        discovery: &Discovery,
        demand: &Demand,
    ) -> Result<Option<Proving>, AuthError> {
        let resource = &discovery.resource;
        let issuer = &discovery.issuer;
        let is_required = resource.dpop_bound_access_tokens_required == Some(true)
            || demand.dpop && !demand.bearer;
        let token = self.session.token();
        let is_wanted = is_required
            || demand.dpop
            || has_es256(resource.dpop_signing_alg_values_supported.as_ref())
            || token.is_some_and(|token| token.tokens.key.is_some());
        let is_offered = has_es256(issuer.dpop_signing_alg_values_supported.as_ref());
        let error = |cause| AuthError::new(AuthStep::Token, &issuer.issuer, cause);
        if is_wanted && is_offered {
            Ok(Some(Proving {
                key: ProofKey::generate().map_err(|it| error(AuthErrorKind::SigningKey(it)))?,
                nonces: Arc::clone(&self.nonces),
                is_required,
            }))
        } else if is_required {
            Err(error(AuthErrorKind::NoBoundTokens))
        } else {
            Ok(None)
        }
    }

    /// The scopes to request: the scopes of the challenge or else of the server's basic functions,
    /// plus the user's scopes and earlier requested scopes (2026-07-28, "Authorization", section
    /// Scope Selection Strategy). Requests `offline_access` if the issuer offers it.
    fn scopes(&self, discovery: &Discovery, demanded: Scopes) -> Scopes {
        const OFFLINE: &str = "offline_access";
        let set = &self.config.scopes;
        let basic = if demanded.is_empty() && set.is_empty() {
            discovery.scopes_supported()
        } else {
            demanded
        };
        let mut scopes = self.session.known_scopes().union(&basic).union(set);
        scopes.remove(OFFLINE);
        let offered = discovery.issuer.scopes_supported.as_ref();
        let is_offered = offered.is_some_and(|all| all.iter().any(|it| it == OFFLINE));
        if is_offered && !self.config.grant.is_unattended() {
            scopes.add(OFFLINE);
        }
        scopes
    }

    /// Redeems the refresh token (RFC 6749 §6). Returns false if it is missing or invalid.
    ///
    /// Of several processes that share a store, one redeems the token and the others use the result.
    async fn refresh(&self, discovery: &Discovery, binding: &Binding) -> Result<bool, AuthError> {
        let store = &*self.config.store;
        let key = self.key_of(binding);
        let lock = stored(store.lock(&key)).await?;
        let kept = self.kept(binding).await?;
        let current = self.session.token();
        let unsaved = current.as_ref().filter(|it| !it.is_saved);
        let is_older = |unsaved: u64| kept.as_ref().is_none_or(|it| it.issued_at <= unsaved);
        let kept = match (unsaved, &kept) {
            // The refresh token in the store may already be redeemed.
            (Some(unsaved), _) if is_older(unsaved.tokens.issued_at) => unsaved.tokens.clone(),
            (_, None) => return Ok(false),
            (_, Some(kept)) => kept.clone(),
        };
        if current.is_none_or(|it| it.tokens.access_token != kept.access_token) {
            let tokens = Some((kept, TokenOrigin::Stored));
            self.session.set(Some(binding.clone()), tokens, true);
            return Ok(true);
        }
        let proving = kept.key.clone().map(|key| Proving {
            key,
            nonces: Arc::clone(&self.nonces),
            is_required: false,
        });
        let client = self.client(&kept, &discovery.issuer)?;
        let (Some(client), Some(refresh_token)) = (client, kept.refresh_token.clone()) else {
            return Ok(false);
        };
        let issuer = IssuerClient {
            http: &self.http,
            metadata: &discovery.issuer,
            client: &client,
            settings: self.config.settings_of(&discovery.issuer.issuer),
            proving: proving.as_ref(),
        };
        let parameters = vec![
            ("grant_type", "refresh_token".to_owned()),
            ("refresh_token", refresh_token),
            ("resource", binding.resource.clone()),
        ];
        let response = match issuer.token(AuthStep::Refresh, parameters).await {
            Ok(response) => response,
            Err(error) if is_final(&error) => {
                tracing::debug!(%error, "the refresh token is no longer valid");
                self.refused(binding, kept, &error).await?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let scope = kept.scope.clone();
        let client_id = kept.client_id.clone();
        let mut tokens = TokenSet::new(response, &scope, client_id, kept.registration, kept.key);
        tokens.refresh_token = tokens.refresh_token.or(kept.refresh_token);
        let saved = self.adopt(binding.clone(), tokens, TokenOrigin::Refresh);
        saved.await?;
        drop(lock);
        Ok(true)
    }

    /// Forgets a refresh token that is no longer valid, or the registration of a client that the
    /// issuer no longer knows.
    async fn refused(
        &self,
        binding: &Binding,
        mut kept: TokenSet,
        error: &AuthError,
    ) -> Result<(), AuthError> {
        let store = &*self.config.store;
        if error.code() == Some("invalid_client") && kept.registration.is_some() {
            let key = registration_key(&binding.issuer);
            stored(store.remove(&key)).await?;
        }
        kept.refresh_token = None;
        save(store, &self.key_of(binding), &kept, kept.ttl()).await
    }

    /// Saves tokens and starts using them. They are used even if they can't be saved.
    async fn adopt(
        &self,
        binding: Binding,
        mut tokens: TokenSet,
        origin: TokenOrigin,
    ) -> Result<(), AuthError> {
        let store = &*self.config.store;
        // `issued_at` must not decrease even if the clock was set back: it tells unsaved tokens
        // from older ones in the store.
        let before = self.session.token().map_or(0, |it| it.tokens.issued_at);
        tokens.issued_at = tokens.issued_at.max(before);
        let keys = self.config.keys();
        let server = &self.session.server;
        let saved = async {
            // List the server first, so a logout finds whatever is saved next.
            list_server(store, keys, server, true).await?;
            save(store, &self.key_of(&binding), &tokens, tokens.ttl()).await?;
            save(store, &keys.binding(server), &binding, None).await
        };
        let saved = saved.await;
        let tokens = Some((tokens, origin));
        self.session.set(Some(binding), tokens, saved.is_ok());
        saved
    }

    async fn forget(&self, binding: &Binding) -> Result<(), AuthError> {
        let removed = stored(self.config.store.remove(&self.key_of(binding))).await;
        self.session.set(None, None, true);
        self.session.forget_scopes();
        removed
    }

    /// The tokens in the store, if they were issued to the configured client.
    pub(super) async fn kept(&self, binding: &Binding) -> Result<Option<TokenSet>, AuthError> {
        let config = &self.config;
        if config.issuer.is_some() && !config.has_issuer(&binding.issuer) {
            return Ok(None);
        }
        let kept: Option<TokenSet> = load(&*config.store, &self.key_of(binding)).await?;
        Ok(kept.filter(|kept| match &config.client_id {
            Some(id) => *id == kept.client_id,
            None if config.grant.is_unattended() => kept.client_id.is_empty(),
            None => {
                let document = config.client_metadata_url.as_ref();
                kept.registration.is_some() || document == Some(&kept.client_id)
            }
        }))
    }

    /// The client that the tokens were issued to, or `None` if the settings name another client.
    fn client(
        &self,
        tokens: &TokenSet,
        issuer: &AuthorizationServerMetadata,
    ) -> Result<Option<ClientCredentials>, AuthError> {
        if let Some(registration) = &tokens.registration {
            return Ok(Some(registration.credentials()));
        }
        let is_document = self.config.client_id.is_none() && !self.config.grant.is_unattended();
        let client = if is_document {
            self.config.by_document(issuer)
        } else {
            self.config.pre_registered(issuer)
        };
        Ok(Some(client?).filter(|it| it.client_id == tokens.client_id))
    }

    fn key_of(&self, binding: &Binding) -> String {
        self.config
            .keys()
            .tokens(&binding.issuer, &binding.resource)
    }
}

/// Returns true for an error that only a login resolves (RFC 6749 §5.2). After any other error,
/// such as an overloaded server, the same tokens may work again.
fn is_final(error: &AuthError) -> bool {
    const FINAL: [&str; 4] = [
        "invalid_grant",
        "invalid_client",
        "unauthorized_client",
        "unsupported_grant_type",
    ];
    let AuthErrorKind::Refused { status, code, .. } = error.kind() else {
        return false;
    };
    matches!(*status, StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED)
        && FINAL.contains(&code.as_str())
}

fn is_unsupported(error: &AuthError) -> bool {
    matches!(error.kind(), AuthErrorKind::Refused { code, .. } if code == "unsupported_token_type")
}
