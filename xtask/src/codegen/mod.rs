//! `cargo xtask codegen`: the protocol's types, from its schemas.
//!
//! The steps in order: [`load`] reads the stored schemas, [`normalise`] brings
//! them into one form, [`lower`] and [`methods`] take over what messages
//! contain, [`merge`] joins the revisions. Then [`types`] prints the structs
//! with typify and [`structs`] completes them; [`enums`], [`unions`] and
//! [`dispatch`] write the rest, with [`docs`] at each item; [`output`] puts
//! the files in place.

mod alternatives;
mod availability;
mod best_match;
mod borrowed;
mod conform;
mod dispatch;
mod docs;
mod enums;
mod error;
mod fields;
mod ir;
mod join;
mod keys;
mod listing;
mod load;
mod lower;
mod merge;
mod messages;
mod methods;
mod names;
mod normalise;
mod open;
mod output;
mod overlay;
mod revisions;
mod run;
mod rust;
mod single;
mod span;
mod strategies;
mod structs;
mod structures;
mod types;
mod unions;
mod variants;

pub(crate) use error::Error;
pub(crate) use run::{Options, run};
pub(crate) use single::single;
