//! Parses a request and writes its answer, with as little work as possible.

use std::borrow::Cow;
use std::io::Write;

use bench_common::extra_tools;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
struct Echo<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// Parts of answers that are serialized only once.
pub(crate) struct Answers {
    list: [Vec<u8>; 2],
}

impl Answers {
    pub(crate) fn new(tools: usize) -> Self {
        let schema = |names: &[&str]| {
            let properties = names
                .iter()
                .map(|name| ((*name).to_owned(), json!({"type": "integer"})));
            json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>(), "required": names})
        };
        let mut list = vec![
            json!({"name": "add", "description": "Adds two whole numbers.", "inputSchema": schema(&["a", "b"])}),
            json!({"name": "echo", "description": "Says the text again.", "inputSchema": schema(&["text"])}),
            json!({"name": "wait", "description": "Answers after a while.", "inputSchema": schema(&["ms"])}),
        ];
        list.extend(extra_tools(tools).map(|tool| {
            json!({"name": tool.name, "description": tool.description, "inputSchema": tool.schema})
        }));
        let handshake = json!({"tools": list});
        let stateless = json!({
            "tools": list, "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "limit", "version": "0"}}
        });
        Self {
            list: [handshake, stateless].map(|list| list.to_string().into_bytes()),
        }
    }

    /// Appends the answer to a request, without a line break. A message without an answer appends
    /// nothing.
    pub(crate) fn answer(&self, frame: &[u8], out: &mut Vec<u8>) {
        let Ok(request) = serde_json::from_slice::<Request<'_>>(frame) else {
            out.extend_from_slice(br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#);
            return;
        };
        let Some(id) = request.id else { return };
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id.get().as_bytes());
        out.extend_from_slice(br#","result":"#);
        self.result(&request, out);
        out.push(b'}');
    }

    fn result(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        let params = request
            .params
            .and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok());
        let meta = params.as_ref().and_then(|params| params.meta.as_ref());
        let is_stateless = meta.and_then(|meta| meta.version.as_deref()) == Some("2026-07-28");
        match &*request.method {
            "tools/call" => {
                if let Some(params) = &params {
                    call(params, is_stateless, out);
                }
            }
            "tools/list" => out.extend_from_slice(&self.list[usize::from(is_stateless)]),
            "initialize" => out.extend_from_slice(
                br#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"limit","version":"0"}}"#,
            ),
            _ => out.extend_from_slice(
                br#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#,
            ),
        }
    }
}

fn call(params: &Params<'_>, is_stateless: bool, out: &mut Vec<u8>) {
    let arguments = params.arguments.map_or("{}", RawValue::get);
    out.extend_from_slice(if is_stateless {
br#"{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"limit","version":"0"}},"resultType":"complete","content":[{"type":"text","text":"#.as_slice()
} else {
br#"{"content":[{"type":"text","text":"#
});
    match params.name.as_deref() {
        Some("add") => {
            if let Ok(Add { a, b }) = serde_json::from_str(arguments) {
                let _ = write!(out, "\"{}\"", a + b);
            }
        }
        _ => {
            if let Ok(Echo { text }) = serde_json::from_str(arguments) {
                let _ = serde_json::to_writer(&mut *out, &*text);
            }
        }
    }
    out.extend_from_slice(b"}]}");
}
