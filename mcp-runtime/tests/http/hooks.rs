//! Hooks for start, initialized clients and shutdown.

use mcp_runtime::types::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams,
};
use serde_json::json;
use tokio::sync::mpsc;

use crate::site::{Site, read_until};
use crate::support::{builder, stateless};

#[tokio::test]
async fn hooks_run_around_all_sessions_and_once_for_each() {
    let (events, mut happened) = mpsc::unbounded_channel();
    let note = move |event: &'static str| {
        events.send(event).unwrap();
        std::future::ready(())
    };
    let [start, initialized, shutdown] = std::array::from_fn(|_| note.clone());
    let mut server = builder();
    server
        .on_start(move |_| start("start"))
        .on_initialized(move |client| {
            let hello = LoggingMessageNotificationParams::new(LoggingLevel::Info, json!("hello"));
            let peer = client.peer();
            peer.notify::<LoggingMessageNotification>(Some(&hello))
                .unwrap();
            initialized("initialized")
        })
        .on_shutdown(move || shutdown("shutdown"));
    let site = Site::of(&server.build());

    site.ask(&stateless(1, "tools/list", json!({}))).await;
    for _ in 0..2 {
        let session = site.session("2025-11-25").await;
        let mut standalone = session.listen(None).await;
        read_until(&mut standalone, "hello").await;
    }
    site.shutdown.shut_down();
    site.serving.await.unwrap().unwrap();
    drop(note);
    let mut seen = Vec::new();
    while let Some(event) = happened.recv().await {
        seen.push(event);
    }
    assert_eq!(seen, ["start", "initialized", "initialized", "shutdown"]);
}
