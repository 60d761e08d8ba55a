//! Extensions of the protocol on a server (SEP-2133): declaration, methods, subscriptions.

mod extension;
mod registry;

pub use extension::{Extension, ExtensionNotification, ExtensionSubscription, MethodCall};
pub(super) use extension::{Method, typed};
pub(super) use registry::ServerExtensions;
