//! The tools that a host offers to the model and to pages, and the pages that it shows.

use mcp_extensions::apps::{AppError, ShowApps as _, page_uri};
use mcp_runtime::serde_json::{Value, json};

use crate::stranger::{HTML, Stranger, contents};

fn visible(visibility: Value) -> Value {
    json!({"ui": {"resourceUri": "ui://page", "visibility": visibility}})
}

/// Tools with every kind of visibility.
fn tools() -> Vec<(&'static str, Value)> {
    vec![
        ("plain", Value::Null),
        ("default", json!({"ui": {"resourceUri": "ui://page"}})),
        ("null", visible(Value::Null)),
        ("both", visible(json!(["app", "model"]))),
        ("model", visible(json!(["model"]))),
        ("app", visible(json!(["app"]))),
        ("nobody", visible(json!([]))),
        ("strangers", visible(json!(["admin", 1, null]))),
        ("text", visible(json!("app"))),
        ("object", visible(json!({"app": true}))),
    ]
}

#[tokio::test]
async fn the_model_sees_only_its_tools() {
    let tools = tools();
    let (apps, _) = Stranger {
        tools,
        ..Stranger::default()
    }
    .apps()
    .await;
    let tools = apps.tools_for_model().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["plain", "default", "null", "both", "model"]);
}

#[tokio::test]
async fn a_page_calls_only_tools_for_apps() {
    let tools = tools();
    let (client, seen) = Stranger {
        tools,
        ..Stranger::default()
    }
    .connect()
    .await;
    let apps = client.apps().unwrap();
    let tools = client.list_tools().await.unwrap();
    let page = apps.page(&tools[1]).await.unwrap();
    seen.take();
    for name in ["plain", "default", "null", "both", "app"] {
        let result = page.call_tool(name, json!({})).await.unwrap();
        assert_eq!(result.texts().collect::<String>(), "called", "{name}");
    }
    assert_eq!(seen.take(), ["tools/call"; 5]);
    for name in ["model", "nobody", "strangers", "text", "object"] {
        let error = page.call_tool(name, json!({})).await.unwrap_err();
        assert!(matches!(error, AppError::NotForApp(_)), "{name}: {error}");
    }
    assert_eq!(seen.take(), [""; 0]);
}

#[tokio::test]
async fn a_tool_that_the_server_does_not_list_is_not_called() {
    let (client, seen) = Stranger::default().connect().await;
    let tools = client.list_tools().await.unwrap();
    let page = client.apps().unwrap().page(&tools[0]).await.unwrap();
    seen.take();
    let error = page.call_tool("hidden", json!({})).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the page may not call `hidden`: its server has no tool for apps with this name"
    );
    assert_eq!(seen.take(), ["tools/list"]);
}

#[tokio::test]
async fn the_uri_of_a_page_has_two_spellings() {
    let current = json!({"ui": {"resourceUri": "ui://a"}});
    let flat = json!({"ui/resourceUri": "ui://b"});
    let both = json!({"ui": {"resourceUri": "ui://a"}, "ui/resourceUri": "ui://b"});
    let odd = json!({"ui": {"resourceUri": 1}, "ui/resourceUri": "ui://b"});
    let neither = json!({"ui": "ui://a", "ui/resourceUri": ["ui://b"]});
    let tools = vec![
        ("current", current),
        ("flat", flat),
        ("both", both),
        ("odd", odd),
        ("neither", neither),
    ];
    let (client, _) = Stranger {
        tools,
        ..Stranger::default()
    }
    .connect()
    .await;
    let tools = client.list_tools().await.unwrap();
    let uris: Vec<_> = tools.iter().map(page_uri).collect();
    let (a, b) = (Some("ui://a"), Some("ui://b"));
    assert_eq!(uris, [a, b, a, b, None]);
    let apps = client.apps().unwrap();
    for tool in &tools[..4] {
        let page = apps.page(tool).await.unwrap();
        assert_eq!((Some(page.uri()), page.html()), (page_uri(tool), HTML));
    }
    let error = apps.page(&tools[4]).await.unwrap_err();
    assert!(matches!(error, AppError::NoPage(_)), "{error}");
}

