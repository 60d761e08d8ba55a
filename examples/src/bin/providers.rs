//! A server that accepts the tokens of a well-known provider, and a client that logs in there.
//!
//! ```sh
//! providers serve 127.0.0.1:8080 entra TENANT APP         # or: auth0 DOMAIN API,
//!                                                         # cognito POOL CLIENT, google CLIENT
//! providers login http://127.0.0.1:8080/mcp entra TENANT CLIENT
//!                                                         # or: auth0 DOMAIN CLIENT API,
//!                                                         # cognito POOL CLIENT, google CLIENT SECRET
//! ```
//!
//! The environment variable `ISSUER` overrides the issuer, for a provider that has several.
//! `TOKEN_INFO` overrides the URL of Google's token information endpoint.

use std::env;
use std::error::Error;

use mcp_auth::server::TokenInfo;
use mcp_auth::{Claims, Issuer, OAuth, ResourceServer};
use mcp_runtime::Client;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::http;
use mcp_runtime::transport::http_client::http_client;
use serde_json::json;

const USAGE: &str = "usage: providers serve ADDR PROVIDER ARGUMENT…, or providers login URL PROVIDER \
    ARGUMENT…; providers are entra, auth0, cognito and google";

struct Files;

#[mcp_server(name = "providers", version = env!("CARGO_PKG_VERSION"))]
impl Files {
    /// Tells who the caller is.
    #[tool]
    fn whoami(&self, claims: &Claims) -> String {
        claims.subject().unwrap_or_default().to_owned()
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["serve", address, ref provider @ ..] => serve(address, provider).await,
        ["login", url, ref provider @ ..] => login(url, provider).await,
        _ => Err(USAGE.into()),
    }
}

async fn serve(address: &str, provider: &[&str]) -> Result<(), Box<dyn Error>> {
    let (mut issuer, scope) = match *provider {
        ["entra", tenant, app] => (Issuer::entra(tenant, app), "files.read"),
        ["auth0", domain, api] => (Issuer::auth0(domain, api), "files:read"),
        ["cognito", pool, client] => (Issuer::cognito(pool, client), "files/read"),
        ["google", client] => (Issuer::google(client), "openid"),
        _ => return Err(USAGE.into()),
    };
    if let Ok(identifier) = env::var("ISSUER") {
        if let Ok(url) = env::var("TOKEN_INFO") {
            issuer = issuer.verifier(TokenInfo::new(url, &identifier));
        }
        issuer = issuer.identifier(identifier);
    }
    let auth = ResourceServer::new(format!("http://{address}/mcp")).issuer(issuer);
    let auth = auth.scopes([scope]);
    Files.serve(http(address).auth(auth)).await?;
    Ok(())
}

#[allow(clippy::print_stdout, reason = "here the program is not a server")]
async fn login(url: &str, provider: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut oauth = match *provider {
        ["entra", tenant, client] => OAuth::entra("providers", tenant, client),
        ["auth0", domain, client, api] => OAuth::auth0("providers", domain, client, api),
        ["cognito", pool, client] => OAuth::cognito("providers", pool, client),
        ["google", client, secret] => OAuth::google("providers", client, secret),
        _ => return Err(USAGE.into()),
    };
    if let Ok(identifier) = env::var("ISSUER") {
        oauth = oauth.issuer(identifier);
    }
    let client = Client::builder("providers", env!("CARGO_PKG_VERSION"))
        .connect(http_client(url).auth(oauth))
        .await?;
    let name: String = client.call("whoami", json!({})).await?;
    println!("{name}");
    client.close().await;
    Ok(())
}
