//! The attributes and their effects.

use mcp_runtime::prelude::*;
use mcp_runtime::types::JsonObject;
use serde_json::{Value, json};

use crate::support::{Wire, initialize, stateless};
use crate::{call, faults, listed, structured, text};

/// How loud to be.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    #[default]
    Plain,
    Loud,
}

fn origin() -> JsonObject {
    JsonObject::from_iter([("com.example/origin".to_owned(), Value::from(1))])
}

pub(crate) struct Attributes;

/// Shows what
/// attributes do.
#[mcp_server(
    name = "attributes",
    version = "9.8.7",
    title = "Attributes",
    description = "A server of a test.",
    website = "https://example.com",
    icons = ["https://example.com/icon.png"],
    undocumented = "allow"
)]
impl Attributes {
    /// Not this.
    #[tool(
        name = "named.tool",
        title = "A tool",
        description = concat!("Described ", "elsewhere."),
        read_only,
        destructive = false,
        idempotent,
        open_world = false,
        icons = ["https://example.com/tool.png"],
        meta = origin()
    )]
    fn named(&self) {}

    #[tool(meta = json!({"com.example/origin": 2}))]
    fn with_json(&self) {}

    #[tool]
    fn rules(
        &self,
        /// How many.
        #[arg(default = 10, range = 1..=100)]
        limit: u32,
        #[arg(range = 0.0..1.0)] share: Option<f64>,
        #[arg(rename = "topic", length = 2..=4, example = "tea", header = "Topic")] about: String,
        #[arg(length = 1.., default)] tags: Vec<String>,
        #[arg(default = Tone::Loud, description = "The tone.")] tone: Tone,
        #[arg(default = "none")] note: String,
    ) -> String {
        format!("{limit} {share:?} {about} {tags:?} {tone:?} {note}")
    }

    #[tool(blocking)]
    fn aside(&self, value: i64) -> i64 {
        std::thread::current().name().map_or(value, |name| {
            assert_ne!(name, "main");
            value + 1
        })
    }

    #[tool(timeout = "20ms")]
    async fn slow(&self, wait: bool) -> &'static str {
        if wait {
            std::future::pending::<()>().await;
        }
        "done"
    }

    #[cfg(any())]
    #[tool]
    fn absent(&self, value: TypeThatDoesNotExist) {}
}

#[tokio::test]
async fn the_server_introduces_itself() {
    let mut wire = Wire::to(&Attributes.into_server()).await;
    let answer = wire.ask(initialize("2025-11-25")).await;
    assert_eq!(
        answer["result"]["serverInfo"],
        json!({
            "name": "attributes",
            "version": "9.8.7",
            "title": "Attributes",
            "description": "A server of a test.",
            "websiteUrl": "https://example.com",
            "icons": [{"src": "https://example.com/icon.png"}],
        })
    );
    assert_eq!(
        answer["result"]["instructions"],
        "Shows what\nattributes do."
    );
}

#[tokio::test]
async fn name_and_version_are_those_of_the_package() {
    struct Unnamed;
    #[mcp_server(undocumented = "allow")]
    impl Unnamed {}
    let mut wire = Wire::to(&Unnamed.into_server()).await;
    let answer = wire.ask(initialize("2025-11-25")).await;
    let info = &answer["result"]["serverInfo"];
    assert_eq!(info["name"], env!("CARGO_PKG_NAME"));
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(answer["result"]["capabilities"], json!({}));
}

#[tokio::test]
async fn a_tool_is_described_by_its_attributes() {
    assert_eq!(
        listed(Attributes, "named.tool").await,
        json!({
            "name": "named.tool",
            "title": "A tool",
            "description": "Described elsewhere.",
            "annotations": {
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
            "icons": [{"src": "https://example.com/tool.png"}],
            "_meta": {"com.example/origin": 1},
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
        })
    );
    let meta = listed(Attributes, "with_json").await["_meta"].take();
    assert_eq!(meta, json!({"com.example/origin": 2}));
}

#[tokio::test]
async fn rules_are_shown_in_the_schema() {
    assert_eq!(
        listed(Attributes, "rules").await["inputSchema"],
        json!({
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "description": "How many.",
                    "default": 10, "minimum": 1, "maximum": 100},
                "share": {"type": ["number", "null"], "minimum": 0.0, "exclusiveMaximum": 1.0},
                "topic": {"type": "string", "minLength": 2, "maxLength": 4, "examples": ["tea"],
                    "x-mcp-header": "Topic"},
                "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "default": []},
                "tone": {"type": "string", "enum": ["plain", "loud"], "description": "The tone.",
                    "default": "loud"},
                "note": {"type": "string", "default": "none"},
            },
            "required": ["topic"],
        })
    );
}

#[tokio::test]
async fn defaults_stand_in_for_what_is_left_out() {
    let server = Attributes.into_server();
    let arguments = json!({"topic": "tea", "tags": ["a"], "limit": null, "tone": null});
    let result = call(&server, "rules", arguments).await;
    assert_eq!(result, text(r#"10 None tea ["a"] Loud none"#));
}

#[tokio::test]
async fn rules_are_enforced_before_the_function_runs() {
    let server = Attributes.into_server();
    let arguments = json!({"limit": 101, "share": 1.0, "topic": "ééééé", "tags": []});
    assert_eq!(
        faults(&server, "rules", arguments).await[1..],
        [
            "- `limit`: out of range: 101, expected a number of at least 1 and of at most 100",
            "- `share`: out of range: 1, expected a number of at least 0 and below 1",
            "- `topic`: too long: 5, expected at most 4",
            "- `tags`: too short: 0, expected at least 1",
        ]
    );
    let arguments =
        json!({"limit": 100, "share": 0.0, "topic": "éé", "tags": ["a"], "tone": "plain"});
    let result = call(&server, "rules", arguments).await;
    assert_eq!(result, text(r#"100 Some(0.0) éé ["a"] Plain none"#));
}

#[tokio::test]
async fn a_blocking_tool_runs_on_another_thread() {
    let server = Attributes.into_server();
    assert_eq!(
        call(&server, "aside", json!({"value": 1})).await,
        structured(2)
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_takes_too_long_is_a_failed_one() {
    let server = Attributes.into_server();
    let found = faults(&server, "slow", json!({"wait": true})).await;
    assert_eq!(found, ["not finished within 20ms"]);
    assert_eq!(
        call(&server, "slow", json!({"wait": false})).await,
        text("done")
    );
}

#[tokio::test]
async fn a_tool_that_is_configured_away_is_not_registered() {
    let mut wire = Wire::to(&Attributes.into_server()).await;
    let params = json!({"name": "absent", "arguments": {}});
    let answer = wire.ask(stateless(1, "tools/call", params)).await;
    assert_eq!(answer["error"]["message"], "Unknown tool: absent");
}
