//! Discovery of the authorization server from the URL of an MCP server.

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_runtime::transport::http_client::retry_after;
use serde::de::IgnoredAny;
use tokio::time::timeout;

use super::config::Config;
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::exchange::{CredentialHttp, Exchange};
use super::registration::RegistrationWay;
use super::scopes::Scopes;
use crate::limits::client::{DISCOVERY_TIMEOUT, MAX_ISSUERS};
use crate::metadata::url::is_same_issuer;
use crate::metadata::{
    AuthorizationServerMetadata, MetadataError, ProtectedResourceMetadata, ResourceMetadataUrl,
    authorization_server_metadata_urls, resource_metadata_urls,
};

#[derive(Clone, Debug)]
pub(crate) struct Discovery {
    /// The server's metadata. It is derived from the URL if the server has none.
    pub(crate) resource: ProtectedResourceMetadata,
    /// The issuer's metadata, already checked.
    pub(crate) issuer: AuthorizationServerMetadata,
    /// True if nothing names the issuer, so the default endpoints of revision 2025-03-26 are
    /// assumed.
    pub(crate) is_default: bool,
}

pub(crate) struct Discoverer<'a> {
    pub(crate) http: &'a CredentialHttp,
    pub(crate) server: &'a str,
    /// The `resource_metadata` of the server's challenge.
    pub(crate) announced: Option<&'a str>,
    pub(crate) config: &'a Config,
}

impl Discovery {
    pub(crate) fn scopes_supported(&self) -> Scopes {
        self.resource
            .scopes_supported
            .iter()
            .flatten()
            .collect::<Scopes>()
    }
}

