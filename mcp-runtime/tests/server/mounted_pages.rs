//! Pages of mounted servers keep the scheme `ui`, because hosts refuse pages with other URIs.

use mcp_runtime::resources::{Contents, ResourceCall, ResourceEntry, UriTemplate};
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{List, Reply};
use mcp_runtime::types::{
    CallToolResult, Resource, ResourceLink, ResourceTemplate, TextResourceContents, Tool,
};
use mcp_runtime::{Context, ProtocolError, Server};
use serde_json::{Value, json};

use crate::support::clock::in_time;
use crate::support::listening::{listen, updated};
use crate::support::{Wire, ask_in_both_eras, request};

/// Answers with the URI that the handler sees.
fn echo(call: ResourceCall<'_>) -> Reply<Contents> {
    Reply::Ready(Ok(Contents::Text(call.uri.to_owned())))
}

/// Answers with contents that have the URI that the handler sees.
fn whole(call: ResourceCall<'_>) -> Reply<Contents> {
    let part = TextResourceContents::new(call.uri, "whole").into();
    Reply::Ready(Ok(Contents::Parts(vec![part])))
}

/// Creates a server with the tool `time`, whose page is `ui://clock`, and with pages of a template.
fn clock() -> Server {
    let mut server = Server::builder();
    server.list_changed([List::Resources]);
    let links = ["ui://clock", "ui://a/b", "ui:other", "ui://elsewhere"];
    let links = links.map(|uri| ResourceLink::new(uri, uri).into());
    let meta = json!({
        "ui": {"resourceUri": "ui://clock", "visibility": ["app"]},
        "ui/resourceUri": "ui://clock",
        "openai/outputTemplate": "ui://clock",
        "com.example/page": "ui://clock",
    });
    let tool = Tool::new("time", json!({"type": "object"}));
    let tool = tool.with_meta(meta.as_object().unwrap().clone());
    server.tool(ToolEntry::new(tool, move |_| {
        Reply::Ready(Ok(CallToolResult::new(links.clone())))
    }));
    let page = Resource::new("clock", "ui://clock");
    server.resource(ResourceEntry::resource(page, echo).subscribable());
    let pages = UriTemplate::parse("ui://{folder}/{+path}").unwrap();
    let pages = ResourceEntry::template(ResourceTemplate::new("pages", ""), pages, whole)
        .list(async |_| {
            ["ui://a/b", "ui://a/c"]
                .map(|uri| Resource::new(uri, uri))
                .to_vec()
        })
        .complete("folder", async |_| vec!["a"])
        .subscribable();
    server.resource(pages);
    server.filter_resources(|uri, _| uri != "ui://a/secret");
    server.method("com.example/pages", async |asked: Value, cx: Context| {
        let view = cx.resources();
        let shown = ["ui://clock", "ui://a/secret", "ui://clock/x"];
        let shown = shown.into_iter().filter(|uri| view.shows(uri));
        Ok::<_, ProtocolError>(json!({
            "asked": view.inner_uri(asked["uri"].as_str().unwrap()),
            "shown": shown.map(|uri| view.outer_uri(uri)).collect::<Vec<_>>(),
        }))
    });
    server.build()
}

async fn ask(server: &Server, method: &str, params: Value) -> [Value; 2] {
    let answers = ask_in_both_eras(server, method, params).await;
    answers.map(|it| it["result"].clone())
}

fn mounted(prefix: &str, inner: &Server) -> Server {
    let mut server = Server::builder();
    server.mount(prefix, inner);
    server.build()
}

async fn uris(server: &Server) -> Value {
    let [listed, _] = ask(server, "resources/list", json!({})).await;
    let listed = listed["resources"].as_array().unwrap();
    listed.iter().map(|it| it["uri"].clone()).collect()
}

