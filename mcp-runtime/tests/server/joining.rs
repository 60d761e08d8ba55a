//! Settings that mounted servers add to the outer server.

use std::sync::{Arc, Mutex};

use mcp_runtime::server::Reply;
use mcp_runtime::types::{ClientCapabilities, ClientCapabilitiesSampling};
use mcp_runtime::{Server, ServerBuilder};
use serde_json::{Map, Value, json};

use crate::support::{self, Wire, request, stateless, text, tool};

async fn discover(server: &Server) -> Value {
    let mut wire = Wire::to(server).await;
    let mut answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
    answer["result"].take()
}

fn instructed(text: &str) -> ServerBuilder {
    let mut server = Server::builder();
    server.instructions(text);
    server
}

#[tokio::test]
async fn instructions_follow_each_other() {
    let mut server = Server::builder();
    server.mount("gh", instructed("Search first.").build());
    server.mount("", instructed("Be brief.").build());
    server.instructions("All in one.");
    assert_eq!(
        discover(&server.build()).await["instructions"],
        "All in one.\n\nBe brief.\n\nAbout everything that begins with `gh_`:\nSearch first."
    );
    let mut server = Server::builder();
    server.mount("gh", Server::builder().build());
    assert_eq!(discover(&server.build()).await["instructions"], Value::Null);
}

#[tokio::test]
async fn instructions_of_nested_servers_name_the_whole_prefix() {
    let inner = instructed("Tick.").build();
    let mut middle = instructed("Search first.");
    middle
        .mount("clock", &inner)
        .mount("", instructed("Be brief.").build());
    let mut outer = Server::builder();
    outer
        .mount("gh", middle.build())
        .mount("", instructed("Be kind.").build());
    let mut server = Server::builder();
    server.mount("all", outer.build());
    assert_eq!(
        discover(&server.build()).await["instructions"],
        "About everything that begins with `all_`:\nBe kind.\n\n\
         About everything that begins with `all_gh_`:\nSearch first.\n\nBe brief.\n\n\
         About everything that begins with `all_gh_clock_`:\nTick."
    );
}

fn clock() -> Server {
    let mut clock = Server::builder();
    clock.tool(tool("tick", |_| Reply::Ready(Ok(text(String::new())))));
    clock.extension(("com.example/clock", Map::new()));
    clock.method("com.example/now", async |_: Value, cx| {
        Ok::<_, String>(json!({"beside": cx.server().tools()[0].name}))
    });
    clock.logging();
    clock.build()
}

#[tokio::test]
async fn extensions_are_declared_and_served() {
    let mut server = Server::builder();
    let clock = clock();
    server.mount("a", &clock).mount("b", &clock);
    let server = server.build();
    let declared = &discover(&server).await["capabilities"];
    assert_eq!(declared["extensions"]["com.example/clock"], json!({}));
    assert_eq!(declared["logging"], json!({}));
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-11-25").await;
    let answer = wire.ask(request(1, "com.example/now", json!({}))).await;
    assert_eq!(answer["result"], json!({"beside": "tick"}), "{answer}");
}

#[tokio::test]
async fn an_extension_of_several_servers_is_that_of_the_outer_one_or_else_of_the_first() {
    let settings = |precision: u8| Map::from_iter([("precision".to_owned(), json!(precision))]);
    let clock = |precision: u8| {
        let mut clock = Server::builder();
        clock.extension(("com.example/clock", settings(precision)));
        clock.method("com.example/now", move |_: Value, _| async move {
            Ok::<_, String>(json!({"from": precision}))
        });
        clock
    };
    for (mut server, expected) in [(clock(3), 3), (Server::builder(), 1)] {
        server.mount("a", clock(1).build());
        server.mount("b", clock(2).build());
        let server = server.build();
        let declared = &discover(&server).await["capabilities"]["extensions"];
        assert_eq!(
            declared["com.example/clock"],
            json!({"precision": expected})
        );
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        let answer = wire.ask(request(1, "com.example/now", json!({}))).await;
        assert_eq!(answer["result"], json!({"from": expected}), "{answer}");
    }
}

#[tokio::test]
async fn clients_need_what_either_server_demands() {
    let mut inner = Server::builder();
    let sampling = ClientCapabilitiesSampling::new();
    inner.requires(&ClientCapabilities::new().with_sampling(sampling));
    let mut server = Server::builder();
    server.mount("in", inner.build());
    let roots = Default::default();
    server.requires(&ClientCapabilities::new().with_roots(roots));
    let server = server.build();
    for (capabilities, is_enough) in [
        (json!({"sampling": {}}), false),
        (json!({"roots": {}}), false),
        (json!({"roots": {}, "sampling": {}}), true),
    ] {
        let mut wire = Wire::to(&server).await;
        let mut message = support::initialize("2025-11-25");
        message["params"]["capabilities"] = capabilities;
        let answer = wire.ask(message).await;
        assert_eq!(answer["result"].is_object(), is_enough, "{answer}");
    }
}

fn noting(diary: &Arc<Mutex<Vec<String>>>, name: &'static str) -> ServerBuilder {
    let mut server = Server::builder();
    let note = |moment: &'static str| {
        let diary = Arc::clone(diary);
        move || {
            diary.lock().unwrap().push(format!("{moment} {name}"));
            std::future::ready(())
        }
    };
    let client = note("client of");
    let start = note("start");
    server.on_start(move |_| start());
    server.on_initialized(move |_| client());
    server.on_shutdown(note("end"));
    server
}

#[tokio::test]
async fn hooks_run_where_the_server_is_mounted() {
    let diary = Arc::default();
    let inner = noting(&diary, "inner").build();
    let mut server = noting(&diary, "outer");
    server.mount("a", &inner).mount("b", &inner);
    let server = server.build();
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-11-25").await;
    wire.ask(request(1, "ping", json!({}))).await;
    wire.close().await.unwrap();
    assert_eq!(
        *diary.lock().unwrap(),
        [
            "start outer",
            "start inner",
            "client of outer",
            "client of inner",
            "end inner",
            "end outer",
        ]
    );
}

#[tokio::test]
async fn a_mounted_server_that_cannot_start_keeps_the_outer_one_from_starting() {
    let mut inner = Server::builder();
    inner.on_start(|_| async { Err::<(), _>("no database") });
    let mut server = Server::builder();
    server.mount("in", inner.build());
    let (_, theirs) = mcp_runtime::transport::memory::pair();
    let outcome = server.build().serve(theirs).signals(false).await;
    assert_eq!(
        outcome.unwrap_err().to_string(),
        "`on_start` failed: no database"
    );
}
