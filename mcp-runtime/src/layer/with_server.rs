//! What requests and responses hold in builds with servers.

pub use crate::server::ToolExtension;
pub(crate) use crate::server::{Answer, Context};
