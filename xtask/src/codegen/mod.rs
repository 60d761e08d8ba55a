//! `cargo xtask codegen`: the protocol's types, from its schemas.
//!
//! The steps, in the order of [`run()`]:
//!
//! 1. [`load`] reads the stored schemas, and [`overlay`] what no rule covers;
//!    [`decisions`] collects what neither settles;
//! 2. [`simplify`] brings them into one form of JSON Schema;
//! 3. [`lower`], with [`structures`], [`alternatives`] and [`methods`], takes
//!    over what messages contain into the terms of [`ir`];
//! 4. [`merge`] joins the revisions, [`variants`] classifies the unions, and [`check_names`]
//!    sees that each name can be written, in the [`scope`] that it stands in;
//! 5. [`types`] has typify print the structs, and [`structs`] completes them;
//!    [`enums`], [`unions`], and [`dispatch`] write the rest, with
//!    [`docs`] at each item;
//! 6. [`availability`], [`revisions`] and [`conform_impls`], with [`conform`] and [`nearest`], write down what each
//!    revision has, and [`strategies`] what the tests go by;
//! 7. [`output`] puts the files in place.

mod alternatives;
mod availability;
mod best_match;
mod check_names;
mod conform;
mod conform_impls;
mod decisions;
mod dispatch;
mod docs;
mod emitted_union;
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
mod nearest;
mod output;
mod overlay;
mod revisions;
mod run;
mod rust;
mod scope;
mod simplify;
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
