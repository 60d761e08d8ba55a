//! The cost of decoding and encoding messages, compared with plain derived structs.
//!
//! `cargo run --release -p bench-types` measures time and allocations and, if valgrind is
//! installed, instructions. Instructions are the difference between two run lengths, so the start
//! is not counted.

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
        _ => panic!("no arguments, or the name of a case and a number of runs"),
    }
}
