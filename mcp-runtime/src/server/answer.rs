//! Results on their way out.

use std::sync::Arc;

use mcp_types::jsonrpc::{PreparedResult, RequestId, write};
use mcp_types::{
    CallToolResult, Conform, Implementation, JsonObject, RawJson, ResultMetaObject, Revision,
    meta_keys,
};
use serde::Serialize;
use serde_json::Value;

use crate::connection::Outgoing;
use crate::protocol::{Negotiated, tree};
use crate::transport::Outbox;

/// A result, in the form that the revision of its request wants.
#[derive(Debug)]
pub(crate) struct Answer {
    body: Body,
    /// Set where the server names itself in the result and the body leaves that to the writer.
    identity: Option<Arc<Identity>>,
}

#[derive(Debug)]
enum Body {
    Empty,
    Prepared(PreparedResult),
    Written(RawJson),
    /// In a box, because an answer is handed on a dozen times, and moving it each time costs more
    /// than the allocation.
    CallTool(Box<CallToolResult>),
}

/// How a server names itself in each result (2026-07-28, "Overview", section `_meta`).
#[derive(Debug)]
pub(super) struct Identity {
    info: Implementation,
    /// A `_meta` member with nothing but the server's name, preceded by a brace.
    prefix: String,
}

impl Identity {
    pub(super) fn new(info: &Implementation) -> Self {
        let meta = ResultMetaObject::new().with_server_info(info.clone());
        let meta = RawJson::encode(&meta);
        Self {
            info: info.clone(),
            prefix: format!(r#"{{"_meta":{meta}"#),
        }
    }
}

impl Answer {
    /// The empty result, which `ping` is answered with.
    pub(super) fn empty() -> Self {
        Self {
            body: Body::Empty,
            identity: None,
        }
    }

    /// A result that was written before.
    pub(super) fn prepared(
        result: PreparedResult,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        Self {
            body: Body::Prepared(result),
            identity: negotiated.results_name_server().then(|| Arc::clone(server)),
        }
    }

    /// A result that is written for this one request.
    pub(super) fn once<T: Serialize + Conform>(mut result: T, revision: Revision) -> Self {
        result.conform(revision);
        Self {
            body: Body::Written(RawJson::encode(&result)),
            identity: None,
        }
    }

    /// A result that is written for this one request, by a server that names itself in it.
    pub(super) fn written<T: Serialize + Conform>(
        result: T,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        let mut answer = Self::once(result, negotiated.revision);
        let Body::Written(json) = &answer.body else {
            return answer;
        };
        // A result that has a `_meta` of its own keeps it.
        if negotiated.results_name_server() && !json.get().starts_with(r#"{"_meta""#) {
            answer.identity = Some(Arc::clone(server));
        }
        answer
    }

    /// The result of a method that an extension brings.
    pub(super) fn extension(
        mut result: JsonObject,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        let mut identity = None;
        if negotiated.results_name_server() {
            result
                .entry("resultType")
                .or_insert_with(|| "complete".into());
            match result.get_mut("_meta") {
                Some(Value::Object(meta)) => {
                    meta.entry(meta_keys::SERVER_INFO)
                        .or_insert_with(|| tree(&server.info));
                }
                _ => identity = Some(Arc::clone(server)),
            }
        }
        Self {
            body: Body::Written(RawJson::from(Value::Object(result))),
            identity,
        }
    }

    /// The result of a tool.
    pub(super) fn call_tool(
        result: CallToolResult,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        let mut result = Box::new(result);
        let mut identity = None;
        if negotiated.results_name_server() {
            match &mut result.meta {
                Some(meta) => {
                    meta.server_info.get_or_insert_with(|| server.info.clone());
                }
                None => identity = Some(Arc::clone(server)),
            }
        }
        result.conform(negotiated.revision);
        Self {
            body: Body::CallTool(result),
            identity,
        }
    }
}

impl Outgoing for Answer {
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()> {
        let prefix = self.identity.as_ref().map(|server| &*server.prefix);
        match &self.body {
            Body::Empty => write(out, id, prefix, &JsonObject::new()),
            Body::Prepared(result) => {
                result.write(out, id, prefix.unwrap_or_default());
                Ok(())
            }
            Body::Written(json) => write(out, id, prefix, json),
            Body::CallTool(result) => write(out, id, prefix, &**result),
        }
    }

    fn send(&self, outbox: &mut Outbox, id: &RequestId) -> serde_json::Result<()> {
        let Body::Prepared(result) = &self.body else {
            return outbox.push(|out| self.write(out, id));
        };
        let prefix = self.identity.as_ref().map(|server| &*server.prefix);
        outbox.push_prepared(id, prefix.unwrap_or_default(), result);
        Ok(())
    }
}

fn write(
    out: &mut Vec<u8>,
    id: &RequestId,
    prefix: Option<&str>,
    result: &impl Serialize,
) -> serde_json::Result<()> {
    match prefix {
        None => {
            write::result(out, id, result);
            Ok(())
        }
        Some(prefix) => write::result_with_prefix(out, id, prefix, result),
    }
}
