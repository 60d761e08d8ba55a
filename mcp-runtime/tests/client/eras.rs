//! How a client detects the era of its server.

use std::time::Duration;

use mcp_runtime::client::ConnectError;
use mcp_runtime::{Client, ClientBuilder, Era, Revision};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::support::client::builder;
use crate::support::scripted::{Scripted, discovered, initialized};

async fn connect<F>(
    builder: ClientBuilder,
    script: impl FnOnce(Scripted) -> F,
) -> Result<Client, ConnectError>
where
    F: Future<Output = Scripted> + Send + 'static,
{
    let (ours, server) = Scripted::pair();
    let (client, server) = tokio::join!(builder.connect(ours), tokio::spawn(script(server)));
    // A client that failed to connect has closed its side; a connected client has not.
    let mut server = server.unwrap();
    if client.is_err() {
        assert_eq!(server.next().await, None, "the connection is closed");
    }
    client
}

#[tokio::test]
async fn a_stateless_server_is_found_by_the_probe() {
    let client = connect(builder(), async |mut server: Scripted| {
        let params = server.be_discovered().await;
        let meta = &params["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "test");
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"],
            json!({})
        );
        server
    })
    .await
    .unwrap();
    assert_eq!(client.revision(), Revision::V2026_07_28);
    assert_eq!(client.server_info().unwrap().name, "scripted");
}

#[tokio::test]
async fn any_other_error_means_a_handshake() {
    for code in [-32601, -32602, -32600, -32000, -32603, 7] {
        let client = connect(builder(), async move |mut server: Scripted| {
            let (id, _) = server.expect("server/discover").await;
            server.refuse(&id, code, Value::Null).await;
            let params = server.shake_hands("2025-06-18").await;
            assert_eq!(
                params["protocolVersion"], "2025-11-25",
                "the newest is offered"
            );
            assert_eq!(params["_meta"], Value::Null);
            server
        })
        .await
        .unwrap();
        assert_eq!(client.revision(), Revision::V2025_06_18, "{code}");
    }
}

#[tokio::test]
async fn an_answer_that_is_not_a_discovery_leads_to_a_handshake() {
    let client = connect(builder(), async |mut server: Scripted| {
        let (id, _) = server.expect("server/discover").await;
        server.answer(&id, json!({"tools": []})).await;
        server.shake_hands("2025-11-25").await;
        server
    });
    assert_eq!(client.await.unwrap().revision(), Revision::V2025_11_25);
}

