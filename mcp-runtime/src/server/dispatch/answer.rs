//! Results in the form in which they are sent: adapted to the revision, with the server's name in
//! `_meta`.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use mcp_types::jsonrpc::{PreparedResult, RequestId, write};
use mcp_types::{
    CallToolResult, Conform, Implementation, OrderedMap, RawJson, ResultMetaObject, Revision,
    meta_keys,
};
use serde::Serialize;

use crate::connection::{JsonRpcResult, Outbox};
use crate::protocol::Negotiated;
use crate::server::tools::ToolOutcome;

/// A result, adapted to the revision of the request.
#[derive(Debug)]
pub(crate) struct Answer {
    body: AnswerBody,
    /// The server's name, if it has to be added to the body when the answer is written.
    identity: Option<Arc<Identity>>,
}

#[derive(Debug)]
enum AnswerBody {
    Prepared(PreparedResult),
    Written(RawJson),
    /// Boxed, because moving the large result around with the answer costs more than the allocation.
    CallTool(Box<CallToolResult>),
}

/// The server's name and version, which are part of each result (2026-07-28, "Overview", section
/// `_meta`).
#[derive(Debug)]
pub(in crate::server) struct Identity {
    info: Implementation,
    /// The beginning of a JSON object whose `_meta` only contains the server's name.
    prefix: String,
}

impl Identity {
    pub(in crate::server) fn new(info: &Implementation) -> Self {
        let meta = ResultMetaObject::new().with_server_info(info.clone());
        let meta = RawJson::encode(&meta);
        Self {
            info: info.clone(),
            prefix: format!(r#"{{"_meta":{meta}"#),
        }
    }
}

impl Answer {
    pub(in crate::server) fn empty() -> Self {
        Self::relayed(RawJson::empty_object())
    }

    /// Creates an answer that is sent as it is.
    pub(crate) fn relayed(result: RawJson) -> Self {
        Self {
            body: AnswerBody::Written(result),
            identity: None,
        }
    }

    pub(in crate::server) fn prepared(
        result: PreparedResult,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        Self {
            body: AnswerBody::Prepared(result),
            identity: negotiated.results_name_server().then(|| Arc::clone(server)),
        }
    }

    /// Creates an answer without the server's name in its `_meta`.
    pub(in crate::server) fn once<T: Serialize + Conform>(
        mut result: T,
        revision: Revision,
    ) -> Self {
        result.conform(revision);
        Self {
            body: AnswerBody::Written(RawJson::encode(&result)),
            identity: None,
        }
    }

    /// Creates an answer with the server's name in its `_meta`, if the revision has it there.
    pub(in crate::server) fn written<T: Serialize + Conform>(
        result: T,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        let mut answer = Self::once(result, negotiated.revision);
        let AnswerBody::Written(json) = &answer.body else {
            return answer;
        };
        // The server's name is not added to a result that already has a `_meta`.
        if negotiated.results_name_server() && !json.get().starts_with(r#"{"_meta""#) {
            answer.identity = Some(Arc::clone(server));
        }
        answer
    }

    /// Creates an answer from a JSON object, such as the result of an extension's method. Adds the
    /// members that are missing, and keeps those that are there.
    pub(in crate::server) fn open(
        result: RawJson,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        let names_server = negotiated.results_name_server();
        let members = || result.parse::<OrderedMap<RawJson>>().ok();
        let Some(mut members) = names_server.then(members).flatten() else {
            return Self {
                body: AnswerBody::Written(result),
                identity: None,
            };
        };
        let complete = || RawJson::encode("complete");
        members.entry("resultType".into()).or_insert_with(complete);
        let meta = members
            .get("_meta")
            .map(RawJson::parse::<OrderedMap<RawJson>>);
        let identity = match meta {
            Some(Ok(mut meta)) => {
                let info = || RawJson::encode(&server.info);
                meta.entry(meta_keys::SERVER_INFO.into())
                    .or_insert_with(info);
                members.insert("_meta".into(), RawJson::encode(&meta));
                None
            }
            _ => {
                members.shift_remove("_meta");
                Some(Arc::clone(server))
            }
        };
        Self {
            body: AnswerBody::Written(RawJson::encode(&members)),
            identity,
        }
    }

