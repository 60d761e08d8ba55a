//! Tests of `Conform` with values that a revision lacks.

use mcp_types::{
    Annotations, AudioContent, CallToolRequestParams, CallToolResult, CancelledNotificationParams,
    ClientCapabilities, ClientRequest, Completion, Conform, ContentBlock,
    CreateMessageRequestParams, ElicitRequestParams, ElicitRequestUrlParams, ImageContent,
    InputRequiredResult, ListToolsResult, LoggingLevel, LoggingMessageNotificationParams,
    PrimitiveSchemaDefinition, RawJson, ResourceLink, Revision, Role, SamplingMessage,
    SamplingMessageContentBlock, TextContent, Tool,
};
use serde_json::{Value, json};

fn conformed<T: Conform + serde::Serialize>(mut value: T, revision: Revision) -> Value {
    value.conform(revision);
    serde_json::to_value(&value).unwrap()
}

fn from_json<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

#[test]
fn fields_of_other_revisions_go() {
    let json = json!({
        "name": "t", "title": "T", "inputSchema": {"type": "object"}, "outputSchema": {},
        "annotations": {"readOnlyHint": true}, "execution": {"taskSupport": "optional"},
        "_meta": {"x": 1},
    });
    let tool = || from_json::<Tool>(json.clone());
    let first = json!({"name": "t", "inputSchema": {"type": "object"}, "_meta": {"x": 1}});
    assert_eq!(conformed(tool(), Revision::V2024_11_05), first);
    assert_eq!(conformed(tool(), Revision::V2025_11_25), json);
    assert!(
        conformed(tool(), Revision::V2026_07_28)
            .get("execution")
            .is_none()
    );
}

#[test]
fn numbers_that_json_lacks_become_finite() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let json = conformed(
            CreateMessageRequestParams::new([], 1).with_temperature(number),
            Revision::LATEST,
        );
        assert!(json["temperature"].is_number(), "{json}");
    }
}

#[test]
fn required_fields_come() {
    let list = conformed(ListToolsResult::new([]), Revision::V2026_07_28);
    let filled = json!({
        "tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
    });
    assert_eq!(list, filled);
    assert_eq!(
        conformed(ListToolsResult::new([]), Revision::V2025_06_18),
        json!({"tools": []})
    );
    let asking = conformed(InputRequiredResult::new(), Revision::V2026_07_28);
    assert_eq!(asking["resultType"], "input_required");
    let call = conformed(CallToolRequestParams::new("add"), Revision::V2026_07_28);
    assert_eq!(
        call["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    let cancelled = CancelledNotificationParams::new();
    assert_eq!(conformed(cancelled, Revision::V2024_11_05)["requestId"], "");
}

#[test]
fn absent_parameters_come_where_they_are_required() {
    let request = || ClientRequest::ListTools(None);
    assert_eq!(
        conformed(request(), Revision::V2025_11_25),
        json!({"method": "tools/list"})
    );
    let stateless = conformed(request(), Revision::V2026_07_28);
    assert!(stateless["params"]["_meta"].is_object());
}

#[test]
fn content_becomes_the_nearest_that_is_known() {
    let link = ResourceLink::new("manual", "file:///m").with_title("The manual");
    let content: [ContentBlock; 2] = [link.into(), AudioContent::new("AA==", "audio/wav").into()];
    let result = CallToolResult::new(content);
    let json = conformed(result.clone(), Revision::V2024_11_05);
    assert_eq!(
        json["content"],
        json!([
            {"type": "text", "text": "The manual: file:///m"},
            {"type": "text", "text": "[audio, audio/wav]"},
        ])
    );
    let json = conformed(result, Revision::V2025_03_26);
    assert_eq!(json["content"][1]["type"], "audio");
}

#[test]
fn structured_content_is_an_object_until_it_may_be_anything() {
    let result = CallToolResult::new([]).with_structured_content(json!([1]));
    let kept = conformed(result.clone(), Revision::V2026_07_28);
    assert_eq!(kept["structuredContent"], json!([1]));
    assert!(
        conformed(result, Revision::V2025_11_25)
            .get("structuredContent")
            .is_none()
    );
    let result = CallToolResult::new([]).with_structured_content(json!({"a": 1}));
    assert!(
        conformed(result, Revision::V2025_06_18)
            .get("structuredContent")
            .is_some()
    );
}

#[test]
fn several_blocks_become_one_where_one_is_allowed() {
    let blocks: Vec<SamplingMessageContentBlock> = vec![
        TextContent::new("look:").into(),
        ImageContent::new("AA==", "image/png").into(),
    ];
    let one = SamplingMessage::new(Role::User, vec![blocks[1].clone()]);
    let one = conformed(one, Revision::V2025_06_18);
    assert_eq!(one["content"]["type"], "image");
    let all = conformed(
        SamplingMessage::new(Role::User, blocks),
        Revision::V2025_06_18,
    );
    assert_eq!(
        all["content"],
        json!({"type": "text", "text": "look:\n[image, image/png]"})
    );
}

#[test]
fn unknown_values_are_left_out_or_replaced() {
    let annotations = Annotations::new().with_audience([Role::User, Role::from("robot")]);
    let json = conformed(annotations, Revision::LATEST);
    assert_eq!(json, json!({"audience": ["user"]}));
    let level = LoggingLevel::from("loud");
    let log = LoggingMessageNotificationParams::new(level, RawJson::empty_object());
    assert_eq!(conformed(log, Revision::LATEST)["level"], "info");
    let unknown: ContentBlock = from_json(json!({"type": "hologram", "x": 1}));
    assert_eq!(conformed(unknown, Revision::LATEST)["type"], "text");
}

#[test]
fn form_fields_become_the_best_that_fits() {
    let field = |json: Value| {
        let field = from_json::<PrimitiveSchemaDefinition>(json);
        conformed(field, Revision::V2025_06_18)
    };
    let options = json!({"type": "string", "enum": ["a"]});
    assert_eq!(field(options.clone()), options);
    let titled = json!({"type": "string", "title": "T", "oneOf": [{"const": "a", "title": "A"}]});
    assert_eq!(field(titled), json!({"type": "string", "title": "T"}));
    let several = json!({"type": "array", "items": {"type": "string", "enum": ["a"]}});
    assert_eq!(field(several), json!({"type": "string"}));
}

#[test]
fn a_url_becomes_a_form_that_shows_it() {
    let url = ElicitRequestUrlParams::new("Sign in:", "https://example.org/");
    let form = conformed(ElicitRequestParams::from(url), Revision::V2025_06_18);
    assert_eq!(form["message"], "Sign in: https://example.org/");
    assert_eq!(
        form["requestedSchema"],
        json!({"type": "object", "properties": {}})
    );
}

#[test]
fn open_objects_close_and_numbers_keep_their_range() {
    let capabilities: ClientCapabilities =
        from_json(json!({"sampling": {"x": 1}, "roots": {"listChanged": true}}));
    let json = conformed(capabilities.clone(), Revision::V2025_06_18);
    assert_eq!(json["sampling"], json!({"x": 1}));
    let json = conformed(capabilities, Revision::V2026_07_28);
    assert_eq!(json, json!({"sampling": {}, "roots": {}}));
    let json = conformed(Annotations::new().with_priority(7.0), Revision::LATEST);
    assert_eq!(json, json!({"priority": 1}));
    let many = Completion::new((0..150).map(|n| n.to_string()));
    assert_eq!(
        conformed(many, Revision::LATEST)["values"]
            .as_array()
            .unwrap()
            .len(),
        100
    );
}
