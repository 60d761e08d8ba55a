//! The state of the login at a server, for a person who looks for a fault.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{HeaderMap, Uri};
use mcp_runtime::transport::http_client::AuthHttp;

use super::error::AuthError;
use super::oauth::OAuth;
use super::registration::RegistrationWay;
use crate::challenge::Challenge;

/// The authorization server of an MCP server, and the stored token for the MCP server; returned by
/// [`OAuth::status`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginStatus {
    /// The identifier of the authorization server.
    pub issuer: String,
    /// Whether neither the MCP server nor its origin has metadata. The endpoints of revision
    /// 2025-03-26 are assumed then.
    pub is_assumed: bool,
    /// How the client registers, or `None` if no way is possible.
    pub registration: Option<RegistrationWay>,
    /// The stored token, if there is one for this authorization server and client.
    pub token: Option<StoredToken>,
}

/// The end of a stored token, without the token.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredToken {
    /// The end of the token, if the authorization server announced it.
    pub expires_at: Option<SystemTime>,
    /// Whether there is a refresh token, whose end is not known.
    pub has_refresh_token: bool,
}

impl OAuth {
    /// Finds out what a login at `server` depends on, as a login does, but without logging in:
    /// no client is registered, no token is sent or refreshed, and no page is opened.
    ///
    /// `challenge` has the headers of a response with status 401, or is empty.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use http::HeaderMap;
    /// use mcp_auth::OAuth;
    /// use mcp_runtime::transport::http_client::http_client;
    ///
    /// let url = "https://mcp.example.com/mcp";
    /// let http = http_client(url).auth_http()?;
    /// let status = OAuth::new("my-app").status(url, &HeaderMap::new(), http).await?;
    /// println!("people log in at {}", status.issuer);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like the discovery of a login, or if the store fails.
    pub async fn status(
        &self,
        server: &str,
        challenge: &HeaderMap,
        http: AuthHttp,
    ) -> Result<LoginStatus, AuthError> {
        // Sessions and stored tokens are found by this form.
        let parsed = server.parse::<Uri>();
        let server = parsed.map_or_else(|_| server.to_owned(), |it| it.to_string());
        let renewal = self.renewal(&self.session_of(&server), http);
        let challenges = Challenge::from_headers(challenge);
        let announced = challenges.iter().find_map(Challenge::resource_metadata);
        let (discovery, binding) = renewal.discover(announced.map(str::to_owned)).await?;
        let tokens = renewal.kept(&binding).await?;
        Ok(LoginStatus {
            issuer: binding.issuer,
            is_assumed: discovery.is_default,
            registration: RegistrationWay::choose(&self.config, &discovery.issuer),
            token: tokens.map(|it| StoredToken {
                expires_at: it.expires_at.map(|at| UNIX_EPOCH + Duration::from_secs(at)),
                has_refresh_token: it.refresh_token.is_some(),
            }),
        })
    }
}
