//! Runs the checks for every type of the model on arbitrary JSON.
#![no_main]

#[macro_use]
#[rustfmt::skip]
#[path = "../../mcp-types/tests/generated/types.rs"]
mod types;

#[path = "../checks/model.rs"]
mod model;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| model::check(bytes));
