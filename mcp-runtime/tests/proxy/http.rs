//! Proxies over HTTP: sessions and their connections, and calls of several people.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::response::Parts;
use http_body::Body as _;
use mcp_runtime::prelude::*;
use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::store::MemoryKeyValue;
use mcp_runtime::transport::http::{HttpOptions, HttpService, http, http_service};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{Client, Era, Server};
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::behind::{self, Behind, HANDSHAKE, asked, introduced, proxy, upstream};
use crate::scripted::{Script, Scripted as HttpServer};
use crate::support::clock::in_time;
use crate::support::mounted::mounted;
use crate::support::scripted::{Scripted, said};
use crate::support::{Wire, call, request};

/// Serves a proxy on a free port, and returns its URL.
fn served(proxy: &Server) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(proxy.serve(http(listener)).signals(false).into_future());
    url
}

async fn session(url: &str, name: &str, behind: &mut Behind) -> (Client, Scripted) {
    let client = Client::builder(name, "1").era(Era::Handshake);
    let connecting = client.connect(http_client(url));
    let operating = async {
        let mut server = behind.next().await;
        let params = server.shake_hands(HANDSHAKE).await;
        assert_eq!(params["clientInfo"]["name"], name);
        server
    };
    let (client, server) = in_time(async { tokio::join!(connecting, operating) }).await;
    (client.unwrap(), server)
}

#[tokio::test]
async fn a_session_has_a_connection_that_ends_with_it() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let url = served(&proxy);
    let (first, mut one) = session(&url, "first", &mut behind).await;
    let (second, mut two) = session(&url, "second", &mut behind).await;
    for (client, server, text) in [(&first, &mut one, "1"), (&second, &mut two, "2")] {
        let calling = client.call_tool("x", json!({}));
        let serving = async {
            let (id, _) = server.expect("tools/call").await;
            server.answer(&id, said(text)).await;
        };
        let (result, ()) = in_time(async { tokio::join!(calling, serving) }).await;
        assert_eq!(result.unwrap().content, [ContentBlock::text(text)]);
    }
    let mut told = second.notifications();
    two.notify("notifications/tools/list_changed", json!({}))
        .await;
    in_time(told.next()).await.unwrap();
    first.close().await;
    assert_eq!(in_time(one.next()).await, None);
    let calling = second.call_tool("x", json!({}));
    let serving = async {
        let (id, _) = two.expect("tools/call").await;
        two.answer(&id, said("still")).await;
    };
    let (result, ()) = in_time(async { tokio::join!(calling, serving) }).await;
    assert_eq!(result.unwrap().content, [ContentBlock::text("still")]);
}

#[tokio::test]
async fn a_session_that_the_server_forgets_is_opened_again() {
    let sessions = Arc::new(Script::new(["first", "second"]));
    let is_forgotten = Arc::new(AtomicBool::new(false));
    let forgets = Arc::clone(&is_forgotten);
    let server = HttpServer::new(move |exchange| {
        let session = exchange.header("mcp-session-id").to_owned();
        let is_gone = session == "first" && forgets.load(Ordering::Acquire);
        let sessions = Arc::clone(&sessions);
        async move {
            match &*exchange.name() {
                "initialize" => exchange.initialize(sessions.next()).await,
                _ if is_gone => exchange.reply(404, "", "").await,
                "tools/call" => exchange.say(&session).await,
                "tools/list" => exchange.result(json!({"tools": [{"name": session}]})).await,
                "prompts/list" => exchange.result(json!({"prompts": []})).await,
                _ => drop(exchange.shake_hands().await),
            }
        }
    })
    .await;
    let url = server.url();
    let upstream = Upstream::new(move |client| {
        let client = client.era(Era::Handshake);
        client.connect(http_client(&url))
    });
    let mut wire = Wire::to(&Proxy::new(upstream).into_server()).await;
    let forgotten = async {
        wire.handshake(HANDSHAKE).await;
        for list in ["prompts/list", "tools/list"] {
            wire.ask(request(1, list, json!({}))).await;
        }
        is_forgotten.store(true, Ordering::Release);
        wire.send(call(2, "x", json!({}))).await;
        let mut received = [wire.answer().await, wire.answer().await];
        received.sort_by_key(|message| message["id"].is_null());
        let [answer, told] = received;
        assert_eq!(answer["result"], said("second"), "{answer}");
        assert_eq!(told["method"], "notifications/tools/list_changed");
        // The prompts have not changed.
        server.until_seen("prompts/list", 2).await;
        assert_eq!(wire.ask(call(3, "x", json!({}))).await["id"], 3);
    };
    in_time(forgotten).await;
    assert_eq!(server.count("initialize"), 2);
    assert_eq!(
        server.count("tools/call"),
        3,
        "the refused call is sent again"
    );
}