impl Discoverer<'_> {
    /// Reads the metadata of the MCP server, then the metadata of its authorization servers until
    /// one of them can be used.
    ///
    /// A server without any metadata follows revision 2025-03-26, where the origin of the server is
    /// its authorization server.
    pub(crate) async fn discover(&self) -> Result<Discovery, AuthError> {
        let found = timeout(DISCOVERY_TIMEOUT, self.search()).await;
        found.unwrap_or_else(|_| {
            let cause = AuthErrorKind::DiscoveryTimeout(DISCOVERY_TIMEOUT);
            let step = AuthStep::IssuerMetadata;
            Err(AuthError::new(step, self.server, cause))
        })
    }

    async fn search(&self) -> Result<Discovery, AuthError> {
        let checked = self
            .config
            .issuer_settings
            .check(self.config.issuer.is_some());
        checked.map_err(|cause| AuthError::new(AuthStep::IssuerMetadata, self.server, cause))?;
        let found = self.resource().await?;
        let issuers = match (&found, self.config.issuer.as_deref()) {
            (Some(resource), None) => resource.authorization_servers.clone(),
            (Some(resource), Some(set)) => self.only(set, &resource.authorization_servers)?,
            (None, Some(set)) => vec![set.to_owned()],
            (None, None) => return self.at_origin().await,
        };
        let resource = found.unwrap_or_else(|| self.made_up());
        let issuer = self.first_usable(&issuers).await?;
        Ok(Discovery {
            resource,
            issuer,
            is_default: false,
        })
    }

    /// The issuer that the user has set, if the server names it or names no issuer.
    fn only(&self, set: &str, named: &[String]) -> Result<Vec<String>, AuthError> {
        if named.is_empty() || named.iter().any(|it| is_same_issuer(it, set)) {
            return Ok(vec![set.to_owned()]);
        }
        let cause = AuthErrorKind::OtherIssuer {
            expected: set.to_owned(),
            found: named.to_vec(),
        };
        Err(AuthError::new(
            AuthStep::ResourceMetadata,
            self.server,
            cause,
        ))
    }

    /// The metadata of the MCP server (RFC 9728 §3), or `None` if none of the URLs has it.
    async fn resource(&self) -> Result<Option<ProtectedResourceMetadata>, AuthError> {
        let exchange = self.http.exchange(AuthStep::ResourceMetadata);
        let refused = |url: &str| {
            let url = url.to_owned();
            move |error| exchange.error(&url, AuthErrorKind::Metadata(error))
        };
        let announced = self
            .announced
            .map(|url| ResourceMetadataUrl::announced(url, self.server).map_err(refused(url)));
        let mut urls: Vec<_> = announced.transpose()?.into_iter().collect();
        urls.extend(resource_metadata_urls(self.server).map_err(refused(self.server))?);
        let mut unreadable = None;
        for url in urls {
            let (response, from) = exchange.get(url.url()).await?;
            let Some(body) = document(exchange, response, &from)? else {
                continue;
            };
            match ProtectedResourceMetadata::parse(&body) {
                Ok(metadata) => {
                    url.check(&metadata).map_err(refused(&from))?;
                    return Ok(Some(metadata));
                }
                Err(error) => unreadable = unreadable.or(Some(refused(&from)(error))),
            }
        }
        unreadable.map_or(Ok(None), Err)
    }

    /// The first issuer where this client can register, or else the first issuer with metadata.
    /// Only the first [`MAX_ISSUERS`] are tried.
    async fn first_usable(
        &self,
        issuers: &[String],
    ) -> Result<AuthorizationServerMetadata, AuthError> {
        let mut second_choice = None;
        let mut first_error = None;
        for issuer in issuers.iter().take(MAX_ISSUERS) {
            match self.issuer(issuer).await {
                Ok(metadata) if RegistrationWay::choose(self.config, &metadata).is_some() => {
                    return Ok(metadata);
                }
                Ok(metadata) => second_choice = second_choice.or(Some(metadata)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        let error = || {
            let step = AuthStep::ResourceMetadata;
            let url = self.server;
            first_error.unwrap_or_else(|| AuthError::new(step, url, AuthErrorKind::NoIssuer))
        };
        second_choice.ok_or_else(error)
    }

    pub(crate) async fn issuer(
        &self,
        issuer: &str,
    ) -> Result<AuthorizationServerMetadata, AuthError> {
        let found = self.issuer_metadata(issuer).await?;
        let exchange = self.http.exchange(AuthStep::IssuerMetadata);
        found.ok_or_else(|| exchange.error(issuer, AuthErrorKind::NoMetadata))
    }

    async fn issuer_metadata(
        &self,
        issuer: &str,
    ) -> Result<Option<AuthorizationServerMetadata>, AuthError> {
        let exchange = self.http.exchange(AuthStep::IssuerMetadata);
        let refused = |error| exchange.error(issuer, AuthErrorKind::Metadata(error));
        let settings = self.config.settings_of(issuer);
        let template = settings.template();
        let template = template.map_err(|cause| exchange.error(issuer, cause))?;
        let mut unreadable = None;
        for url in authorization_server_metadata_urls(issuer).map_err(refused)? {
            let (response, from) = exchange.get(&url).await?;
            let Some(body) = document(exchange, response, &from)? else {
                continue;
            };
            let refused = |error| exchange.error(&from, AuthErrorKind::Metadata(error));
            let is_accepted = |found: &str| {
                let template = template.as_ref();
                is_same_issuer(found, issuer) || template.is_some_and(|it| it.as_str() == found)
            };
            match AuthorizationServerMetadata::parse_if(&body, issuer, is_accepted) {
                Ok(metadata) => return Ok(Some(settings.loosened(issuer, metadata))),
                Err(error @ MetadataError::Document(_)) => {
                    unreadable = unreadable.or(Some(refused(error)));
                }
                Err(error) => return Err(refused(error)),
            }
        }
        unreadable.map_or(Ok(None), Err)
    }

    /// The authorization server of an MCP server without metadata (2025-03-26, "Authorization",
    /// section Server Metadata Discovery).
    async fn at_origin(&self) -> Result<Discovery, AuthError> {
        let refused = |error| {
            let step = AuthStep::IssuerMetadata;
            AuthError::new(step, self.server, AuthErrorKind::Metadata(error))
        };
        let default =
            AuthorizationServerMetadata::without_discovery(self.server).map_err(refused)?;
        let found = self.issuer_metadata(&default.issuer).await?;
        Ok(Discovery {
            resource: self.made_up(),
            is_default: found.is_none(),
            issuer: found.unwrap_or(default),
        })
    }

    /// Resource metadata derived from the server's URL.
    fn made_up(&self) -> ProtectedResourceMetadata {
        let resource = self.server.trim_end_matches('/');
        ProtectedResourceMetadata::new(resource, Vec::<String>::new())
    }
}

/// The JSON body of a response. Returns `None` for a client error and for anything that is not
/// JSON, because many servers answer every path with an HTML page.
fn document(
    exchange: Exchange<'_>,
    response: Response<Bytes>,
    url: &str,
) -> Result<Option<Bytes>, AuthError> {
    match response.status() {
        status if status.is_client_error() => Ok(None),
        StatusCode::OK => {
            let body = response.into_body();
            let is_json = serde_json::from_slice::<IgnoredAny>(&body).is_ok();
            Ok(is_json.then_some(body))
        }
        status => {
            let error = exchange.error(url, AuthErrorKind::Status(status));
            Err(error.with_retry_after(retry_after(response.headers())))
        }
    }
}
