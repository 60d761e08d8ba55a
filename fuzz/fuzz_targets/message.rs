//! Frames of arbitrary bytes: see the check.
#![no_main]

#[path = "../checks/message.rs"]
mod message;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| message::check(bytes));
