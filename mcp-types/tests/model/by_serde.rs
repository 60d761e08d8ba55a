//! Tests of the model's serde implementations with different serializers and deserializers.

use std::collections::HashMap;

use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, MapDeserializer, StrDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use mcp_types::{
    Annotations, ContentBlock, ErrorObject, Icon, Implementation, OneOrMany, RawJson, RequestId,
    RequestParamsRef, Role, SamplingMessageContentBlock, TextContent, Tool,
};

const TOOL: &str = r#"{"name":"add","inputSchema":{"type":"object","x":[1.0,-2,null,"\u00e9"]},"annotations":{"readOnlyHint":true}}"#;

fn tool() -> Tool {
    serde_json::from_str(TOOL).unwrap()
}

/// A user's type that contains types of the model.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Plain {
    tool: Tool,
    roles: HashMap<Role, u8>,
    ids: Vec<RequestId>,
    error: Option<ErrorObject>,
}

/// Decodes `text` in all ways, and checks that the values are equal.
fn each_way<T: serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str) -> T {
    let value: T = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::from_slice::<T>(text.as_bytes()).unwrap(), value);
    assert_eq!(
        serde_json::from_reader::<_, T>(text.as_bytes()).unwrap(),
        value
    );
    let json: Value = serde_json::from_str(text).unwrap();
    T::deserialize(&json).unwrap();
    serde_json::from_value::<T>(json).unwrap();
    value
}

#[test]
fn types_of_users_contain_types_of_the_model() {
    let error = r#"{"code":-1,"message":"m\n","data":[ 1 ],"x":1}"#;
    let text = format!(
        r#" {{ "tool": {TOOL}, "roles":{{"user":1,"else":2}}, "ids":[1,"a"], "error":{error} }} "#
    );
    let plain: Plain = each_way(&text);
    assert_eq!(plain.tool, tool());
    assert_eq!(plain.roles[&Role::User], 1);
    assert_eq!(plain.ids, [RequestId::from(1), RequestId::from("a")]);
    let data = RawJson::from_text("[ 1 ]").unwrap();
    assert_eq!(
        plain.error,
        Some(ErrorObject::new(-1, "m\n").with_data(data))
    );
}

#[test]
fn a_format_that_is_not_json_is_read() {
    let members = [("name", "a"), ("version", "1\"")];
    let map = MapDeserializer::<_, ValueError>::new(members.into_iter());
    let expected = Implementation::new("a", "1\"");
    assert_eq!(Implementation::deserialize(map).unwrap(), expected);
    let text: StrDeserializer<'_, ValueError> = "user".into_deserializer();
    assert_eq!(Role::deserialize(text).unwrap(), Role::User);
}

#[test]
fn one_or_many_are_told_apart_however_they_are_read() {
    let one = r#"{"type":"tool_use","id":"1","name":"f","input":{"a":[1]}}"#;
    for text in [one.to_owned(), format!("[{one}]")] {
        let read: OneOrMany<SamplingMessageContentBlock> = each_way(&text);
        assert_eq!(read.as_slice().len(), 1);
    }
}

