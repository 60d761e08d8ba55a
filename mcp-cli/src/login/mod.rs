//! Logins: tokens are kept between commands, and pages opened for a person at a terminal.

#[cfg(not(feature = "keyring"))]
mod file_store;
mod folder;
#[cfg(feature = "keyring")]
mod keyring_store;
mod settings;

#[cfg(not(feature = "keyring"))]
pub(crate) use file_store::store;
#[cfg(feature = "keyring")]
pub(crate) use keyring_store::store;
pub(crate) use settings::{LoginSettings, advise, has_tokens, oauth};
