//! Structs as arguments: as all arguments together, or as one of several.

use mcp_runtime::prelude::*;
use serde_json::json;

use crate::arguments::{Point, Shape};
use crate::support::{Wire, stateless};
use crate::{call, faults, listed, text};

/// A thing and its position.
#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Placed {
    /// The kind of thing.
    what: String,
    #[serde(default)]
    at: Option<Point>,
}

/// A struct that refuses unknown members.
#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    name: String,
    count: u32,
    shape: Shape,
    #[serde(default)]
    tags: Vec<String>,
}

#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Page {
    #[schemars(range(min = 1, max = 20))]
    number: i64,
    #[schemars(length(min = 2))]
    words: Option<Vec<String>>,
}

/// A struct with constraints on its fields.
#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Ruled {
    #[schemars(length(min = 1, max = 3))]
    name: String,
    #[schemars(range(max = 0.5))]
    share: Option<f64>,
    small: u8,
    first: Page,
    #[serde(default)]
    pages: Vec<Page>,
}

/// One of several things, each with rules of its own.
#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Choice {
    Page(Page),
    Word {
        #[schemars(length(max = 5))]
        text: String,
    },
    Nothing,
}

pub(crate) struct Structs;

#[mcp_server(undocumented = "allow")]
impl Structs {
    #[tool]
    fn spread(&self, #[arg(flatten)] place: Placed, cx: &Context) -> String {
        format!("{place:?} {}", cx.revision())
    }

    #[tool]
    fn closed(&self, #[arg(flatten)] closed: Closed) -> String {
        format!("{closed:?}")
    }

    #[tool]
    fn ruled(&self, #[arg(flatten)] ruled: Ruled) -> String {
        format!("{} {:?}", ruled.name, ruled.share)
    }

    #[tool]
    fn nested(&self, page: Page, choices: Option<Vec<Choice>>, pair: (Page, Page)) -> String {
        format!("{} {} {}", page.number, choices.is_some(), pair.1.number)
    }
}

#[tokio::test]
async fn a_struct_takes_all_arguments() {
    let server = Structs.into_server();
    let arguments = json!({"what": "cup", "at": {"x": 1, "y": 2}});
    let expected = "Placed { what: \"cup\", at: Some(Point { x: 1, y: 2 }) } 2026-07-28";
    assert_eq!(call(&server, "spread", arguments).await, text(expected));
    let found = faults(
        &server,
        "spread",
        json!({"what": "cup", "at": {"x": 1, "y": []}}),
    )
    .await;
    assert_eq!(
        found[1..],
        ["- `at.y`: invalid type: sequence, expected an integer from -2147483648 to 2147483647"]
    );
    let schema = listed(Structs, "spread").await["inputSchema"].take();
    assert_eq!(schema["required"], json!(["what"]));
    assert_eq!(
        schema["properties"]["what"],
        json!({"type": "string", "description": "The kind of thing."})
    );
    assert!(schema.get("description").is_none(), "{schema}");
}

#[tokio::test]
async fn every_fault_of_a_struct_is_told() {
    let server = Structs.into_server();
    let shape = json!({"line": [{"x": 1, "y": 2}, {"x": 3, "y": "4"}]});
    let arguments = json!({"shape": shape, "count": -1, "tags": [1], "colour": "blue"});
    assert_eq!(
        faults(&server, "closed", arguments).await[1..],
        [
            "- `shape.line[1].y`: invalid type: string \"4\", expected an integer from -2147483648 to 2147483647",
            "- `count`: invalid value: integer `-1`, expected an integer from 0 to 4294967295",
            "- `tags[0]`: invalid type: integer `1`, expected a string",
            "- `colour`: unknown field `colour`, expected `name`, `count`, `shape` or `tags`",
            "- `name`: missing, expected a string",
        ]
    );
    assert_eq!(
        faults(&server, "closed", json!({})).await[1..],
        [
            "- `name`: missing, expected a string",
            "- `count`: missing, expected an integer from 0 to 4294967295",
            "- `shape`: missing, expected an object with `circle` or an object with `line`",
        ]
    );
}