#[test]
fn what_is_borrowed_has_to_be_text() {
    let text = r#"{"name":"add","arguments":{"a":1}}"#;
    let params: RequestParamsRef<'_> = serde_json::from_str(text).unwrap();
    assert_eq!(params.arguments.unwrap().get(), r#"{"a":1}"#);
    let params = serde_json::from_str::<Vec<RequestParamsRef<'_>>>("[{\"name\":\"a\"}]");
    assert_eq!(params.unwrap().len(), 1);
    let mut stream = serde_json::Deserializer::from_reader(text.as_bytes());
    let error = RequestParamsRef::deserialize(&mut stream).unwrap_err();
    assert!(error.to_string().contains("raw value"), "{error}");
    let json: Value = serde_json::from_str(text).unwrap();
    assert!(RequestParamsRef::deserialize(&json).is_err());
}

#[test]
fn names_that_mean_something_inside_are_but_names_outside() {
    let name = "$serde_json::private::RawValue";
    let json = json!({name: "no JSON", "name": "a", "version": "1"});
    let members = json.as_object().unwrap().clone().into_iter();
    let map = MapDeserializer::<_, serde_json::Error>::new(members);
    if let Ok(read) = Implementation::deserialize(map) {
        assert_eq!(read, Implementation::new("a", "1"));
    }
    let text = json.to_string();
    let block = serde_json::from_str::<OneOrMany<SamplingMessageContentBlock>>(&text);
    assert!(block.is_err());
}

#[test]
fn misfits_are_placed() {
    let place = |text: &str| {
        let error = serde_json::from_str::<Plain>(text).unwrap_err();
        (error.to_string(), error.line())
    };
    let text = format!(
        "{{\"ids\":[],\n\"roles\":{{}},\n\"tool\":{}}}",
        TOOL.replacen("add", "", 1)
    );
    serde_json::from_str::<Plain>(&text).unwrap();
    let (error, line) = place(&text.replacen("\"name\":\"\"", "\"name\":7", 1));
    assert_eq!(line, 3);
    assert!(
        error.starts_with("invalid type: integer `7`, expected a string"),
        "{error}"
    );
    for (text, expected) in [
        (
            r#"{"text":"a","type":"text","annotations":{"priority":"x"}}"#,
            "expected f64",
        ),
        (
            r#"{"text":"a","type":"text","annotations":{"audience":{}}}"#,
            "expected a sequence",
        ),
        (r#"{"text":"\ud800","type":"text"}"#, "hex escape"),
        (r#"{"text":"a","type":"text","_meta":[]}"#, "expected a map"),
        (
            r#"{"text":"a","type":"text","annotations":{"priority":1e999}}"#,
            "out of range",
        ),
    ] {
        let error = serde_json::from_str::<ContentBlock>(text).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn what_nests_too_deep_is_refused() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let text = |levels| {
        format!(
            r#"{{"type":"text","text":"a","_meta":{{"x":{}}}}}"#,
            deep(levels)
        )
    };
    let read: ContentBlock = serde_json::from_str(&text(100)).unwrap();
    assert!(matches!(
        read,
        ContentBlock::Text(TextContent { meta: Some(_), .. })
    ));
    let error = serde_json::from_str::<ContentBlock>(&text(300)).unwrap_err();
    assert!(error.to_string().contains("recursion limit"), "{error}");
    // Raw JSON is not parsed, so its depth is not limited.
    let tool = TOOL.replace("1.0", &deep(300));
    serde_json::from_str::<Tool>(&tool).unwrap();
    let _: (Annotations, Vec<Icon>) = serde_json::from_str("[{},[]]").unwrap();
}

/// Decodes `text`, encodes the value in all ways, and checks that the results are equal.
fn written_each_way<T: serde::de::DeserializeOwned + Serialize>(text: &str) {
    let value: T = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    let json: Value = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&value).unwrap(), json);
    assert_eq!(RawJson::new(&value).unwrap().get(), text);
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&pretty).unwrap(), json);
}

#[test]
fn values_are_written_alike_by_every_serializer() {
    let tool = r#"{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","x":[1.0,-2,null,"é"]},"name":"add"}"#;
    written_each_way::<Tool>(tool);
    written_each_way::<Plain>(&format!(
        r#"{{"tool":{tool},"roles":{{"user":1}},"ids":[1,"a",-9223372036854775808],"error":{{"code":-32700,"message":"m","data":[1.0]}}}}"#
    ));
    written_each_way::<Plain>(&format!(
        r#"{{"tool":{tool},"roles":{{}},"ids":[],"error":null}}"#
    ));
    written_each_way::<Annotations>(r#"{"audience":["user","new"],"priority":0.5}"#);
    written_each_way::<Annotations>(r#"{"priority":1}"#);
    written_each_way::<Vec<ContentBlock>>(
        r#"[{"type":"text","_meta":{"a":{"b":[1.5,"c",null,true,-1]}},"text":"t\n"},{"type":"new","x":[]}]"#,
    );
}
