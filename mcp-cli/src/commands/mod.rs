//! The commands, each in a file.

pub(crate) mod bindgen;
pub(crate) mod call;
pub(crate) mod doctor;
pub(crate) mod inspect;
pub(crate) mod install;
pub(crate) mod listen;
pub(crate) mod login;
pub(crate) mod prompt;
pub(crate) mod proxy;
pub(crate) mod read;
pub(crate) mod replay;
pub(crate) mod servers;
