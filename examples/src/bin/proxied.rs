//! A server behind `OAuthProxy`. MCP clients register and log in at the proxy, and users log in
//! at a provider that knows a single client.
//!
//! `CLIENT_SECRET=… proxied 127.0.0.1:8080 https://login.example.com CLIENT FOLDER`
//!
//! The provider knows one client, with the redirect URI `http://127.0.0.1:8080/callback`. FOLDER
//! stores the logins, and must contain two keys:
//!
//! ```sh
//! openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FOLDER/signing.pem
//! openssl rand -out FOLDER/sealing 32
//! ```
//!
//! To run several processes behind a proxy at the URL `http://127.0.0.1:8080/mcp`, give each of them
//! the same keys, this URL and a Redis server, which then stores the logins:
//! `… FOLDER http://127.0.0.1:8080/mcp redis://127.0.0.1`.

use std::error::Error;
use std::fs;
use std::path::Path;

use mcp_auth::Claims;
use mcp_auth::client::store::{FileStore, SharedTokens};
use mcp_auth::jwt::SigningKey;
use mcp_auth::proxy::{OAuthProxy, Provider, ProxyKeys};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::http;
use mcp_stores::Redis;

const USAGE: &str = "usage: CLIENT_SECRET=… proxied ADDR ISSUER CLIENT FOLDER [URL REDIS_URL]";

struct Files;

#[mcp_server(name = "proxied", version = env!("CARGO_PKG_VERSION"))]
impl Files {
    /// Tells who the caller is, from the provider's claims.
    #[tool]
    fn whoami(&self, claims: &Claims) -> String {
        claims.subject().unwrap_or_default().to_owned()
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (arguments, shared) = arguments.split_first_chunk().ok_or(USAGE)?;
    let [address, issuer, client, folder]: &[String; 4] = arguments;
    let folder = Path::new(folder);
    let signing = SigningKey::from_pem(&fs::read_to_string(folder.join("signing.pem"))?)?;
    let sealing = fs::read(folder.join("sealing"))?;
    let keys = ProxyKeys::new(signing, sealing.as_slice().try_into()?);
    let provider = Provider::new(issuer, client)
        .secret(std::env::var("CLIENT_SECRET").map_err(|_| USAGE)?)
        .scopes(["openid", "offline_access"]);
    match shared {
        [] => {
            let proxy = OAuthProxy::new(format!("http://{address}/mcp"), provider, keys)
                .store(FileStore::new(folder.join("logins")));
            Files.serve(http(address).auth(proxy)).await?;
        }
        [url, redis] => {
            let redis = Redis::connect(redis, "proxied").await?;
            let proxy = OAuthProxy::new(url, provider, keys);
            let proxy = proxy.store(SharedTokens::new(redis.clone()));
            Files.serve(http(address).auth(proxy).store(redis)).await?;
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}
