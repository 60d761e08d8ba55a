//! The house rules, as code: `cargo xtask tidy`.
//!
//! [`workspace`] reads the tree once, each group of rules looks at it and adds
//! a [`violation`] for what it finds, and [`check`] prints them. What a rule
//! protects is written at the rule.

mod check;
mod circles;
mod dependencies;
mod generated;
mod items;
mod lines;
mod links;
mod manifests;
mod modules;
mod names;
mod reserved;
#[cfg(test)]
mod testing;
mod violation;
mod workspace;

pub(crate) use check::run;
pub(crate) use names::is_test_module;
pub(crate) use workspace::{File, Workspace};
