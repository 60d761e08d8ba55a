//! Tests that the model encodes values as it decoded them.

use mcp_types::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientRequest,
    ContentBlock, ElicitRequestParams, EmptyResult, Implementation, InputRequest, ListToolsResult,
    LoggingLevel, OneOrMany, PrimitiveSchemaDefinition, RawJson, RawJsonRef, Request,
    RequestParamsRef, ResourceContents, Role, SamplingMessage, TextContent, Tool,
};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(json: &Value) -> T {
    let text = json.to_string();
    let from_text: T = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_value(&from_text).unwrap(), *json);
    assert_eq!(
        serde_json::from_slice::<T>(text.as_bytes()).unwrap(),
        from_text
    );
    let from_reader: T = serde_json::from_reader(text.as_bytes()).unwrap();
    assert_eq!(from_reader, from_text);
    let from_value: T = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&from_value).unwrap(), *json);
    from_text
}

#[test]
fn content_is_told_apart_by_type_wherever_it_stands() {
    let first = round_trip::<ContentBlock>(&json!({"type": "text", "text": "hi"}));
    assert_eq!(first, TextContent::new("hi").into());
    let text = r#"{"text":"a\"b","_meta":{"x":[1,2.5,null]},"type":"text"}"#;
    let last: ContentBlock = serde_json::from_str(text).unwrap();
    let ContentBlock::Text(last) = last else {
        panic!("{last:?}")
    };
    assert_eq!(last.text, "a\"b");
    assert_eq!(last.meta.unwrap()["x"], json!([1, 2.5, null]));
}

#[test]
fn content_is_told_apart_by_type_however_it_is_written() {
    for text in [
        r#"{"type":"text","text":"hi"}"#,
        r#" { "type" : "text" , "text" : "hi" } "#,
        r#"{"text":"hi","type":"text"}"#,
        r#"{ "text" : "hi" , "type" : "text" }"#,
        r#"{"x":{"type":"image"},"type":"text","text":"hi"}"#,
        r#"{"x":["type"],"ty\u0070e":"t\u0065xt","y":1,"text":"hi"}"#,
        r#"{"text":"hi","type":"text","type":"image"}"#,
        r#"{"text":"hi","x":"}","type":"text","z":[{}],"y":null}"#,
    ] {
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        assert_eq!(block, TextContent::new("hi").into(), "{text}");
        let list = format!("[{text},{text}]");
        let blocks: Vec<ContentBlock> = serde_json::from_str(&list).unwrap();
        assert_eq!(blocks, [block.clone(), block], "{text}");
    }
}

#[test]
fn a_misfit_is_told_with_its_place() {
    for (text, expected) in [
        (
            r#"{"text":"hi"}"#,
            "missing field `type` at line 1 column 13",
        ),
        (
            r#"{"text":"hi","type":1}"#,
            "invalid type: integer `1`, expected a string at line 1 column 21",
        ),
        (
            "{\"type\":\"text\",\n\"text\":1}",
            "invalid type: integer `1`, expected a string at line 2 column 8",
        ),
        (
            r#"{"text":"a","text":"b","type":"text"}"#,
            // The tag is not first, so the error has the place of the whole object.
            "duplicate field `text` at line 1 column 37",
        ),
        (
            r#"["text"]"#,
            "invalid type: sequence, expected an object with `type` at line 1 column 0",
        ),
    ] {
        let found = serde_json::from_str::<ContentBlock>(text).unwrap_err();
        assert_eq!(found.to_string(), expected, "{text}");
        let list = format!("[\n{text}]");
        let found = serde_json::from_str::<Vec<ContentBlock>>(&list).unwrap_err();
        assert_eq!(found.line(), line_of(expected) + 1, "{found}");
    }
}

fn line_of(error: &str) -> usize {
    let (_, place) = error.split_once(" at line ").unwrap();
    let (line, _) = place.split_once(' ').unwrap();
    line.parse().unwrap()
}

