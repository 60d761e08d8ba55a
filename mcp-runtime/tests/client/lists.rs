//! Lists: their pages, and the limits on fetching them.

use mcp_runtime::{Client, ClientBuilder};
use serde_json::{Value, json};

use crate::support::clock::in_time;
use crate::support::scripted::operating;

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").without_keep_alive()
}

#[tokio::test]
async fn lists_are_fetched_to_the_last_page_but_not_forever() {
    let (client, mut server) = operating(builder().max_pages(3)).await;
    for pages in [3, 4] {
        let client = client.clone();
        let listing = tokio::spawn(async move { client.list_tools().await });
        for page in 1..=3 {
            let (id, params) = server.expect("tools/list").await;
            let cursor = (page > 1).then(|| (page - 1).to_string());
            assert_eq!(params["cursor"], json!(cursor));
            let name = format!("tool{page}");
            let mut result = json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}]});
            if page < pages {
                result["nextCursor"] = json!(page.to_string());
            }
            server.answer(&id, result).await;
        }
        match listing.await.unwrap() {
            Ok(tools) => assert_eq!((tools.len(), pages), (3, 3)),
            Err(error) => assert!(error.to_string().contains("3 pages"), "{error}"),
        }
    }
}

/// Lists the tools of a server that returns these cursors one after the other. Returns the cursors
/// that were requested, and the names of the tools. With `reads_cursors`, each page has its own
/// tool.
async fn listed(cursors: &[&str], reads_cursors: bool) -> (Vec<Value>, Vec<String>) {
    let (client, mut server) = operating(builder()).await;
    let listing = tokio::spawn(async move { client.list_tools().await });
    let mut asked = Vec::new();
    for (number, cursor) in cursors.iter().enumerate() {
        let (id, params) = server.expect("tools/list").await;
        asked.push(params["cursor"].clone());
        let name = format!("tool{}", if reads_cursors { number } else { 0 });
        let tool = json!({"name": name, "inputSchema": {"type": "object"}});
        let page = json!({"tools": [tool], "nextCursor": cursor});
        server.answer(&id, page).await;
    }
    let tools = in_time(listing).await.unwrap().unwrap();
    (asked, tools.into_iter().map(|tool| tool.name).collect())
}

#[tokio::test]
async fn a_list_ends_at_the_first_cursor_that_was_seen_before() {
    for (cursors, asked) in [
        (&["a", "a"][..], json!([null, "a"])),
        (&["a", "b", "a"], json!([null, "a", "b"])),
        (&["a", "b", "c", "b"], json!([null, "a", "b", "c"])),
        // An empty cursor is a valid cursor.
        (&["", ""], json!([null, ""])),
        (&["", "a", ""], json!([null, "", "a"])),
    ] {
        let (found, tools) = listed(cursors, true).await;
        assert_eq!(json!(found), asked, "{cursors:?}");
        let all: Vec<_> = (0..cursors.len()).map(|it| format!("tool{it}")).collect();
        assert_eq!(tools, all, "{cursors:?}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_read_cursors_is_listed_once() {
    for cursor in ["", "more"] {
        let (asked, tools) = listed(&[cursor, cursor], false).await;
        assert_eq!(asked, [Value::Null, json!(cursor)]);
        assert_eq!(tools, ["tool0"]);
    }
}

#[tokio::test]
async fn a_list_has_a_limit_in_bytes_over_all_pages() {
    for (limit, fits) in [(10_000, true), (500, false)] {
        let (client, mut server) = operating(builder().max_list_bytes(limit)).await;
        let listing = tokio::spawn(async move { client.list_tools().await });
        for page in ["a", "b", "c"] {
            let Some(message) = server.next().await else {
                break;
            };
            let tool = json!({"name": page.repeat(200), "inputSchema": {"type": "object"}});
            let mut result = json!({"tools": [tool]});
            if page != "c" {
                result["nextCursor"] = json!(page);
            }
            server.answer(&message["id"], result).await;
        }
        match in_time(listing).await.unwrap() {
            Ok(tools) => assert!(fits && tools.len() == 3, "{limit}"),
            Err(error) => {
                let text = error.to_string();
                let words = "more than 500 bytes (`max_list_bytes`)";
                assert!(!fits && text.contains(words), "{text}");
            }
        }
    }
}

#[cfg(feature = "stream")]
#[tokio::test]
async fn a_list_can_be_read_item_by_item() {
    use futures_util::StreamExt;
    use mcp_runtime::types::ListToolsRequest;

    let (client, mut server) = operating(builder().max_pages(2)).await;
    let reading = tokio::spawn(async move {
        let items = client.items::<ListToolsRequest>();
        let names = items.map(|tool| {
            tool.map(|tool| tool.name)
                .map_err(|error| error.to_string())
        });
        names.collect::<Vec<_>>().await
    });
    for page in ["a", "b"] {
        let (id, _) = server.expect("tools/list").await;
        let tool = |name: String| json!({"name": name, "inputSchema": {"type": "object"}});
        let tools = [tool(format!("{page}1")), tool(format!("{page}2"))];
        let list = json!({"tools": tools, "nextCursor": page});
        server.answer(&id, list).await;
    }
    let mut read = reading.await.unwrap();
    assert!(read.pop().unwrap().unwrap_err().contains("2 pages"));
    assert_eq!(
        read,
        ["a1", "a2", "b1", "b2"].map(|name| Ok(name.to_owned()))
    );
}
