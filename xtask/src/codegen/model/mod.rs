//! Builds the model of one revision, with the types of [`ir`].
//!
//! [`lower`] reads the [`methods`] and their [`results`], and with [`lowering`], [`structures`] and
//! [`alternatives`] the types that they use. [`join`] joins types with the same name, and [`names`]
//! converts names.

pub(super) mod alternatives;
pub(super) mod ir;
pub(super) mod join;
pub(super) mod lower;
pub(super) mod lowering;
pub(super) mod methods;
pub(super) mod names;
pub(super) mod results;
pub(super) mod structures;
