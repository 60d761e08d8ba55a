//! `OAuth` clients for some providers.

use super::oauth::OAuth;

/// Clients for some providers. Each function combines a few settings that could also be made
/// individually. They follow the providers' documentation as of November 2026.
impl OAuth {
    /// A client for Microsoft Entra ID.
    ///
    /// `tenant` is the tenant's GUID, or `organizations` for people from all tenants. `client_id`
    /// is the client's app registration.
    ///
    /// At the provider (documentation of November 2026): under *App registrations*, add the
    /// redirect URI `http://127.0.0.1/callback` for public clients in the *Manifest*, and the
    /// scopes of the server under *API permissions*. `Issuer::entra` is the server's side.
    ///
    /// Limitations: PKCE is used although the issuer does not advertise it. `resource` is not sent,
    /// so only the scopes name the server, and the server's challenges must name them in the form
    /// `api://{server}/{scope}`.
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

    /// A client for Auth0.
    ///
    /// `domain` is `acme.eu.auth0.com` or a custom domain, and `api` is the identifier of the
    /// server's API.
    ///
    /// At the provider (documentation of November 2026): under *Applications*, create a *Native*
    /// application with the redirect URI. `Issuer::auth0` is the server's side. There are no
    /// limitations: `audience` is sent in addition to `resource`.
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

    /// A client for Amazon Cognito.
    ///
    /// `pool_url` is the issuer of the user pool:
    /// `https://cognito-idp.{region}.amazonaws.com/{pool}`.
    ///
    /// At the provider (documentation of November 2026): under *App clients*, create a client with
    /// the authorization code grant, the redirect URI and the scopes of the server.
    /// `Issuer::cognito` is the server's side.
    ///
    /// Limitation: PKCE is used although the issuer does not advertise it.
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

    /// A client for Google, with refresh tokens. Google does not treat the secret of a *Desktop
    /// app* as confidential.
    ///
    /// At the provider (documentation of November 2026): in *Google Auth Platform*, under
    /// *Clients*, create a *Desktop app*. `Issuer::google` is the server's side.
    ///
    /// Limitation: `resource` is not sent, because Google does not support it.
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

    /// A client for GitHub, which is an OAuth app there.
    ///
    /// At the provider (documentation of November 2026): under *Settings*, *Developer settings*,
    /// *OAuth Apps*, create an app with the redirect URI `http://127.0.0.1/callback`.
    /// `Issuer::github` is the server's side.
    ///
    /// Limitation: GitHub does not support `resource`.
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
