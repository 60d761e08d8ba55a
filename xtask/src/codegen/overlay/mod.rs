//! `schema/overlay.toml`, and the questions that it leaves open.
//!
//! [`file`](mod@file) is the whole file, which has [`entries`] of several [`kinds`]. [`open`] collects
//! the questions that no entry settles, each with a [`proposal`].

pub(super) mod entries;
pub(super) mod file;
pub(super) mod kinds;
pub(super) mod open;
pub(super) mod proposal;
