//! Pings that tell a client that its server no longer answers.

use mcp_runtime::CallError;
use mcp_runtime::client::{KeepAlive, TransportState};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::servers::{SECOND, builder, connected};

#[tokio::test(start_paused = true)]
async fn a_server_without_a_sign_of_life_is_left() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let start = Instant::now();
    let calling = tokio::spawn(
        client
            .call_tool("add", ())
            .timeout(1000 * SECOND)
            .into_future(),
    );
    server.expect("tools/call").await;
    server.expect("ping").await;
    assert_eq!(start.elapsed(), 30 * SECOND);
    server.expect("notifications/cancelled").await;
    let (id, _) = server.expect("ping").await;
    assert_eq!(start.elapsed(), 65 * SECOND);
    server.refuse(&id, -32601, Value::Null).await;
    for _ in 0..3 {
        server.expect("ping").await;
        server.expect("notifications/cancelled").await;
    }
    assert_eq!(server.next().await, None, "the connection is closed");
    assert_eq!(start.elapsed(), (65 + 3 * 35) * SECOND);
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed), "{error}");
    servers.operating().await;
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_are_as_often_as_wanted() {
    let often = KeepAlive {
        every: SECOND,
        timeout: SECOND,
        misses: 1,
    };
    let (_client, mut server, _servers) = connected(builder().keep_alive(often)).await;
    let start = Instant::now();
    for seconds in 1..5 {
        let (id, _) = server.expect("ping").await;
        assert_eq!(start.elapsed().as_secs(), seconds);
        server.answer(&id, json!({})).await;
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_a_server_sends_is_a_sign_of_life() {
    let often = KeepAlive {
        every: SECOND,
        timeout: SECOND,
        misses: 1,
    };
    let (client, mut server, _servers) = connected(builder().keep_alive(often)).await;
    for _ in 0..3 {
        server.expect("ping").await;
        server.send_text("rubbish").await;
        server.expect("notifications/cancelled").await;
    }
    assert_eq!(client.status().transport, TransportState::Connected);
    server.expect("ping").await;
    server.expect("notifications/cancelled").await;
    assert_eq!(server.next().await, None);
}
