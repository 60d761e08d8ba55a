//! The lists of a server with pages, and its answers when a page is read.

use mcp_extensions::apps::{PAGE_TYPE, Permission, text_without_page};
use mcp_extensions::{App, Apps};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{self, Value, json};
use mcp_runtime::testing::connect;
use mcp_runtime::types::{JsonObject, RawJson};
use mcp_runtime::{Client, ProtocolError, Revision, Server};

const HTML: &str = "<!doctype html><title>Clock</title>";

const CLOCK: App = App::html("ui://clock", HTML)
    .title("Clock")
    .description("Shows the time")
    .connect(&["https://api.example.com"])
    .resources(&["https://cdn.example.com", "https://*.example.org"])
    .frames(&["https://video.example.com"])
    .base_uris(&["https://base.example.com"])
    .permissions(&[Permission::Camera, Permission::ClipboardWrite])
    .domain("a.hosts.example")
    .border(false);

fn own_meta() -> JsonObject {
    let meta = json!({"com.example/price": 3, "ui": {"com.example/size": "small"}});
    serde_json::from_value(meta).unwrap()
}

struct Clock;

#[mcp_server]
impl Clock {
    /// Returns the time.
    #[tool(with(CLOCK), meta = own_meta())]
    fn time(&self) -> String {
        "12:00".to_owned()
    }

    /// Returns the seconds.
    #[tool(with(CLOCK.for_app()))]
    fn tick(&self) -> String {
        "30".to_owned()
    }

    /// Sets the alarm.
    #[tool(with(CLOCK.for_model()))]
    fn alarm(&self) {}
}

fn server() -> Server {
    let mut server = Clock.into_builder();
    server.extension(Apps::new());
    server.build()
}

/// The description of the page, with everything that it declares.
fn description() -> Value {
    json!({
        "csp": {
            "connectDomains": ["https://api.example.com"],
            "resourceDomains": ["https://cdn.example.com", "https://*.example.org"],
            "frameDomains": ["https://video.example.com"],
            "baseUriDomains": ["https://base.example.com"],
        },
        "permissions": {"camera": {}, "clipboardWrite": {}},
        "domain": "a.hosts.example",
        "prefersBorder": false,
    })
}

async fn client(server: Server, revision: Revision) -> Client {
    connect(server).revision(revision).await.unwrap()
}

#[tokio::test]
async fn tools_name_their_page_beside_their_own_metadata_in_all_revisions() {
    for revision in Revision::ALL {
        let tools = client(server(), revision).await.list_tools().await.unwrap();
        let metas: Vec<_> = tools.iter().map(|tool| json!(tool.meta)).collect();
        let ui = |visibility: Value| json!({"resourceUri": "ui://clock", "visibility": visibility});
        let flat = |visibility: &[&str]| json!({"ui": ui(json!(visibility)), "ui/resourceUri": "ui://clock"});
        let mut time = flat(&["model", "app"]);
        time["com.example/price"] = json!(3);
        time["ui"]["com.example/size"] = json!("small");
        assert_eq!(
            metas,
            [time, flat(&["app"]), flat(&["model"])],
            "{revision}"
        );
    }
}

#[tokio::test]
async fn a_page_of_several_tools_is_one_resource_described_in_the_list_and_in_its_contents() {
    for revision in Revision::ALL {
        let client = client(server(), revision).await;
        let resources = client.list_resources().await.unwrap();
        let [page] = &resources[..] else {
            panic!("{resources:?}");
        };
        assert_eq!((&*page.uri, &*page.name), ("ui://clock", "clock"));
        assert_eq!(page.mime_type.as_deref(), Some(PAGE_TYPE));
        assert_eq!(page.size, Some(HTML.len() as i128));
        assert_eq!(page.description.as_deref(), Some("Shows the time"));
        assert_eq!(json!(page.meta), json!({"ui": description()}), "{revision}");

        let read = client.read_resource("ui://clock").await.unwrap();
        let expected = json!([{
            "uri": "ui://clock",
            "mimeType": PAGE_TYPE,
            "text": HTML,
            "_meta": {"ui": description()},
        }]);
        let contents: Value = RawJson::encode(&read.contents).parse().unwrap();
        assert_eq!(contents, expected, "{revision}");
    }
}

