//! Tests the names and types for unusual schemas of published servers.

#![allow(clippy::unwrap_used)]

use mcp_bindgen::{Bindings, Generated, Snapshot, compare};
use serde_json::{Value, json};

mod support;

use support::{SHAPES, whole};

fn generated(tools: &Value) -> Generated {
    let tools: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    let snapshot = Snapshot::parse(whole(&tools.join(",")).as_bytes()).unwrap();
    Bindings::new(snapshot).generate().unwrap()
}

/// Generates bindings of a tool whose only argument, `m`, has the schema.
fn argument(schema: &Value, defs: &Value) -> Generated {
    let input = json!({"type": "object", "properties": {"m": schema}, "$defs": defs});
    generated(&json!([{"name": "t", "inputSchema": input}]))
}

fn notes(generated: &Generated) -> Vec<String> {
    generated.notes.iter().map(ToString::to_string).collect()
}

/// The names of the structs and enums of a module, in order.
fn types(generated: &Generated) -> Vec<String> {
    let file = syn::parse_file(&generated.code).unwrap();
    let names = file.items.iter().filter_map(|item| match item {
        syn::Item::Struct(it) => Some(it.ident.to_string()),
        syn::Item::Enum(it) => Some(it.ident.to_string()),
        _ => None,
    });
    names.collect()
}

#[track_caller]
fn assert_has(generated: &Generated, code: &str) {
    assert!(generated.code.contains(code), "{code}\n{}", generated.code);
}

/// Definitions `a0`, `a1` and so on, each built from a reference to the next one. The last
/// definition is `last`.
fn levels(count: usize, level: impl Fn(&Value, usize) -> Value, last: Value) -> Value {
    let mut defs = serde_json::Map::new();
    for index in 0..count {
        let next = json!({"$ref": format!("#/$defs/a{}", index + 1)});
        defs.insert(format!("a{index}"), level(&next, index));
    }
    defs.insert(format!("a{count}"), last);
    defs.into()
}

#[test]
fn schemas_that_double_at_each_level_are_read_once() {
    let last = || json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let first = json!({"$ref": "#/$defs/a0"});
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let doubled = |next: &Value, _| json!({keyword: [next, next]});
        let generated = argument(&first, &levels(30, doubled, last()));
        assert_eq!(notes(&generated), [""; 0], "{keyword}");
        assert_has(&generated, "x: Option<String>");
    }
}

#[test]
fn schemas_that_cannot_be_read_once_stay_json() {
    let last = || json!({"type": "object", "properties": {"p": {"type": "string"}}});
    let first = json!({"$ref": "#/$defs/a0"});
    // Equal references next to a keyword that has to be merged into each alternative.
    let with_base = |next: &Value, _| json!({"type": "object", "anyOf": [next, next]});
    // Each level refers to the next level twice, with different schemas of one member.
    let diamond = |next: &Value, index| {
        let part = |way: &str| json!({"allOf": [next], "properties": {"p": {"title": format!("{way}{index}")}}});
        json!({"allOf": [part("b"), part("c")]})
    };
    let cases = [
        levels(40, with_base, last()),
        levels(40, diamond, last()),
        levels(500, |next, _| json!({"allOf": [next]}), last()),
    ];
    for defs in cases {
        let generated = argument(&first, &defs);
        let notes = notes(&generated);
        assert!(
            notes.len() == 1 && notes[0].ends_with("it stays JSON"),
            "{notes:?}"
        );
    }
    // A schema with many members, which is merged into many others.
    let members = |count: usize, schema: &Value| -> Value {
        let members = (0..count).map(|index| (format!("m{index}"), schema.clone()));
        members.collect::<serde_json::Map<_, _>>().into()
    };
    let text = json!({"description": "x".repeat(4_000)});
    let wide = json!({"type": "object", "properties": members(10, &text)});
    let parts = json!({"$ref": "#/$defs/wide", "required": ["m1"]});
    let all = json!({"type": "object", "properties": members(300, &parts)});
    let generated = argument(&all, &json!({"wide": wide}));
    assert_eq!(
        notes(&generated),
        ["`t`, inputSchema: combined, the parts of the schema have more than 8 MiB; it stays JSON"]
    );
}

