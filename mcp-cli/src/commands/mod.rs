//! The commands, each in a file.

mod bindgen;
mod call;
mod inspect;
mod listen;
mod login;
mod prompt;
mod read;
mod run;
mod servers;

pub(crate) use run::run;