#[tokio::test]
async fn a_plain_page_declares_nothing() {
    let plain = App::page("ui://plain", async |_| "<!doctype html>");
    let client = client(with_tool(plain), Revision::LATEST).await;
    assert_eq!(client.list_resources().await.unwrap()[0].meta, None);
    let read = client.read_resource("ui://plain").await.unwrap();
    assert_eq!(read.contents[0].meta(), None);
}

fn with_tool(app: App) -> Server {
    let mut server = Server::builder();
    server.extension(Apps::new());
    let tool = mcp_runtime::server::tools::ToolBuilder::new("show").arguments(());
    server.tool(tool.call(|(), _| "shown").with(app));
    server.build()
}

#[tokio::test]
async fn a_domain_that_depends_on_the_client_is_only_in_the_contents() {
    const APP: App = App::html("ui://a", "")
        .domain("default.example")
        .domain_for(|cx| {
            let name = &cx.client_info()?.name;
            (name == "claude").then(|| "abc.claude.example".to_owned())
        });
    for (name, expected) in [
        ("claude", "abc.claude.example"),
        ("other", "default.example"),
    ] {
        let host = Client::builder(name, "1.0");
        let client = connect(with_tool(APP)).client(host).await.unwrap();
        let listed = client.list_resources().await.unwrap();
        let ui = json!(listed[0].meta)["ui"].clone();
        assert_eq!(ui, json!({"domain": "default.example"}));
        let read = client.read_resource("ui://a").await.unwrap();
        let ui = json!(read.contents[0].meta())["ui"].clone();
        assert_eq!(ui, json!({"domain": expected}));
    }
}

#[tokio::test]
async fn a_function_makes_the_page_for_each_read() {
    let page = App::page("ui://hello", async |cx: Context| {
        let info = cx.client_info().ok_or("the client has no name")?;
        Ok::<_, &str>(format!("<p>{}", info.name))
    });
    for name in ["Ann", "Ben"] {
        let host = Client::builder(name, "1.0");
        let client = connect(with_tool(page.clone())).client(host).await.unwrap();
        let read = client.read_resource("ui://hello").await.unwrap();
        assert_eq!(read.contents[0].as_text(), Some(&*format!("<p>{name}")));
        assert_eq!(read.contents[0].mime_type(), Some(PAGE_TYPE));
    }
}

#[tokio::test]
async fn the_error_of_a_page_answers_the_read() {
    let page = App::page("ui://broken", async |_| {
        Err::<String, _>(ProtocolError::new(-32000, "no page today"))
    });
    let client = client(with_tool(page), Revision::LATEST).await;
    let error = client.read_resource("ui://broken").await.unwrap_err();
    assert!(error.to_string().contains("no page today"), "{error}");
}

#[tokio::test]
async fn a_tool_with_a_page_returns_text_for_other_hosts() {
    let client = client(server(), Revision::LATEST).await;
    assert_eq!(text_without_page(&client, "time", ()).await, "12:00");
}

#[tokio::test]
#[should_panic(expected = "`alarm` returns no text, so hosts that do not show `ui://clock`")]
async fn a_tool_with_a_page_but_without_text_is_found() {
    let client = client(server(), Revision::LATEST).await;
    text_without_page(&client, "alarm", ()).await;
}

#[tokio::test]
#[should_panic(expected = "the server has no tool `none` with a page")]
async fn a_tool_without_a_page_is_not_checked_by_mistake() {
    let client = client(server(), Revision::LATEST).await;
    text_without_page(&client, "none", ()).await;
}
