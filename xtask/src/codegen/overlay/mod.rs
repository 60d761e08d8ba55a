//! `schema/overlay.toml`, and what it leaves open.
//!
//! [`file`](mod@file) is the whole, made of [`entries`] of its [`kinds`]; [`open`] collects the questions
//! that no entry settles, each with a [`proposal`].

pub(super) mod entries;
pub(super) mod file;
pub(super) mod kinds;
pub(super) mod open;
pub(super) mod proposal;
