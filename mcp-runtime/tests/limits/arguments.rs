//! Limits on checking the arguments of a call.

use std::borrow::Cow;

use mcp_runtime::prelude::*;
use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::transport::http::HttpOptions;
use mcp_runtime::types::Tool;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::support::{self, stateless};
use crate::wire::Served;

driven! {
    MAX_LISTED_FAULTS by max_listed_faults,
    MAX_FAULT_BYTES by max_fault_bytes,
    MAX_FOUND_FAULTS by max_found_faults,
    MAX_CHECKED_VALUES by max_checked_values,
    MAX_CHECKED_DEPTH by max_checked_depth,
    MAX_STRICT_DEPTH by max_strict_depth,
    MAX_SCHEMA_REFERENCES by max_schema_references,
}

/// An integer whose schema is reached through `N` references.
#[derive(Deserialize)]
#[serde(transparent)]
struct Behind<const N: usize>(u8);

impl<const N: usize> JsonSchema for Behind<N> {
    fn schema_name() -> Cow<'static, str> {
        format!("Behind{N}").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // The type itself is reached through the first reference.
        for step in 2..=N {
            let next = json!({"$ref": format!("#/$defs/step{N}_{}", step + 1)});
            let definition = if step == N { json!({"type": "integer"}) } else { next };
            let definitions = generator.definitions_mut();
            definitions.insert(format!("step{N}_{step}"), definition);
        }
        json_schema!({"$ref": format!("#/$defs/step{N}_2")})
    }
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    value: u8,
    next: Option<Box<Node>>,
}

struct Checked;

#[mcp_server(undocumented = "allow")]
impl Checked {
    #[tool]
    fn numbers(&self, numbers: Vec<u8>) -> usize {
        numbers.len()
    }

    #[tool]
    fn node(&self, node: Node) -> u8 {
        let mut last = &node;
        while let Some(next) = &last.next {
            last = next;
        }
        last.value
    }

    #[tool]
    fn few(&self, few: Behind<8>) -> u8 {
        few.0
    }

    #[tool]
    fn many(&self, many: Behind<9>) -> u8 {
        many.0
    }
}

async fn faults(tool: &str, arguments: Value) -> Vec<String> {
    let served = Served::tcp(&Checked.into_server(), |serve| serve);
    let params = json!({"name": tool, "arguments": arguments});
    let answer = served.peer().await.ask(stateless(1, "tools/call", params)).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Returns a list of `count` numbers, with strings at the positions for which `wrong` is true.
fn numbers(count: usize, wrong: impl Fn(usize) -> bool) -> Value {
    let number = |at| if wrong(at) { json!("x") } else { json!(1) };
    json!({"numbers": (0..count).map(number).collect::<Vec<_>>()})
}

async fn max_listed_faults() {
    for (count, lines) in [(16, 16), (17, 17)] {
        let faults = faults("numbers", numbers(count, |_| true)).await;
        assert_eq!(faults.len(), lines, "{faults:?}");
        let rest = faults.last().unwrap() == "- and 1 more";
        assert_eq!(rest, count > 16, "{faults:?}");
    }
}

async fn max_fault_bytes() {
    let long = json!({"numbers": ["x".repeat(10_000)]});
    let faults = faults("numbers", long).await;
    let length = faults[0].len();
    // The length includes the path of the fault and the marker of the truncation.
    assert!((240..=280).contains(&length), "{length}");
}

async fn max_found_faults() {
    for (count, rest) in [(90, "- and 74 more"), (500, "- and 84 more")] {
        let faults = faults("numbers", numbers(count, |_| true)).await;
        assert_eq!(faults.last().unwrap(), rest);
    }
}

async fn max_checked_values() {
    for (last, found) in [(99_000, 2), (100_100, 1)] {
        let wrong = |at| at == 50 || at == last;
        let faults = faults("numbers", numbers(last + 1, wrong)).await;
        assert_eq!(faults.len(), found, "{last}: {faults:?}");
    }
}

async fn max_checked_depth() {
    // The decoder also finds the innermost fault without the schema.
    for (wrong, found) in [([1, 5, 10], 3), ([1, 40, 50], 2)] {
        let node = |inner: Value, level: usize| {
            let value = if wrong.contains(&level) { json!("x") } else { json!(1) };
            json!({"next": inner, "value": value})
        };
        let node = (0..=50).rev().fold(Value::Null, node);
        let faults = faults("node", json!({"node": node})).await;
        assert_eq!(faults.len(), found, "{wrong:?}: {faults:?}");
    }
}

async fn max_strict_depth() {
    let mut server = support::builder();
    let region = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
    }});
    server.tool(ToolEntry::new(Tool::new("region", region), |_| {
        Reply::Ready(Ok(support::text(String::new())))
    }));
    let served = Served::http_with(&server.build(), HttpOptions::default().max_depth(1000));
    for (levels, code) in [(200, None), (300, Some(-32602))] {
        let deep = (0..levels).fold(json!(1), |inner, _| json!([inner]));
        let arguments = json!({"region": "us", "deep": deep});
        let call = stateless(1, "tools/call", json!({"name": "region", "arguments": arguments}));
        let answer = served.post(&[("mcp-param-region", "us")], &call).await;
        assert_eq!(answer.json()["error"]["code"].as_i64(), code, "{answer:?}");
    }
}

async fn max_schema_references() {
    for (tool, expected) in [("few", "an integer"), ("many", "a value")] {
        let faults = faults(tool, json!({})).await;
        assert!(faults[0].contains(&format!("expected {expected}")), "{faults:?}");
    }
}
