//! Generates typed Rust modules from the lists of a Model Context Protocol server.
//!
//! A [`Snapshot`] contains the parts of `mcp inspect --json` that bindings use. [`Bindings`]
//! generates a Rust file from it, with a method for each tool. [`compare`] describes what has
//! changed since. The command `mcp bindgen` is a thin layer over these three.
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
// Compiles the programs of this document.
#![cfg_attr(doctest, doc = include_str!("../../docs/typed-clients.md"))]

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
