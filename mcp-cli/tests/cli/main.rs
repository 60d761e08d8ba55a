//! Tests the command `mcp` as a process.

#![allow(clippy::unwrap_used)]

mod arguments;
mod bindgen;
mod certificates;
mod commands;
mod completion;
mod configured;
mod doctor;
mod install;
mod mistakes;
mod proxy;
#[cfg(unix)]
mod pty;
mod replay;
#[cfg(unix)]
mod screens;
mod scripts;
mod shapes;
mod support;
mod tasks;
#[cfg(unix)]
mod terminal;
mod trust;
