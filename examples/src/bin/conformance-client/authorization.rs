//! Authorization of the client, depending on the scenario.

use std::error::Error;
use std::io;

use mcp_auth::OAuth;
use mcp_auth::authentication::AssertionKey;
use mcp_auth::client::IdentityProvider;
use mcp_auth::jwt::SigningKey;
use mcp_auth::metadata::{ProtectedResourceMetadata, resource_metadata_urls};
use mcp_runtime::transport::http_client::AuthHttp;
use serde_json::Value;

use crate::context;

/// The client id, for scenarios whose authorization server accepts the URL of a metadata document.
const METADATA_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// Returns the authorization for a scenario whose server is at `url`.
pub(crate) async fn oauth(scenario: &str, url: &str) -> Result<OAuth, Box<dyn Error>> {
    let context = context()?;
    let text = |name: &str| context[name].as_str().unwrap_or_default().to_owned();
    let id = text("client_id");
    let secret = text("client_secret");
    Ok(match scenario {
        "auth/client-credentials-basic" => {
            OAuth::client_credentials(id, secret).issuer(issuer(url).await?)
        }
        "auth/client-credentials-jwt" => {
            let key = SigningKey::from_pem(&text("private_key_pem"))?;
            OAuth::client_credentials_with_key(id, AssertionKey::new(key))
                .issuer(issuer(url).await?)
        }
        "auth/enterprise-managed-authorization" => OAuth::enterprise(identity_provider(&context))
            .client(id)
            .client_secret(secret)
            .issuer(issuer(url).await?),
        "auth/wif-jwt-bearer" => {
            let token = text("valid_jwt");
            let source = move || {
                let token = token.clone();
                async move { Ok(token) }
            };
            OAuth::workload(source)
                .client(id)
                .issuer(issuer(url).await?)
        }
        "auth/pre-registration" => person()
            .client(id)
            .client_secret(secret)
            .issuer(text("issuer")),
        _ => person().client_metadata_url(METADATA_DOCUMENT),
    })
}

/// Simulates a user: this client itself requests the login page instead of a browser.
fn person() -> OAuth {
    OAuth::new("conformance-client").opener(visit)
}

/// Requests a page that redirects immediately, and follows the redirect.
async fn visit(url: String) -> io::Result<()> {
    let http = AuthHttp::trusted([])?;
    let get = |url: &str| {
        http::Request::get(url)
            .body(String::new())
            .map_err(io::Error::other)
    };
    let page = http.send(get(&url)?).await?;
    let location = page.headers().get(http::header::LOCATION);
    let location = location.and_then(|it| it.to_str().ok());
    let location = location.ok_or_else(|| io::Error::other("the page does not redirect"))?;
    http.send(get(location)?).await.map(drop)
}

fn identity_provider(context: &Value) -> IdentityProvider {
    let text = |name: &str| context[name].as_str().unwrap_or_default().to_owned();
    let id_token = text("idp_id_token");
    IdentityProvider::new(text("idp_issuer"), text("idp_client_id"), move || {
        let id_token = id_token.clone();
        async move { Ok(id_token) }
    })
}

/// Returns the issuer that the server names. A real client is configured with the issuer at which
/// it is registered, but the suite does not reveal that issuer.
async fn issuer(url: &str) -> Result<String, Box<dyn Error>> {
    let http = AuthHttp::trusted([])?;
    for metadata in resource_metadata_urls(url)? {
        let request = http::Request::get(metadata.url()).body(String::new())?;
        let answer = http.send(request).await?;
        if answer.status().is_success() {
            let metadata = ProtectedResourceMetadata::parse(answer.body())?;
            let mut issuers = metadata.authorization_servers.into_iter();
            return Ok(issuers.next().ok_or("the server names no issuer")?);
        }
    }
    Err("the server has no metadata".into())
}
