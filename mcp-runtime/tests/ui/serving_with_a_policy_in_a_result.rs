#![allow(unused)]

use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy};

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

struct Tokens;

impl Tokens {
    fn from_env(name: &str) -> Result<Self, std::env::VarError> {
        Ok(Self)
    }
}

impl AccessPolicy for Tokens {
    async fn admit(&self, request: &mut http::request::Parts) -> Result<(), AccessDenied> {
        Ok(())
    }
}

async fn serve() -> Result<(), ServeError> {
    let tokens = Tokens::from_env("TOKENS");
    Server.serve(http("127.0.0.1:3000").auth(tokens)).await
}

fn main() {}
