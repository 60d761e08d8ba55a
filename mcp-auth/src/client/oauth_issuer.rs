//! `OAuth` for issuers that differ, and for some providers.

use super::oauth::OAuth;

/// Settings for an issuer that does not follow the rules, which the program has set by
/// [`issuer`](Self::issuer). They are for no other issuer: without one, a login ends with an error.
impl OAuth {
    /// Uses PKCE by `S256` although the issuer's metadata does not mention it. The specification demands that
    /// a client goes on only where it is announced: set this for an issuer whose documentation tells that it
    /// has it. Where the metadata names other methods, the login ends with an error all the same.
    pub fn assume_s256(self) -> Self {
        self.with(|config| config.issuer_settings.assumes_s256 = true)
    }

    /// Sends no `resource` to the issuer (RFC 8707), for one that refuses the parameter. Given up: the
    /// issuer does not know the server that tokens are for, unless by their scopes.
    pub fn without_resource_parameter(self) -> Self {
        self.with(|config| config.issuer_settings.omits_resource = true)
    }

    /// Adds a parameter of the issuer's own to the authorization request, such as `audience`. A `prompt`
    /// takes the place of the one that the scope `offline_access` brings along. Other parameters of OAuth and
    /// OpenID Connect can't be set: the login ends with an error.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    ///
    /// let oauth = OAuth::new("my-app")
    ///     .issuer("https://login.example.com/")
    ///     .client("client-id")
    ///     .authorization_parameter("audience", "https://mcp.example.com/mcp");
    /// # drop(oauth);
    /// ```
    pub fn authorization_parameter(
        self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        let parameter = (name.into(), value.into());
        self.with(|config| {
            let parameters = &mut config.issuer_settings.authorization_parameters;
            parameters.push(parameter);
        })
    }

    /// Adds a parameter of the issuer's own to all token requests. Those of OAuth can't be set: the login
    /// ends with an error.
    pub fn token_parameter(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let parameter = (name.into(), value.into());
        self.with(|config| config.issuer_settings.token_parameters.push(parameter))
    }

    /// Accepts this template as the `issuer` of the metadata
    /// ([`IssuerTemplate`](crate::metadata::IssuerTemplate)), and its tenants as `iss` of a login, for an
    /// issuer whose tenants share metadata: `https://login.example.com/{tenant}/v2.0`.
    pub fn issuer_template(self, template: impl Into<String>) -> Self {
        let template = template.into();
        self.with(|config| config.issuer_settings.template = Some(template))
    }
}

/// Clients of some providers: each function is a few settings, which could be written by hand. They follow
/// the providers' documentation as it was in November 2026.
impl OAuth {
    /// Microsoft Entra ID. `tenant` is the tenant's GUID, or `organizations` for people of all of them;
    /// `client_id` is the client's app registration.
    ///
    /// At the provider (documentation of November 2026): *App registrations*: the redirect URI `http://127.0.0.1/callback` for public clients, by the *Manifest*, and *API permissions* for the scopes of the server
    /// (`Issuer::entra` is the other side).
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
    /// At the provider (documentation of November 2026): *Applications*, *Native*, with the redirect URI; `Issuer::auth0` is the other side.
    /// Nothing is given up: `audience` is sent beside `resource`.
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
    /// At the provider (documentation of November 2026): *App clients*: one with the authorization code grant, the redirect URI, and the scopes
    /// of the server (`Issuer::cognito` is the other side). Given up: PKCE is used, but not announced.
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
    /// At the provider (documentation of November 2026): *Google Auth Platform*, *Clients*: *Desktop app*; `Issuer::google` is the other side.
    /// Given up: `resource` is not sent, as Google does not know it.
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
    /// At the provider (documentation of November 2026): *Settings*, *Developer settings*, *OAuth Apps*, with the redirect URI
    /// `http://127.0.0.1/callback`; `Issuer::github` is the other side. Given up: GitHub does not know
    /// `resource`.
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
