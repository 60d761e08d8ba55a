//! Without the layer, nobody wants to know which request a span is about.

use crate::server::Context;

pub(in crate::server) fn attach(_: &Context) {}