#[test]
fn a_negative_time_to_live_is_none() {
    for (text, ttl) in [
        (r#"{"tools":[],"ttlMs":-1}"#, Some(0)),
        (r#"{"tools":[],"ttlMs":-1.5}"#, Some(0)),
        (r#"{"tools":[],"ttlMs":7}"#, Some(7)),
        (r#"{"tools":[],"ttlMs":null}"#, None),
        (r#"{"tools":[]}"#, None),
    ] {
        let list: ListToolsResult = serde_json::from_str(text).unwrap();
        assert_eq!(list.ttl_ms, ttl, "{text}");
        assert_eq!(serde_json::from_str::<ListToolsResult>(text).unwrap(), list);
    }
    for text in [
        r#"{"tools":[],"ttlMs":0.5}"#,
        r#"{"tools":[],"ttlMs":"1"}"#,
        r#"{"tools":[],"ttlMs":1,"ttlMs":1}"#,
    ] {
        assert!(
            serde_json::from_str::<ListToolsResult>(text).is_err(),
            "{text}"
        );
    }
}

#[test]
fn unknown_content_is_kept() {
    let json = json!({"a": 1, "type": "hologram", "z": {"deep": [true]}});
    let block = round_trip::<ContentBlock>(&json);
    assert!(matches!(block, ContentBlock::Unknown(_)));
}

#[test]
fn a_union_without_its_tag_is_an_error() {
    let error = serde_json::from_str::<ContentBlock>(r#"{"text":"hi"}"#).unwrap_err();
    assert!(error.to_string().contains("`type`"), "{error}");
    assert!(serde_json::from_str::<ContentBlock>(r#"{"type":"text"}"#).is_err());
}

#[test]
fn raw_json_inside_a_union_is_verbatim() {
    let text =
        r#"{"role":"user","content":[{"input":{"n":1.0},"id":"1","name":"f","type":"tool_use"}]}"#;
    let message: SamplingMessage = serde_json::from_str(text).unwrap();
    assert!(matches!(message.content, OneOrMany::Many(_)));
    let text = serde_json::to_string(&message).unwrap();
    assert!(text.contains(r#""input":{"n":1.0}"#), "{text}");
}

#[test]
fn resource_contents_are_told_apart_by_a_key() {
    let json = json!({"mimeType": "text/plain", "uri": "file:///x", "text": "hi"});
    assert!(matches!(round_trip(&json), ResourceContents::Text(_)));
    let json = json!({"uri": "file:///x", "blob": "aGk="});
    assert!(matches!(round_trip(&json), ResourceContents::Blob(_)));
    let json = json!({"uri": "file:///x", "hologram": 1});
    assert!(matches!(round_trip(&json), ResourceContents::Unknown(_)));
}

#[test]
fn elicitation_without_a_mode_is_a_form() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let json = json!({"message": "?", "requestedSchema": schema});
    assert!(matches!(round_trip(&json), ElicitRequestParams::Form(_)));
    let json = json!({"message": "?", "mode": "form", "requestedSchema": schema});
    assert!(matches!(round_trip(&json), ElicitRequestParams::Form(_)));
    let json = json!({"message": "?", "mode": "url", "url": "https://example.org/"});
    assert!(matches!(round_trip(&json), ElicitRequestParams::Url(_)));
    let json = json!({"message": "?", "mode": "telepathy"});
    assert!(matches!(round_trip(&json), ElicitRequestParams::Unknown(_)));
}

#[test]
fn form_fields_are_told_apart_by_best_match() {
    use PrimitiveSchemaDefinition as Field;
    let decode = |json: Value| round_trip::<Field>(&json);
    assert!(matches!(
        decode(json!({"type": "string"})),
        Field::String(_)
    ));
    assert!(matches!(
        decode(json!({"type": "integer", "default": 5})),
        Field::Number(_)
    ));
    assert!(matches!(
        decode(json!({"type": "boolean"})),
        Field::Boolean(_)
    ));
    let json = json!({"type": "string", "enum": ["a"]});
    assert!(matches!(decode(json), Field::UntitledSingleSelectEnum(_)));
    let json = json!({"type": "string", "enum": ["a"], "enumNames": ["A"]});
    assert!(matches!(decode(json), Field::LegacyTitledEnum(_)));
    let json = json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]});
    assert!(matches!(decode(json), Field::TitledSingleSelectEnum(_)));
    let json = json!({"type": "array", "items": {"type": "string", "enum": ["a"]}});
    assert!(matches!(decode(json), Field::UntitledMultiSelectEnum(_)));
    let json = json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}});
    assert!(matches!(decode(json), Field::TitledMultiSelectEnum(_)));
    assert!(matches!(
        decode(json!({"type": "colour"})),
        Field::Unknown(_)
    ));
}

#[test]
fn requests_are_told_apart_by_method_wherever_it_stands() {
    let json = json!({"method": "roots/list"});
    assert!(matches!(round_trip(&json), InputRequest::ListRoots(None)));
    let text = r#"{"params":{"name":"add","arguments":{"a":1}},"method":"tools/call"}"#;
    let request: ClientRequest = serde_json::from_str(text).unwrap();
    assert_eq!(request.method(), Some(CallToolRequest::METHOD));
    let ClientRequest::CallTool(params) = request else {
        panic!()
    };
    assert_eq!(params.arguments.as_ref().unwrap().get(), r#"{"a":1}"#);
    let unknown = json!({"method": "tools/melt", "params": {"x": 1}});
    assert!(matches!(round_trip(&unknown), ClientRequest::Unknown(_)));
}

#[test]
fn parameters_are_decoded_by_method() {
    let params = RawJsonRef::from_text(r#"{"name": "add"}"#).unwrap();
    let request = ClientRequest::from_parts("tools/call", Some(params))
        .unwrap()
        .unwrap();
    let expected = CallToolRequestParams::new("add");
    assert!(matches!(request, ClientRequest::CallTool(params) if *params == expected));
    assert!(
        ClientRequest::from_parts("tools/melt", None)
            .unwrap()
            .is_none()
    );
    let error = ClientRequest::from_parts("tools/call", None).unwrap_err();
    assert!(error.to_string().contains("name"), "{error}");
}

#[test]
fn unknown_values_of_an_enum_are_kept() {
    assert_eq!(round_trip::<Role>(&json!("user")), Role::User);
    assert_eq!(
        round_trip::<LoggingLevel>(&json!("loud")),
        LoggingLevel::from("loud")
    );
    assert_eq!(LoggingLevel::from("debug"), LoggingLevel::Debug);
}

#[test]
fn schemas_survive_verbatim_and_unknown_fields_are_tolerated() {
    let text = r#"{"name":"t","inputSchema":{ "type":"object", "$defs":{"x":{}} },"novelty":1}"#;
    let tool: Tool = serde_json::from_str(text).unwrap();
    assert_eq!(
        tool.input_schema.get(),
        r#"{ "type":"object", "$defs":{"x":{}} }"#
    );
    let text = r#"{"content":[],"isError":null}"#;
    let result: CallToolResult = serde_json::from_str(text).unwrap();
    assert_eq!(result.is_error, None);
}

#[test]
fn shared_parameters_point_into_the_message() {
    let text = r#"{"name":"add","arguments":{"a":1},"requestState":"s"}"#;
    let params: RequestParamsRef<'_> = serde_json::from_str(text).unwrap();
    assert_eq!(params.name.unwrap().get(), "\"add\"");
    assert_eq!(params.request_state.unwrap().get(), "\"s\"");
    assert_eq!(params.arguments.unwrap().get(), r#"{"a":1}"#);
    assert!(params.cursor.is_none());
}

fn fault<'a, T: Deserialize<'a> + std::fmt::Debug>(text: &'a str) -> String {
    serde_json::from_str::<T>(text).unwrap_err().to_string()
}

#[test]
fn a_list_is_not_a_union() {
    for text in ["[]", "null", "1", r#"["text","hi"]"#] {
        fault::<ContentBlock>(text);
        fault::<ResourceContents>(text);
        fault::<ClientRequest>(text);
    }
    // PHP writes an empty object as an empty list.
    assert_eq!(
        serde_json::from_str::<ClientCapabilities>("[]").unwrap(),
        ClientCapabilities::new()
    );
}

#[test]
fn a_field_is_there_but_once() {
    for text in [
        r#"{"x":1,"x":2,"name":"a","name":"b"}"#,
        r#"{"name":"a","\u006eame":"b"}"#,
    ] {
        let expected = "duplicate field `name`";
        let message = fault::<Implementation>(text);
        assert!(message.starts_with(expected), "{message}");
        let message = fault::<RequestParamsRef<'_>>(text);
        assert!(message.starts_with(expected), "{message}");
    }
    let message = fault::<EmptyResult>(r#"{"_meta":null,"_meta":null}"#);
    assert!(message.starts_with("duplicate field `_meta`"), "{message}");
}

#[test]
fn a_missing_field_is_named_as_on_the_wire() {
    let message = fault::<Tool>(r#"{"name":"add"}"#);
    assert!(
        message.starts_with("missing field `inputSchema`"),
        "{message}"
    );
}

#[test]
fn names_with_escapes_are_the_names_they_stand_for() {
    let text = r#"{"na\u006de":"add","\u0076ersion":"1","\u0078":[{}]}"#;
    let expected = Implementation::new("add", "1");
    assert_eq!(
        serde_json::from_str::<Implementation>(text).unwrap(),
        expected
    );
    let reader = serde_json::from_reader::<_, Implementation>(text.as_bytes());
    assert_eq!(reader.unwrap(), expected);
    let open: EmptyResult = serde_json::from_str(r#"{"\u0078":[{}]}"#).unwrap();
    assert_eq!(open.extra["x"], json!([{}]));
}

#[test]
fn null_is_a_value_where_anything_is_one() {
    let result: CallToolResult =
        serde_json::from_str(r#"{"content":[],"structuredContent":null}"#).unwrap();
    let null = RawJson::from_text("null").unwrap();
    assert_eq!(result.structured_content, Some(null));
}
