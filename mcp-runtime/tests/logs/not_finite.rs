//! The log about numbers that JSON can't represent.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};
use tracing::Level;

use crate::support::log::Log;
use crate::support::{Wire, stateless};

#[derive(Serialize, JsonSchema)]
struct Weather {
    degrees: Vec<f64>,
    station: Option<u32>,
}

struct Station;

#[mcp_server(undocumented = "allow")]
impl Station {
    #[tool]
    fn root(&self, of: f64) -> f64 {
        of.sqrt()
    }

    #[tool]
    fn weather(&self, degrees: f64) -> Weather {
        Weather {
            degrees: vec![0.0, degrees.sqrt()],
            station: None,
        }
    }
}

async fn call(wire: &mut Wire, tool: &str, arguments: Value) {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = wire.ask(stateless(1, "tools/call", params)).await;
    assert_eq!(answer.get("error"), None, "{answer}");
}

#[tokio::test]
async fn a_number_that_is_not_finite_is_logged_in_debug_builds() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut wire = Wire::to(&Station.into_server()).await;
    call(&mut wire, "root", json!({"of": 4})).await;
    call(&mut wire, "weather", json!({"degrees": 4})).await;
    assert_eq!(log.text(), "");
    call(&mut wire, "root", json!({"of": -4})).await;
    call(&mut wire, "weather", json!({"degrees": -4})).await;
    if cfg!(debug_assertions) {
        let text = log.text();
        assert_eq!(text.matches("`NaN`").count(), 2, "{text}");
        for part in ["type=\"f64\"", "Weather\"", "path=\"degrees[1]\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
