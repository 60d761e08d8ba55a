//! The log about announced changes.

use mcp_runtime::Change;
use mcp_runtime::Server;
use mcp_runtime::server::List;
use tracing::Level;

use crate::support::listening::server;
use crate::support::log::Log;

#[tokio::test]
async fn an_announcement_that_matches_nothing_is_logged_once() {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = server();
    for uri in ["test://first", "TEST://f%69rst"] {
        server.notify_resource_updated(uri);
    }
    server.notify_changed(Change::Tools);
    assert_eq!(log.text(), "");
    for _ in 0..3 {
        server.notify_resource_updated("test://nothing");
        server.notify_resource_updated("test://fixed");
        server.notify_changed(Change::Prompts);
        server.notify_changed(Change::Resource("no URI".to_owned()));
    }
    let log = log.text();
    assert_eq!(log.matches("test://nothing").count(), 1, "{log}");
    assert_eq!(log.matches("no URI").count(), 1, "{log}");
    let remedies = ["`subscribable()`", "name the list in `list_changed`"];
    for remedy in remedies {
        assert_eq!(log.matches(remedy).count(), 1, "{log}");
    }
    assert_eq!(log.lines().count(), 4, "{log}");
}

#[tokio::test]
async fn only_so_many_announcements_are_logged() {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = server();
    for number in 0..200 {
        server.notify_resource_updated(format!("test://{number}"));
    }
    assert_eq!(log.text().lines().count(), 100);
    server.notify_changed(Change::Prompts);
    assert_eq!(log.text().lines().count(), 101);
}

#[tokio::test]
async fn a_list_may_change_in_a_server_that_mounts_it() {
    let (log, _guard) = Log::listening(Level::WARN);
    let inner = Server::builder().build();
    let mut outer = Server::builder();
    outer.list_changed([List::Prompts]).mount("", &inner);
    let outer = outer.build();
    inner.notify_changed(Change::Prompts);
    assert_eq!(log.text(), "");
    drop(outer);
}

#[cfg(feature = "client")]
#[tokio::test]
async fn a_subscription_to_what_is_not_offered_is_logged() {
    use mcp_runtime::types::SubscriptionFilter;
    use mcp_runtime::{Client, Revision};

    use crate::support::client::connect;

    let (log, _guard) = Log::listening(Level::WARN);
    let client = Client::builder("test", "1").revision(Revision::LATEST_HANDSHAKE);
    let client = connect(client, &server()).await;
    let filter = SubscriptionFilter::new().with_tools_list_changed(true);
    let offered = client.subscribe_to(filter).await.unwrap();
    assert_eq!(log.text(), "");
    let filter = SubscriptionFilter::new().with_prompts_list_changed(true);
    let missing = client.subscribe_to(filter).await.unwrap();
    assert!(
        log.text().contains("offers none of the changes"),
        "{}",
        log.text()
    );
    drop((offered, missing));
}
