//! Tests for all transports, over HTTP whose bytes arrive in pieces with pauses in between.
//!
//! Tests of batches and integers are left out: they cancel requests, and over HTTP each message has
//! its own connection, so a cancellation may overtake its request.

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
