//! Runs the checks for messages on arbitrary bytes.
#![no_main]

#[path = "../checks/message.rs"]
mod message;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| message::check(bytes));
