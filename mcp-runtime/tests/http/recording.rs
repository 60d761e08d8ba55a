//! Recordings of HTTP servers and clients.

use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::Http;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::types::Side;
use mcp_runtime::{Client, Recording, Revision};
use serde_json::{Value, json};

use crate::site::{Site, read_until};
use crate::support;

struct Library;

#[mcp_server(undocumented = "allow", logging)]
impl Library {
    #[tool]
    fn find(&self, cx: &Context) -> &'static str {
        cx.info("searching");
        "on shelf 3"
    }

    #[tool]
    async fn lend(&self, cx: &Context) -> Result<String, ToolError> {
        cx.info("a reader is asked");
        let days: u8 = cx.elicit("How long?").await?;
        Ok(format!("{days} days"))
    }
}

/// The messages without their order, because messages in both directions may cross.
fn sorted(recording: &Recording) -> Vec<(bool, String)> {
    let messages = recording.messages().into_iter();
    let mut messages: Vec<_> = messages
        .map(|(from, message)| (from == Side::Client, message))
        .collect();
    messages.sort();
    messages
}

#[tokio::test]
async fn both_ends_record_the_same() {
    for (path, revision) in [
        ("/mcp", Revision::V2025_06_18),
        ("/mcp", Revision::V2026_07_28),
        #[cfg(feature = "sse")]
        ("/sse", Revision::V2024_11_05),
    ] {
        let (ours, theirs) = (Recording::default(), Recording::default());
        let server = Library.into_server().record(&theirs);
        #[cfg(feature = "sse")]
        let site = Site::of_http(&server, Http::with_sse);
        #[cfg(not(feature = "sse"))]
        let site = Site::of_http(&server, |http| http);
        let url = http_client(format!("http://{}{path}", site.addr));
        let client = Client::builder("reader", "1.0.0")
            .revision(revision)
            .without_keep_alive()
            .on_form(async |form| form.accept(json!({"answer": 14})))
            .record(&ours)
            .connect(url.bearer_auth("secret"))
            .await
            .unwrap();
        let (tool, answer) = match revision {
            Revision::V2024_11_05 => ("find", "on shelf 3"),
            _ => ("lend", "14 days"),
        };
        let answered: String = client.call(tool, json!({})).await.unwrap();
        assert_eq!(answered, answer);
        client.close().await;
        let theirs = sorted(&theirs);
        assert_eq!(sorted(&ours), theirs);
        let all = format!("{theirs:?}");
        assert!(all.contains(answer), "{all}");
        assert!(!all.contains("secret"), "{all}");
    }
}

#[tokio::test]
async fn what_is_sent_again_is_recorded_again() {
    let recording = Recording::default();
    let (server, _) = crate::site::server();
    let site = Site::of(&server.record(&recording));
    let session = site.session("2025-11-25").await;
    let told = session.ask(&support::call(1, "tell", json!({}))).await;
    assert_eq!(told.messages().len(), 2);
    let progress = || {
        let messages = recording.messages().into_iter();
        messages.filter(|(_, it)| it.contains("progress\"")).count()
    };
    assert_eq!(progress(), 1);
    let mut resumed = session.listen(Some("2-0")).await;
    read_until(&mut resumed, "progress").await;
    assert_eq!(progress(), 2);
}

#[tokio::test]
async fn a_message_of_several_lines_is_recorded_in_one() {
    let recording = Recording::default();
    let site = Site::of(&support::server().record(&recording));
    let message = support::stateless(1, "tools/list", json!({}));
    let mut request = site.stateless(&message);
    *request.body_mut() = format!("{message:#}").replace('\n', "\r\n");
    assert_eq!(site.send(request).await.status, 200);
    let line = recording.to_string();
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(line["message"], message);
}
