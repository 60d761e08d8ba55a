//! A server that requires access tokens: `whoami` accepts any token, and `write` needs the scope
//! `files:write`.
//!
//! `cargo run --bin protected -- 127.0.0.1:8080 https://login.example.com`
//!
//! With `--client-id ID --client-secret SECRET` before the address, that client introspects the
//! tokens that are not JWTs. With `--url URL --redis REDIS_URL`, the server is one of several replicas
//! behind a proxy at the URL, which require a nonce in proofs of possession. To try the server:
//! `cargo run --bin login -- http://127.0.0.1:8080/mcp whoami`.

use std::error::Error;

use mcp_auth::{Claims, Issuer, ResourceServer};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::http;
use mcp_stores::Redis;

const USAGE: &str = "usage: protected [--client-id ID --client-secret SECRET] \
    [--url URL --redis REDIS_URL] ADDR ISSUER";

struct Files;

#[mcp_server(name = "protected", version = env!("CARGO_PKG_VERSION"))]
impl Files {
    /// Answers who calls.
    #[tool]
    fn whoami(&self, claims: &Claims) -> String {
        let caller = claims.subject().or(claims.client_id());
        caller.unwrap_or_default().to_owned()
    }

    /// Does not really write, but requires the scope for it.
    #[tool(scopes("files:write"))]
    fn write(&self) -> &'static str {
        "written"
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut client = (None, None);
    let mut replicas = (None, None);
    let mut rest = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--client-id" => client.0 = Some(arguments.next().ok_or(USAGE)?),
            "--client-secret" => client.1 = Some(arguments.next().ok_or(USAGE)?),
            "--url" => replicas.0 = Some(arguments.next().ok_or(USAGE)?),
            "--redis" => replicas.1 = Some(arguments.next().ok_or(USAGE)?),
            _ if argument.starts_with("--") => return Err(USAGE.into()),
            _ => rest.push(argument),
        }
    }
    let [address, issuer] = <[String; 2]>::try_from(rest).map_err(|_| USAGE)?;
    let issuer = match client {
        (Some(id), Some(secret)) => Issuer::new(issuer).introspection(id, secret),
        (None, None) => Issuer::new(issuer),
        _ => return Err(USAGE.into()),
    };
    let url = replicas
        .0
        .unwrap_or_else(|| format!("http://{address}/mcp"));
    let mut auth = ResourceServer::new(url)
        .issuer(issuer)
        .optional_scopes(["files:write"]);
    let mut endpoint = http(address);
    if let Some(redis) = replicas.1 {
        let redis = Redis::connect(&redis, "protected").await?;
        auth = auth.dpop_nonce().store(redis.clone());
        endpoint = endpoint.store(redis);
    }
    Files.serve(endpoint.auth(auth)).await?;
    Ok(())
}
