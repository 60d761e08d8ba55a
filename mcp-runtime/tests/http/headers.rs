//! Headers that repeat parts of a stateless request's body.

use http::Request;
use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::types::Tool;
use mcp_runtime::{ProtocolError, Server};
use serde_json::{Value, json};

use crate::site::{Answer, Site};
use crate::support::{self, stateless};

/// Creates a server with two annotated tools: every caller sees the first, and none sees the
/// second.
fn server() -> Server {
    let mut server = support::builder();
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "rows": {"type": "integer", "x-mcp-header": "Rows"},
    }});
    let entry = |name: &str| {
        ToolEntry::new(Tool::new(name, schema.clone()), |_| {
            Reply::Ready(Ok::<_, ProtocolError>(support::text("there".to_owned())))
        })
    };
    server.tool(entry("shown"));
    server.tool(entry("hides").visible_to(|_| false));
    server.build()
}

/// Returns a call whose arguments are sent verbatim.
fn call(site: &Site, tool: &str, arguments: &str) -> Request<String> {
    let message = stateless(
        1,
        "tools/call",
        json!({"name": tool, "arguments": "ARGUMENTS"}),
    );
    let mut request = site.stateless(&message);
    *request.body_mut() = message.to_string().replace("\"ARGUMENTS\"", arguments);
    request
}

fn with(mut request: Request<String>, name: &'static str, value: &str) -> Request<String> {
    request.headers_mut().insert(name, value.parse().unwrap());
    request
}

fn message(answer: &Answer) -> String {
    answer.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn what_can_not_be_read_does_not_switch_off_the_check() {
    let site = Site::of(&server());
    for (member, path) in [
        ("1e400", "params.arguments.z"),
        ("[0,-1e400]", "params.arguments.z[1]"),
        (r#""\ud800""#, "params.arguments.z"),
        (r#"{"\udc00":1}"#, "params.arguments.z"),
        (r#"{"a":1,"a":1}"#, "params.arguments.z.a"),
    ] {
        let arguments = format!(r#"{{"region":"us","z":{member}}}"#);
        for region in ["us", "eu"] {
            let request = call(&site, "shown", &arguments);
            let answer = site.send(with(request, "mcp-param-region", region)).await;
            assert_eq!(answer.error_code(), -32602, "{member}: {answer:?}");
            let expected = format!("Invalid params: {path}: ");
            assert!(message(&answer).starts_with(&expected), "{answer:?}");
        }
        let answer = site.send(call(&site, "echo", &arguments)).await;
        let text = answer.json()["result"]["content"][0]["text"].take();
        assert_eq!(text, arguments, "other tools accept an ambiguous member");
    }
    let long = r#"{"rows":123456789012345678901234567890,"z":123456789012345678901234567890}"#;
    let request = call(&site, "shown", long);
    let rows = "123456789012345678901234567890.0";
    let answer = site.send(with(request, "mcp-param-rows", rows)).await;
    assert!(answer.json()["result"].is_object(), "{answer:?}");
    site.lives_on().await;
}

#[tokio::test]
async fn a_member_of_the_parameters_given_twice_is_named() {
    let site = Site::open().await;
    for (member, value) in [("name", r#""echo""#), ("arguments", "{}"), ("_meta", "{}")] {
        let mut request = call(&site, "echo", "{}");
        let body = request.body_mut();
        let twice = format!(r#""params":{{"{member}":{value},"#);
        *body = body.replace(r#""params":{"#, &twice);
        let answer = site.send(request).await;
        assert_eq!(answer.error_code(), -32602, "{answer:?}");
        let expected = format!("Invalid params: params.{member}: ");
        assert!(message(&answer).starts_with(&expected), "{answer:?}");
    }
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_refused_before_headers() {
    let site = Site::open().await;
    for arguments in ["[]", "7", "\"x\"", "false"] {
        for tool in ["echo", "region", "nothing"] {
            let request = with(call(&site, tool, arguments), "mcp-name", "other");
            let answer = site.send(request).await;
            assert_eq!(answer.error_code(), -32602, "{answer:?}");
            assert_eq!(
                message(&answer),
                "Invalid params: params.arguments: must be an object"
            );
        }
    }
}

#[tokio::test]
async fn a_hidden_tool_is_answered_as_an_unknown_one() {
    let site = Site::of(&server());
    let right = [("mcp-param-region", "us")];
    let headers: [&[(&'static str, &str)]; 3] =
        [&[], &right, &[("mcp-param-region", "=?base64?%?=")]];
    let arguments = [
        r#"{"region":"us"}"#,
        r#"{"region":"us","z":1e400}"#,
        "{}",
        "[]",
        r#"{"region":"us"},"requestState":"forged""#,
        r#"{"region":"us"},"inputResponses":7"#,
    ];
    for headers in headers {
        for arguments in arguments {
            let answers = ["hides", "wrong"].map(async |tool| {
                let mut request = call(&site, tool, arguments);
                for (name, value) in headers {
                    request = with(request, name, value);
                }
                let answer = site.send(request).await;
                (answer.status, answer.body.replace(tool, "TOOL"))
            });
            let [hidden, unknown] = answers;
            assert_eq!(hidden.await, unknown.await, "{headers:?} {arguments}");
        }
    }
    let answer = site.send(call(&site, "shown", r#"{"region":"us"}"#)).await;
    assert_eq!(answer.error_code(), -32020, "{answer:?}");
}

#[tokio::test]
async fn only_names_and_arguments_may_be_encoded() {
    let site = Site::open().await;
    for (name, value) in [
        ("mcp-method", "=?base64?dG9vbHMvY2FsbA==?="),
        ("mcp-protocol-version", "=?base64?MjAyNi0wNy0yOA==?="),
    ] {
        let answer = site
            .send(with(call(&site, "echo", "{}"), name, value))
            .await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.error_code(), -32020, "{answer:?}");
        assert!(message(&answer).to_lowercase().contains(name), "{answer:?}");
    }
    let encoded = with(call(&site, "echo", "{}"), "mcp-name", "=?base64?ZWNobw==?=");
    let answer = site.send(encoded).await;
    assert!(answer.json()["result"].is_object(), "{answer:?}");
}

#[tokio::test]
async fn integers_in_headers_are_compared_as_integers() {
    let site = Site::of(&server());
    for (header, argument, same) in [
        ("42", "42", true),
        ("42.0", "42", true),
        ("42", "42.0", true),
        ("9007199254740993", "9007199254740992", false),
        ("+42", "42", false),
        ("042", "42", false),
        ("4.2e1", "42", false),
        ("42.0000000000000001", "42", false),
    ] {
        let request = call(&site, "shown", &format!(r#"{{"rows":{argument}}}"#));
        let answer = site.send(with(request, "mcp-param-rows", header)).await;
        let code: Option<i64> = if same { None } else { Some(-32020) };
        let said: Value = answer.json()["error"]["code"].take();
        assert_eq!(said.as_i64(), code, "{header} {argument}: {answer:?}");
    }
}
