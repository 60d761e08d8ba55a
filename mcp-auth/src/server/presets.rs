//! Issuers for some providers.

use super::error::{check_client, require};
use super::issuer::Issuer;
use super::provider_tokens::{GitHubTokens, TokenInfo};
use crate::jwt::{Claims, Tenants};

/// Issuers for some providers. Each function combines a few settings that could also be made
/// individually. They follow the providers' documentation as of November 2026. For another
/// deployment of a provider, such as a national cloud, add [`identifier`](Issuer::identifier).
impl Issuer {
    /// An issuer for Microsoft Entra ID with a single tenant and access tokens of version 2.0.
    ///
    /// `tenant` is the tenant's GUID, and `client_id` is the app registration of this server.
    ///
    /// At the provider (documentation of November 2026): in *App registrations*, *Expose an API*,
    /// set the application ID URI `api://{client_id}` and add a scope, whose short name is passed
    /// to [`ResourceServer::scopes`](super::ResourceServer::scopes). In the *Manifest*, set
    /// `requestedAccessTokenVersion: 2`. Clients are registered manually (`OAuth::entra` is their
    /// side).
    ///
    /// Accepts JWTs whose `aud` is the app registration and that have an `azp`, which ID
    /// tokens don't have.
    ///
    /// Limitation: the audience is the app registration and not the URL of this server, so this
    /// server needs its own app registration.
    pub fn entra(tenant: impl Into<String>, client_id: impl Into<String>) -> Self {
        let tenant = tenant.into();
        let issuer = format!("https://login.microsoftonline.com/{tenant}/v2.0");
        // Entra ID accepts several names for a tenant, but its tokens contain only the GUID.
        let is_guid = tenant.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
        let advice = "give the GUID of the tenant, from the overview of the app registration";
        let check = require(is_guid, "the tenant of `Issuer::entra`", &tenant, advice);
        Self::new(issuer)
            .checked(check)
            .with_app(client_id)
            .require_claim("tid", tenant)
    }

    /// An issuer for Microsoft Entra ID with several tenants.
    ///
    /// It works like [`entra`](Self::entra) for each tenant, with the template
    /// `https://login.microsoftonline.com/{tenantid}/v2.0`. The app registration must be
    /// multi-tenant. `tenants` are GUIDs. A function that accepts all tenants admits everybody who
    /// has a Microsoft account.
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

    /// Sets the rules that all access tokens for an Entra ID app registration share.
    fn with_app(self, client_id: impl Into<String>) -> Self {
        let client_id = client_id.into();
        self.audience(&client_id)
            .accept_generic_type()
            .require_claim("ver", "2.0")
            .require(|claims| text(claims, "azp").is_some())
            .scope_prefix(format!("api://{client_id}/"))
    }

    /// An issuer for Keycloak.
    ///
    /// `realm_url` is the URL of the realm, such as `https://login.example.com/realms/acme`.
    ///
    /// At the provider (documentation of November 2026): create a client scope with the mapper
    /// *Audience*, whose *Included Custom Audience* is the URL of this server, and make it a
    /// default scope of the realm. Set *Client registration* policies that admit the clients.
    ///
    /// Accepts JWTs whose claim `typ` is `Bearer` or `DPoP`. There are no limitations, because
    /// the audience is the URL of this server.
    pub fn keycloak(realm_url: impl Into<String>) -> Self {
        let kinds = ["Bearer", "DPoP"];
        Self::new(realm_url)
            .accept_generic_type()
            .require(move |claims| text(claims, "typ").is_some_and(|typ| kinds.contains(&typ)))
    }

    /// An issuer for Auth0.
    ///
    /// `domain` is `acme.eu.auth0.com` or a custom domain, and `api` is the identifier of the API.
    ///
    /// At the provider (documentation of November 2026): under *APIs*, *Create API*, preferably use
    /// the URL of this server as the identifier, and select the profile *RFC 9068*. Clients request
    /// the API with `audience` (`OAuth::auth0`), or with `resource` if the tenant's compatibility
    /// setting for resource parameters is enabled. To admit clients that are not known in advance,
    /// allow *third-party applications* to register.
    ///
    /// Accepts JWTs whose `aud` is the API and that have a `scope` or `gty`, which ID tokens
    /// don't have.
    pub fn auth0(domain: impl Into<String>, api: impl Into<String>) -> Self {
        Self::new(format!("https://{}/", domain.into()))
            .audience(api)
            .accept_generic_type()
            .require(|claims| text(claims, "scope").or(text(claims, "gty")).is_some())
    }

    /// An issuer for Okta with a custom authorization server.
    ///
    /// `server_url` is the issuer of the authorization server, such as
    /// `https://acme.okta.com/oauth2/default`. `audience` is the audience that is set there, such
    /// as `api://default`.
    ///
    /// At the provider (documentation of November 2026): under *Security*, *API*, *Authorization
    /// Servers*, set the audience (preferably the URL of this server), the scopes, and an access
    /// policy for the clients, which are registered manually.
    ///
    /// Accepts JWTs with this `aud` and the claim `cid`, which ID tokens don't have. The org
    /// authorization server can't issue tokens for custom servers.
    pub fn okta(server_url: impl Into<String>, audience: impl Into<String>) -> Self {
        Self::new(server_url)
            .audience(audience)
            .accept_generic_type()
            .require(|claims| text(claims, "cid").is_some())
    }

