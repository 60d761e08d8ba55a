use std::borrow::Cow;
use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::{CallToolRequestParams, CallToolResult, ContentBlock, RawJson, RawJsonRef};

/// Reads `text` with this deserializer alone, and with serde_json.
fn agree<'de, T: Deserialize<'de> + PartialEq + std::fmt::Debug>(text: &'de str) {
    let mut reader = Reader::new(Scanner::new(text));
    let value = T::deserialize(&mut reader).ok();
    let value = value.filter(|_| reader.scanner.is_at_end());
    assert_eq!(value, serde_json::from_str(text).ok(), "{text}");
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~é\\n\"\\\\😀]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = "[a-z\\n\"]{0,4}";
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_read_as_serde_json_reads_it(value in json(), pretty: bool) {
        let text = match pretty {
            true => serde_json::to_string_pretty(&value).unwrap(),
            false => value.to_string(),
        };
        agree::<Value>(&text);
        agree::<Option<RawJson>>(&text);
        agree::<BTreeMap<Cow<'_, str>, Option<RawJsonRef<'_>>>>(&text);
        agree::<Vec<Value>>(&text);
    }
}

#[test]
fn numbers_are_what_they_are_for_serde_json() {
    for text in [
        "0",
        "-0",
        "-1",
        "1.0",
        "1e2",
        "18446744073709551616",
        "-9223372036854775809",
    ] {
        agree::<Value>(text);
        agree::<f64>(text);
        agree::<f32>(text);
        agree::<i64>(text);
        agree::<u8>(text);
        agree::<i128>(text);
    }
}

#[test]
fn messages_are_read_in_place() {
    agree::<CallToolRequestParams>(
        r#" {"name":"a\u0041","arguments":{"a":[1]},"_meta":{"progressToken":"t"},"x":[{}]} "#,
    );
    agree::<CallToolResult>(
        r#"{"content":[{"text":"a","type":"text"},{"type":"new","y":1}],"isError":null}"#,
    );
}

#[test]
fn a_union_is_read_in_place_wherever_its_tag_stands() {
    for text in [
        r#"[{"text":"a","type":"text"}]"#,
        r#"[ { "text" : "a" , "type" : "text" } , {"type":"text","text":"b"} ]"#,
        r#"[{"x":{"type":"image"},"type":"text","text":"a"},1]"#,
        r#"[{"x":["}"],"ty\u0070e":"t\u0065xt","y":1,"text":"a"}]"#,
        r#"[{"text":"a","type":"text","type":"image"}]"#,
        r#"[{"text":"a","type":"new"},{"text":"a","type":1},{}]"#,
        r#"[{"text":"a" "type":"text"}]"#,
        r#"[{"text":"a","type":"text",}]"#,
        r#"[{"text":"a","type":"text" "x":1}]"#,
        r#"[{"type":"resource","resource":{"text":"a","uri":"b"}}]"#,
        r#"[{"resource":{"uri":"b","_meta":{},"text":"a","mimeType":"c"},"type":"resource"}]"#,
        r#"[{"type":"resource","resource":{ "uri" : "b" , "blob" : "" }}]"#,
        r#"[{"type":"resource","resource":{"uri":"b","x":[1]}},{"type":"resource"}]"#,
    ] {
        agree::<Vec<ContentBlock>>(text);
    }
}

#[test]
fn what_is_not_read_here_is_left_to_serde_json() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    enum Choice {
        Plain,
        Pair(i8, i8),
    }
    let text = r#"["Plain",{"Pair":[1,2]}]"#;
    agree::<Vec<Choice>>(text);
    let numbers = r#"{"1":true,"2":false}"#;
    assert_eq!(from_str::<BTreeMap<u8, bool>>(numbers).unwrap().len(), 2);
    let raw: &serde_json::value::RawValue = from_str(" [1] ").unwrap();
    assert_eq!(raw.get(), "[1]");
}

#[test]
fn faults_are_those_of_serde_json() {
    for text in [
        "",
        "[1",
        "[1,]",
        "[1 2]",
        "{\"a\" 1}",
        "{\"a\":1,}",
        "[] []",
        "{a:1}",
    ] {
        let found = from_str::<Value>(text).unwrap_err().to_string();
        let expected = serde_json::from_str::<Value>(text).unwrap_err();
        assert_eq!(found, expected.to_string(), "{text}");
        agree::<Value>(text);
    }
    let deep = "[".repeat(200) + &"]".repeat(200);
    assert!(from_str::<Value>(&deep).is_err());
}