    /// Creates an answer from the result of a tool, or from the result with which an extension has
    /// replaced it.
    pub(in crate::server) fn tool_outcome(
        outcome: ToolOutcome,
        negotiated: &Negotiated,
        server: &Arc<Identity>,
    ) -> Self {
        match outcome {
            ToolOutcome::Complete(result) => Self::call_tool(result, negotiated, server),
            ToolOutcome::Other(result) => Self::open(result, negotiated, server),
        }
    }

    fn call_tool(result: CallToolResult, negotiated: &Negotiated, server: &Arc<Identity>) -> Self {
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
            body: AnswerBody::CallTool(result),
            identity,
        }
    }

    /// Serializes the result as it is sent.
    ///
    /// # Errors
    ///
    /// Fails if the result can't be serialized.
    pub(crate) fn json(&self) -> serde_json::Result<Cow<'_, str>> {
        let json = self.bare_json()?;
        let Some(server) = &self.identity else {
            return Ok(json);
        };
        let members = json.strip_prefix('{').unwrap_or_default();
        let comma = if members == "}" { "" } else { "," };
        Ok(Cow::Owned(format!("{}{comma}{members}", server.prefix)))
    }

    /// Serializes the result without the server's name.
    ///
    /// # Errors
    ///
    /// Fails if the result can't be serialized.
    pub(crate) fn bare_json(&self) -> serde_json::Result<Cow<'_, str>> {
        Ok(match &self.body {
            AnswerBody::Prepared(result) => Cow::Borrowed(result.get()),
            AnswerBody::Written(json) => Cow::Borrowed(json.get()),
            AnswerBody::CallTool(result) => Cow::Owned(serde_json::to_string(result)?),
        })
    }

    pub(crate) fn is_error(&self) -> bool {
        match &self.body {
            AnswerBody::CallTool(result) => result.is_error == Some(true),
            AnswerBody::Written(json) => json.is_error(),
            AnswerBody::Prepared(_) => false,
        }
    }

    pub(crate) fn is_input_required(&self) -> bool {
        match &self.body {
            AnswerBody::Written(json) => json.is_input_required(),
            AnswerBody::Prepared(_) | AnswerBody::CallTool(_) => false,
        }
    }
}

impl JsonRpcResult for Answer {
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()> {
        let prefix = self.identity.as_ref().map(|server| &*server.prefix);
        match &self.body {
            AnswerBody::Prepared(result) => {
                result.write(out, id, prefix.unwrap_or_default());
                Ok(())
            }
            AnswerBody::Written(json) => write(out, id, prefix, json),
            AnswerBody::CallTool(result) => write(out, id, prefix, &**result),
        }
    }

    fn send(&self, outbox: &mut Outbox, id: &RequestId) -> serde_json::Result<()> {
        let AnswerBody::Prepared(result) = &self.body else {
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

/// A result that all callers share. It is serialized once for each revision, on the first request.
#[derive(Debug, Default)]
pub(in crate::server) struct Prepared {
    by_revision: [OnceLock<PreparedResult>; Revision::ALL.len()],
}

impl Prepared {
    /// Returns the result for `revision`. The first call creates it with `make`.
    pub(in crate::server) fn get<T: Serialize + Conform>(
        &self,
        revision: Revision,
        make: impl Fn() -> T,
    ) -> PreparedResult {
        let slot = &self.by_revision[revision.index()];
        let written = slot.get_or_init(|| {
            let mut result = make();
            result.conform(revision);
            PreparedResult::new(&result).expect("a generated result is a JSON object")
        });
        written.clone()
    }
}
