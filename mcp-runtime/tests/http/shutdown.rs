//! The end of a server.

use std::time::Duration;

use serde_json::json;

use crate::site::{Site, read, read_until};
use crate::streams::with_roots;
use crate::support::{call, stateless};

#[tokio::test]
async fn calls_in_flight_finish_and_new_ones_are_refused() {
    let site = Site::open().await;
    let session = site
        .session_of(&with_roots("2025-11-25"), "2025-11-25")
        .await;
    let standalone = session.listen(None).await;
    let mut waiting = session.start(&call(1, "tell_and_wait", json!({}))).await;
    read_until(&mut waiting, "notifications/progress").await;
    let mut kept = site.connect().await;
    let list = site.stateless(&stateless(1, "tools/list", json!({})));
    read(kept.send_request(list).await.unwrap()).await;

    site.shutdown.shut_down();
    read(standalone).await;
    let answer = site.ask(&stateless(2, "tools/list", json!({}))).await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.error_code(), -32603);
    let health = site
        .request("GET")
        .uri("/health")
        .body(String::new())
        .unwrap();
    assert_eq!(site.send(health).await.status, 503);

    drop(waiting);
    let Site { serving, .. } = site;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn calls_that_take_too_long_are_cancelled() {
    let (server, listener) = (
        crate::support::server(),
        std::net::TcpListener::bind("127.0.0.1:0"),
    );
    let listener = listener.unwrap();
    let addr = listener.local_addr().unwrap();
    let serve = server
        .serve(mcp_runtime::transport::http::http(listener))
        .drain_timeout(Duration::from_millis(20))
        .without_signals();
    let shutdown = serve.shutdown_handle();
    let serving = tokio::spawn(serve.into_future());
    let (_sender, events) = tokio::sync::mpsc::unbounded_channel();
    let site = Site {
        addr,
        serving,
        shutdown,
        events,
    };
    let session = site.session("2025-11-25").await;
    let mut connection = site.connect().await;
    let never = connection.send_request(session.post(&call(1, "never", json!({}))));
    let ended = tokio::join!(never, async { site.shutdown.shut_down() }).0;
    drop(ended);
    site.serving.await.unwrap().unwrap();
}
