//! Parameters that functions take by reference.

use std::sync::{Arc, LazyLock};

use mcp_runtime::prelude::*;
use mcp_runtime::server::ContextValue;
use mcp_runtime::{Peer, Server};
use serde_json::json;

use crate::support::{Wire, stateless};
use crate::{answer, call, structured, text};

/// The caller's revision as a user-defined type.
struct Spoken(String);

impl FromContext for Spoken {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(Self(cx.revision().to_string()))
    }
}

/// A value that no call has.
struct Unavailable;

impl FromContext for Unavailable {
    fn from_context(_: &Context) -> Result<Self, ProtocolError> {
        Err(ProtocolError::new(-32051, "not available"))
    }
}

/// A stored value that each call gets without a copy.
struct Kept(u8);

static KEPT: LazyLock<Arc<Kept>> = LazyLock::new(|| Arc::new(Kept(5)));

impl FromContext for Kept {
    fn from_context(_: &Context) -> Result<Self, ProtocolError> {
        Ok(Self(KEPT.0))
    }

    fn lend(_: &Context) -> Result<ContextValue<Self>, ProtocolError> {
        Ok(ContextValue::shared(KEPT.clone()))
    }
}

impl AsRef<Self> for Kept {
    fn as_ref(&self) -> &Self {
        self
    }
}

type Cx = Context;
type Token = CancellationToken;
type Steps = Progress;

struct Contexts;

#[mcp_server(undocumented = "allow")]
impl Contexts {
    #[tool]
    fn sync(&self, cx: &Context, before: i64, spoken: &Spoken) -> String {
        format!("{before} {} {}", cx.request_id(), spoken.0)
    }

    #[tool]
    async fn later(&self, cx: &Cx, spoken: &Spoken, _: &Peer) -> String {
        tokio::task::yield_now().await;
        format!("{} {}", cx.revision(), spoken.0)
    }

    #[tool]
    async fn kept(&self, kept: &Kept) -> bool {
        std::ptr::eq(kept, &raw const **KEPT)
    }

    #[prompt]
    fn kept_in_a_prompt(&self, kept: &Kept) -> String {
        std::ptr::eq(kept, &raw const **KEPT).to_string()
    }

    #[tool(blocking)]
    fn aside(&self, token: &CancellationToken, server: &Server) -> String {
        format!("{} {}", token.is_cancelled(), server.tools().len() > 1)
    }

    #[tool]
    fn progress(&self, progress: &Progress, again: &Steps) -> String {
        progress.report(1, 2, "half");
        format!("{} {}", progress.is_wanted(), again.is_wanted())
    }

    #[tool]
    async fn aliased(&self, token: &Token) -> bool {
        token.is_cancelled()
    }

    #[tool]
    async fn unavailable(&self, _nothing: &Unavailable) {
        unreachable!("the function is not entered");
    }
}

#[tokio::test]
async fn references_come_from_the_context_also_behind_an_alias() {
    let server = Contexts.into_server();
    let result = call(&server, "sync", json!({"before": 5})).await;
    assert_eq!(result, text("5 1 2026-07-28"));
    for (tool, expected) in [
        ("later", "2026-07-28 2026-07-28"),
        ("aside", "false true"),
        ("progress", "false false"),
    ] {
        assert_eq!(
            call(&server, tool, json!({})).await,
            text(expected),
            "{tool}"
        );
    }
    let aliased = call(&server, "aliased", json!({})).await;
    assert_eq!(aliased, structured(false));
}

#[tokio::test]
async fn a_call_that_lacks_what_is_asked_for_is_refused() {
    let answer = answer(&Contexts.into_server(), "unavailable", json!({})).await;
    assert_eq!(answer["error"]["code"], -32051);
}

#[tokio::test]
async fn what_is_kept_is_not_copied() {
    let server = Contexts.into_server();
    let result = call(&server, "kept", json!({})).await;
    assert_eq!(result, structured(true));
    let mut wire = Wire::to(&server).await;
    let params = json!({"name": "kept_in_a_prompt"});
    let answer = wire.ask(stateless(1, "prompts/get", params)).await;
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "true");
}
