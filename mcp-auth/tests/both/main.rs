//! Clients that log in at servers of this crate.

#![allow(clippy::unwrap_used)]

use std::error::Error;

use axum::Router;
use mcp_auth::{Claims, Issuer, OAuth, ResourceServer};
use mcp_runtime::Client;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, http_service};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::types::{
    GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
};
use serde_json::json;
use support::{AuthorizationServer, Dpop, Endpoint, Settings, TokenFormat, browser};
use tokio::net::TcpListener;

type Outcome = Result<(), Box<dyn Error>>;

struct Files;

#[mcp_server(undocumented = "allow")]
impl Files {
    #[tool]
    fn whoami(&self, claims: &Claims) -> String {
        let caller = claims.subject().or(claims.client_id());
        caller.unwrap_or_default().to_owned()
    }

    #[tool(scopes("files:write"))]
    fn write(&self) -> &'static str {
        "written"
    }

    #[prompt(scopes("prompts:use"))]
    fn summary(&self) -> &'static str {
        "Summarise all files."
    }

    #[resource("file:///notes", scopes("files:read"))]
    fn notes(&self) -> &'static str {
        "notes"
    }
}

/// Serves files behind axum to callers with a token of the issuer, and returns the URL.
async fn serve(
    issuer: impl Into<Issuer>,
    change: impl FnOnce(ResourceServer) -> ResourceServer,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let auth = change(ResourceServer::new(&url).issuer(issuer));
    let mcp = http_service(Files.into_server(), HttpOptions::default());
    let guard = mcp.start().await.unwrap();
    let router = Router::new()
        .route_service("/mcp", mcp)
        .layer(auth.layer().unwrap());
    tokio::spawn(async move {
        let _guard = guard;
        axum::serve(listener, router).await.unwrap();
    });
    url
}

/// An application whose person consents immediately.
fn person() -> OAuth {
    OAuth::new("both").opener(|url| async move {
        browser::visit(&url).await;
        Ok(())
    })
}

async fn connect(url: &str, oauth: OAuth) -> Result<Client, Box<dyn Error>> {
    let client = Client::builder("both", "1.0");
    Ok(client.connect(http_client(url).auth(oauth)).await?)
}

async fn call(client: &Client, tool: &str) -> Result<String, Box<dyn Error>> {
    let result = client.call_tool(tool, json!({})).await?;
    assert!(!result.has_failed(), "{result:?}");
    Ok(result.texts().collect())
}

/// The scopes that each login requested.
fn scopes(issuer: &AuthorizationServer) -> Vec<Vec<String>> {
    let requests = issuer.requests_to(Endpoint::Authorize).into_iter();
    let scopes = requests.map(|it| it.parameter("scope").unwrap_or_default().to_owned());
    scopes
        .map(|it| it.split_ascii_whitespace().map(str::to_owned).collect())
        .collect()
}

