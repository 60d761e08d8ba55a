//! Measures the decoding and encoding of messages against plain derived structs.
//!
//! `cargo run --release -p bench-types` measures time and allocations, and also instructions if
//! valgrind is installed. Each count is the difference between two run lengths, so start-up
//! cancels out.

mod cases;
mod ideal;
mod measure;
mod samples;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [name, runs] => measure::repeat(name, runs.parse().expect("a number of runs")),
        [] => measure::report(),
        _ => panic!("usage: bench-types [CASE RUNS]"),
    }
}
