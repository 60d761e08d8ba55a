//! Tests for all transports, over HTTP.

#[path = "every/batches.rs"]
mod batches;
#[path = "every/integers.rs"]
mod integers;
#[cfg(feature = "layer")]
#[path = "every/layers.rs"]
mod layers;
#[path = "every/lifecycle.rs"]
mod lifecycle;
#[path = "every/malformed.rs"]
mod malformed;
#[path = "every/recording.rs"]
mod recording;
#[path = "every/tools.rs"]
mod tools;

use crate::gateway::http::Http as Transport;