#[tokio::test]
async fn a_login_is_all_that_a_tool_needs() -> Outcome {
    let issuer = AuthorizationServer::start().await;
    let url = serve(issuer.issuer(), |server| server).await;
    let client = connect(&url, person()).await?;
    assert_eq!(call(&client, "whoami").await?, "alice");
    assert_eq!(issuer.count(Endpoint::Authorize), 1);
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn each_kind_of_operation_is_asked_for_once_and_keeps_the_scopes_before() -> Outcome {
    let issuer = AuthorizationServer::start().await;
    let url = serve(issuer.issuer(), |server| server.scopes(["basic"])).await;
    let client = connect(&url, person()).await?;
    for _ in 0..2 {
        assert_eq!(call(&client, "write").await?, "written");
        let prompt = GetPromptRequestParams::new("summary");
        client.request::<GetPromptRequest>(prompt).await?;
        let resource = ReadResourceRequestParams::new("file:///notes");
        client.request::<ReadResourceRequest>(resource).await?;
    }
    let scopes = scopes(&issuer);
    let steps = ["basic", "files:write", "prompts:use", "files:read"];
    assert_eq!(scopes.len(), steps.len(), "{scopes:?}");
    for (count, asked) in (1..).zip(&scopes) {
        for step in &steps[..count] {
            assert!(asked.iter().any(|it| it == step), "{scopes:?}");
        }
    }
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn a_broader_scope_is_enough() -> Outcome {
    let issuer = AuthorizationServer::start().await;
    let implies = |server: ResourceServer| server.implies("files:admin", ["files:write"]);
    let url = serve(issuer.issuer(), implies).await;
    let client = connect(&url, person().scopes(["files:admin"])).await?;
    assert_eq!(call(&client, "write").await?, "written");
    assert_eq!(issuer.count(Endpoint::Authorize), 1);
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn tokens_are_bound_to_a_key_with_nonces_of_both_servers() -> Outcome {
    let bound = |settings: &mut Settings| {
        settings.dpop = Dpop::Offered;
        settings.dpop_nonces = true;
    };
    let issuer = AuthorizationServer::with(bound).await;
    let url = serve(issuer.issuer(), |server| {
        server.dpop_required().dpop_nonce()
    })
    .await;
    let client = connect(&url, person()).await?;
    assert_eq!(call(&client, "whoami").await?, "alice");
    issuer.rotate_nonce();
    assert_eq!(call(&client, "write").await?, "written");
    let tokens = issuer.requests_to(Endpoint::Token);
    assert!(tokens.iter().all(|it| it.header("dpop").is_some()));
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn opaque_tokens_are_as_good() -> Outcome {
    let issuer = AuthorizationServer::with(|settings| {
        settings.token_format = TokenFormat::Opaque;
        settings.clients = vec![support::Client::secret("server", "secret")];
    })
    .await;
    let introspecting = Issuer::new(issuer.issuer()).introspection("server", "secret");
    let url = serve(introspecting, |server| server).await;
    let client = connect(&url, person()).await?;
    assert_eq!(call(&client, "whoami").await?, "alice");
    assert!(issuer.count(Endpoint::Introspect) > 0);
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn a_machine_needs_no_person() -> Outcome {
    let issuer = AuthorizationServer::with(|settings| {
        settings.clients = vec![support::Client::secret("machine", "secret")];
    })
    .await;
    let url = serve(issuer.issuer(), |server| server).await;
    let oauth = OAuth::client_credentials("machine", "secret").issuer(issuer.issuer());
    let client = connect(&url, oauth).await?;
    assert_eq!(call(&client, "whoami").await?, "machine");
    assert_eq!(call(&client, "write").await?, "written");
    assert_eq!(issuer.count(Endpoint::Authorize), 0);
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn of_several_issuers_the_client_uses_the_one_that_knows_it() -> Outcome {
    let first = AuthorizationServer::start().await;
    let second = AuthorizationServer::with(|settings| {
        settings.clients = vec![support::Client::public("app")];
    })
    .await;
    let url = serve(first.issuer(), |server| server.issuer(second.issuer())).await;
    let oauth = person().client("app").issuer(second.issuer());
    let client = connect(&url, oauth).await?;
    assert_eq!(call(&client, "whoami").await?, "alice");
    assert_eq!(second.count(Endpoint::Token), 1);
    assert_eq!(first.count(Endpoint::Token), 0);
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn after_a_logout_the_person_is_asked_again() -> Outcome {
    let issuer = AuthorizationServer::start().await;
    let url = serve(issuer.issuer(), |server| server).await;
    let oauth = person();
    let client = connect(&url, oauth.clone()).await?;
    oauth.logout().await?;
    assert!(issuer.count(Endpoint::Revoke) > 0);
    assert_eq!(call(&client, "whoami").await?, "alice");
    assert_eq!(issuer.count(Endpoint::Authorize), 2);
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn keys_that_are_not_to_be_had_lead_to_no_login() -> Outcome {
    let issuer = AuthorizationServer::start().await;
    let url = serve(issuer.issuer(), |server| server).await;
    issuer.fail(Endpoint::Jwks, support::Fault::Status(500));
    let refused = connect(&url, person()).await.err().unwrap();
    assert!(refused.to_string().contains("503"), "{refused}");
    assert_eq!(issuer.count(Endpoint::Authorize), 1);
    Ok(())
}
