#![doc = include_str!("../README.md")]

#[cfg(feature = "tasks")]
pub mod tasks;
