//! Lists with several pages.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use mcp_runtime::server::prompts::PromptEntry;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry, UriTemplate};
use mcp_runtime::server::{List, Reply};
use mcp_runtime::transport::memory;
use mcp_runtime::types::{CacheScope, GetPromptResult, Prompt, Resource, ResourceTemplate};
use mcp_runtime::{Client, Revision, Server, ServerBuilder};
use serde_json::{Value, json};

use crate::support::{self, Wire, request, stateless, text, tool};

const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "name"),
    ("resources/templates/list", "resourceTemplates", "name"),
];

fn add(server: &mut ServerBuilder, name: &str) {
    server.tool(tool(name, |_| Reply::Ready(Ok(text(String::new())))));
    server.prompt(PromptEntry::new(Prompt::new(name), |_| {
        Reply::Ready(Ok(GetPromptResult::new([])))
    }));
    server.resource(resource(name));
    let template = UriTemplate::parse(&format!("{name}://{{+rest}}")).unwrap();
    server.resource(ResourceEntry::template(
        ResourceTemplate::new(name, ""),
        template,
        |_| Reply::Ready("x".into_contents()),
    ));
}

fn resource(name: &str) -> ResourceEntry {
    let resource = Resource::new(name, format!("test://{name}"));
    ResourceEntry::resource(resource, |_| Reply::Ready("x".into_contents()))
}

fn builder(items: usize, page: usize) -> ServerBuilder {
    let mut server = Server::builder();
    for number in 0..items {
        add(&mut server, &format!("n{number:03}"));
    }
    server.page_size(NonZeroUsize::new(page).unwrap());
    server
}

struct Page {
    names: Vec<String>,
    next: Option<String>,
}

struct Lister {
    wire: Wire,
    era: &'static str,
}

impl Lister {
    async fn to(server: &Server, era: &'static str) -> Self {
        let mut wire = Wire::to(server).await;
        if era == "handshake" {
            wire.handshake("2025-06-18").await;
        }
        Self { wire, era }
    }

    async fn ask(&mut self, method: &str, cursor: Option<&str>) -> Value {
        let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
        let message = match self.era {
            "handshake" => request("asked", method, params),
            _ => stateless("asked", method, params),
        };
        self.wire.send(message).await;
        loop {
            let answer = self.wire.answer().await;
            if answer["id"] == "asked" {
                return answer;
            }
        }
    }

    async fn page(&mut self, list: (&str, &str, &str), cursor: Option<&str>) -> Page {
        let (method, member, key) = list;
        let answer = self.ask(method, cursor).await;
        let items = answer["result"][member].as_array().expect("a list");
        let name = |item: &Value| item[key].as_str().unwrap().to_owned();
        Page {
            names: items.iter().map(name).collect(),
            next: answer["result"]["nextCursor"].as_str().map(str::to_owned),
        }
    }

    async fn all(&mut self, list: (&str, &str, &str)) -> (Vec<String>, usize) {
        let mut page = self.page(list, None).await;
        let mut names = page.names;
        let mut pages = 1;
        while let Some(next) = page.next {
            page = self.page(list, Some(&next)).await;
            names.extend(page.names);
            pages += 1;
        }
        (names, pages)
    }
}

#[tokio::test]
async fn every_list_has_pages() {
    for (items, size, expected) in [(7, 3, 3), (6, 3, 2), (3, 3, 1), (1, 3, 1), (2, 1, 2)] {
        let server = builder(items, size).build();
        let wanted: Vec<_> = (0..items).map(|number| format!("n{number:03}")).collect();
        for era in ["handshake", "stateless"] {
            let mut lister = Lister::to(&server, era).await;
            for list in LISTS {
                let (names, pages) = lister.all(list).await;
                assert_eq!(names, wanted, "{list:?} {era}");
                assert_eq!(pages, expected, "{list:?} {era} {items}/{size}");
            }
        }
    }
}

#[tokio::test]
async fn there_is_one_page_unless_a_size_is_set() {
    let mut server = Server::builder();
    for number in 0..300 {
        add(&mut server, &format!("n{number}"));
    }
    let mut lister = Lister::to(&server.build(), "stateless").await;
    for list in LISTS {
        let (names, pages) = lister.all(list).await;
        assert_eq!((names.len(), pages), (300, 1));
    }
}

#[tokio::test]
async fn a_cursor_that_was_not_given_out_is_refused() {
    let server = builder(5, 2).build();
    for era in ["handshake", "stateless"] {
        let mut lister = Lister::to(&server, era).await;
        let cursor = lister.page(LISTS[0], None).await.next.unwrap();
        for (method, ..) in LISTS {
            for foreign in [
                "",
                "2",
                "eyJwYWdlIjogMn0",
                "nonsense",
                &format!("{cursor}A"),
            ] {
                let answer = lister.ask(method, Some(foreign)).await;
                assert_eq!(answer["error"]["code"], -32602, "{method} {foreign}");
            }
        }
        let answer = lister.ask("prompts/list", Some(&cursor)).await;
        assert_eq!(answer["error"]["code"], -32602, "a cursor of another list");
    }
}

