use proptest::prelude::*;

use super::*;

fn is_same(one: &JsonObject, other: &JsonObject) -> bool {
    differences(one, other).is_empty()
}

#[test]
fn the_names_of_fields_that_differ_are_returned() {
    let one = json!({"a": 1, "b": 2, "c": 3, "d": [1]});
    let other = json!({"d": [2], "a": 1.0, "b": "2", "e": null});
    let names = differences(one.as_object().unwrap(), other.as_object().unwrap());
    assert!(names.iter().eq(["b", "c", "d", "e"]), "{names:?}");
}

#[test]
fn fields_are_compared_in_any_order_and_numbers_by_value() {
    let is_same = |one: Value, other: Value| {
        differences(one.as_object().unwrap(), other.as_object().unwrap()).is_empty()
    };
    assert!(is_same(
        json!({"a": 1, "b": {"c": [1.0, "x"], "d": null}}),
        json!({"b": {"d": null, "c": [1, "x"]}, "a": 1.0})
    ));
    for (one, other) in [
        (json!({"a": 1}), json!({"a": "1"})),
        (json!({"a": 1}), json!({"a": true})),
        (json!({"a": 1}), json!({"a": 1.5})),
        (json!({"a": null}), json!({})),
        (json!({}), json!({"a": null})),
        (json!({"a": [1, 2]}), json!({"a": [2, 1]})),
        (json!({"a": [1]}), json!({"a": [1, 1]})),
        (json!({"a": {"b": 1}}), json!({"a": {"b": 2}})),
        (
            json!({"a": 9_007_199_254_740_993_u64}),
            json!({"a": 9_007_199_254_740_992_u64}),
        ),
    ] {
        assert!(!is_same(one.clone(), other.clone()), "{one} {other}");
    }
}

#[test]
fn front_matter_is_written_on_one_line_for_each_field() {
    let fields = json!({
        "name": "a", "description": "x: \"y\"\n# é😀\u{2028}\u{7f}", "yes": [1, 1.5, null, {"a b": true}]
    });
    let text = write(fields.as_object().unwrap());
    assert_eq!(
        text,
        "---\nname: \"a\"\ndescription: \"x: \\\"y\\\"\\n# é😀\\u2028\\u007f\"\n\"yes\": [1,1.5,null,{\"a b\":true}]\n---\n"
    );
}

/// A JSON value that front matter can have.
fn value() -> impl Strategy<Value = Value> {
    let integer = -9_007_199_254_740_991_i64..=9_007_199_254_740_991;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        integer.prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        ".*".prop_map(Value::from),
        "[ -~\\n\\t]*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,20}", inner), 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = JsonObject> {
    prop::collection::vec((".{0,20}", value()), 1..5).prop_map(|it| it.into_iter().collect())
}

proptest! {
    #[test]
    fn fields_are_read_as_they_were_written(fields in object()) {
        let read = parse(write(&fields).as_bytes());
        let read = read.map_err(|faults| TestCaseError::fail(format!("{faults:?}")))?;
        prop_assert_eq!(&read.fields, &fields);
        prop_assert!(is_same(&read.fields, &fields));
    }

    #[test]
    fn any_bytes_end_in_fields_or_faults(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn any_text_ends_in_fields_or_faults(text in "([-:?,\\[\\]{}#&*!|>'\"%@`~<=._+0-9a-f \\t\\r\\n]|\\PC){0,60}") {
        match yaml(&text) {
            Ok(read) => {
                prop_assert!(is_same(&read.fields, &read.fields));
                let again = parse(write(&read.fields).as_bytes());
                let again = again.map_err(|faults| TestCaseError::fail(format!("{faults:?}")))?;
                prop_assert_eq!(again.fields, read.fields);
            }
            Err(faults) => prop_assert!(!faults.is_empty()),
        }
    }

    #[test]
    fn fields_are_the_same_as_themselves_and_not_as_changed_ones(fields in object(), other in object()) {
        prop_assert!(is_same(&fields, &fields));
        prop_assert_eq!(is_same(&fields, &other), is_same(&other, &fields));
    }
}