    /// An issuer for Amazon Cognito.
    ///
    /// `pool_url` is the issuer of the user pool:
    /// `https://cognito-idp.{region}.amazonaws.com/{pool}`. `client_id` is the app client of the
    /// MCP clients; add further app clients with [`audience`](Self::audience).
    ///
    /// At the provider (documentation of November 2026): under *App clients*, create a client
    /// without a secret and with the authorization code grant. Under *Resource servers*, define the
    /// scopes. Their names begin with the identifier of the resource server and a `/`, which must
    /// be set as the [`scope_prefix`](Self::scope_prefix).
    ///
    /// Accepts JWTs with this `client_id` and the `token_use` `access`.
    ///
    /// Limitation: Cognito's tokens have no audience, so a token that the client got for a
    /// different server of the pool is also accepted here. Require a scope of a resource server
    /// that only this server uses.
    pub fn cognito(pool_url: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self::new(pool_url)
            .audience_claim("client_id")
            .audience(client_id)
            .accept_generic_type()
            .require_claim("token_use", "access")
    }

    /// An issuer for Google.
    ///
    /// `client_id` is the client of the MCP clients; add further clients with
    /// [`audience`](Self::audience).
    ///
    /// At the provider (documentation of November 2026): in *Google Auth Platform*, under
    /// *Clients*, create a client of the type *Desktop app* or *Web application*. `OAuth::google`
    /// is the client's side. Other clients can't register; use `OAuthProxy` to admit them.
    ///
    /// Accepts opaque access tokens that Google's [`TokenInfo`] knows and that have the scope
    /// `openid`. Each new token costs a request.
    ///
    /// Limitation: the audience is the client and not this server, so anybody who gets a token of
    /// the client for another purpose can use it here.
    pub fn google(client_id: impl Into<String>) -> Self {
        let url = "https://oauth2.googleapis.com/tokeninfo";
        let issuer = "https://accounts.google.com";
        Self::new(issuer)
            .audience(client_id)
            .verifier(TokenInfo::new(url, issuer))
    }

    /// An issuer for GitHub, with an OAuth app or a GitHub App for the MCP clients.
    ///
    /// At the provider (documentation of November 2026): under *Settings*, *Developer settings*,
    /// *OAuth Apps*, create an app with the redirect URI of the client, and a secret. Other clients
    /// can't register; use `OAuthProxy` to admit them.
    ///
    /// Accepts the tokens of this app (see [`GitHubTokens`]). Each new token costs a request,
    /// whose result is used for 60 seconds. Tokens of other apps are rejected; checking this is
    /// what the app's secret is needed for.
    ///
    /// Limitation: GitHub's tokens have neither an audience nor an expiry, so anybody who gets a
    /// token of the app for another purpose can use it here.
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

    /// An issuer for WorkOS AuthKit.
    ///
    /// `domain` is `acme.authkit.app` or a custom domain.
    ///
    /// At the provider (documentation of November 2026): under *Connect*, *Configuration*, set the
    /// URL of this server as the *MCP Resource Indicator*, and enable *Client ID Metadata Document*
    /// and *Dynamic Client Registration*.
    ///
    /// Accepts JWTs whose `aud` is the URL of this server. Clients that don't send `resource`
    /// get tokens with a different audience; to admit such a client, add its identifier as an
    /// [`audience`](Self::audience).
    pub fn workos(domain: impl Into<String>) -> Self {
        let issuer = Self::new(format!("https://{}", domain.into()));
        issuer.accept_generic_type()
    }

    /// An issuer for Descope, with an MCP server of its Agentic Identity Hub.
    ///
    /// `issuer_url` is the *Issuer URL* of the MCP server:
    /// `https://api.descope.com/v1/apps/agentic/{project}/{server}`. `audience` is the identifier
    /// of the project or of the server, for tokens without the URL of this server.
    ///
    /// At the provider (documentation of November 2026): under *Agentic Identity Hub*, *Resources*,
    /// *Create Resource*, *MCP Server*, set the URL of this server, the scopes, and how clients
    /// register.
    ///
    /// Accepts JWTs whose `aud` is the URL or `audience`.
    ///
    /// Limitation if `audience` is the project: a token for a different application of the project
    /// is accepted here, except tokens for its other MCP servers, which have different issuers.
    pub fn descope(issuer_url: impl Into<String>, audience: impl Into<String>) -> Self {
        Self::new(issuer_url)
            .audience(audience)
            .accept_generic_type()
    }
}

fn text<'a>(claims: &'a Claims, name: &str) -> Option<&'a str> {
    claims.get(name)?.as_str()
}
