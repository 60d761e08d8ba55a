//! Tests how strings are read, and which faults are found.

use serde_json::json;

use super::*;

fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let faults = Schema::new(schema).check(&RawJson::encode(value), "");
    faults
        .iter()
        .map(|(path, fault)| format!("`{path}` {fault}"))
        .collect()
}

#[test]
fn the_type_decides_how_a_text_is_read() {
    let read = |schema: Value, text: &str| {
        let read = Schema::new(&schema).read(text);
        read.map(|it| it.parse::<Value>().unwrap())
    };
    assert_eq!(read(json!({"type": "string"}), "3"), Ok(json!("3")));
    assert_eq!(read(json!({"type": "integer"}), "3"), Ok(json!(3)));
    assert!(read(json!({"type": "integer"}), "3.5").is_err());
    assert_eq!(read(json!({"type": "number"}), "3"), Ok(json!(3)));
    assert_eq!(
        read(json!({"type": ["boolean", "null"]}), "true"),
        Ok(json!(true))
    );
    assert_eq!(
        read(json!({"type": ["string", "null"]}), "null"),
        Ok(Value::Null)
    );
    assert_eq!(read(json!({}), "[1]"), Ok(json!([1])));
    assert_eq!(
        read(json!({"type": ["integer", "string"]}), "x"),
        Ok(json!("x"))
    );
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
    assert_eq!(read(list.clone(), "3"), Ok(json!([3])));
    assert_eq!(read(list, "[3,4]"), Ok(json!([3, 4])));
    let choice = json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]});
    assert_eq!(read(choice, "a"), Ok(json!("a")));
}

#[test]
fn all_faults_are_found_with_their_paths() {
    let schema = json!({
        "type": "object",
        "properties": {
            "place": {"$ref": "#/$defs/place"},
            "unit": {"enum": ["c", "f"]},
            "days": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["place", "name"],
        "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": false}},
    });
    let value = json!({"place": {"city": 1, "x": 2}, "unit": "k", "days": [1, "2"]});
    let faults = faults(&schema, &value);
    let expected = [
        "`name` is missing",
        "`place.city` must be a string, not 1",
        "`place.x` is not known",
        "`unit` must be one of \"c\", \"f\", not \"k\"",
        "`days[1]` must be a whole number, not \"2\"",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn limits_are_checked() {
    let schema = json!({"properties": {
        "n": {"type": "integer", "minimum": 1, "maximum": 9},
        "s": {"type": "string", "maxLength": 2},
        "l": {"type": "array", "minItems": 1},
    }});
    let broken = faults(&schema, &json!({"n": 12, "s": "abc", "l": []}));
    let expected = [
        "`n` must be at most 9, and is 12",
        "`s` must be at most 2 characters, and is \"abc\"",
        "`l` must be at least 1 elements, and is []",
    ];
    assert_eq!(broken, expected);
    assert!(faults(&schema, &json!({"n": 9, "s": "ab", "l": [1]})).is_empty());
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let schema = json!({keyword: [{"$ref": "#"}], "properties": {"a": {"$ref": "#"}}});
        assert!(faults(&schema, &json!({"a": {"a": 1}})).len() <= 1);
        assert_eq!(Schema::new(&schema).read("{}").unwrap().get(), "{}");
        assert!(Schema::new(&schema).member("b").is_none());
    }
    assert!(Schema::new(&json!({"$ref": "#"})).kinds().is_empty());
}

#[test]
fn unions_that_multiply_end() {
    let twice = |name: &str| json!([{"$ref": name}, {"$ref": name}]);
    let mut schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/0"}}});
    for level in 0..40 {
        let inner = twice(&format!("#/$defs/{}", level + 1));
        schema["$defs"][level.to_string()] = match level % 2 {
            0 => json!({"allOf": inner}),
            _ => json!({"allOf": [{"anyOf": inner}, {"oneOf": inner}]}),
        };
    }
    schema["$defs"]["40"] = json!({"type": "string"});
    assert!(faults(&schema, &json!({"a": "x"})).is_empty());
}

#[test]
fn a_field_of_a_form_has_no_digits_that_are_lost() {
    for number in [
        "9007199254740992",
        "-1.50",
        "0.1",
        "1e3",
        "12345678901234500000",
    ] {
        let json = RawJson::from_text(number).unwrap();
        assert_eq!(
            exact(&json).unwrap(),
            json.parse::<Value>().unwrap(),
            "{number}"
        );
    }
    for number in ["9007199254740993", "0.12345678901234567890", "1e400"] {
        assert!(
            exact(&RawJson::from_text(number).unwrap()).is_err(),
            "{number}"
        );
    }
}

#[test]
fn a_part_that_can_not_be_read_spoils_only_itself() {
    let text = r#"{"properties": {"a": {"type": "string", "x": 1e400}}}"#;
    let schema = document(RawJson::from_text(text).unwrap().as_raw(), 0);
    assert_eq!(
        schema["properties"]["a"],
        json!({"type": "string", "x": null})
    );
}
