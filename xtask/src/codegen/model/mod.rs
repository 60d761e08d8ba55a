//! One schema in, what one revision has out, in the terms of [`ir`].
//!
//! [`lower`] takes over what messages contain: [`methods`] and their [`results`], and from these, with
//! [`lowering`], [`structures`] and [`alternatives`], each type. [`join`] makes one of two types at
//! places with one name, and [`names`] converts names.

pub(super) mod alternatives;
pub(super) mod ir;
pub(super) mod join;
pub(super) mod lower;
pub(super) mod lowering;
pub(super) mod methods;
pub(super) mod names;
pub(super) mod results;
pub(super) mod structures;
