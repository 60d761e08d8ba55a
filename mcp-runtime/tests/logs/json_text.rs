//! The log about texts that do not match their MIME type.

use mcp_runtime::prelude::*;
use serde_json::json;
use tracing::Level;

use crate::support::log::Log;
use crate::support::{Wire, request, stateless};

struct Documents;

#[mcp_server(undocumented = "allow")]
impl Documents {
    #[resource("doc://valid", mime = "application/json")]
    fn valid(&self) -> &'static str {
        r#"{"a": [1]}"#
    }

    #[resource("doc://plain", mime = "text/plain")]
    fn plain(&self) -> &'static str {
        "a: 1"
    }

    #[resource("doc://lines", mime = "application/jsonl")]
    fn lines(&self) -> &'static str {
        "1\n2"
    }

    #[resource("doc://wrong", mime = "application/json; charset=utf-8")]
    fn wrong(&self) -> &'static str {
        "a: 1"
    }

    #[resource("doc://place", mime = "Application/Geo+JSON")]
    fn place(&self) -> &'static str {
        ""
    }
}

/// Reads each of `uris` twice in both eras, and returns the log.
async fn logged(uris: &[&str]) -> String {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = Documents.into_server();
    let mut session = Wire::to(&server).await;
    session.handshake("2025-11-25").await;
    let mut alone = Wire::to(&server).await;
    for id in 1..3 {
        for uri in uris {
            let params = json!({"uri": uri});
            let read = request(id, "resources/read", params.clone());
            assert_eq!(session.ask(read).await.get("error"), None);
            let read = stateless(id, "resources/read", params);
            assert_eq!(alone.ask(read).await.get("error"), None);
        }
    }
    log.text()
}

#[tokio::test]
async fn a_text_that_is_not_json_is_logged_once_in_debug_builds() {
    let fitting = ["doc://valid", "doc://plain", "doc://lines"];
    assert_eq!(logged(&fitting).await, "");
    if cfg!(debug_assertions) {
        let log = logged(&["doc://wrong", "doc://place"]).await;
        assert_eq!(log.lines().count(), 2, "{log}");
        for part in [
            "uri=\"doc://wrong\"",
            "uri=\"doc://place\"",
            "return `Json(value)`",
        ] {
            assert!(log.contains(part), "{part}: {log}");
        }
    }
}
