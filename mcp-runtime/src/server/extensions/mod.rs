//! Extensions of the protocol on a server (SEP-2133): declaration, methods, subscriptions.

mod extension;
mod listening;
mod registry;

pub use extension::{Extension, MethodCall};
pub(super) use extension::{Method, typed};
pub use listening::{ExtensionNotification, Listening};
pub(super) use registry::Extensions;
