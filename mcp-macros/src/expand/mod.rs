//! The model as Rust: the only place that writes code.

mod arguments;
mod call;
mod claim;
mod form;
mod free;
mod function;
mod hook;
mod identity;
mod server;
mod setter;
mod single;
mod uri;

pub(crate) use form::form;
pub(crate) use free::free;
pub(crate) use identity::identity;
pub(crate) use server::{module_server, server};
pub(crate) use single::{around, main, quiet};
pub(crate) use uri::name as uri_builder;
