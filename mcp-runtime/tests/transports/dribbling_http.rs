//! Behaviour of all transports, over HTTP whose bytes come in pieces, with stalls in between.
//!
//! Tests of batches and integers cancel requests, and here each message has a connection of its own.

#[cfg(feature = "layer")]
#[path = "every/layers.rs"]
mod layers;
#[path = "every/lifecycle.rs"]
mod lifecycle;
#[path = "every/malformed.rs"]
mod malformed;
#[path = "every/tools.rs"]
mod tools;

use crate::gateway::http::DribblingHttp as Transport;
