//! What can be counted.

use serde_json::json;
use tracing::Level;

use crate::site::Site;
use crate::support::log::Log;
use crate::support::stateless;

#[tokio::test]
async fn requests_sessions_and_connections_are_counted() {
    let (log, guard) = Log::listening(Level::DEBUG);
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let delete = session.request("DELETE").body(String::new()).unwrap();
    assert_eq!(site.send(delete).await.status, 204);
    let message = stateless(1, "nothing/such", json!({}));
    assert_eq!(site.ask(&message).await.status, 404);
    site.shutdown.shut_down();
    site.serving.await.unwrap().unwrap();
    drop(guard);

    let log = log.text();
    let lines = |part: &str| log.lines().filter(|line| line.contains(part)).count();
    assert_eq!(
        lines("mcp_runtime::http: monotonic_counter.http_requests=1"),
        4
    );
    assert_eq!(lines("http_requests=1 status=404"), 1, "{log}");
    assert_eq!(lines("counter.http_sessions=1"), 1, "{log}");
    assert_eq!(lines("counter.http_sessions=-1"), 1, "{log}");
    assert_eq!(lines("counter.http_connections=1"), 4, "{log}");
    assert_eq!(lines("counter.http_connections=-1"), 4, "{log}");
}
