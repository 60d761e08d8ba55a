//! Extensions of the protocol on a server (SEP-2133): declaration, methods, subscriptions.

mod extension;
mod gate;
mod listening;
mod method;
mod registry;

pub use extension::Extension;
pub use listening::{ExtensionNotification, Listening};
pub use method::MethodCall;
pub(super) use method::{Method, typed};
pub(super) use registry::Extensions;
