//! The log about handlers that do something before they ask a question.

use std::collections::BTreeMap;

use mcp_runtime::prelude::*;
use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::{Client, Era, Server, testing};
use serde_json::json;
use tracing::Level;

use crate::support::log::Log;

struct Shop;

#[mcp_server(undocumented = "allow")]
impl Shop {
    #[tool]
    async fn waits(&self, cx: &Context) -> Result<bool, AskError> {
        tokio::task::yield_now().await;
        cx.elicit("Charge?").await
    }

    #[tool]
    async fn waits_between(&self, cx: &Context) -> Result<bool, AskError> {
        let first: bool = cx.elicit("Charge?").await?;
        tokio::task::yield_now().await;
        let second: bool = cx.elicit("Really?").await?;
        Ok(first && second)
    }

    #[tool]
    async fn waits_once(&self, cx: &Context) -> Result<bool, AskError> {
        cx.once("charge", tokio::task::yield_now()).await?;
        cx.elicit("Charge?").await
    }

    #[tool]
    async fn asks_first(&self, cx: &Context) -> Result<bool, AskError> {
        let sure: bool = cx.elicit("Charge?").await?;
        tokio::task::yield_now().await;
        Ok(sure)
    }

    #[tool]
    async fn asks_by_parameter(&self, #[elicit("Charge?")] sure: bool) -> bool {
        tokio::task::yield_now().await;
        sure
    }
}

/// Calls each of `tools` twice, and returns the log.
async fn logged(server: &Server, era: Era, tools: &[&str]) -> String {
    let (log, _guard) = Log::listening(Level::WARN);
    let answering = Client::builder("answering", "1.0.0").on_form(async |form| {
        let fields = form.schema().properties.keys().cloned();
        form.accept(fields.map(|name| (name, true)).collect::<BTreeMap<_, _>>())
    });
    let client = testing::connect(server).client(answering).era(era);
    let client = client.await.unwrap();
    for tool in [tools, tools].concat() {
        let sure: bool = client.call(tool, json!({})).await.unwrap();
        assert!(sure);
    }
    log.text()
}

#[tokio::test]
async fn a_handler_that_waits_before_it_asks_is_logged_once_with_the_remedy() {
    for era in [Era::Handshake, Era::Stateless] {
        let log = logged(&Shop.into_server(), era, &["waits", "waits_between"]).await;
        assert_eq!(log.lines().count(), 2, "{era:?}: {log}");
        for part in [
            "name=\"waits\"",
            "name=\"waits_between\"",
            "`cx.once`",
            "a parameter",
        ] {
            assert!(log.contains(part), "{era:?}: {part} in {log}");
        }
    }
}

#[tokio::test]
async fn a_handler_that_repeats_nothing_is_not_logged() {
    let tools = ["waits_once", "asks_first", "asks_by_parameter"];
    for era in [Era::Handshake, Era::Stateless] {
        assert_eq!(
            logged(&Shop.into_server(), era, &tools).await,
            "",
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn a_proxy_that_forwards_a_question_is_not_logged() {
    for behind in [Era::Handshake, Era::Stateless] {
        for before in [Era::Handshake, Era::Stateless] {
            let upstream = Upstream::new(move |client| {
                testing::connect(Shop)
                    .client(client)
                    .era(behind)
                    .into_future()
            });
            let server = Proxy::new(upstream).into_server();
            assert_eq!(logged(&server, before, &["asks_first"]).await, "");
        }
    }
}
