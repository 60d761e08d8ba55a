//! The `_meta` of callers, on its way to the server behind the proxy.

use std::collections::BTreeMap;

use mcp_types::{RawJson, meta_keys};

use crate::client::Client;

/// Members that are about one request on one connection: the client writes its own.
const OF_THE_REQUEST: [&str; 6] = [
    meta_keys::PROGRESS_TOKEN,
    meta_keys::PROTOCOL_VERSION,
    meta_keys::CLIENT_INFO,
    meta_keys::CLIENT_CAPABILITIES,
    meta_keys::LOG_LEVEL,
    meta_keys::SUBSCRIPTION_ID,
];

/// Members that tell of a trace, which stay together.
const OF_THE_TRACE: [&str; 3] = [
    meta_keys::TRACEPARENT,
    meta_keys::TRACESTATE,
    meta_keys::BAGGAGE,
];

/// The members of a caller's `_meta` that are passed on, as JSON without braces. A trace of the
/// client's own goes before the caller's.
pub(super) fn passed_on(meta: Option<&RawJson>, client: &Client) -> String {
    let members = meta.map(|meta| meta.as_raw().members());
    let Some(Ok(members)) = members else {
        return String::new();
    };
    let has_trace = client.has_trace();
    let mut text = String::new();
    // Of members that are given twice the last counts.
    for (name, value) in members.into_iter().collect::<BTreeMap<_, _>>() {
        let name = name.as_str();
        if OF_THE_REQUEST.contains(&name) || has_trace && OF_THE_TRACE.contains(&name) {
            continue;
        }
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&serde_json::Value::from(name).to_string());
        text.push(':');
        text.push_str(value.get());
    }
    text
}
