//! Issuers of some providers: each function is a few settings, which could be written by hand.

use super::error::{check_client, require};
use super::issuer::Issuer;
use super::provider_tokens::{GitHubTokens, TokenInfo};
use crate::jwt::{Claims, Tenants};

/// Each follows the provider's documentation as it was in November 2026. What a provider has under another
/// name, such as a national cloud, is set by [`identifier`](Issuer::identifier).
impl Issuer {
    /// Microsoft Entra ID, one tenant, access tokens of version 2.0. `tenant` is the tenant's GUID, and
    /// `client_id` that of the app registration of this server.
    ///
    /// At the provider (documentation of November 2026): *App registrations*, *Expose an API*: the application ID URI `api://{client_id}` and a
    /// scope, which [`ResourceServer::scopes`](super::ResourceServer::scopes) names by its short name; in the
    /// *Manifest*, `requestedAccessTokenVersion: 2`. Clients are registered by hand
    /// (`OAuth::entra` has what they need).
    ///
    /// Accepted are JWTs with `aud` of the app registration and an `azp`, which ID tokens do not have.
    /// Given up: the audience is the app registration and not the URL of this server, so it must have one
    /// of its own.
    pub fn entra(tenant: impl Into<String>, client_id: impl Into<String>) -> Self {
        let tenant = tenant.into();
        let issuer = format!("https://login.microsoftonline.com/{tenant}/v2.0");
        // Of the names that Entra ID accepts for a tenant, tokens have the GUID alone.
        let is_guid = tenant.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
        let advice = "give the GUID of the tenant, from the overview of the app registration";
        let check = require(is_guid, "the tenant of `Issuer::entra`", &tenant, advice);
        Self::new(issuer)
            .checked(check)
            .with_app(client_id)
            .require_claim("tid", tenant)
    }

    /// Microsoft Entra ID, for the people of several tenants: as [`entra`](Self::entra) for each, by the
    /// template `https://login.microsoftonline.com/{tenantid}/v2.0`. The app registration is a multi-tenant
    /// one. `tenants` are GUIDs; a function that admits all lets anybody in who has an account of Microsoft's.
    ///
    /// ```
    /// use mcp_auth::Issuer;
    ///
    /// let customers = ["11111111-2222-3333-4444-555555555555"];
    /// let issuer = Issuer::entra_tenants(customers, "66666666-7777-8888-9999-000000000000");
    /// # drop(issuer);
    /// ```
    pub fn entra_tenants(tenants: impl Into<Tenants>, client_id: impl Into<String>) -> Self {
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0";
        Self::template(template, "organizations", tenants)
            .with_app(client_id)
            .require(|claims| {
                let end = text(claims, "tid").map(|tid| format!("/{tid}/v2.0"));
                end.is_some_and(|end| claims.issuer().ends_with(&end))
            })
    }

    /// What the access tokens for an app registration of Entra ID have.
    fn with_app(self, client_id: impl Into<String>) -> Self {
        let client_id = client_id.into();
        self.audience(&client_id)
            .accept_generic_type()
            .require_claim("ver", "2.0")
            .require(|claims| text(claims, "azp").is_some())
            .scope_prefix(format!("api://{client_id}/"))
    }

    /// Keycloak. `realm_url` is that of the realm: `https://login.example.com/realms/acme`.
    ///
    /// At the provider (documentation of November 2026): a client scope with the mapper *Audience* and *Included Custom Audience* = the URL
    /// of this server, as default scope of the realm; *Client registration* policies that let clients in.
    ///
    /// Accepted are JWTs whose claim `typ` is `Bearer` or `DPoP`. Nothing is given up: the audience is the URL.
    pub fn keycloak(realm_url: impl Into<String>) -> Self {
        let kinds = ["Bearer", "DPoP"];
        Self::new(realm_url)
            .accept_generic_type()
            .require(move |claims| text(claims, "typ").is_some_and(|typ| kinds.contains(&typ)))
    }

    /// Auth0. `domain` is `acme.eu.auth0.com` or a custom one, `api` the identifier of the API.
    ///
    /// At the provider (documentation of November 2026): *APIs*, *Create API*; best is the URL of this server as its identifier, and the
    /// profile *RFC 9068*. Clients ask for it by `audience` (`OAuth::auth0`), or by `resource` if the tenant
    /// has the compatibility for resource parameters; let *third-party applications* register for clients
    /// that are not known before.
    ///
    /// Accepted are JWTs with `aud` of the API, and a `scope` or `gty`, which ID tokens do not have.
    pub fn auth0(domain: impl Into<String>, api: impl Into<String>) -> Self {
        Self::new(format!("https://{}/", domain.into()))
            .audience(api)
            .accept_generic_type()
            .require(|claims| text(claims, "scope").or(text(claims, "gty")).is_some())
    }

