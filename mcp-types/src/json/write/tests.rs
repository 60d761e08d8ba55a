use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;
use crate::{CallToolResult, ContentBlock, RawJson, Tool};

fn text<T: Serialize + ?Sized>(value: &T) -> Option<String> {
    let mut out = b"before".to_vec();
    append(&mut out, value).ok()?;
    Some(String::from_utf8(out.split_off(6)).unwrap())
}

fn agrees<T: Serialize + ?Sized>(value: &T) {
    assert_eq!(text(value), serde_json::to_string(value).ok());
}

#[derive(Serialize)]
enum Choice {
    Unit,
    One(i8),
    Two(i8, char),
    Named { a: Option<f32> },
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Pair(u128, &'static [u8]);

#[derive(Default, Serialize)]
struct Names {
    #[serde(rename = "")]
    none: u8,
    #[serde(rename = "a\"b\n")]
    escaped: u8,
    #[serde(rename = "a name of exactly 28 letters")]
    longest: bool,
    #[serde(rename = "a name that is longer than most of them are")]
    long: bool,
    #[serde(rename = "a \"name\" that is longer than most of them are")]
    long_and_escaped: bool,
}

#[derive(Serialize)]
struct Nothing {}

#[test]
fn names_of_any_kind_are_written_as_serde_json_writes_them() {
    agrees(&Names::default());
    agrees(&[Some(Nothing {}), None]);
}

proptest! {
    #[test]
    fn strings_are_escaped_as_serde_json_escapes_them(
        text in "([ -~é😀]|[\\x00-\\x1f\"\\\\]){0,120}"
    ) {
        agrees(&text);
    }
}

#[test]
fn values_of_all_kinds_are_written_as_serde_json_writes_them() {
    agrees(&(
        true,
        -1_i64,
        u64::MAX,
        1.0_f64,
        f64::NAN,
        'x',
        "",
        (),
        None::<u8>,
        Some("s"),
    ));
    agrees(&[Choice::Unit, Choice::One(1), Choice::Two(-1, '"')]);
    agrees(&[Choice::Named { a: Some(0.1) }, Choice::Named { a: None }]);
    agrees(&(Unit, Pair(u128::MAX, b"ab"), Vec::<u8>::new()));
    agrees(&BTreeMap::from([("a", vec![1]), ("b\n", vec![])]));
}

#[test]
fn names_that_are_no_strings_are_left_to_serde_json() {
    agrees(&BTreeMap::from([(1, 2), (3, 4)]));
    agrees(&BTreeMap::from([(true, 2)]));
    agrees(&BTreeMap::from([('c', 2)]));
    assert!(text(&HashMap::from([((1, 2), 3)])).is_none());
    assert!(text(&BTreeMap::from([(None::<u8>, 3)])).is_none());
}

#[test]
fn messages_are_written_as_serde_json_writes_them() {
    let schema = RawJson::from_text(r#"{"type": "object"}"#).unwrap();
    agrees(&Tool::new("add", schema).with_description("Adds \"a\" and \"b\""));
    let blocks: Vec<ContentBlock> = serde_json::from_str(
        r#"[{"type":"text","text":"a","annotations":{"priority":0.5}},{"type":"new","x":1}]"#,
    )
    .unwrap();
    agrees(&CallToolResult::new(blocks));
}

#[test]
fn raw_values_are_kept_on_one_line() {
    let raw = RawValue::from_string("{\n\"a\":\r\n\"\\n\"}".to_owned()).unwrap();
    assert_eq!(text(&raw).unwrap(), r#"{ "a":  "\n"}"#);
    let raw = RawJson::from_text("[1,\n2]").unwrap();
    assert_eq!(text(&[Some(raw)]).unwrap(), "[[1, 2]]");
}