#[tokio::test]
async fn a_page_with_another_scheme_is_not_read() {
    for uri in [
        "https://a.example/",
        "file:///etc/passwd",
        "ui:page",
        "UI+ui://page",
        "",
    ] {
        let tools = vec![("show", json!({"ui": {"resourceUri": uri}}))];
        let (client, seen) = Stranger {
            tools,
            ..Stranger::default()
        }
        .connect()
        .await;
        let tools = client.list_tools().await.unwrap();
        seen.take();
        let error = client.apps().unwrap().page(&tools[0]).await.unwrap_err();
        assert!(matches!(error, AppError::Invalid { .. }), "{error}");
        assert_eq!(seen.take(), [""; 0], "{uri}");
    }
}

fn typed(kind: Value) -> Value {
    json!([{"uri": "ui://page", "mimeType": kind, "text": HTML}])
}

#[tokio::test]
async fn only_html_for_apps_is_shown() {
    for contents in [
        typed(json!("text/html")),
        typed(json!("text/html;profile=mcp-application")),
        typed(json!("text/html;profile=mcp-app;charset=utf-8")),
        typed(json!("text/uri-list")),
        typed(Value::Null),
        json!([]),
        json!([{"uri": "ui://page", "mimeType": "text/html;profile=mcp-app", "blob": "!"}]),
        json!([{"uri": "ui://page", "mimeType": "text/html;profile=mcp-app", "blob": "/w=="}]),
    ] {
        let stranger = Stranger {
            contents: contents.clone(),
            ..Stranger::default()
        };
        let error = stranger.page().await.unwrap_err();
        assert!(
            matches!(error, AppError::Invalid { .. }),
            "{contents}: {error}"
        );
    }
}

#[tokio::test]
async fn the_type_of_a_page_may_be_spelled_differently() {
    for kind in [
        "text/html; profile=mcp-app",
        "Text/HTML;Profile=\"mcp-app\"",
        "text/html ; profile=mcp-app ",
    ] {
        let stranger = Stranger {
            contents: typed(json!(kind)),
            ..Stranger::default()
        };
        assert_eq!(stranger.page().await.unwrap().html(), HTML, "{kind}");
    }
}

#[tokio::test]
async fn a_page_may_be_binary_and_follow_other_parts() {
    let contents = json!([
        {"uri": "ui://page/notes", "mimeType": "text/plain", "text": "notes"},
        {"uri": "ui://page", "mimeType": "text/html;profile=mcp-app", "blob": "PHA+SGVsbG8="},
    ]);
    let page = Stranger {
        contents,
        ..Stranger::default()
    }
    .page()
    .await;
    assert_eq!(page.unwrap().html(), "<p>Hello");
}

#[tokio::test]
async fn the_contents_describe_a_page_rather_than_the_list() {
    let listed = json!([{
        "uri": "ui://page",
        "name": "page",
        "_meta": {"ui": {"prefersBorder": true, "csp": {"connectDomains": ["https://listed.example"]}}},
    }]);
    let with = |contents, listed| Stranger {
        contents,
        listed,
        ..Stranger::default()
    };

    let page = with(contents(Value::Null), Some(listed.clone()))
        .page()
        .await
        .unwrap();
    assert!(
        page.policy()
            .contains("connect-src https://listed.example;")
    );
    assert_eq!(page.prefers_border(), Some(true));

    // As a whole: what the contents leave out is not taken from the list.
    let own = contents(json!({"ui": {"domain": "a.example"}}));
    let page = with(own, Some(listed.clone())).page().await.unwrap();
    assert!(page.policy().contains("connect-src 'none';"));
    assert_eq!(
        (page.prefers_border(), page.domain()),
        (None, Some("a.example"))
    );

    let odd = contents(json!({"ui": "open"}));
    let page = with(odd, Some(listed)).page().await.unwrap();
    assert!(page.policy().contains("connect-src 'none';"));

    let page = with(contents(Value::Null), None).page().await.unwrap();
    assert!(page.policy().contains("connect-src 'none';"));
}
