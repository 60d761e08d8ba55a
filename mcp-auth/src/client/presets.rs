//! `OAuth` for the clients of some providers.

use super::oauth::OAuth;

/// Clients of some providers: each function is a few settings, which could be written by hand. They follow
/// the providers' documentation as it was in November 2026.
impl OAuth {
    /// Microsoft Entra ID. `tenant` is the tenant's GUID, or `organizations` for people of all of them;
    /// `client_id` is the client's app registration.
    ///
    /// At the provider (documentation of November 2026): *App registrations*: the redirect URI
    /// `http://127.0.0.1/callback` for public clients, by the *Manifest*, and *API permissions* for the
    /// scopes of the server (`Issuer::entra` is the other side).
    ///
    /// Limitations: PKCE is used although the issuer does not announce it; `resource` is not sent, and the
    /// scopes alone name the server (`api://{server}/{scope}`), which its challenges have to name in this
    /// form.
    pub fn entra(
        name: impl Into<String>,
        tenant: impl Into<String>,
        client_id: impl Into<String>,
    ) -> Self {
        let tenant = tenant.into();
        let template = "https://login.microsoftonline.com/{tenantid}/v2.0";
        let oauth = Self::new(name)
            .issuer(format!("https://login.microsoftonline.com/{tenant}/v2.0"))
            .client(client_id)
            .scopes(["offline_access"])
            .authorization_parameter("prompt", "select_account")
            .assume_s256()
            .without_resource_parameter();
        match &*tenant {
            "organizations" => oauth.issuer_template(template),
            _ => oauth,
        }
    }

    /// Auth0. `domain` is `acme.eu.auth0.com` or a custom one, `api` the identifier of the server's API.
    ///
    /// At the provider (documentation of November 2026): *Applications*, *Native*, with the redirect
    /// URI; `Issuer::auth0` is the other side. Nothing is given up: `audience` is sent beside
    /// `resource`.
    pub fn auth0(
        name: impl Into<String>,
        domain: impl Into<String>,
        client_id: impl Into<String>,
        api: impl Into<String>,
    ) -> Self {
        Self::new(name)
            .issuer(format!("https://{}/", domain.into()))
            .client(client_id)
            .authorization_parameter("audience", api)
    }

    /// Amazon Cognito. `pool_url` is the issuer of the user pool,
    /// `https://cognito-idp.{region}.amazonaws.com/{pool}`.
    ///
    /// At the provider (documentation of November 2026): *App clients*: one with the authorization code
    /// grant, the redirect URI, and the scopes of the server (`Issuer::cognito` is the other side).
    /// Given up: PKCE is used, but not announced.
    pub fn cognito(
        name: impl Into<String>,
        pool_url: impl Into<String>,
        client_id: impl Into<String>,
    ) -> Self {
        Self::new(name)
            .issuer(pool_url)
            .client(client_id)
            .assume_s256()
    }

    /// Google, with refresh tokens. The secret of a *Desktop app* is not one that must be kept.
    ///
    /// At the provider (documentation of November 2026): *Google Auth Platform*, *Clients*: *Desktop
    /// app*; `Issuer::google` is the other side. Given up: `resource` is not sent, as Google does not
    /// know it.
    pub fn google(
        name: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        Self::new(name)
            .issuer("https://accounts.google.com")
            .client(client_id)
            .client_secret(client_secret)
            .scopes(["openid"])
            .authorization_parameter("access_type", "offline")
            .authorization_parameter("prompt", "consent")
            .without_resource_parameter()
    }

    /// GitHub, by an OAuth app.
    ///
    /// At the provider (documentation of November 2026): *Settings*, *Developer settings*, *OAuth
    /// Apps*, with the redirect URI `http://127.0.0.1/callback`; `Issuer::github` is the other side.
    /// Given up: GitHub does not know `resource`.
    pub fn github(
        name: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        Self::new(name)
            .issuer("https://github.com/login/oauth")
            .client(client_id)
            .client_secret(client_secret)
    }
}
