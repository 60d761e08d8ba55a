//! Spellings of URIs. However the client spells a URI, the server uses the canonical URI, and
//! answers with the client's spelling.

use std::time::Duration;

use mcp_runtime::Server;
use mcp_runtime::server::Reply;
use mcp_runtime::server::resources::{Contents, IntoContents as _, ResourceEntry, UriTemplate};
use mcp_runtime::types::{
    CacheScope, ReadResourceResult, Resource, ResourceTemplate, TextResourceContents,
};
use serde_json::{Value, json};

use crate::support::clock::in_time;
use crate::support::listening::{about, listen, notification, updated};
use crate::support::{Wire, ask_in_both_eras as ask, request, stateless};

fn template(text: &str) -> ResourceEntry {
    let uri = UriTemplate::parse(text).unwrap();
    let listed = ResourceTemplate::new(text, "");
    ResourceEntry::template(listed, uri, |call| {
        let values: Vec<_> = call.variables.iter().map(|(_, value)| &**value).collect();
        Reply::Ready(Ok(Contents::Text(values.join(" "))))
    })
}

fn fixed(uri: &'static str) -> ResourceEntry {
    ResourceEntry::resource(Resource::new(uri, uri), |_| {
        Reply::Ready("fixed".into_contents())
    })
}

/// Creates a server that hides private resources, and resources named `hidden`.
fn library() -> Server {
    let mut server = Server::builder();
    server.resource(template("file:///{+path}").subscribable());
    server.resource(template("memory://entity/{name}").subscribable());
    server.resource(template("search:docs{?q,lang}").subscribable());
    server.resource(fixed("note://hidden/1").subscribable());
    server.resource(fixed("NOTE://open/%31").subscribable());
    server.resource(template("page://{name}").list(async |_| {
        ["page://open", "page://h%69dden"]
            .map(|uri| Resource::new(uri, uri))
            .to_vec()
    }));
    server
        .filter_resources(|uri, _| !uri.starts_with("file:///private/") && !uri.contains("hidden"));
    server.build()
}

fn mounted() -> Server {
    let mut server = Server::builder();
    server.mount("Outer", library());
    server.build()
}

async fn read(server: &Server, uri: &str) -> [Value; 2] {
    ask(server, "resources/read", json!({"uri": uri})).await
}

#[tokio::test]
async fn what_is_hidden_is_hidden_under_any_spelling() {
    for (server, prefixes) in [
        (library(), &[""][..]),
        (mounted(), &["Outer+", "outer+", "OUTER+"]),
    ] {
        for prefix in prefixes {
            for uri in [
                "file:///private/s.txt",
                "file:///%70rivate/s.txt",
                "file:///private%2Fs.txt",
                "file:///privat%65%2fs.txt",
                "FILE:///private/s.txt",
                "file:///open/../private/s.txt",
                "file:///open%2F..%2Fprivate/s.txt",
                "file:///%2e/private/s.txt",
                "memory://entity/hidden",
                "memory://entity/h%69dden",
                "Memory://entity/%68%69%64%64%65%6E",
                "search:docs?q=h%69dden",
                "search:docs?lang=en&q=hidde%6e&more=1",
                "search:docs?%71=hidden",
                "note://hidden/1",
                "note://h%69dden/1",
                "note://hidden/%31",
                "page://hidden",
            ] {
                let uri = format!("{prefix}{uri}");
                let unknown = format!("{prefix}unknown:x");
                let answers = read(&server, &uri).await;
                let expected = read(&server, &unknown).await;
                for (answer, expected) in answers.iter().zip(expected) {
                    let expected = expected.to_string().replace(&unknown, &uri);
                    assert_eq!(answer.to_string(), expected);
                }
                for method in ["resources/subscribe", "subscriptions/listen"] {
                    let filter = json!({"resourceSubscriptions": [uri]});
                    let mut wire = Wire::to(&server).await;
                    if method == "resources/subscribe" {
                        wire.handshake("2025-11-25").await;
                        let answer = wire.ask(request(1, method, json!({"uri": uri}))).await;
                        assert_eq!(answer["error"]["code"], -32002, "{answer}");
                    } else {
                        let answer = wire.ask(listen(1, filter)).await;
                        let nothing = about(1, json!({"notifications": {}}));
                        let expected = notification("subscriptions/acknowledged", nothing);
                        assert_eq!(answer, expected);
                    }
                }
            }
        }
    }
    for answer in ask(&library(), "resources/list", json!({})).await {
        let listed = &answer["result"]["resources"];
        let uris = [&listed[0]["uri"], &listed[1]["uri"], &listed[2]];
        assert_eq!(
            uris,
            [
                &json!("NOTE://open/%31"),
                &json!("page://open"),
                &Value::Null
            ]
        );
    }
}

