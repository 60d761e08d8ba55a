//! Logins: tokens are kept between commands, and pages opened for a person at a terminal.

#[cfg(not(feature = "keyring"))]
mod file_store;
#[cfg(feature = "keyring")]
mod keyring_store;
mod settings;

#[cfg(not(feature = "keyring"))]
use file_store::store;
#[cfg(feature = "keyring")]
use keyring_store::store;
pub(crate) use settings::{LoginSettings, oauth};