#[tokio::test(start_paused = true)]
async fn silence_means_a_handshake_and_the_probe_is_not_cancelled() {
    let start = Instant::now();
    let (ours, mut server) = Scripted::pair();
    let script = tokio::spawn(async move {
        server.expect("server/discover").await;
        server.shake_hands("2024-11-05").await;
        let (ping, _) = server.expect("ping").await;
        server.answer(&ping, json!({})).await;
        server
    });
    let client = builder().connect(ours).await.unwrap();
    assert_eq!(client.revision(), Revision::V2024_11_05);
    assert_eq!(start.elapsed(), Duration::from_secs(3));
    client.ping().await.unwrap();
    script.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_that_is_slow_to_start_is_still_found() {
    let client = connect(builder(), async |mut server: Scripted| {
        let (probe, _) = server.expect("server/discover").await;
        let (handshake, _) = server.expect("initialize").await;
        server.refuse(&handshake, -32601, Value::Null).await;
        server.answer(&probe, discovered(&["2026-07-28"])).await;
        server
    });
    assert_eq!(client.await.unwrap().revision(), Revision::V2026_07_28);
}

#[tokio::test]
async fn a_stateless_refusal_is_not_a_reason_to_fall_back() {
    for code in [-32020, -32021] {
        let refused = connect(builder(), async move |mut server: Scripted| {
            let (id, _) = server.expect("server/discover").await;
            server.refuse(&id, code, Value::Null).await;
            server
        })
        .await
        .unwrap_err();
        assert!(matches!(refused, ConnectError::Refused(error) if error.code == code));
    }
}

#[tokio::test]
async fn a_server_of_other_versions_is_met_where_both_can() {
    let unsupported = |versions: &'static [&'static str]| {
        connect(builder(), async move |mut server: Scripted| {
            let (id, _) = server.expect("server/discover").await;
            let data = json!({"supported": versions, "requested": "2026-07-28"});
            server.refuse(&id, -32022, data).await;
            if versions.contains(&"2025-06-18") {
                let params = server.shake_hands("2025-06-18").await;
                assert_eq!(params["protocolVersion"], "2025-06-18");
            }
            server
        })
    };
    let client = unsupported(&["2099-01-01", "2025-06-18"]).await.unwrap();
    assert_eq!(client.revision(), Revision::V2025_06_18);
    match unsupported(&["2099-01-01"]).await.unwrap_err() {
        ConnectError::Revision { asked, offered, .. } => {
            assert_eq!(asked, Revision::V2026_07_28);
            assert_eq!(offered, ["2099-01-01"]);
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn an_unacceptable_answer_to_the_handshake_ends_it() {
    let builder = builder().era(Era::Handshake);
    let refused = connect(builder, async |mut server: Scripted| {
        let (id, _) = server.expect("initialize").await;
        server.answer(&id, initialized("2023-01-01")).await;
        server
    })
    .await
    .unwrap_err();
    let text = refused.to_string();
    for part in ["2025-11-25", "2023-01-01", "2024-11-05"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(matches!(refused, ConnectError::Revision { .. }));
}

#[tokio::test]
async fn a_given_verdict_is_not_probed() {
    let client = connect(
        builder().era(Era::Handshake),
        async |mut server: Scripted| {
            server.shake_hands("2025-11-25").await;
            server
        },
    );
    assert_eq!(client.await.unwrap().revision(), Revision::V2025_11_25);

    let old = builder().revision(Revision::V2025_03_26);
    let client = connect(old, async |mut server: Scripted| {
        let params = server.shake_hands("2025-03-26").await;
        assert_eq!(params["protocolVersion"], "2025-03-26");
        server
    });
    assert_eq!(client.await.unwrap().revision(), Revision::V2025_03_26);

    let stateless = builder().era(Era::Stateless);
    let refused = connect(stateless, async |mut server: Scripted| {
        let (id, _) = server.expect("server/discover").await;
        server.refuse(&id, -32601, Value::Null).await;
        let (id, _) = server.expect("initialize").await;
        server.refuse(&id, -32601, Value::Null).await;
        server
    });
    assert!(matches!(refused.await, Err(ConnectError::Refused(_))));
}

#[tokio::test]
async fn a_server_without_the_revision_that_is_forced_is_asked_what_it_has() {
    let latest = builder().revision(Revision::V2026_07_28);
    let refused = connect(latest, async |mut server: Scripted| {
        let (id, _) = server.expect("server/discover").await;
        server.refuse(&id, -32601, Value::Null).await;
        let (id, params) = server.expect("initialize").await;
        assert_eq!(params["protocolVersion"], "2025-11-25");
        server.answer(&id, initialized("2025-06-18")).await;
        server
    });
    let expected = "no revision in common: the client requests 2026-07-28, the server offers \
                    2025-06-18, the client supports 2026-07-28";
    assert_eq!(refused.await.unwrap_err().to_string(), expected);

    let refusal = json!({"supported": ["2026-07-28"]});
    for discovery in [None, Some(refusal)] {
        let old = builder().revision(Revision::V2025_03_26);
        let refused = connect(old, async move |mut server: Scripted| {
            let (id, _) = server.expect("initialize").await;
            server.refuse(&id, -32601, Value::Null).await;
            match discovery {
                None => drop(server.be_discovered().await),
                Some(refusal) => {
                    let (id, _) = server.expect("server/discover").await;
                    server.refuse(&id, -32022, refusal).await;
                }
            }
            server
        });
        let expected = "no revision in common: the client requests 2025-03-26, the server offers \
                        2026-07-28, the client supports 2025-03-26";
        assert_eq!(refused.await.unwrap_err().to_string(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_tell_what_it_has_is_not_waited_for() {
    let start = Instant::now();
    let old = builder().revision(Revision::V2025_03_26);
    let refused = connect(old, async |mut server: Scripted| {
        let (id, _) = server.expect("initialize").await;
        server.refuse(&id, -32601, Value::Null).await;
        server.expect("server/discover").await;
        server
    });
    assert!(matches!(refused.await, Err(ConnectError::Refused(_))));
    assert_eq!(start.elapsed(), Duration::from_secs(3));
}

#[tokio::test]
async fn a_server_that_goes_away_is_reported() {
    let (ours, server) = Scripted::pair();
    drop(server);
    let refused = builder().connect(ours).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Closed), "{refused}");
}

/// Connects repeatedly, to one server after the other.
async fn connect_again(
    builder: ClientBuilder,
    script: impl AsyncFnOnce(&mut mpsc::UnboundedReceiver<Scripted>) -> Scripted,
) -> Client {
    let (started, mut servers) = mpsc::unbounded_channel();
    let connect = builder.connect_with(move || {
        let (ours, server) = Scripted::pair();
        started.send(server).unwrap();
        ours
    });
    let (client, _server) = tokio::join!(connect, script(&mut servers));
    client.unwrap()
}

#[tokio::test]
async fn a_server_that_is_remembered_is_not_asked_what_it_is() {
    let kept = Revision::V2025_06_18.to_string();
    let kept: Revision = kept.parse().unwrap();
    let client = connect(
        builder().last_revision(kept),
        async |mut server: Scripted| {
            let params = server.shake_hands("2025-11-25").await;
            assert_eq!(params["protocolVersion"], "2025-11-25");
            server
        },
    );
    assert_eq!(client.await.unwrap().revision(), Revision::V2025_11_25);
}

#[tokio::test]
async fn a_server_that_is_not_what_it_was_is_asked() {
    let remembered = builder().last_revision(Revision::V2025_06_18);
    let client = connect_again(remembered, async |servers| {
        let mut first = servers.recv().await.unwrap();
        let (id, _) = first.expect("initialize").await;
        first.refuse(&id, -32601, Value::Null).await;
        let mut second = servers.recv().await.unwrap();
        second.be_discovered().await;
        second
    });
    assert_eq!(client.await.revision(), Revision::V2026_07_28);

    let remembered = builder().last_revision(Revision::V2026_07_28);
    let client = connect_again(remembered, async |servers| {
        let mut server = servers.recv().await.unwrap();
        let (id, _) = server.expect("server/discover").await;
        server.refuse(&id, -32601, Value::Null).await;
        server.shake_hands("2025-06-18").await;
        server
    });
    assert_eq!(client.await.revision(), Revision::V2025_06_18);
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_that_was_stateless_once_is_greeted_on_the_same_connection() {
    let start = Instant::now();
    let remembered = builder().last_revision(Revision::V2026_07_28);
    let client = connect(remembered, async |mut server: Scripted| {
        server.expect("server/discover").await;
        server.shake_hands("2025-06-18").await;
        server
    });
    assert_eq!(client.await.unwrap().revision(), Revision::V2025_06_18);
    assert_eq!(start.elapsed(), Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_greeted_however_short_the_limit_of_a_call_is() {
    for idle in [1, 3] {
        let timeouts = mcp_runtime::Timeouts {
            idle: Duration::from_secs(idle),
            ..Default::default()
        };
        let start = Instant::now();
        let client = connect(
            builder().timeouts(timeouts),
            async |mut server: Scripted| {
                server.expect("server/discover").await;
                server.shake_hands("2025-06-18").await;
                server
            },
        );
        assert_eq!(client.await.unwrap().revision(), Revision::V2025_06_18);
        assert_eq!(start.elapsed(), Duration::from_secs(3));
    }
}

#[tokio::test]
async fn a_refusal_that_names_versions_is_followed_once() {
    for (code, data) in [
        (
            -32602,
            json!({"supported": ["2024-11-05", "2025-03-26"], "requested": "x"}),
        ),
        (-32000, json!({"supportedVersions": ["2025-03-26"]})),
        (-32022, json!({"supported": ["2025-03-26"]})),
    ] {
        let client = connect(
            builder().era(Era::Handshake),
            async move |mut server: Scripted| {
                let (id, _) = server.expect("initialize").await;
                server.refuse(&id, code, data).await;
                let params = server.shake_hands("2025-03-26").await;
                assert_eq!(params["protocolVersion"], "2025-03-26");
                server
            },
        );
        assert_eq!(client.await.unwrap().revision(), Revision::V2025_03_26);
    }
    let client = connect(builder(), async |mut server: Scripted| {
        let (id, _) = server.expect("server/discover").await;
        server.refuse(&id, -32601, Value::Null).await;
        let (id, _) = server.expect("initialize").await;
        server
            .refuse(&id, -32602, json!({"supported": ["2026-07-28"]}))
            .await;
        server.be_discovered().await;
        server
    });
    assert_eq!(client.await.unwrap().revision(), Revision::V2026_07_28);
}

#[tokio::test]
async fn what_is_said_of_versions_does_not_contradict_itself() {
    // Each refusal names a version that the client speaks, or the version that was requested.
    for versions in [json!(["2025-11-25"]), json!(["2025-06-18"])] {
        let refused = connect(
            builder().era(Era::Handshake),
            async move |mut server: Scripted| {
                for _ in 0..2 {
                    let Some(message) = server.next().await else {
                        break;
                    };
                    let data = json!({"supported": versions});
                    server.refuse(&message["id"], -32602, data).await;
                }
                server
            },
        );
        let refused = refused.await.unwrap_err();
        assert!(matches!(refused, ConnectError::Refused(_)), "{refused}");
    }
    let refused = connect(
        builder().era(Era::Handshake),
        async |mut server: Scripted| {
            let (id, _) = server.expect("initialize").await;
            server
                .refuse(&id, -32602, json!({"supported": ["2099-01-01"]}))
                .await;
            server
        },
    );
    let refused = refused.await.unwrap_err();
    assert!(
        matches!(refused, ConnectError::Revision { .. }),
        "{refused}"
    );
    let refused = connect(
        builder().era(Era::Handshake),
        async |mut server: Scripted| {
            let (id, _) = server.expect("initialize").await;
            server.answer(&id, initialized("2026-07-28")).await;
            server
        },
    );
    let refused = refused.await.unwrap_err();
    assert!(!matches!(refused, ConnectError::Refused(_)), "{refused}");
}
