//! Time limits of calls, which are suspended while the user is asked, in both eras and on both
//! sides.

use std::time::Duration;

use crate::support::client::{builder, connect};
use mcp_runtime::prelude::*;
use mcp_runtime::server::input::InputRequired;
use mcp_runtime::types::{CallToolResult, ContentBlock};
use mcp_runtime::{CallError, Client, Revision};
use serde_json::json;
use tokio::time::{Instant, sleep};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

const THINKING: Duration = Duration::from_secs(100);

struct Slow;

async fn work(milliseconds: u64) -> u64 {
    sleep(Duration::from_millis(milliseconds)).await;
    milliseconds
}

async fn work_and_ask(cx: &Context, before: u64, after: u64) -> Result<String, ToolError> {
    cx.once("before", work(before)).await?;
    let sure: bool = cx.elicit("Sure?").await?;
    work(after).await;
    Ok(sure.to_string())
}

#[mcp_server]
impl Slow {
    /// Works, asks, and works again, within a second.
    #[tool(timeout = "1s")]
    async fn limited(&self, before: u64, after: u64, cx: &Context) -> Result<String, ToolError> {
        work_and_ask(cx, before, after).await
    }

    /// Works, asks, and works again.
    #[tool]
    async fn unlimited(&self, before: u64, after: u64, cx: &Context) -> Result<String, ToolError> {
        work_and_ask(cx, before, after).await
    }

    /// Asks twice at the same time, within a second.
    #[tool(timeout = "1s")]
    async fn two_at_once(&self, cx: &Context) -> Result<String, ToolError> {
        let both = (cx.elicit::<bool>("Sure?"), cx.elicit::<bool>("Really?"));
        cx.ask_all(both).await?;
        work(900).await;
        Ok("done".to_owned())
    }

    /// Asks with `cx.answers` and `cx.require`, within a second.
    #[tool(timeout = "1s")]
    async fn by_hand(&self, cx: &Context) -> Result<String, ToolError> {
        work(400).await;
        let Some(sure) = cx.answers().elicited::<bool>("sure") else {
            let question = cx.elicit::<bool>("Sure?");
            Err(cx.require(InputRequired::new().ask("sure", question)))?
        };
        Ok(sure?.accepted()?.to_string())
    }
}

async fn client(revision: Revision) -> Client {
    let client = builder().without_keep_alive();
    let client = client.on_form(async |form| {
        sleep(THINKING).await;
        form.accept(json!({"answer": true}))
    });
    connect(client.revision(revision), &Slow.into_server()).await
}

fn text(result: &CallToolResult) -> &str {
    match &result.content[..] {
        [ContentBlock::Text(text)] => &text.text,
        other => panic!("{other:?}"),
    }
}

fn times(before: u64, after: u64) -> serde_json::Value {
    json!({"before": before, "after": after})
}

#[tokio::test(start_paused = true)]
async fn a_tool_has_its_time_beside_that_of_the_user() {
    for revision in REVISIONS {
        let client = client(revision).await;
        let start = Instant::now();
        let result = client.call_tool("limited", times(500, 400)).await.unwrap();
        assert_eq!(text(&result), "true", "{revision}");
        assert!(start.elapsed() >= THINKING);
        let result = client.call_tool("two_at_once", ()).await.unwrap();
        assert_eq!(text(&result), "done", "{revision}");
        let result = client.call_tool("by_hand", ()).await.unwrap();
        assert_eq!(text(&result), "true", "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn all_rounds_of_a_tool_share_its_time() {
    for revision in REVISIONS {
        let client = client(revision).await;
        let start = Instant::now();
        let result = client.call_tool("limited", times(600, 600)).await.unwrap();
        assert_eq!(text(&result), "not finished within 1s", "{revision}");
        let worked = (start.elapsed() - THINKING).as_millis();
        assert!((1000..1100).contains(&worked), "{revision}: {worked}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_waits_as_long_as_it_says_beside_the_time_of_the_user() {
    for revision in REVISIONS {
        let client = client(revision).await;
        let call = client.call_tool("unlimited", times(500, 400));
        let result = call.timeout(Duration::from_secs(1)).await.unwrap();
        assert_eq!(text(&result), "true", "{revision}");

        let start = Instant::now();
        let call = client.call_tool("unlimited", times(600, 600));
        let error = call.timeout(Duration::from_secs(1)).await.unwrap_err();
        let waited = start.elapsed() - THINKING;
        let CallError::Timeout { waited: said, .. } = error else {
            panic!("{revision}: {error}");
        };
        for waited in [waited, said] {
            assert!(
                (1000..1100).contains(&waited.as_millis()),
                "{revision}: {waited:?}"
            );
        }
    }
}
