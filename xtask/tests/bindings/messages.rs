//! Examples of all messages, and a program that decodes and encodes them with the bindings.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Requests: the marker type, the oldest revision of the example, `params` and `result`.
///
/// `META` is replaced by the `_meta` that newer revisions require, `COMPLETE` and `CACHED` by members of
/// their results, and `ELICITATION` by a member that only 2025-11-25 has.
const REQUESTS: &[(&str, &str, &str, &str)] = &[
    (
        "CallToolRequest",
        "2024-11-05",
        r#"{META "name":"add","arguments":{"a":1.0,"b":[null]}}"#,
        r#"{COMPLETE "content":[{"type":"text","text":"3"},{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"resource","resource":{"uri":"file:///a","text":"a"}}],"isError":false}"#,
    ),
    (
        "CallToolRequest",
        "2025-03-26",
        r#"{META "name":"hear"}"#,
        r#"{COMPLETE "content":[{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"audience":["user"],"priority":0.5}}]}"#,
    ),
    (
        "CallToolRequest",
        "2025-06-18",
        r#"{META "name":"find"}"#,
        r#"{COMPLETE "content":[{"type":"resource_link","name":"a","uri":"file:///a","size":18446744073709551615}],"structuredContent":{"found":[1.50]}}"#,
    ),
    ("CancelTaskRequest", "2025-11-25", r#"{"taskId":"t"}"#, TASK),
    (
        "CompleteRequest",
        "2024-11-05",
        r#"{META "ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"}}"#,
        r#"{COMPLETE "completion":{"values":["Ada"],"total":1,"hasMore":false}}"#,
    ),
    (
        "CompleteRequest",
        "2025-06-18",
        r#"{META "ref":{"type":"ref/resource","uri":"file:///{a}"},"argument":{"name":"a","value":""},"context":{"arguments":{"b":"1"}}}"#,
        r#"{COMPLETE "completion":{"values":[]}}"#,
    ),
    (
        "CreateMessageRequest",
        "2024-11-05",
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":100,"includeContext":"none","temperature":0.5,"stopSequences":["."],"modelPreferences":{"hints":[{"name":"m"}],"costPriority":1},"metadata":{}}"#,
        r#"{"role":"assistant","content":{"type":"text","text":"Hello"},"model":"m","stopReason":"endTurn"}"#,
    ),
    (
        "CreateMessageRequest",
        "2025-11-25",
        r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"add","input":{}}]},{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]}]}],"maxTokens":1e2,"tools":[{"name":"add","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}}"#,
        r#"{"role":"assistant","content":[],"model":"m"}"#,
    ),
    (
        "DiscoverRequest",
        "2026-07-28",
        r#"{META}"#,
        r#"{COMPLETE CACHED "supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"logging":{}},"instructions":"Add."}"#,
    ),
    (
        "ElicitRequest",
        "2025-06-18",
        r#"{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","minLength":1},"age":{"type":"integer"},"ok":{"type":"boolean"},"kind":{"type":"string","enum":["a"],"enumNames":["A"]}},"required":["name"]}}"#,
        r#"{"action":"accept","content":{"name":"Ada","age":36,"ok":true}}"#,
    ),
    (
        "ElicitRequest",
        "2025-11-25",
        r#"{"mode":"url","message":"Log in.",ELICITATION "url":"https://example.org/"}"#,
        r#"{"action":"decline"}"#,
    ),
    (
        "ElicitRequest",
        "2025-11-25",
        r#"{"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"one":{"type":"string","oneOf":[{"const":"a","title":"A"}]},"many":{"type":"array","items":{"type":"string","enum":["a"]},"maxItems":1.0}}}}"#,
        r#"{"action":"accept","content":{"one":"a","many":["a"]}}"#,
    ),
    (
        "GetPromptRequest",
        "2024-11-05",
        r#"{META "name":"greet","arguments":{"who":"Ada"}}"#,
        r#"{COMPLETE "description":"A greeting","messages":[{"role":"user","content":{"type":"text","text":"Hello"}}]}"#,
    ),
    (
        "GetTaskPayloadRequest",
        "2025-11-25",
        r#"{"taskId":"t"}"#,
        r#"{"content":[],"anything":{"a":[1]}}"#,
    ),
    ("GetTaskRequest", "2025-11-25", r#"{"taskId":"t"}"#, TASK),
    (
        "InitializeRequest",
        "2024-11-05",
        r#"{"protocolVersion":"2024-11-05","capabilities":{"roots":{"listChanged":true},"sampling":{},"experimental":{"x":{}}},"clientInfo":{"name":"c","version":"1"}}"#,
        r#"{"protocolVersion":"2024-11-05","capabilities":{"logging":{},"prompts":{"listChanged":false},"resources":{"subscribe":true},"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#,
    ),
    (
        "ListPromptsRequest",
        "2024-11-05",
        r#"{META "cursor":"1"}"#,
        r#"{COMPLETE CACHED "prompts":[{"name":"greet","arguments":[{"name":"who","required":true}]}],"nextCursor":"2"}"#,
    ),
    (
        "ListResourceTemplatesRequest",
        "2024-11-05",
        r#"{META "cursor":"1"}"#,
        r#"{COMPLETE CACHED "resourceTemplates":[{"name":"a","uriTemplate":"file:///{a}","mimeType":"text/plain"}]}"#,
    ),
    (
        "ListResourcesRequest",
        "2024-11-05",
        r#"{META "cursor":"1"}"#,
        r#"{COMPLETE CACHED "resources":[{"name":"a","uri":"file:///a","size":3.0,"annotations":{"priority":1}}]}"#,
    ),
    (
        "ListRootsRequest",
        "2024-11-05",
        r#"{"_meta":{"progressToken":1}}"#,
        r#"{"roots":[{"uri":"file:///a","name":"A"}]}"#,
    ),
    (
        "ListTasksRequest",
        "2025-11-25",
        r#"{"cursor":"1"}"#,
        r#"{"tasks":[{"taskId":"t","status":"working","createdAt":"x","lastUpdatedAt":"y","ttl":null}]}"#,
    ),
    (
        "ListToolsRequest",
        "2024-11-05",
        r#"{META "cursor":"1"}"#,
        r#"{COMPLETE CACHED "tools":[{"name":"add","description":"Adds","inputSchema":{"type":"object","$defs":{"a":{}},"properties":{"a":{"$ref":"a"}}}}]}"#,
    ),
    (
        "ListToolsRequest",
        "2025-06-18",
        r#"{META}"#,
        r#"{COMPLETE CACHED "tools":[{"name":"add","title":"Add","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"a":null}}]}"#,
    ),
    (
        "PingRequest",
        "2024-11-05",
        r#"{"_meta":{"progressToken":"p"}}"#,
        r#"{"_meta":{"a":1}}"#,
    ),
    (
        "ReadResourceRequest",
        "2024-11-05",
        r#"{META "uri":"file:///a"}"#,
        r#"{COMPLETE CACHED "contents":[{"uri":"file:///a","text":"a"},{"uri":"file:///b","blob":"AA==","mimeType":"x/y"}]}"#,
    ),
    (
        "SetLevelRequest",
        "2024-11-05",
        r#"{"level":"warning"}"#,
        "{}",
    ),
    (
        "SubscribeRequest",
        "2024-11-05",
        r#"{"uri":"file:///a"}"#,
        "{}",
    ),
    (
        "SubscriptionsListenRequest",
        "2026-07-28",
        r#"{META "notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}}"#,
        r#"{COMPLETE "_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}"#,
    ),
    (
        "UnsubscribeRequest",
        "2024-11-05",
        r#"{"uri":"file:///a"}"#,
        "{}",
    ),
];

const TASK: &str = r#"{"taskId":"t","status":"input_required","statusMessage":"?","createdAt":"x","lastUpdatedAt":"y","ttl":60000,"pollInterval":1e3}"#;

/// The members of `_meta` in each request of a stateless revision.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"progressToken":7}"#;

/// Notifications: the marker type, the oldest revision of the example, and `params`.
const NOTIFICATIONS: &[(&str, &str, &str)] = &[
    (
        "CancelledNotification",
        "2024-11-05",
        r#"{"requestId":7,"reason":"late"}"#,
    ),
    (
        "ElicitationCompleteNotification",
        "2025-11-25",
        r#"{"elicitationId":"e"}"#,
    ),
    (
        "InitializedNotification",
        "2024-11-05",
        r#"{"_meta":{"a":1}}"#,
    ),
    (
        "LoggingMessageNotification",
        "2024-11-05",
        r#"{"level":"error","logger":"db","data":{"a":[null,1.0]}}"#,
    ),
    (
        "ProgressNotification",
        "2024-11-05",
        r#"{"progressToken":"p","progress":0.5,"total":1}"#,
    ),
    (
        "ProgressNotification",
        "2025-03-26",
        r#"{"progressToken":1.0,"progress":1,"message":"half"}"#,
    ),
    (
        "PromptListChangedNotification",
        "2024-11-05",
        r#"{"_meta":{"a":1}}"#,
    ),
    (
        "ResourceListChangedNotification",
        "2024-11-05",
        r#"{"_meta":{"a":1}}"#,
    ),
    (
        "ResourceUpdatedNotification",
        "2024-11-05",
        r#"{"uri":"file:///a"}"#,
    ),
    (
        "RootsListChangedNotification",
        "2024-11-05",
        r#"{"_meta":{"a":1}}"#,
    ),
    (
        "SubscriptionsAcknowledgedNotification",
        "2026-07-28",
        r#"{"notifications":{"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}"#,
    ),
    ("TaskStatusNotification", "2025-11-25", TASK),
    (
        "ToolListChangedNotification",
        "2024-11-05",
        r#"{"_meta":{"a":1}}"#,
    ),
];

/// Other values: the type, the only revision that has it, and the value.
const VALUES: &[(&str, &str, &str)] = &[
    (
        "CreateTaskResult",
        "2025-11-25",
        r#"{"task":{"taskId":"t","status":"completed","createdAt":"x","lastUpdatedAt":"y","ttl":null}}"#,
    ),
    (
        "InputRequiredResult",
        "2026-07-28",
        r#"{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s"}"#,
    ),
    (
        "UnsupportedProtocolVersionErrorData",
        "2026-07-28",
        r#"{"supported":["2026-07-28"],"requested":"1999-01-01"}"#,
    ),
    (
        "MissingRequiredClientCapabilityErrorData",
        "2026-07-28",
        r#"{"requiredCapabilities":{"sampling":{}}}"#,
    ),
];

/// Code that decodes and encodes a request, with placeholders such as `NAME`.
const REQUEST: &str = r##"
    request!(MODULE, NAME, r#"PARAMS"#, r#"RESULT"#);"##;
const NOTIFICATION: &str = r##"
    notification!(MODULE, NAME, r#"PARAMS"#);"##;
const VALUE: &str = r##"
    same::<MODULE::NAME>(r#"RESULT"#);"##;

/// Code that tests that constructors fill required fields or take them as arguments.
const FILLED: &str = r##"
    let tools = serde_json::to_value(MODULE::ListToolsResult::new([])).unwrap();
    let made = serde_json::json!({"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"});
    assert_eq!(tools, made);
    let meta = MODULE::RequestMetaObject::new(MODULE::ClientCapabilities::new()).protocol_version;
    assert_eq!(meta.unwrap(), "2026-07-28");"##;
const CANCELLED: &str = "
    assert_eq!(MODULE::CancelledNotificationParams::new(7).request_id, 7.into());";

const PROGRAM: &str = r##"
#![deny(warnings)]
use bindings_2024::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Decodes and encodes `text` as a `T`, and compares numbers by value.
fn same<T: Serialize + DeserializeOwned>(text: &str) {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written: Value = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
    let read: Value = serde_json::from_str(text).unwrap();
    assert_eq!(numbers(written), numbers(read), "{}", std::any::type_name::<T>());
}

fn numbers(json: Value) -> Value {
    match json {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.into_iter().map(numbers).collect(),
        Value::Object(members) => members.into_iter().map(|(name, json)| (name, numbers(json))).collect(),
        other => other,
    }
}

macro_rules! request {
    ($revision:ident, $name:ident, $params:literal, $result:literal) => {
        use $revision::{JsonRpcMessage, JsonRpcRequest, JsonRpcResultResponse, Request};
        type Params = <$revision::$name as Request>::Params;
        type Answer = <$revision::$name as Request>::Result;
        let method = $revision::$name::METHOD;
        let text = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{}}}"#, $params);
        same::<JsonRpcRequest<Params>>(&text);
        same::<JsonRpcMessage>(&text);
        let params: Params = serde_json::from_str($params).unwrap();
        let made = JsonRpcRequest::new::<$revision::$name>(7, params);
        assert_eq!(serde_json::from_str::<JsonRpcRequest<Params>>(&text).unwrap(), made);
        let text = format!(r#"{{"jsonrpc":"2.0","id":"a","result":{}}}"#, $result);
        same::<JsonRpcResultResponse<Answer>>(&text);
        same::<JsonRpcMessage>(&text);
    };
}

macro_rules! notification {
    ($revision:ident, $name:ident, $params:literal) => {
        use $revision::{JsonRpcMessage, JsonRpcNotification, Notification};
        let method = $revision::$name::METHOD;
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{}}}"#, $params);
        same::<JsonRpcNotification<<$revision::$name as Notification>::Params>>(&text);
        same::<JsonRpcMessage>(&text);
        if $revision::$name::PARAMS_OPTIONAL {
            same::<JsonRpcNotification>(&format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#));
        }
    };
}

macro_rules! error {
    ($revision:ident, $code:expr) => {
        let text = format!(r#"{{"jsonrpc":"2.0","id":7,"error":{{"code":{},"message":"m","data":[ 1 ]}}}}"#, $code);
        same::<$revision::JsonRpcErrorResponse>(&text);
        same::<$revision::JsonRpcMessage>(&text);
    };
}

fn main() {
    BODY
}
"##;

/// Generates a program that decodes and encodes the examples with the bindings of each revision. Fails if
/// a message of `bindings` has no example.
pub(crate) fn program(bindings: &BTreeMap<String, String>, module: fn(&str) -> String) -> String {
    let mut body = String::new();
    for (revision, text) in bindings {
        let mut checks = String::new();
        for name in implementors(text, "Request") {
            let examples = REQUESTS
                .iter()
                .filter(|it| it.0 == name && it.1 <= &**revision);
            checks.extend(examples.map(|it| check(REQUEST, it.0, it.2, it.3)));
            assert!(
                checks.contains(&format!(" {name},")),
                "an example of {name}"
            );
        }
        for name in implementors(text, "Notification") {
            let examples = NOTIFICATIONS
                .iter()
                .filter(|it| it.0 == name && it.1 <= &**revision);
            checks.extend(examples.map(|it| check(NOTIFICATION, it.0, it.2, "")));
            assert!(
                checks.contains(&format!(" {name},")),
                "an example of {name}"
            );
        }
        let values = VALUES.iter().filter(|it| it.1 == revision);
        checks.extend(values.map(|it| check(VALUE, it.0, "", it.2)));
        for code in constants(text, "i64") {
            let place = if text.contains(&format!("    pub const {code}: i64 = -326"))
                || code == "PARSE_ERROR"
            {
                "code"
            } else {
                "error_codes"
            };
            checks += &format!("\n    {{ error!(MODULE, MODULE::{place}::{code}); }}");
        }
        checks += match revision.as_str() {
            "2025-11-25" => "",
            "2026-07-28" => FILLED,
            _ => CANCELLED,
        };
        checks += "\n    assert_eq!(MODULE::meta_keys::PROGRESS_TOKEN, \"progressToken\");";
        let is_stateless = text.contains("struct DiscoverResult");
        let meta = if is_stateless {
            META
        } else {
            r#""_meta":{"progressToken":7}"#
        };
        let complete = if is_stateless {
            r#""resultType":"complete","#
        } else {
            ""
        };
        let cached = if is_stateless {
            r#""ttlMs":1e3,"cacheScope":"public","#
        } else {
            ""
        };
        let elicitation = if text.contains("struct ElicitationCompleteNotificationParams") {
            r#""elicitationId":"e","#
        } else {
            ""
        };
        let checks = checks
            .replace("{META}", &format!("{{{meta}}}"))
            .replace("META ", &format!("{meta},"))
            .replace("ELICITATION ", elicitation)
            .replace("COMPLETE ", complete)
            .replace("CACHED ", cached)
            .replace("MODULE", &module(revision));
        writeln!(body, "{checks}").unwrap();
    }
    PROGRAM.replace("BODY", &body)
}

fn check(template: &str, name: &str, params: &str, result: &str) -> String {
    let check = template.replace("NAME", name).replace("PARAMS", params);
    format!("\n    {{{}\n    }}", check.replace("RESULT", result))
}

fn implementors<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let mark = format!("impl {name} for ");
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix(mark.as_str()));
    lines.map(|rest| rest.trim_end_matches(" {")).collect()
}

fn constants<'a>(text: &'a str, ty: &str) -> Vec<&'a str> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("pub const "));
    let parts = lines.filter_map(|line| line.split_once(": "));
    parts
        .filter(|(_, rest)| rest.starts_with(ty))
        .map(|(name, _)| name)
        .collect()
}