#[test]
fn a_chain_of_equal_types_is_compared_in_linear_time() {
    let chain = |next: &Value, _| json!({"type": "object", "properties": {"a": next}});
    let defs = levels(
        1_000,
        chain,
        json!({"type": "object", "properties": {"b": {"type": "string"}}}),
    );
    // Starts at the end, because a path from the start would be deeper than the limit.
    let groups = (0..10).rev().map(|group| {
        let members = (0..100).rev().map(|index| {
            let index = group * 100 + index;
            (
                format!("x{index}"),
                json!({"$ref": format!("#/$defs/a{index}")}),
            )
        });
        let members: serde_json::Map<_, _> = members.collect();
        (
            format!("g{group}"),
            json!({"type": "object", "properties": members}),
        )
    });
    let groups: serde_json::Map<_, _> = groups.collect();
    let generated = argument(&json!({"type": "object", "properties": groups}), &defs);
    assert_eq!(notes(&generated), [""; 0]);
    // The last object has a different member, so the objects of all 1,000 levels differ.
    assert!(types(&generated).len() > 1_000);
}

#[test]
fn unions_are_named_by_their_field_and_variants_by_their_constant() {
    let snapshot = Snapshot::parse(SHAPES.as_bytes()).unwrap();
    let generated = Bindings::new(snapshot).generate().unwrap();
    assert_eq!(
        types(&generated),
        [
            "Budget",
            "BudgetPrompts",
            "BudgetResources",
            "AddExpenseArguments",
            "AddExpenseOutput",
            "Category",
            "CityResourceArguments",
            "FindArguments",
            "FindOutput",
            "ListExpensesItem",
            "ListTagsItem",
            "Payment",
            "PaymentCard",
            "PaymentCardOutput",
            "PaymentCash",
            "PaymentOutput",
            "RemoveExpensesArguments",
            "SummaryPromptArguments",
            "Where",
            "WhereItem",
            "WhereObject",
        ]
    );
    // The members are sorted, but `required` is not.
    assert_has(
        &generated,
        "pub fn new(payment: impl Into<Payment>, category: Category, amount: u64) -> Self",
    );
    assert_has(
        &generated,
        "pub fn list_expenses(&self) -> TypedCall<Vec<ListExpensesItem>>",
    );
    assert_has(
        &generated,
        "pub fn summarize(&self) -> TypedCall<CallToolResult>",
    );
    assert_has(&generated, "pub fn essay(&self) -> Call<GetPromptRequest>");
    assert_has(&generated, "pub fn all(&self) -> Call<ReadResourceRequest>");
    assert_has(&generated, "Cash(Box<PaymentCash>)");
    let again = Bindings::new(generated.snapshot.clone())
        .generate()
        .unwrap();
    assert_eq!(again.code, generated.code);
}

#[test]
fn members_keep_the_order_of_the_author_where_it_is_known() {
    let input = |names: [&str; 3]| {
        let members = names.map(|name| (name.to_owned(), json!({"type": "string"})));
        let members: serde_json::Map<_, _> = members.into_iter().collect();
        json!([{"name": "t", "inputSchema": {"type": "object", "properties": members, "required": ["c", "a"]}}])
    };
    let of = |names| generated(&input(names));
    assert_has(
        &of(["a", "b", "c"]),
        "pub fn new(c: impl Into<String>, a: impl Into<String>)",
    );
    assert_has(
        &of(["b", "a", "c"]),
        "pub fn new(a: impl Into<String>, c: impl Into<String>)",
    );
}

#[test]
fn limits_choose_the_type_of_an_integer() {
    for (limits, ty) in [
        (json!({}), "i64"),
        (json!({"minimum": 0}), "u64"),
        (json!({"minimum": 0.0}), "u64"),
        (json!({"exclusiveMinimum": 0}), "u64"),
        (json!({"minimum": 5, "maximum": 7}), "u64"),
        (json!({"minimum": -1}), "i64"),
        (json!({"maximum": 9_223_372_036_854_775_807_u64}), "i64"),
        (json!({"maximum": 18_446_744_073_709_551_615_u64}), "u64"),
        (json!({"maximum": 1.844_674_407_370_955_2e19}), "u64"),
        (
            json!({"minimum": -1, "maximum": 18_446_744_073_709_551_615_u64}),
            "i64",
        ),
        (json!({"minimum": "0"}), "i64"),
    ] {
        let mut schema = limits.clone();
        schema["type"] = "integer".into();
        let code = argument(&schema, &json!({})).code;
        assert!(
            code.contains(&format!("m: Option<{ty}>")),
            "{limits}: {code}"
        );
    }
    let either = json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "integer"}]});
    assert_has(&argument(&either, &json!({})), "m: Option<i64>");
    let large = json!({"enum": [1, 18_446_744_073_709_551_615_u64]});
    assert_has(&argument(&large, &json!({})), "m: Option<i64>");
}

