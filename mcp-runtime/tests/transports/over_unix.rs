//! Tests for all transports, over a Unix socket.

#[path = "every/batches.rs"]
mod batches;
#[path = "every/integers.rs"]
mod integers;
#[cfg(feature = "layer")]
#[path = "every/layers.rs"]
mod layers;
#[path = "every/lifecycle.rs"]
mod lifecycle;
#[path = "every/listening.rs"]
mod listening;
#[path = "every/malformed.rs"]
mod malformed;
#[path = "every/recording.rs"]
mod recording;
#[path = "every/tools.rs"]
mod tools;

use crate::gateway::socket::Unix as Transport;