    /// Okta, a custom authorization server. `server_url` is its issuer,
    /// `https://acme.okta.com/oauth2/default`, and `audience` what is set there, such as `api://default`.
    ///
    /// At the provider (documentation of November 2026): *Security*, *API*, *Authorization Servers*: the audience, best the URL of this server,
    /// scopes, and an access policy for the clients, which are registered by hand.
    ///
    /// Accepted are JWTs with this `aud` and the claim `cid`, which ID tokens do not have. The org
    /// authorization server is not for servers of one's own.
    pub fn okta(server_url: impl Into<String>, audience: impl Into<String>) -> Self {
        Self::new(server_url)
            .audience(audience)
            .accept_generic_type()
            .require(|claims| text(claims, "cid").is_some())
    }

    /// Amazon Cognito. `pool_url` is the issuer of the user pool,
    /// `https://cognito-idp.{region}.amazonaws.com/{pool}`, and `client_id` the app client of the MCP
    /// clients; add others by [`audience`](Self::audience).
    ///
    /// At the provider (documentation of November 2026): *App clients*: one without a secret, with the authorization code grant; *Resource
    /// servers*: the scopes, whose names have the identifier of the resource server before a `/`, which is
    /// to be set as [`scope_prefix`](Self::scope_prefix).
    ///
    /// Accepted are JWTs with this `client_id` and `token_use` = `access`. Given up: Cognito's tokens name no
    /// audience, so a token that the client got for another server of the pool is accepted here as well; require a
    /// scope of a resource server of its own.
    pub fn cognito(pool_url: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self::new(pool_url)
            .audience_claim("client_id")
            .audience(client_id)
            .accept_generic_type()
            .require_claim("token_use", "access")
    }

    /// Google. `client_id` is that of the MCP clients; add others by [`audience`](Self::audience).
    ///
    /// At the provider (documentation of November 2026): *Google Auth Platform*, *Clients*: one of the type *Desktop app* or *Web application*.
    /// `OAuth::google` has what it needs. Other clients can't register: see `OAuthProxy`.
    ///
    /// Accepted are opaque access tokens that Google's [`TokenInfo`] knows, with the scope `openid`; each
    /// new one costs a request. Given up: the audience is the client and not this server, so whoever gets a
    /// token of the client for another purpose can use it here.
    pub fn google(client_id: impl Into<String>) -> Self {
        let url = "https://oauth2.googleapis.com/tokeninfo";
        let issuer = "https://accounts.google.com";
        Self::new(issuer)
            .audience(client_id)
            .verifier(TokenInfo::new(url, issuer))
    }

    /// GitHub, by an OAuth app or a GitHub App of the MCP clients.
    ///
    /// At the provider (documentation of November 2026): *Settings*, *Developer settings*, *OAuth Apps*: one with the redirect URI of the
    /// client and a secret. Other clients can't register: see `OAuthProxy`.
    ///
    /// Accepted are the tokens of this app ([`GitHubTokens`]); each new one costs a request, and counts for 60
    /// seconds. Given up: GitHub's tokens name neither audience nor end, so whoever gets a token of the app
    /// for another purpose can use it here. Tokens of other apps are refused, which is why the app's
    /// secret is needed.
    pub fn github(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        let client_id = client_id.into();
        let client_secret = client_secret.into();
        let check = check_client("`Issuer::github`", &client_id, &(&client_secret).into());
        let issuer = Self::new("https://github.com/login/oauth");
        issuer
            .checked(check)
            .audience(&client_id)
            .verifier(GitHubTokens::new(client_id, client_secret))
    }

    /// WorkOS AuthKit. `domain` is `acme.authkit.app` or a custom one.
    ///
    /// At the provider (documentation of November 2026): *Connect*, *Configuration*: the URL of this server as *MCP Resource Indicator*;
    /// *Client ID Metadata Document* and *Dynamic Client Registration* on.
    ///
    /// Accepted are JWTs with the URL of this server as `aud`. Clients that send no `resource` get other ones;
    /// whoever must let them in adds the client's identifier as [`audience`](Self::audience).
    pub fn workos(domain: impl Into<String>) -> Self {
        let issuer = Self::new(format!("https://{}", domain.into()));
        issuer.accept_generic_type()
    }

    /// Descope, an MCP server of the Agentic Identity Hub. `issuer_url` is its *Issuer URL*,
    /// `https://api.descope.com/v1/apps/agentic/{project}/{server}`, and `audience` the identifier of the
    /// project or of the server, for tokens without the URL of this server.
    ///
    /// At the provider (documentation of November 2026): *Agentic Identity Hub*, *Resources*, *Create Resource*, *MCP Server*: the URL of
    /// this server, the scopes, and how clients register.
    ///
    /// Accepted are JWTs with the URL or `audience` as `aud`. Given up, if it is the project's: a token
    /// for another server of the project is accepted here; its issuer is another one, if it is an MCP server.
    pub fn descope(issuer_url: impl Into<String>, audience: impl Into<String>) -> Self {
        Self::new(issuer_url)
            .audience(audience)
            .accept_generic_type()
    }
}

/// A claim that is a text.
fn text<'a>(claims: &'a Claims, name: &str) -> Option<&'a str> {
    claims.get(name)?.as_str()
}
