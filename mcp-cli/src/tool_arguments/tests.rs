//! Tests how words become arguments.

mod examples;
mod round_trip;

use serde_json::{Value, json};

use super::*;

fn tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "place": {"type": "object", "properties": {"city": {"type": "string"}, "at": {"type": "object"}}},
            "a.b": {"type": "boolean"},
            "any": {},
        },
        "required": ["city"],
    });
    Tool::new("forecast", schema)
}

fn arguments(words: &[&str]) -> Result<Value, String> {
    let words: Vec<_> = words.iter().map(|it| (*it).to_owned()).collect();
    let read = read(&tool(), &words, None).map_err(|failure| failure.message);
    read.map(|it| it.parse().unwrap())
}

#[test]
fn words_become_arguments_by_the_schema() {
    let words = [
        "city=5",
        "days=3",
        "tags=a",
        "tags=b=c",
        "place.city=Oslo",
        "place.at.x=1",
        "a.b=true",
        "any:={\"b\":1}",
    ];
    let expected = json!({
        "city": "5", "days": 3, "tags": ["a", "b=c"], "place": {"city": "Oslo", "at": {"x": 1}},
        "a.b": true, "any": {"b": 1},
    });
    assert_eq!(arguments(&words), Ok(expected));
}

#[test]
fn a_file_is_a_text_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "[\"x\"]").unwrap();
    let path = path.display();
    let given = arguments(&[&format!("city=@{path}"), &format!("tags:=@{path}")]);
    assert_eq!(given, Ok(json!({"city": "[\"x\"]", "tags": ["x"]})));
    fs::write(
        folder.path().join("file"),
        "{\"city\": \"a\", \"days\": 1, \"more\": 2}",
    )
    .unwrap();
    let input = folder.path().join("file");
    let given = read(&tool(), &["days=2".to_owned()], Some(&input)).unwrap();
    let given: Value = given.parse().unwrap();
    assert_eq!(given, json!({"city": "a", "days": 2, "more": 2}));
}