#[tokio::test]
async fn what_is_read_is_called_as_the_client_calls_it() {
    let mut server = Server::builder();
    server.resource(ResourceEntry::resource(
        Resource::new("parts", "parts:1"),
        |_| {
            let parts =
                ["parts:1", "parts:2"].map(|uri| TextResourceContents::new(uri, uri).into());
            Reply::Ready(Ok(Contents::Whole(Box::new(ReadResourceResult::new(
                parts,
            )))))
        },
    ));
    for answer in read(&server.build(), "PARTS:%31").await {
        let contents = &answer["result"]["contents"];
        assert_eq!(contents[0]["uri"], "PARTS:%31");
        assert_eq!(contents[1]["uri"], "parts:2");
    }
    for (uri, text) in [
        ("file:///open%2Fa%20%C3%a9.txt", "open/a é.txt"),
        ("file:///100%2525/%5Bid%5D.tsx", "100%25/[id].tsx"),
        ("memory://entity/Alice", "Alice"),
        ("memory://entity/%41lice", "Alice"),
        ("memory://entity/a@b(c)", "a@b(c)"),
        ("search:docs?lang=de&q=%C3%A9", "é de"),
        ("note://open/1", "fixed"),
        ("NOTE://open/%31", "fixed"),
        ("Note://%6Fpen/1", "fixed"),
    ] {
        for answer in read(&library(), uri).await {
            let expected = json!([{"uri": uri, "text": text}]);
            assert_eq!(answer["result"]["contents"], expected, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_route_serves_its_uris_however_they_are_written() {
    let mut server = Server::builder();
    server.resource(template("file:///{+path}"));
    server.resource(fixed("file:///private/key").visible_to(|_| false));
    server.resource(template("file:///open/{name}"));
    let server = server.build();
    for uri in [
        "file:///private/key",
        "file:///private%2Fkey",
        "file:///private/ke%79",
    ] {
        let [answer, _] = read(&server, uri).await;
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
    }
}

#[tokio::test]
async fn subscribers_are_told_in_their_own_spelling() {
    for (server, prefix) in [(library(), ""), (mounted(), "outer+")] {
        let own = [
            format!("{prefix}file:///a%2Fb"),
            format!("{prefix}FILE:///a/b"),
        ];
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        for uri in &own {
            let answer = wire
                .ask(request(1, "resources/subscribe", json!({"uri": uri})))
                .await;
            assert_eq!(answer["result"], json!({}), "{answer}");
        }
        let mut listening = Wire::to(&server).await;
        let filter = json!({"resourceSubscriptions": [own[0]]});
        let acknowledged = listening.ask(listen(1, filter.clone())).await;
        assert_eq!(acknowledged["params"]["notifications"], filter);

        server.notify_resource_updated(format!("{prefix}file:///%61/b"));
        let mut told = [in_time(wire.answer()).await, in_time(wire.answer()).await];
        told.sort_by_key(|it| it["params"]["uri"] == own[1]);
        for (told, uri) in told.iter().zip(&own) {
            assert_eq!(told["params"], json!({"uri": uri}));
        }
        assert_eq!(in_time(listening.answer()).await, updated(1, &own[0]));

        let params = json!({"uri": own[0]});
        wire.ask(request(2, "resources/unsubscribe", params)).await;
        server.notify_resource_updated(format!("{prefix}file:///a/b"));
        let told = in_time(wire.answer()).await;
        assert_eq!(told["params"], json!({"uri": own[1]}));
        let rest = in_time(wire.drain()).await;
        assert_eq!(rest, [] as [Value; 0]);
    }
}

#[tokio::test]
async fn what_is_not_a_uri_is_refused() {
    let server = library();
    for text in [
        "",
        "nothing",
        "file:///a b",
        "file:///%zz",
        "file:///é",
        "file:///a\\b",
        "1:x",
    ] {
        for answer in read(&server, text).await {
            assert_refused(&answer, "params.uri");
        }
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            let answer = wire.ask(request(1, method, json!({"uri": text}))).await;
            assert_refused(&answer, "params.uri");
        }
        let filter = json!({"resourceSubscriptions": ["file:///a", text]});
        let answer = Wire::to(&server).await.ask(listen(1, filter)).await;
        assert_refused(&answer, "params.notifications.resourceSubscriptions[1]");
    }
}

#[track_caller]
fn assert_refused(answer: &Value, path: &str) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains(&format!("{path}: `")), "{message}");
    assert!(message.ends_with("` is not a URI (RFC 3986)"), "{message}");
}

#[tokio::test]
async fn whatever_is_wrong_with_a_retry_is_said_of_hidden_resources_and_of_unknown_ones() {
    for uri in ["note://hidden/1", "note://unknown"] {
        let params = json!({"uri": uri, "requestState": "none"});
        let answer = Wire::to(&library())
            .await
            .ask(stateless(1, "resources/read", params))
            .await;
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("params.requestState"), "{message}");
    }
}

#[tokio::test]
async fn reads_that_are_filtered_are_private_to_caches() {
    let long = Duration::from_secs(9);
    let public = || {
        let part = TextResourceContents::new("note:1", "text").into();
        let whole = ReadResourceResult::new([part]).with_ttl_ms(7);
        whole.with_cache_scope(CacheScope::Public)
    };
    let entries = || {
        let whole = Resource::new("whole", "whole:1");
        let whole = ResourceEntry::resource(whole, move |_| {
            Reply::Ready(Ok(Contents::Whole(Box::new(public()))))
        });
        [whole, fixed("note:1").cache(long, CacheScope::Public)]
    };
    let mut open = Server::builder();
    let mut filtered = Server::builder();
    filtered.filter_resources(|_, _| true);
    let mut seen = Server::builder();
    for entry in entries() {
        open.resource(entry);
    }
    for entry in entries() {
        filtered.resource(entry);
    }
    for entry in entries() {
        seen.resource(entry.visible_to(|_| true));
    }
    let open = open.build();
    let filtered = filtered.build();
    let mut outer = Server::builder();
    outer.mount("", &filtered);
    for (server, scope) in [
        (open, "public"),
        (filtered, "private"),
        (seen.build(), "private"),
        (outer.build(), "private"),
    ] {
        for (uri, ttl) in [("whole:1", 7), ("note:1", 9000)] {
            let [_, answer] = read(&server, uri).await;
            assert_eq!(answer["result"]["cacheScope"], scope, "{answer}");
            assert_eq!(answer["result"]["ttlMs"], ttl, "{answer}");
        }
    }
}