#[tokio::test]
async fn integers_of_a_struct_may_be_written_with_a_fraction() {
    let server = Structs.into_server();
    let shape = json!({"circle": {"centre": {"x": 1.0, "y": 2}, "radius": 3.0}});
    let arguments = json!({"name": "1.0", "count": 2.0, "shape": shape});
    assert_eq!(
        call(&server, "closed", arguments).await,
        text(
            "Closed { name: \"1.0\", count: 2, shape: Circle { centre: Point { x: 1, y: 2 }, \
             radius: 3 }, tags: [] }"
        )
    );
    let arguments = json!({"name": 1.0, "count": 2.0, "shape": shape});
    assert_eq!(
        faults(&server, "closed", arguments).await[1..],
        ["- `name`: invalid type: integer `1`, expected a string"]
    );
}

#[tokio::test]
async fn rules_are_enforced_beside_what_no_value_can_hold() {
    let server = Structs.into_server();
    for (tool, page, path) in [
        (
            "nested",
            r#"{"page": {"number": 99, "z": 1e400}, "pair": [{"number": 1}, {"number": 1}]}"#,
            "page.z",
        ),
        (
            "ruled",
            r#"{"name": "toolong", "small": 1, "first": {"number": 1}, "z": 1e400}"#,
            "z",
        ),
    ] {
        let mut wire = Wire::to(&server).await;
        let message = stateless(
            1,
            "tools/call",
            json!({"name": tool, "arguments": "ARGUMENTS"}),
        );
        let message = message.to_string().replace("\"ARGUMENTS\"", page);
        let answer = wire.ask_text(&message).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let said = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(said.contains(&format!("- `{path}`: ")), "{said}");
    }
}

#[tokio::test]
async fn what_a_struct_says_of_its_values_is_enforced() {
    let server = Structs.into_server();
    let page = json!({"number": 20, "words": ["a", "b"]});
    let kept = json!({"name": "cup", "share": 0.5, "small": 255, "first": page, "pages": [page]});
    let result = call(&server, "ruled", kept).await;
    assert_eq!(result, text("cup Some(0.5)"));
    let absent = json!({"name": "cup", "share": null, "small": 0, "first": {"number": 1}});
    let result = call(&server, "ruled", absent).await;
    assert_eq!(result, text("cup None"));
    let broken = json!({
        "name": "",
        "share": 0.75,
        "small": "x",
        "first": {"number": 21, "words": ["a"]},
        "pages": [page, {"number": 0}],
    });
    assert_eq!(
        faults(&server, "ruled", broken).await[1..],
        [
            "- `name`: too short: 0, expected at least 1",
            "- `share`: out of range: 0.75, expected a number of at most 0.5",
            "- `small`: invalid type: string \"x\", expected an integer from 0 to 255",
            "- `first.number`: out of range: 21, expected a number of at least 1 and of at most 20",
            "- `first.words`: too short: 1, expected at least 2",
            "- `pages[1].number`: out of range: 0, expected a number of at least 1 and of at most 20",
        ]
    );
}

#[tokio::test]
async fn what_a_struct_says_of_its_values_is_enforced_for_each_argument() {
    let server = Structs.into_server();
    let page = json!({"number": 20, "words": ["a", "b"]});
    let choices = json!([{"kind": "page", "number": 1}, {"kind": "word", "text": "short"}]);
    let kept = json!({"page": page, "choices": choices, "pair": [page, {"number": 2}]});
    let result = call(&server, "nested", kept).await;
    assert_eq!(result, text("20 true 2"));
    let choices = json!([
        {"kind": "nothing"},
        {"kind": "page", "number": 0},
        {"kind": "word", "text": "longer"},
    ]);
    let broken = json!({
        "page": {"number": 21, "words": []},
        "choices": choices,
        "pair": [page, {"number": -1}],
    });
    assert_eq!(
        faults(&server, "nested", broken).await[1..],
        [
            "- `page.number`: out of range: 21, expected a number of at least 1 and of at most 20",
            "- `page.words`: too short: 0, expected at least 2",
            "- `choices[1].number`: out of range: 0, expected a number of at least 1 and of at most 20",
            "- `choices[2].text`: too long: 6, expected at most 5",
            "- `pair[1].number`: out of range: -1, expected a number of at least 1 and of at most 20",
        ]
    );
}

/// An order with items and payment.
#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Order {
    items: Vec<Item>,
    #[serde(default)]
    size: Option<Size>,
    paid: Option<Choice>,
    either: Option<Either>,
    pair: Option<(u8, String)>,
    next: Option<Box<Order>>,
    at: Option<std::net::Ipv4Addr>,
}

