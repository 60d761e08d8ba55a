//! What requests and responses hold in builds with servers.

pub(crate) use crate::server::{Answer, Context};