#[tokio::test]
async fn nothing_is_skipped_or_repeated_when_the_list_changes_between_pages() {
    for era in ["handshake", "stateless"] {
        for list in [LISTS[0], LISTS[1], LISTS[2]] {
            let mut server = builder(6, 2);
            server.list_changed(List::ALL);
            let server = server.build();
            let mut lister = Lister::to(&server, era).await;
            let first = lister.page(list, None).await;
            assert_eq!(first.names, ["n000", "n001"]);
            let edit = server.edit();
            // Remove the last item of the first page, and an item of a later page.
            let edit = edit.remove_tool("n001").remove_tool("n004");
            let edit = edit.remove_prompt("n001").remove_prompt("n004");
            let edit = edit.remove_resource("test://n001");
            edit.remove_resource("test://n004").apply().unwrap();
            let second = lister.page(list, first.next.as_deref()).await;
            assert_eq!(second.names, ["n002", "n003"], "{list:?} {era}");
            let third = lister.page(list, second.next.as_deref()).await;
            assert_eq!(third.names, ["n005"], "{list:?} {era}");
            assert_eq!(third.next, None);
        }
    }
}

#[tokio::test]
async fn what_templates_stand_for_has_pages_that_bear_changes() {
    let books: Arc<Mutex<BTreeSet<&str>>> =
        Arc::new(Mutex::new(["b", "d", "f", "h"].into_iter().collect()));
    let mut server = Server::builder();
    server.resource(resource("about"));
    let shelf = Arc::clone(&books);
    let template = UriTemplate::parse("book://{id}").unwrap();
    let entry = ResourceEntry::template(ResourceTemplate::new("book", ""), template, |_| {
        Reply::Ready("x".into_contents())
    });
    server.resource(entry.list(move |_| {
        let shelf = shelf.lock().unwrap().clone();
        // A lister may return its resources in any order.
        let found: Vec<_> = shelf.into_iter().rev().collect();
        async move {
            let book = |id| Resource::new(id, format!("book://{id}"));
            found.into_iter().map(book).collect::<Vec<_>>()
        }
    }));
    server.page_size(NonZeroUsize::new(2).unwrap());
    let server = server.build();
    for era in ["handshake", "stateless"] {
        let mut lister = Lister::to(&server, era).await;
        let first = lister.page(LISTS[2], None).await;
        assert_eq!(first.names, ["about", "b"]);
        books.lock().unwrap().remove("b");
        books.lock().unwrap().insert("c");
        books.lock().unwrap().insert("a");
        let second = lister.page(LISTS[2], first.next.as_deref()).await;
        assert_eq!(second.names, ["c", "d"], "{era}");
        let third = lister.page(LISTS[2], second.next.as_deref()).await;
        assert_eq!(third.names, ["f", "h"], "{era}");
        assert_eq!(third.next, None);
        *books.lock().unwrap() = ["b", "d", "f", "h"].into_iter().collect();
    }
}

#[tokio::test]
async fn each_caller_sees_its_own_tools_and_can_call_no_other() {
    let mut server = builder(6, 2);
    server.cache(std::time::Duration::from_secs(60), CacheScope::Public);
    server.filter_tools(|tool, cx| {
        let seen = cx.client_info().map_or("", |client| &client.name);
        seen == "all" || tool.name.as_str() > "n002"
    });
    let server = server.build();
    for era in ["handshake", "stateless"] {
        // The client of this connection has a different name, or none.
        let mut lister = Lister::to(&server, era).await;
        let (names, pages) = lister.all(LISTS[0]).await;
        assert_eq!(names, ["n003", "n004", "n005"], "{era}");
        assert_eq!(pages, 2);
        let answer = match era {
            "handshake" => lister.wire.ask(support::call(1, "n001", json!({}))).await,
            _ => {
                let params = json!({"name": "n001"});
                lister.wire.ask(stateless(1, "tools/call", params)).await
            }
        };
        assert_eq!(
            answer["error"],
            json!({"code": -32602, "message": "Unknown tool: n001"})
        );
    }
    let mut wire = Wire::to(&server).await;
    let answer = wire.ask(stateless(1, "tools/list", json!({}))).await;
    assert_eq!(answer["result"]["cacheScope"], "private", "not for others");
    assert_eq!(answer["result"]["ttlMs"], 60_000);
    let answer = wire.ask(stateless(1, "prompts/list", json!({}))).await;
    assert_eq!(answer["result"]["cacheScope"], "public");
    for revision in [Revision::V2025_06_18, Revision::V2026_07_28] {
        let (ours, theirs) = memory::pair();
        let serving = server.serve(theirs).signals(false);
        let serving = tokio::spawn(serving.into_future());
        let client = Client::builder("all", "1").revision(revision);
        let client = client.connect(ours).await.unwrap();
        assert_eq!(client.list_tools().await.unwrap().len(), 6);
        client.call_tool("n001", json!({})).await.unwrap();
        client.close().await;
        serving.await.unwrap().unwrap();
    }
}
