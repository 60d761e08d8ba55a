//! Hooks for start, initialized clients and shutdown.

use std::future::Ready;
use std::io;
use std::sync::{Arc, Mutex};

use mcp_runtime::transport::memory;
use mcp_runtime::types::PingRequest;
use mcp_runtime::types::RequestParams;
use mcp_runtime::{ServeError, Server, ServerBuilder};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use crate::support::{self, Wire, builder, call, stateless};

#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn note(&self, event: impl Into<String>) {
        self.0.lock().unwrap().push(event.into());
    }

    fn read(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn noting(diary: &Diary) -> ServerBuilder {
    let mut server = builder();
    let [first, second, client, release, save] = std::array::from_fn(|_| diary.clone());
    server
        .on_start(move |_| {
            let first = first.clone();
            async move {
                tokio::task::yield_now().await;
                first.note("open");
            }
        })
        .on_start(move |_| {
            second.note("load");
            std::future::ready(())
        })
        .on_initialized(move |initialized| {
            let name = initialized.client_info().unwrap().name.clone();
            let client = client.clone();
            async move { client.note(format!("{name} {}", initialized.revision())) }
        })
        .on_shutdown(move || {
            release.note("release");
            std::future::ready(())
        })
        .on_shutdown(move || {
            save.note("save");
            std::future::ready(())
        });
    server
}

#[tokio::test]
async fn hooks_run_around_the_connection_and_once_for_its_handshake() {
    let diary = Diary::default();
    let mut wire = Wire::to(&noting(&diary).build()).await;
    wire.lives_on().await;
    assert_eq!(diary.read(), ["open", "load"]);
    wire.handshake("2025-06-18").await;
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    wire.lives_on().await;
    assert_eq!(diary.read()[2..], ["wire 2025-06-18"]);
    wire.close().await.unwrap();
    assert_eq!(diary.read()[3..], ["save", "release"]);
}

#[tokio::test]
async fn an_error_at_the_start_ends_it_before_anything_is_opened() {
    let diary = Diary::default();
    let mut server = noting(&diary);
    server.on_start(|_| async { Err::<(), _>(io::Error::other("no disk")) });
    let mut wire = Wire::to(&server.build()).await;
    assert_eq!(wire.next().await, None);
    match wire.serving.await.unwrap() {
        Err(ServeError::Start(error)) => assert_eq!(error.to_string(), "no disk"),
        other => panic!("{other:?}"),
    }
    assert_eq!(diary.read(), ["open", "load"]);
}

#[tokio::test]
async fn an_error_at_the_end_is_returned_and_the_other_hooks_run() {
    let diary = Diary::default();
    let mut server = noting(&diary);
    server.on_shutdown(|| async { Err::<(), _>("the disk is full") });
    let wire = Wire::to(&server.build()).await;
    match wire.close().await {
        Err(ServeError::Shutdown(error)) => assert_eq!(error.to_string(), "the disk is full"),
        other => panic!("{other:?}"),
    }
    assert_eq!(diary.read(), ["open", "load", "save", "release"]);
}

#[tokio::test]
async fn the_end_comes_after_the_calls_in_flight() {
    let diary = Diary::default();
    let release = Arc::new(Notify::new());
    let waiting = diary.clone();
    let mut server = noting(&diary);
    let released = Arc::clone(&release);
    server.tool(support::tool("wait", move |_| {
        let released = Arc::clone(&released);
        let waiting = waiting.clone();
        mcp_runtime::server::Reply::Pending(Box::pin(async move {
            released.notified().await;
            waiting.note("call");
            Ok(support::text("done".into()))
        }))
    }));
    let (ours, theirs) = memory::pair();
    let serving = server.build().serve(theirs).signals(false);
    let handle = serving.shutdown_handle();
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    wire.send(stateless(1, "tools/call", json!({"name": "wait"})))
        .await;
    wire.lives_on().await;
    handle.shut_down();
    release.notify_one();
    assert_eq!(wire.answer().await["id"], 1);
    assert_eq!(wire.next().await, None);
    wire.serving.await.unwrap().unwrap();
    assert_eq!(diary.read()[2..], ["call", "save", "release"]);
}

#[tokio::test]
async fn a_hook_may_talk_to_the_client_while_calls_are_served() {
    let (answers, mut answered) = mpsc::unbounded_channel();
    let mut server = builder();
    server.on_initialized(move |client| {
        let answers = answers.clone();
        async move {
            let pong = client
                .peer()
                .call::<PingRequest>(&RequestParams::new())
                .await;
            answers.send(pong.is_ok()).unwrap();
        }
    });
    let mut wire = Wire::to(&server.build()).await;
    wire.handshake("2025-11-25").await;
    let ping = wire.answer().await;
    assert_eq!(ping["method"], "ping");
    assert!(wire.ask(call(1, "echo", json!({}))).await["result"].is_object());
    wire.send(json!({"jsonrpc": "2.0", "id": ping["id"], "result": {}}))
        .await;
    assert_eq!(answered.recv().await, Some(true));
}

#[tokio::test]
async fn a_hook_that_fails_or_panics_for_a_client_leaves_the_connection_alone() {
    let mut server = builder();
    server
        .on_initialized(|_| async { Err::<(), _>("no") })
        .on_initialized(|_| -> Ready<()> { panic!("secret") })
        .on_initialized(|client| async move { assert_eq!(client.revision().as_str(), "secret") })
        .on_initialized(|client| async move {
            tokio::task::yield_now().await;
            assert_eq!(client.revision().as_str(), "secret");
        });
    let mut wire = Wire::to(&server.build()).await;
    wire.handshake("2025-11-25").await;
    wire.lives_on().await;
    wire.close().await.unwrap();
}

#[tokio::test]
async fn what_is_served_twice_starts_and_ends_twice() {
    let diary = Diary::default();
    let server: Server = noting(&diary).build();
    for _ in 0..2 {
        Wire::to(&server).await.close().await.unwrap();
    }
    let once = ["open", "load", "save", "release"];
    assert_eq!(diary.read(), [once, once].concat());
}
