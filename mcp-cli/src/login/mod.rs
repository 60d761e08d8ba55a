//! Logins: tokens are kept between commands, and pages opened for a person at a terminal.

mod settings;
#[cfg_attr(not(feature = "keyring"), path = "file_store.rs")]
#[cfg_attr(feature = "keyring", path = "keyring_store.rs")]
mod store;

pub(crate) use settings::{LoginSettings, oauth};