#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    name: String,
    count: u32,
    #[schemars(range(min = 0.5))]
    weight: Option<f64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

#[allow(dead_code)] // Read through `Debug`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Left { left: u8 },
    Right { right: Vec<u8>, more: u8 },
    Leaf(String),
}

pub(crate) struct Orders;

#[mcp_server(undocumented = "allow")]
impl Orders {
    #[tool]
    fn order(&self, order: Order, shapes: Vec<Shape>) -> String {
        format!("{order:?} {shapes:?}")
    }

    #[tool]
    fn spread(&self, #[arg(flatten)] order: Order) -> String {
        format!("{order:?}")
    }
}

#[tokio::test]
async fn every_fault_inside_an_argument_is_named() {
    let server = Orders.into_server();
    let order = json!({
        // This comes first because only the first value that can't be parsed is reported.
        "at": "nowhere",
        "items": [
            {"name": 5, "colour": "red", "weight": 0.25},
            "cup",
            {"name": "tea", "count": -1},
            {"name": "pot", "count": 1.0},
        ],
        "size": "huge",
        "paid": {"kind": "word"},
        "either": true,
        "pair": ["x", 1],
        "next": {"size": null},
    });
    let inside = [
        "at`: invalid IPv4 address syntax",
        "either`: invalid type: boolean `true`, expected an object with `left`, an object or a string",
        "items[0].colour`: unknown field `colour`, expected `name`, `count` or `weight`",
        "items[0].count`: missing, expected an integer from 0 to 4294967295",
        "items[0].name`: invalid type: integer `5`, expected a string",
        "items[0].weight`: out of range: 0.25, expected a number of at least 0.5",
        "items[1]`: invalid type: string \"cup\", expected an object",
        "items[2].count`: invalid value: integer `-1`, expected an integer from 0 to 4294967295",
        "next.items`: missing, expected a list",
        "paid.text`: missing, expected a string",
        "pair[0]`: invalid type: string \"x\", expected an integer from 0 to 255",
        "pair[1]`: invalid type: integer `1`, expected a string",
        "size`: invalid value: string \"huge\", expected \"small\" or \"large\"",
    ];
    let mut found = faults(&server, "spread", order.clone()).await.split_off(1);
    found.sort();
    assert_eq!(found, inside.map(|fault| format!("- `{fault}")));

    let arguments = json!({"order": order, "shapes": [{"circle": {"radius": -1}}, {"square": 1}]});
    let mut found = faults(&server, "order", arguments).await.split_off(1);
    found.sort();
    let mut expected = inside
        .iter()
        .map(|fault| format!("- `order.{fault}"))
        .collect::<Vec<_>>();
    expected.extend([
        "- `shapes[0].circle.centre`: missing, expected an object".to_owned(),
        "- `shapes[0].circle.radius`: invalid value: integer `-1`, expected an integer from 0 to 4294967295".to_owned(),
        "- `shapes[1]`: invalid value: map, expected an object with `circle` or an object with `line`".to_owned(),
    ]);
    assert_eq!(found, expected);
}

type Number = i64;

#[derive(Deserialize, JsonSchema)]
struct Several(#[allow(dead_code)] Vec<i64>);

#[test]
fn only_an_object_is_a_struct_of_arguments() {
    struct Numbers;
    #[mcp_server(undocumented = "allow")]
    impl Numbers {
        #[tool]
        fn add(&self, #[arg(flatten)] number: Number) -> i64 {
            number
        }
    }
    struct Lists;
    #[mcp_server(undocumented = "allow")]
    impl Lists {
        #[tool]
        fn sum(&self, #[arg(flatten)] several: Several) -> usize {
            several.0.len()
        }
    }
    for (built, kind) in [
        (
            std::panic::catch_unwind(|| drop(Numbers.into_server())),
            "`add` takes all its arguments as a `i64`, which is not a struct but a JSON integer",
        ),
        (
            std::panic::catch_unwind(|| drop(Lists.into_server())),
            "a JSON array: remove `#[arg(flatten)]`",
        ),
    ] {
        let message = built.unwrap_err();
        let message = message.downcast_ref::<String>().unwrap();
        assert!(message.contains(kind), "{message}");
    }
}