#[test]
fn all_mistakes_are_reported_together_with_a_list_of_the_arguments() {
    let message = arguments(&["dais=3", "days=x", "place.town=y", "tags", "a.b=1"]).unwrap_err();
    for part in [
        "`dais` is not known; is `days` meant?",
        "`days` must be a whole number, not `x`",
        "`place.town` is not known",
        "`tags` must be `key=value`",
        "`a.b` must be a boolean, not `1`",
        "`city` is missing",
        "`forecast` takes:\n  city ",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let twice = arguments(&["city=a", "city=b"]).unwrap_err();
    assert!(twice.contains("`city` is given twice"), "{twice}");
}

fn sent(schema: Value, words: &[&str]) -> Result<Value, String> {
    let words: Vec<_> = words.iter().map(|it| (*it).to_owned()).collect();
    let read = read(&Tool::new("t", schema), &words, None).map_err(|failure| failure.message);
    read.map(|it| it.parse().unwrap())
}

#[test]
fn optional_objects_and_lists_are_typed() {
    let zip = json!({"type": "object", "properties": {"zip": {"type": "string"}, "n": {"type": ["integer", "null"]}}});
    let edit =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let schema = json!({"type": "object", "properties": {
        "place": {"anyOf": [{"$ref": "#/$defs/geo~1Place%20%7E0"}, {"type": "null"}]},
        "edits": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/edit"}}, {"type": "null"}]},
    }, "$defs": {"geo/Place ~": zip, "edit": edit}});
    let given = sent(
        schema.clone(),
        &["place.zip=12345", "place.n=7", r#"edits={"path":"1"}"#],
    );
    let expected = json!({"place": {"zip": "12345", "n": 7}, "edits": [{"path": "1"}]});
    assert_eq!(given, Ok(expected));
    let list = json!({"edits": [{"path": "1"}, {"path": "2"}], "place": null});
    for words in [
        &[r#"edits=[{"path":"1"},{"path":"2"}]"#, "place=null"][..],
        &[
            r#"edits={"path":"1"}"#,
            r#"edits={"path":"2"}"#,
            "place=null",
        ],
    ] {
        assert_eq!(sent(schema.clone(), words), Ok(list.clone()));
    }
    let fault = sent(schema, &["edits={}", "place.zap=1"]).unwrap_err();
    for part in [
        "`edits[0].path` is missing",
        "`place.zap` is not known; is `zip` meant?",
    ] {
        assert!(fault.contains(part), "{part}: {fault}");
    }
}

#[test]
fn the_order_of_kinds_decides_what_a_string_is() {
    let read = |kinds: Value, text: &str| {
        let schema = json!({"properties": {"a": kinds}});
        sent(schema, &[&format!("a={text}")]).unwrap()["a"].clone()
    };
    let id = json!({"anyOf": [{"type": "string"}, {"type": "integer"}]});
    assert_eq!(read(id, "12345"), json!("12345"));
    let number = json!({"oneOf": [{"type": "integer"}, {"type": "string"}]});
    assert_eq!(read(number.clone(), "12345"), json!(12345));
    assert_eq!(read(number, "v1"), json!("v1"));
    let names = json!({"type": ["string", "array"], "items": {"type": "string"}});
    assert_eq!(read(names.clone(), r#"["a","b"]"#), json!(["a", "b"]));
    assert_eq!(read(names, "5"), json!("5"));
    let narrow = json!({"anyOf": [{"type": "string", "enum": ["auto"]}, {"type": "number"}]});
    assert_eq!(read(narrow.clone(), "auto"), json!("auto"));
    assert_eq!(read(narrow, "1.5"), json!(1.5));
    let nullable = json!({"type": "integer", "nullable": true});
    assert_eq!(read(nullable, "null"), Value::Null);
    let matrix = json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}});
    assert_eq!(read(matrix.clone(), "[[1],[2]]"), json!([[1], [2]]));
    assert_eq!(read(matrix, "[1,2]"), json!([[1, 2]]));
}

#[test]
fn a_constant_member_decides_between_shapes() {
    let shape = |kind: &str, size: Value| json!({"type": "object", "properties": {"kind": {"const": kind}, "size": size}, "required": ["kind", "size"]});
    let [word, number] = [
        shape("word", json!({"type": "string"})),
        shape("number", json!({"type": "number"})),
    ];
    let union = json!({"oneOf": [word, number]});
    assert_eq!(
        sent(union.clone(), &["size=5", "kind=number"]),
        Ok(json!({"size": 5, "kind": "number"}))
    );
    assert_eq!(
        sent(union.clone(), &["size=5", "kind=word"]),
        Ok(json!({"size": "5", "kind": "word"}))
    );
    let fault = sent(union.clone(), &["size=5", "kind=letter"]).unwrap_err();
    assert!(
        fault.contains(r#"`kind` must be one of "word", "number", not "letter""#),
        "{fault}"
    );
    assert!(
        fault.contains("always word") && fault.contains("\n  or\n"),
        "{fault}"
    );
    let fault = sent(union, &["size=big", "kind=number"]).unwrap_err();
    assert!(
        fault.contains("`size` must be a number, not `big`"),
        "{fault}"
    );
}

#[test]
fn maps_and_tuples_are_typed() {
    let schema = json!({"type": "object", "properties": {
        "labels": {"type": "object", "patternProperties": {"^[0-9]+$": {"type": "string"}}, "additionalProperties": false},
        "places": {"type": "object", "additionalProperties": {"type": "object", "properties": {"zip": {"type": "string"}}}},
        "range": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
    }});
    let given = sent(
        schema.clone(),
        &[
            "labels.1=7",
            "labels.22=b",
            "places.a.zip=1",
            "range=1",
            "range=2",
        ],
    );
    let expected =
        json!({"labels": {"1": "7", "22": "b"}, "places": {"a": {"zip": "1"}}, "range": ["1", 2]});
    assert_eq!(given, Ok(expected));
    assert_eq!(
        sent(schema.clone(), &[r#"labels={"1":"a"}"#]),
        Ok(json!({"labels": {"1": "a"}}))
    );
    let fault = sent(schema, &["labels.x=7"]).unwrap_err();
    assert!(fault.contains("`labels.x` is not known"), "{fault}");
}

#[test]
fn numbers_keep_their_digits() {
    let schema = json!({"properties": {
        "id": {"type": "integer"}, "ids": {"type": "array", "items": {"type": "integer"}},
        "price": {"type": "number"}, "any": {}, "place": {"type": "object"},
    }});
    let words = [
        "id=123456789012345678901234567890",
        "ids=18446744073709551616",
        "ids=-9223372036854775809",
        "price=0.1000000000000000055511151231257827",
        "any:=[1e400,1.50]",
        "place.x=12345678901234567890123",
    ];
    let words = words.map(str::to_owned);
    let given = read(&Tool::new("t", schema), &words, None).unwrap();
    let expected = concat!(
        r#"{"id":123456789012345678901234567890,"ids":[18446744073709551616,-9223372036854775809],"#,
        r#""price":0.1000000000000000055511151231257827,"any":[1e400,1.50],"#,
        r#""place":{"x":12345678901234567890123}}"#,
    );
    assert_eq!(given.get(), expected);
}

#[test]
fn words_change_what_a_file_has_and_keep_its_digits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(
        &path,
        r#"{"city": "a", "place": {"city": "b", "at": {"x": 1e400}}}"#,
    )
    .unwrap();
    let given = read(&tool(), &["place.city=7".to_owned()], Some(&path)).unwrap();
    assert_eq!(
        given.get(),
        r#"{"city":"a","place":{"city":"7","at":{"x": 1e400}}}"#
    );
}

#[test]
fn one_json_object_has_all_arguments() {
    let all = json!({"city": "Oslo", "days": 3, "place": {"at": {}}});
    assert_eq!(arguments(&[&all.to_string()]), Ok(all));
    let wrong = arguments(&[r#"{"days": "x"}"#]).unwrap_err();
    assert!(
        wrong.contains("`days` must be a whole number") && wrong.contains("`city` is missing"),
        "{wrong}"
    );
    for words in [
        &["{\"city\": "][..],
        &["[1]"],
        &[r#"{"city": "Oslo"}"#, "days=3"],
    ] {
        let fault = arguments(words).unwrap_err();
        assert!(fault.contains("alone, a JSON object"), "{fault}");
    }
}
