//! Tests of the lenient reading of values.

#![allow(clippy::unwrap_used)]

mod leniency;
mod wrong;
#[path = "../../../mcp-runtime/tests/support/wrong_values.rs"]
#[allow(unreachable_pub, reason = "shared with other tests")]
mod wrong_values;
