//! Changes between two stored revisions, in plain words: read them
//! ([`load`]), reduce each to methods and types with flat fields ([`shape`]),
//! put both side by side ([`compare`]), and print ([`render`]).

mod compare;
mod load;
mod render;
mod report;
mod shape;

pub(super) use report::run;
