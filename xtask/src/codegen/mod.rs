//! `cargo xtask codegen`: the protocol's types, from its schemas.
//!
//! The steps, in the order of [`run()`]:
//!
//! 1. [`load`] reads the stored schemas, and [`overlay`], made of [`entries`] of its
//!    [`entry_kinds`], what no rule covers; [`decisions`] collects what neither settles, in
//!    [`type_words`];
//! 2. [`simplify`], with [`keywords`], [`subschemas`] and [`all_of`], brings them into one form of
//!    JSON Schema;
//! 3. [`lower`], with [`lowering`], [`structures`], [`alternatives`], [`methods`] and [`results`],
//!    takes over what messages contain into the terms of [`ir`], and lists the rest;
//! 4. [`conflicts`] asks where the revisions disagree, [`merge`] joins them, and [`variants`]
//!    classifies the unions;
//! 5. [`check_forms`] asks about what the model cannot hold, [`check_names`] about names that cannot
//!    be written in their [`scope`], by their [`places`]; [`questions`] adds those of [`fills`],
//!    [`replacements`], [`capabilities`], [`arguments`] and [`aliases`]. Nothing is written while
//!    one is open;
//! 6. [`types`] has typify print the structs, [`structs`] completes them, and [`constructors`] adds
//!    constructors and setters; [`enums`], [`unions`] and [`dispatch`] write the rest, with [`docs`]
//!    at each item;
//! 7. [`availability`], [`revisions`] and [`conform_impls`], with [`conform`], [`nearest`] and
//!    [`values`], write what each revision has, and [`listing`] the data of tests;
//! 8. [`extensions`] does the same for the schemas of extensions;
//! 9. [`output`] puts the files in place.

mod aliases;
mod all_of;
mod alternatives;
mod arguments;
mod availability;
mod best_match;
mod capabilities;
mod check_forms;
mod check_names;
mod conflicts;
mod conform;
mod conform_impls;
mod constructors;
mod decisions;
mod dispatch;
mod docs;
mod emitted_union;
mod entries;
mod entry_kinds;
mod enums;
mod error;
mod extensions;
mod fields;
mod fills;
mod ir;
mod join;
mod keys;
mod keywords;
mod listing;
mod load;
mod lower;
mod lowering;
mod merge;
mod messages;
mod methods;
mod names;
mod nearest;
mod output;
mod overlay;
mod places;
mod questions;
mod replacements;
mod results;
mod revisions;
mod run;
mod rust;
mod scope;
mod simplify;
mod single;
mod span;
mod structs;
mod structures;
mod subschemas;
mod type_words;
mod types;
mod unions;
mod values;
mod variants;

pub(crate) use error::Error;
pub(crate) use output::spaced;

pub(crate) use run::{Options, open, run};
pub(crate) use scope::imported;
pub(crate) use single::single;
pub(crate) use subschemas::{ALTERNATIVES, referred};
