//! A server that requires access tokens: `whoami` accepts any token, and `write` needs the scope
//! `files:write`.
//!
//! `cargo run --bin protected -- 127.0.0.1:8080 https://login.example.com`
//!
//! With `--client-id ID --client-secret SECRET` before the address, that client introspects the
//! tokens that are not JWTs. To try the server:
//! `cargo run --bin login -- http://127.0.0.1:8080/mcp whoami`.

use std::error::Error;

use mcp_auth::{Claims, Issuer, ResourceServer};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::http;

const USAGE: &str = "usage: protected [--client-id ID --client-secret SECRET] ADDR ISSUER";

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
    let mut rest = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--client-id" => client.0 = Some(arguments.next().ok_or(USAGE)?),
            "--client-secret" => client.1 = Some(arguments.next().ok_or(USAGE)?),
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
    let auth = ResourceServer::new(format!("http://{address}/mcp"))
        .issuer(issuer)
        .optional_scopes(["files:write"]);
    Files.serve(http(address).auth(auth)).await?;
    Ok(())
}