fn to_mcp() -> ::http::request::Builder {
    ::http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

/// Sends a request as `person`. Returns the head of the response, and its last message.
async fn post(service: &HttpService, person: &str, message: Value) -> (Parts, Value) {
    let revision = match message["params"]["_meta"].is_object() {
        true => "2026-07-28",
        false => HANDSHAKE,
    };
    let mut request = to_mcp()
        .header("mcp-protocol-version", revision)
        .header("mcp-method", message["method"].as_str().unwrap())
        .header("mcp-name", "shop")
        .body(message.to_string())
        .unwrap();
    request.extensions_mut().insert(Principal::new(person));
    let answer = service.clone().call(request).await.unwrap();
    let (head, mut body) = answer.into_parts();
    let mut text = String::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        text.push_str(str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap());
    }
    let mut data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let message = serde_json::from_str(data.next_back().unwrap_or(&text)).unwrap();
    (head, message)
}

#[tokio::test]
async fn a_session_of_another_process_is_unknown() {
    let sessions = MemoryKeyValue::new();
    let options = || HttpOptions::default().store(sessions.clone());
    let (one, mut behind) = proxy(Era::Handshake);
    let mut one = mounted(one, options()).await;
    let mut other = mounted(proxy(Era::Handshake).0, options()).await;
    let initialize = introduced("c", json!({})).to_string();
    let opening = one.call(to_mcp().body(initialize).unwrap());
    let (opened, _server) = in_time(async { tokio::join!(opening, behind.operating()) }).await;
    let opened = opened.unwrap();
    let id = &opened.headers()["mcp-session-id"];
    let ping = || {
        let ping = request(1, "ping", json!({})).to_string();
        to_mcp().header("mcp-session-id", id).body(ping).unwrap()
    };
    assert_eq!(in_time(other.call(ping())).await.unwrap().status(), 404);
    assert_eq!(in_time(one.call(ping())).await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_ticket_belongs_to_one_person() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let service = mounted(proxy, HttpOptions::default()).await;
    let call = |more: Value| {
        let mut params = more;
        params["name"] = "shop".into();
        asked(1, "tools/call", params, json!({"roots": {}}))
    };
    let asking = post(&service, "ann", call(json!({})));
    let serving = async {
        let mut server = behind.operating().await;
        let (id, _) = server.expect("tools/call").await;
        server.send(request("q", "roots/list", json!({}))).await;
        (server, id)
    };
    let ((_, required), (mut server, id)) = in_time(async { tokio::join!(asking, serving) }).await;
    let ticket = &required["result"]["requestState"];
    let retry = json!({"requestState": ticket, "inputResponses": {"1": {"roots": []}}});
    let (_, refused) = in_time(post(&service, "bob", call(retry.clone()))).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let serving = async {
        assert_eq!(server.next().await.unwrap()["id"], "q");
        server.answer(&id, said("done")).await;
    };
    let retrying = post(&service, "ann", call(retry));
    let ((_, done), ()) = in_time(async { tokio::join!(retrying, serving) }).await;
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
}

#[tokio::test(start_paused = true)]
async fn without_a_free_connection_the_status_is_503() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(behind::session(&proxy, &mut behind).await);
    }
    let service = mounted(proxy, HttpOptions::default()).await;
    let call = asked(1, "tools/call", json!({"name": "shop"}), json!({}));
    for message in [call, introduced("c", json!({}))] {
        let (head, refused) = in_time(post(&service, "ann", message)).await;
        assert_eq!(
            (head.status.as_u16(), &head.headers["retry-after"]),
            (503, &"1".parse().unwrap())
        );
        let text = refused["error"]["message"].as_str().unwrap();
        assert!(text.contains("All 100 connections"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_busy_server_of_several_does_not_change_the_status() {
    let (one, mut a) = upstream(Era::Handshake);
    let (two, mut b) = upstream(Era::Stateless);
    let proxy = Proxy::several([("a", one), ("b", two)]).into_server();
    let mut open = Vec::new();
    for _ in 0..100 {
        let mut wire = Wire::to(&proxy).await;
        let shaking = wire.handshake(HANDSHAKE);
        let (_, a) = tokio::join!(shaking, async {
            if open.is_empty() {
                let b = b.discovered().await;
                return (a.operating().await, Some(b));
            }
            (a.operating().await, None)
        });
        open.push((wire, a));
    }
    let b = open[0].1.1.as_mut().unwrap();
    let service = mounted(proxy, HttpOptions::default()).await;
    let list = asked(1, "tools/list", json!({}), json!({}));
    let serving = async {
        let (id, _) = b.expect("tools/list").await;
        let tools = json!([{"name": "x"}]);
        b.answer(&id, json!({"resultType": "complete", "tools": tools}))
            .await;
    };
    let ((head, listed), ()) =
        in_time(async { tokio::join!(post(&service, "ann", list), serving) }).await;
    assert_eq!(listed["result"]["tools"], json!([{"name": "b_x"}]));
    assert_eq!(head.status, 200);
}

#[tokio::test(start_paused = true)]
async fn subscriptions_end_when_the_proxy_shuts_down() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let service = http_service(proxy, HttpOptions::default());
    let guard = service.start().await.unwrap();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = asked(1, "subscriptions/listen", filter, json!({}));
    let ending = async {
        let mut server = behind.discovered().await;
        server.expect("subscriptions/listen").await;
        guard.shut_down().await.unwrap();
    };
    let listening = post(&service, "ann", listen);
    let ((_, ended), ()) = in_time(async { tokio::join!(listening, ending) }).await;
    assert_eq!(ended["result"]["resultType"], "complete", "{ended}");
}
