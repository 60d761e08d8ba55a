//! What requests and responses of servers hold: never there in builds without servers.

use std::borrow::Cow;
use std::net::SocketAddr;

use crate::values::Values;

/// The context of a request in a server; there is none.
#[derive(Clone, Debug)]
pub enum Context {}

impl Context {
    pub(super) fn principal(&self) -> Option<&str> {
        match *self {}
    }

    pub(super) fn connection(&self) -> (u64, Option<SocketAddr>) {
        match *self {}
    }

    pub(super) fn set_values(&mut self, _: &Values) {
        match *self {}
    }
}

/// The answer of a server; there is none.
#[derive(Debug)]
pub(crate) enum Answer {}

impl Answer {
    pub(super) fn json(&self) -> serde_json::Result<Cow<'_, str>> {
        match *self {}
    }

    pub(super) fn is_error(&self) -> bool {
        match *self {}
    }

    pub(super) fn is_input_required(&self) -> bool {
        match *self {}
    }
}
