//! Pages that are added to a server, and pages that it refuses.

use mcp_extensions::apps::ShowApps as _;
use mcp_extensions::{App, Apps};
use mcp_runtime::server::tools::{ToolBuilder, ToolEntry};
use mcp_runtime::server::{FixedListError, List};
use mcp_runtime::testing::connect;
use mcp_runtime::transport::memory;
use mcp_runtime::{Client, ServeError, Server};

const CLOCK: App = App::html("ui://clock", "<p>12:00");

fn tool(name: &'static str, app: App) -> ToolEntry {
    let tool = ToolBuilder::new(name).arguments(());
    tool.call(|(), _| "shown").with(app)
}

async fn uris(server: &Server) -> Vec<String> {
    let client = connect(server.clone()).await.unwrap();
    let resources = client.list_resources().await.unwrap().into_iter();
    resources.map(|it| it.uri).collect()
}

#[tokio::test]
async fn a_server_without_the_extension_does_not_start() {
    let mut server = Server::builder();
    server.tool(tool("time", CLOCK));
    let (_client, end) = memory::pair();
    let error = server.build().serve(end).await.unwrap_err();
    assert!(
        matches!(error, ServeError::MissingExtension { .. }),
        "{error}"
    );
}

#[test]
#[should_panic(expected = "the server has a resource `ui://clock` already: rename one of them")]
fn two_pages_can_not_have_one_uri() {
    let other = App::html("ui://clock", "<p>another page");
    let mut server = Server::builder();
    server.tool(tool("time", CLOCK)).tool(tool("date", other));
}

#[test]
#[should_panic(expected = "`https://clock` can't be the URI of a page: it must begin with `ui://`")]
fn the_uri_of_a_page_has_its_scheme() {
    tool("time", App::html("https://clock", ""));
}

#[test]
#[should_panic(expected = "`https://a.example; script-src *` can't be among the connectDomains of")]
fn a_domain_that_is_more_than_a_domain_is_refused() {
    tool("time", CLOCK.connect(&["https://a.example; script-src *"]));
}

#[test]
#[should_panic(expected = "the page `ui://clock` has 101 resourceDomains, but 100 are allowed")]
fn a_page_can_not_have_any_number_of_domains() {
    tool("time", CLOCK.resources(&["https://a.example"; 101]));
}

#[tokio::test]
async fn a_tool_that_is_added_later_brings_its_page() {
    let mut server = Server::builder();
    server.extension(Apps::new());
    server.list_changed([List::Tools, List::Resources]);
    let server = server.build();
    server.edit().add_tool(tool("time", CLOCK)).apply().unwrap();
    server
        .edit()
        .add_tool(tool("tick", CLOCK.for_app()))
        .apply()
        .unwrap();
    assert_eq!(uris(&server).await, ["ui://clock"]);
    let client = connect(server).await.unwrap();
    assert!(client.read_resource("ui://clock").await.is_ok());
}

#[tokio::test]
async fn a_page_can_not_be_added_to_a_fixed_list_of_resources() {
    let mut server = Server::builder();
    server.extension(Apps::new()).list_changed([List::Tools]);
    server.tool(tool("time", CLOCK));
    let server = server.build();
    let other = tool("date", App::html("ui://date", ""));
    let error = server.edit().add_tool(other).apply().unwrap_err();
    assert_eq!(error, FixedListError(List::Resources));
    // The page is there already.
    server.edit().add_tool(tool("tick", CLOCK)).apply().unwrap();
    assert_eq!(uris(&server).await, ["ui://clock"]);
}

#[tokio::test]
async fn a_mounted_server_keeps_its_pages() {
    let mut clock = Server::builder();
    clock.extension(Apps::new()).tool(tool("time", CLOCK));
    let mut outer = Server::builder();
    let outer = outer.mount("gh", clock.build()).build();
    let host = Client::builder("host", "1.0").extension(Apps::host());
    let client = connect(outer).client(host).await.unwrap();
    let apps = client.apps().unwrap();
    let tools = apps.tools_for_model().await.unwrap();
    let page = apps.page(&tools[0]).await.unwrap();
    assert_eq!((page.uri(), page.html()), ("ui://gh/clock", "<p>12:00"));
    let result = page.call_tool("gh_time", ()).await.unwrap();
    assert_eq!(result.texts().collect::<String>(), "shown");
}
