//! Logins: tokens are kept between commands, and pages opened for a person at a terminal.

mod settings;
mod store;

pub(crate) use settings::{LoginSettings, oauth};