#[test]
fn open_tuples_and_patterns_of_names_are_json_with_a_note() {
    let pair = json!([{"type": "string"}, {"type": "integer"}]);
    for (schema, is_tuple) in [
        (
            json!({"prefixItems": pair, "minItems": 2, "maxItems": 2}),
            true,
        ),
        (
            json!({"prefixItems": pair, "minItems": 2, "items": false}),
            true,
        ),
        (
            json!({"items": pair, "minItems": 2, "additionalItems": false}),
            true,
        ),
        (json!({"prefixItems": pair}), false),
        (json!({"prefixItems": pair, "minItems": 2}), false),
        (json!({"prefixItems": pair, "items": false}), false),
        (
            json!({"prefixItems": pair, "minItems": 2, "items": {"type": "string"}}),
            false,
        ),
        (
            json!({"prefixItems": pair, "minItems": 1, "maxItems": 2}),
            false,
        ),
    ] {
        let mut schema = schema;
        schema["type"] = "array".into();
        let generated = argument(&schema, &json!({}));
        if is_tuple {
            assert_has(&generated, "m: Option<(String, i64)>");
        } else {
            assert_has(&generated, "m: Option<Vec<Value>>");
        }
        assert_eq!(generated.notes.is_empty(), is_tuple, "{schema}");
    }

    let patterns = json!({"^x-": {"type": "string"}});
    let open = argument(
        &json!({"type": "object", "patternProperties": patterns}),
        &json!({}),
    );
    assert_has(&open, "m: Option<Map<Value>>");
    let known = json!({"id": {"type": "string"}});
    let both = json!({"properties": known, "patternProperties": patterns, "additionalProperties": {"type": "integer"}});
    let both = argument(&both, &json!({}));
    assert_has(&both, "extra: Map<Value>");
    let root =
        json!([{"name": "t", "inputSchema": {"type": "object", "patternProperties": patterns}}]);
    let root = generated(&root);
    assert_has(&root, "extra: Map<Value>");
    for (generated, path) in [(open, "/properties/m"), (both, "/properties/m"), (root, "")] {
        let path = format!("`t`, inputSchema{path}/patternProperties: ");
        assert!(
            notes(&generated)[0].starts_with(&path),
            "{:?}",
            notes(&generated)
        );
    }
}

#[test]
fn what_bindings_do_not_use_is_neither_stored_nor_compared() {
    let with_rows = |count: usize| {
        let mut server: Value = serde_json::from_str(SHAPES).unwrap();
        let rows =
            (0..count).map(|row| json!({"uri": format!("row:{row}"), "name": "x".repeat(1000)}));
        server["resources"] = rows.collect();
        server["revision"] = json!(format!("2026-07-{count}"));
        server["tools"][0]["_meta"] = json!({"count": count});
        server["resourceTemplates"][0]["annotations"] = json!({"lastModified": count.to_string()});
        Snapshot::parse(server.to_string().as_bytes()).unwrap()
    };
    let stored = Bindings::new(with_rows(1)).generate().unwrap().snapshot;
    assert!(!stored.to_string().contains("row:0"));
    let again = Bindings::new(with_rows(100).with_names_of(&stored))
        .generate()
        .unwrap();
    assert_eq!(again.snapshot.to_string(), stored.to_string());
    assert!(compare(&stored, &with_rows(100)).is_empty());
}

#[test]
fn prompts_are_found_from_the_type_of_the_server() {
    let snapshot = Snapshot::parse(SHAPES.as_bytes()).unwrap();
    let generated = Bindings::new(snapshot).generate().unwrap();
    // rustc suggests `prompts` if one of its aliases is called.
    assert_has(
        &generated,
        "#[doc(alias = \"essay\")]\n    #[doc(alias = \"summary\")]",
    );
    assert_has(
        &generated,
        "/// The prompts of the server: `essay`, `summary`.",
    );
}
