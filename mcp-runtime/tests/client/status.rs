//! The status of a client, and the reason for a lost connection.

use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use mcp_runtime::client::TransportState;
use mcp_runtime::{Client, LifecycleState};

use crate::servers::{SECOND, builder, connected, until};

#[tokio::test(start_paused = true)]
async fn a_client_that_is_closed_between_two_tries_is_disconnected() {
    for failed in [0, 1, 5] {
        let (client, server, mut servers) = connected(builder()).await;
        drop(server);
        for _ in 0..failed {
            drop(servers.next().await);
        }
        let lost = match failed {
            5 => TransportState::Lost,
            _ => TransportState::Reconnecting,
        };
        until(&client, lost).await;
        assert!(client.lost_because().is_some());
        client.close().await;
        let status = client.status();
        assert_eq!(status.transport, TransportState::Disconnected, "{failed}");
        assert_eq!(status.lifecycle, LifecycleState::Terminated, "{failed}");
        assert!(client.lost_because().is_none(), "{failed}");
        tokio::time::sleep(100 * SECOND).await;
        assert!(servers.0.try_recv().is_err(), "{failed}: no more tries");
    }
}

#[tokio::test(start_paused = true)]
async fn a_loss_in_operation_is_not_one_of_connecting() {
    let (client, server, mut servers) = connected(builder()).await;
    drop(server);
    until(&client, TransportState::Reconnecting).await;
    let reason = client.lost_because().unwrap().to_string();
    assert_eq!(reason, "the server closed the connection");
    // The error of a failed attempt comes from connecting.
    drop(servers.next().await);
    until(&client, TransportState::Reconnecting).await;
    let reason = client.lost_because().unwrap().to_string();
    assert!(reason.contains("before it was initialized"), "{reason}");

    // This server never answers.
    let (client, _server, _servers) = connected(builder()).await;
    until(&client, TransportState::Reconnecting).await;
    let reason = client.lost_because().unwrap().to_string();
    let expected = "the connection was lost: the server no longer answers";
    assert_eq!(reason, expected);
}

/// Locking a mutex twice would block its thread forever, so the client runs on its own thread.
#[test]
fn an_observer_of_the_status_may_ask_for_the_revision() {
    let (done, waiting) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        let states = runtime.block_on(async {
            let asked: Arc<OnceLock<Client>> = Arc::default();
            let observed = Arc::clone(&asked);
            let states = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&states);
            let observed = builder().on_status(move |status| {
                if let Some(client) = observed.get() {
                    let known = client.server_info().is_some() && client.lost_because().is_none();
                    let status = (status == client.status()).then_some(status.lifecycle);
                    seen.lock()
                        .unwrap()
                        .push((client.revision(), known, status));
                }
            });
            let (client, _server, _servers) = connected(observed).await;
            asked.set(client.clone()).unwrap();
            client.close().await;
            states.lock().unwrap().clone()
        });
        done.send(states).unwrap();
    });
    let states = waiting.recv_timeout(Duration::from_secs(60)).unwrap();
    let revision = mcp_runtime::Revision::V2025_11_25;
    let ended = [LifecycleState::ShuttingDown, LifecycleState::Terminated];
    for state in ended {
        assert!(
            states.contains(&(revision, true, Some(state))),
            "{states:?}"
        );
    }
}
