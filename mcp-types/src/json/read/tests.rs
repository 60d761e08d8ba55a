use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::num::NonZeroU8;
use std::time::Duration;

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::super::fault::no_json;
use super::*;
use crate::{CallToolRequestParams, CallToolResult, ContentBlock, RawJson, RawJsonRef};

/// Reads `text` with this deserializer and with serde_json: the value is the same, or the fault of
/// what is JSON, in the same words and at the same place.
fn agree<'de, T: Deserialize<'de> + PartialEq + std::fmt::Debug>(text: &'de str) {
    match (from_str::<T>(text), serde_json::from_str::<T>(text)) {
        (Err(_), Err(_)) if no_json(text).is_some() => {}
        (Err(found), Err(expected)) => {
            assert_eq!(found.to_string(), expected.to_string(), "{text}");
        }
        (found, expected) => assert_eq!(found.ok(), expected.ok(), "{text}"),
    }
}

/// [`agree`] for a type of the model, whose faults have a place here only.
fn agree_on_value<'de, T: Deserialize<'de> + PartialEq + std::fmt::Debug>(text: &'de str) {
    let expected = serde_json::from_str::<T>(text).ok();
    assert_eq!(from_str::<T>(text).ok(), expected, "{text}");
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

/// A type of a user, with all that serde derives.
#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Shelf {
    books: Vec<Book>,
    #[serde(default)]
    place: Option<(i8, f32)>,
    kind: Kind,
    marks: Option<BTreeMap<u8, bool>>,
    host: Option<IpAddr>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Book {
    title: String,
    pages: Option<NonZeroU8>,
    letter: Option<char>,
    unit: Option<Unit>,
    time: Option<Duration>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, serde::Deserialize)]
enum Kind {
    Plain,
    Pair(i8, u64),
    New(f64),
    Named { a: bool, b: i128 },
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(try_from = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> std::result::Result<Self, &'static str> {
        let even = number.is_multiple_of(2);
        even.then_some(Self(number)).ok_or("an odd number")
    }
}

/// A shelf, with values in it that are of the type that is wanted or of any other.
fn shelf() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "null",
        "true",
        " 7",
        "-7",
        "300",
        "1.5",
        "-0",
        "1e3",
        "1e999",
        "18446744073709551616",
        "\"a\"",
        "\"\\u0041b\"",
        "\"\\ud800\"",
        "\"::1\"",
        "[]",
        "{}",
        "[1 , 2]",
        "[1,2,3]",
        "[1]",
        "{\"1\":true}",
        "{\"x\":true}",
        "{\"-1\" : false}",
        "{\"1\":1}",
        "\"Plain\"",
        "{\"Plain\":null}",
        "{\"Pair\":[1,2]}",
        "{\"Pair\":[1,-2]}",
        "{\"Pair\":[1]}",
        "{\"New\":2}",
        "{\"Named\":{\"a\":true,\"b\":-5}}",
        "{\"Named\":{\"a\" : 1}}",
        "{\"Named\":[true,1]}",
        "{\"Else\" :1}",
        "{\"New\":2,\"x\":1}",
        "{\"secs\":1,\"nanos\":2}",
        "\"Else\"",
    ]);
    let members = ["title", "pages", "letter", "unit", "time", "x"];
    let book = proptest::collection::vec(
        (proptest::sample::select(members.to_vec()), part.clone()),
        0..4,
    );
    let object = |members: Vec<(&str, &str)>| {
        let members: Vec<_> = members
            .iter()
            .map(|(name, value)| format!("\"{name}\" :{value} "))
            .collect();
        format!("{{{}\n}}", members.join(","))
    };
    let book = book.prop_map(move |mut members| {
        members.insert(0, ("title", "\"t\""));
        object(members)
    });
    let names = ["place", "kind", "marks", "host", "kind", "x"];
    let members = proptest::collection::vec((proptest::sample::select(names.to_vec()), part), 0..4);
    (proptest::collection::vec(book, 0..3), members).prop_map(move |(books, mut members)| {
        let books = format!("[{} ]", books.join(", \n"));
        members.insert(members.len() / 2, ("books", &books));
        object(members)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn types_of_users_are_read_and_refused_as_serde_json_does(text in shelf()) {
        agree::<Shelf>(&text);
        agree::<Value>(&text);
    }
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
    agree_on_value::<CallToolRequestParams>(
        r#" {"name":"a\u0041","arguments":{"a":[1]},"_meta":{"progressToken":"t"},"x":[{}]} "#,
    );
    agree_on_value::<CallToolResult>(
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
        agree_on_value::<Vec<ContentBlock>>(text);
    }
}

#[test]
fn whatever_a_type_wants_is_told_as_serde_json_tells_it() {
    for text in [
        "null",
        "true",
        "7",
        " -7 ",
        "256",
        "1.5",
        "-0",
        "3e2",
        "1e999",
        "\"a\"",
        "\"\\n\"",
        "\"ab\"",
        "\"\\udc00\"",
        "[]",
        " {} ",
        "[1,2]",
        "[1, 2 ,3 ]",
        "[7,7]",
        "{\"a\":1}",
        "{\"1\" : 2}",
        "[{\"a\":1},{\"b\":2}]",
        "{\"true\":1}",
        "\"::1\"",
        "[\"Plain\",{\"Pair\":[1,2]}]",
        "[[[]]]",
        "{\"1.5\":null}",
        "[null]",
        "170141183460469231731687303715884105727",
        "[250,251]",
    ] {
        agree::<bool>(text);
        agree::<u8>(text);
        agree::<i64>(text);
        agree::<u64>(text);
        agree::<f32>(text);
        agree::<f64>(text);
        agree::<i128>(text);
        agree::<char>(text);
        agree::<String>(text);
        agree::<()>(text);
        agree::<Unit>(text);
        agree::<Kind>(text);
        agree::<Vec<Kind>>(text);
        agree::<Option<Even>>(text);
        agree::<Vec<Even>>(text);
        agree::<BTreeMap<String, Even>>(text);
        agree::<Vec<u8>>(text);
        agree::<(u8, u8)>(text);
        agree::<[(); 1]>(text);
        agree::<BTreeSet<Vec<String>>>(text);
        agree::<BTreeMap<i16, Value>>(text);
        agree::<BTreeMap<char, u8>>(text);
        agree::<IpAddr>(text);
        agree::<Duration>(text);
        agree::<Book>(text);
        agree::<Value>(text);
    }
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
        "\"a\n\"",
        "[\"\\n\n\"]",
        "\"\\x\"",
        "\"\\u00+1\"",
        "\"\\u12",
    ] {
        let found = from_str::<Value>(text).unwrap_err().to_string();
        let expected = serde_json::from_str::<IgnoredAny>(text).unwrap_err();
        assert_eq!(found, expected.to_string(), "{text}");
        agree::<Value>(text);
    }
    let deep = "[".repeat(200) + &"]".repeat(200);
    assert!(from_str::<Value>(&deep).is_err());
}
