//! Typed Rust modules from what a Model Context Protocol server lists.
//!
//! A [`Snapshot`] has the parts of `mcp inspect --json` that bindings use; [`Bindings`] makes a Rust file of
//! it, with a method for each tool; [`compare`] tells in words what has changed since. The command
//! `mcp bindgen` is a shell around these.
//!
//! ```
//! use mcp_bindgen::{Bindings, Snapshot};
//!
//! let snapshot = Snapshot::parse(br#"{
//!     "server": {"name": "weather", "version": "1.4.0"},
//!     "tools": [{
//!         "name": "forecast",
//!         "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
//!     }]
//! }"#)?;
//! let generated = Bindings::new(snapshot).generate()?;
//! assert!(generated.code.contains("arguments: impl Into<ForecastArguments>"));
//! # Ok::<_, mcp_bindgen::Error>(())
//! ```
#![doc = include_str!("../README.md")]

mod bindings;
pub mod code;
mod compare;
mod emit;
mod error;
mod json;
mod model;
mod snapshot;
mod texts;

pub use bindings::{Bindings, Format, Generated};
pub use compare::{Difference, compare};
pub use error::{Error, Note};
pub use snapshot::Snapshot;