/// Servers that offer the server with pages, and how its pages begin there.
fn each() -> [(Server, &'static str); 4] {
    let clock = clock();
    [
        (mounted("", &clock), "ui://"),
        (mounted("gh", &clock), "ui://gh/"),
        (mounted("Big.One", &clock), "ui://big.one/"),
        (mounted("a", &mounted("b", &clock)), "ui://a/b/"),
    ]
}

#[tokio::test]
async fn tools_name_their_pages_by_the_listed_uris() {
    for (server, pages) in each() {
        let page = format!("{pages}clock");
        assert_eq!(
            uris(&server).await,
            json!([page, format!("{pages}a/b"), format!("{pages}a/c")])
        );
        for answer in ask(&server, "resources/templates/list", json!({})).await {
            let template = &answer["resourceTemplates"][0]["uriTemplate"];
            assert_eq!(*template, format!("{pages}{{folder}}/{{+path}}"));
        }
        for answer in ask(&server, "tools/list", json!({})).await {
            assert_eq!(
                answer["tools"][0]["_meta"],
                json!({
                    "ui": {"resourceUri": page, "visibility": ["app"]},
                    "ui/resourceUri": page,
                    "openai/outputTemplate": page,
                    "com.example/page": "ui://clock",
                })
            );
        }
    }
}

#[tokio::test]
async fn pages_are_read_by_any_spelling_of_their_scheme() {
    for (server, pages) in each() {
        let upper = pages.replace("ui", "UI");
        for pages in [pages, &upper] {
            let uri = format!("{pages}clock");
            for answer in ask(&server, "resources/read", json!({"uri": uri})).await {
                let contents = &answer["contents"][0];
                assert_eq!(contents["uri"], uri);
                let own = contents["text"].as_str().unwrap();
                assert!(own.eq_ignore_ascii_case("ui://clock"), "{own}");
            }
            let uri = format!("{pages}a/%62/c");
            for answer in ask(&server, "resources/read", json!({"uri": uri})).await {
                let shown = answer["contents"][0]["uri"].as_str().unwrap();
                assert!(shown.eq_ignore_ascii_case(&uri), "{shown}");
                assert_eq!(answer["contents"][0]["text"], "whole");
            }
            let uri = format!("{pages}a/%73ecret");
            for answer in ask(&server, "resources/read", json!({"uri": uri})).await {
                assert_eq!(answer, Value::Null);
            }
        }
    }
}

#[tokio::test]
async fn links_to_pages_lead_to_the_mounted_server() {
    for (server, pages) in each() {
        let [listed, _] = ask(&server, "tools/list", json!({})).await;
        let params = json!({"name": listed["tools"][0]["name"]});
        for answer in ask(&server, "tools/call", params).await {
            let content = answer["content"].as_array().unwrap();
            let links: Vec<_> = content.iter().map(|it| it["uri"].clone()).collect();
            let [page, other] = ["clock", "a/b"].map(|it| format!("{pages}{it}"));
            assert_eq!(
                json!(links),
                json!([page, other, "ui:other", "ui://elsewhere"])
            );
        }
    }
}

#[tokio::test]
async fn variables_of_pages_are_completed_by_the_mounted_server() {
    for (server, pages) in each() {
        let template = format!("{pages}{{folder}}/{{+path}}");
        let params = json!({
            "ref": {"type": "ref/resource", "uri": template},
            "argument": {"name": "folder", "value": ""},
        });
        for answer in ask(&server, "completion/complete", params).await {
            assert_eq!(answer["completion"]["values"], json!(["a"]));
        }
    }
}

#[tokio::test]
async fn subscribers_are_notified_of_changes_of_pages() {
    let clock = clock();
    let server = mounted("a", &mounted("b", &clock));
    for (own, uri) in [
        ("ui://clock", "ui://a/b/clock"),
        ("ui://a/%62", "UI://a/b/a/b"),
    ] {
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        let params = json!({"uri": uri});
        let answer = wire
            .ask(request(1, "resources/subscribe", params.clone()))
            .await;
        assert_eq!(answer["result"], json!({}), "{answer}");
        let mut listening = Wire::to(&server).await;
        listening
            .ask(listen(1, json!({"resourceSubscriptions": [uri]})))
            .await;

        clock.notify_resource_updated(own);
        assert_eq!(in_time(wire.answer()).await["params"], params);
        assert_eq!(in_time(listening.answer()).await, updated(1, uri));
    }
}

#[tokio::test]
async fn a_page_of_a_mounted_server_is_disabled_and_replaced() {
    let clock = clock();
    let server = mounted("gh", &clock);
    let page = "ui://gh/clock";
    server.edit().disable_resource(page).apply().unwrap();
    assert_eq!(uris(&server).await, json!(["ui://gh/a/b", "ui://gh/a/c"]));
    server.edit().enable_resource(page).apply().unwrap();
    let own = ResourceEntry::resource(Resource::new("own", page), echo);
    server.edit().add_resource(own).apply().unwrap();
    for answer in ask(&server, "resources/read", json!({"uri": page})).await {
        assert_eq!(answer["contents"][0]["text"], page);
    }
    clock.edit().remove_resource("ui://clock").apply().unwrap();
    server.edit().remove_resource(page).apply().unwrap();
    assert_eq!(uris(&server).await, json!(["ui://gh/a/b", "ui://gh/a/c"]));
}

#[tokio::test]
async fn an_extension_sees_pages_by_both_uris() {
    for (server, pages) in each() {
        let is_mounted = pages != "ui://";
        for (asked, own) in [
            (format!("{pages}clock"), Some("ui://clock")),
            (
                "ui://x/clock".to_owned(),
                (!is_mounted).then_some("ui://x/clock"),
            ),
        ] {
            let params = json!({"uri": asked});
            for answer in ask(&server, "com.example/pages", params).await {
                assert_eq!(answer["asked"], json!(own));
                let shown = ["clock", "clock/x"].map(|it| format!("{pages}{it}"));
                assert_eq!(answer["shown"], json!(shown));
            }
        }
    }
}
