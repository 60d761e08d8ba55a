//! Log of announced changes.

use mcp_runtime::server::Change;
use tracing::Level;

use crate::support::listening::server;
use crate::support::log::Log;

#[tokio::test]
async fn an_announcement_that_matches_nothing_is_logged_once() {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = server();
    for uri in ["test://first", "TEST://f%69rst", "test://fixed"] {
        server.notify_resource_updated(uri);
    }
    assert_eq!(log.text(), "");
    for _ in 0..3 {
        server.notify_resource_updated("test://nothing");
        server.notify_changed(Change::Resource("no URI".to_owned()));
    }
    let log = log.text();
    assert_eq!(log.matches("test://nothing").count(), 1, "{log}");
    assert_eq!(log.matches("no URI").count(), 1, "{log}");
}

#[tokio::test]
async fn only_so_many_announcements_are_logged() {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = server();
    for number in 0..200 {
        server.notify_resource_updated(format!("test://{number}"));
    }
    assert_eq!(log.text().lines().count(), 100);
}
